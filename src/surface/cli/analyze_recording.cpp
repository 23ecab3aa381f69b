#include "surface/cli/analyze_recording.h"

#include "recordings/meaning/survey.h"
#include "recordings/record/reader.h"
#include "surface/cli/files.h"
#include "surface/cli/progress.h"
#include "surface/report/html.h"
#include "surface/report/text.h"

#include <cstdio>
#include <fmt/format.h>

namespace tacit::surface {

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
  return out;
}

void write_recording_reports(const std::filesystem::path& folder, const surface::run_info& run,
                             const diagnostics& more, bool progress) {
  analyzed_recording analyzed = analyze_recording(folder, progress);
  analyzed.problems.insert(analyzed.problems.end(), more.begin(), more.end());
  surface::page page = surface::page_of(analyzed.result, analyzed.problems, run);
  for (const diagnostic& d : more)
    page.headlines.push_back(d.message + '.');
  std::string summary = surface::summary_of(page, 14);
  std::fputs(summary.c_str(), stderr); // first: it must not be lost if the disk is full
  write_file(folder / "report.html", surface::html_of(page));
  write_file(folder / "report.json", surface::json_of(analyzed.result, analyzed.problems, run));
  const std::string where = fmt::format("report: {}\n", (folder / "report.html").string());
  write_file(folder / "summary.txt", summary + where);
  std::fputs(where.c_str(), stderr);
}

} // namespace tacit::surface
