#include "surface/cli/analyze_recording.h"

#include "recordings/meaning/survey.h"
#include "recordings/record/reader.h"
#include "surface/cli/files.h"
#include "surface/cli/progress.h"
#include "surface/report/html.h"
#include "surface/report/task_story.h"
#include "surface/report/text.h"
#include "vocabulary/base/task_record.h"
#include "vocabulary/calls/reasons.h"

#include <cstdio>
#include <fmt/format.h>

namespace tacit::surface {

namespace {

/// What is wrong with tasks.json is said, and the rest reported.
void add_tasks(analyzed_recording& to, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / vocabulary::task_record;
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return;
  std::string fault;
  to.tasks = read_task_story(read_file(file), fault);
  if (to.tasks)
    return;
  diagnostic d;
  d.code = number(reason::recording_incomplete);
  d.level = severity::warning;
  d.message = fmt::format("{} is not what a program of tasks writes: {}", file.string(), fault);
  d.remedy = "Record the program again.";
  to.problems.push_back(std::move(d));
}

} // namespace

page page_of(const analyzed_recording& a, const run_info& run) {
  page out = page_of(a.result, a.problems, run);
  out.tasks = a.tasks;
  if (a.tasks)
    out.headlines.push_back(headline_of(*a.tasks));
  return out;
}

std::string json_of(const analyzed_recording& a, const run_info& run) {
  return json_of(a.result, a.problems, run, a.tasks ? &*a.tasks : nullptr);
}

analyzed_recording analyze_recording(const std::filesystem::path& folder, bool progress) {
  progress_line line(progress);
  const auto show = [&](std::string_view part, double share) { line.show(part, share); };
  analyzed_recording out;
  recordings::survey_options reading;
  reading.progress = show;
  const std::vector<recordings::recording_file> files =
      recordings::list_recording(folder.string(), out.problems);
  const recordings::surveyed_run run = recordings::read_run(files, out.problems, reading);
  recordings::analysis_options options;
  options.progress = show;
  out.result = recordings::analyze_run(run, out.problems, options);
  add_tasks(out, folder);
  return out;
}

void write_recording_reports(const std::filesystem::path& folder, const surface::run_info& run,
                             const diagnostics& more, bool progress) {
  analyzed_recording analyzed = analyze_recording(folder, progress);
  analyzed.problems.insert(analyzed.problems.end(), more.begin(), more.end());
  surface::page page = page_of(analyzed, run);
  for (const diagnostic& d : more)
    page.headlines.push_back(d.message + '.');
  std::string summary = surface::summary_of(page, 14);
  std::fputs(summary.c_str(), stderr); // first: it must not be lost if the disk is full
  write_file(folder / "report.html", surface::html_of(page));
  write_file(folder / "report.json", json_of(analyzed, run));
  const std::string where = fmt::format("report: {}\n", (folder / "report.html").string());
  write_file(folder / "summary.txt", summary + where);
  std::fputs(where.c_str(), stderr);
}

} // namespace tacit::surface
