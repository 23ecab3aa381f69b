// From a recording folder to reports.
#pragma once

#include "recordings/meaning/analysis.h"
#include "surface/report/recording_page.h"

#include <filesystem>
#include <string>

namespace tacit::surface {

struct analyzed_recording {
  recordings::analysis result;
  diagnostics problems;
  std::optional<task_story> tasks; ///< of a program of tasks
};

/// Its page, with its tasks.
page page_of(const analyzed_recording& a, const run_info& run);
std::string json_of(const analyzed_recording& a, const run_info& run);

/// Reads and analyses; shows progress on a terminal, or if `progress` always.
analyzed_recording analyze_recording(const std::filesystem::path& folder, bool progress);

/// Writes a summary to standard error, and report.html, report.json and summary.txt into the folder. `more`
/// is reported beside the problems of the recording. Throws user_error.
void write_recording_reports(const std::filesystem::path& folder, const surface::run_info& run,
                             const diagnostics& more, bool progress);

} // namespace tacit::surface
