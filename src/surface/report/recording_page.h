// The analysis of a recording as a page and as JSON.
#pragma once

#include "recordings/meaning/analysis.h"
#include "surface/report/page.h"
#include "vocabulary/base/diagnostic.h"

#include <string>

namespace tacit::surface {

/// What only the one who ran the program knows.
struct run_info {
  std::string command; ///< as typed; empty: not known
  std::string folder;  ///< where the recording is
  std::string outcome; ///< "exit code 0", "killed by signal 9"; empty: not known
};

page page_of(const recordings::analysis& a, const diagnostics& problems, const run_info& run);
/// With what the program's tasks say of themselves, if it has any.
std::string json_of(const recordings::analysis& a, const diagnostics& problems, const run_info& run,
                    const task_story* tasks = nullptr);
/// Ranks and the bytes between them, for Graphviz.
std::string dot_of(const recordings::analysis& a);

} // namespace tacit::surface
