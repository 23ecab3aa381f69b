#include "cli/analyze_recording.h"

#include "cli/files.h"
#include "cli/progress.h"
#include "record/reader.h"
#include "report/html.h"
#include "report/text.h"

#include <cstdio>
#include <fmt/format.h>

namespace tacit::cli {

analyzed_recording analyze_recording(const std::filesystem::path& folder, bool progress) {
  progress_line line(progress);
  const auto show = [&](std::string_view part, double share) { line.show(part, share); };
  analyzed_recording out;
  const recording::recording_set recorded = recording::read_recording(folder.string(), out.problems, show);
  recording::analysis_options options;
  options.progress = show;
  out.result = recording::analyze(recorded, out.problems, options);
  return out;
}

void write_recording_reports(const std::filesystem::path& folder, const report::run_info& run,
                             const diagnostics& more, bool progress) {
  analyzed_recording analyzed = analyze_recording(folder, progress);
  analyzed.problems.insert(analyzed.problems.end(), more.begin(), more.end());
  report::page page = report::page_of(analyzed.result, analyzed.problems, run);
  for (const diagnostic& d : more)
    page.headlines.push_back(d.message + '.');
  std::string summary = report::summary_of(page, 14);
  std::fputs(summary.c_str(), stderr); // first: it must not be lost if the disk is full
  write_file(folder / "report.html", report::html_of(page));
  write_file(folder / "report.json", report::json_of(analyzed.result, analyzed.problems, run));
  const std::string where = fmt::format("report: {}\n", (folder / "report.html").string());
  write_file(folder / "summary.txt", summary + where);
  std::fputs(where.c_str(), stderr);
}

} // namespace tacit::cli
