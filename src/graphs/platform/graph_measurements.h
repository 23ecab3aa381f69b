// What tuning has measured of compiled graphs on this machine, for later runs: which variant of what a graph means was fastest.
//
// The file stands beside the machine model, one for each host and MPI library: a line that names both, then one for each graph, the one
// measured last at the end. It is read whole, and replaced whole by one that is written beside it, so that who reads needs no lock and a
// full disk leaves the earlier one; who writes holds a lock, so that of two programs that write at the same time none loses what the
// other has measured. Beyond `most_graph_measurements` the oldest goes. A file that is damaged or of another machine counts as empty, and is
// replaced when something is kept. What it says is advice: plans are validated as without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

inline constexpr std::size_t most_graph_measurements = 1000;

struct graph_measurement {
  std::uint64_t key = 0; ///< of the graph without its addresses, its ranks' nodes, and the options
  std::string variant;   ///< "ring (p2p)"
  double seconds = 0;    ///< a run of it, on the slowest rank
  std::string day;       ///< when it was measured, "2026-11-23"
  std::string graph;     ///< for people: "4 ranks, 24 operations, 12 transfers"
  std::string others;    ///< for people: what else was measured, "as written (shm) 3.1 us, …"; may be empty
  friend bool operator==(const graph_measurement&, const graph_measurement&) = default;
};

struct kept_graph_measurements {
  std::vector<graph_measurement> list; ///< the oldest first
  std::string trouble;                 ///< why the file is ignored; empty: it is not, or there is none
  /// Null: none.
  const graph_measurement* of(std::uint64_t key) const;
};

/// Where they are kept: the kept_file() graphs-HOST-LIBRARY.txt; empty if there is no cache folder. `library` as
/// short_library_name has it, here and below.
std::filesystem::path graph_measurement_file(std::string_view library);

/// Never throws but std::bad_alloc.
kept_graph_measurements load_graph_measurements(std::string_view library);

/// In place of an earlier one of the same key; `day` is today. Empty, or why it could not be kept. Waits for others that write, for a
/// tenth of a second at most. Never throws but std::bad_alloc.
std::string keep_graph_measurement(std::string_view library, graph_measurement made);

} // namespace tacit::graphs
