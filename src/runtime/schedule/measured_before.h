// What tuning has measured of equal graphs in earlier runs, and how that is kept for later ones (graphs/platform/graph_measurements.h).
//
// Only rank 0 reads and writes. What it has read becomes part of what it tells all ranks they shall do, so that they cannot disagree (E7);
// and as only the order of variants changes, each of which was validated, an answer that is old or wrong costs time and nothing else.
#pragma once

#include "graphs/choice/choose.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/wire.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::runtime {

class tuned_run;

/// "ring (p2p)".
std::string name_of_variant(std::string_view plan, std::string_view driver);

/// The same for graphs that differ in where their buffers are, and different ones, but for chance, for all else that a measurement may
/// depend on: version, ranks, which of them share a node, cores, settings. The MPI library and this host are in the file's name.
std::uint64_t verdict_key(const std::vector<rank_facts>& facts, const std::vector<local_graph>& parts,
                          const compile_request& wanted);

struct measured_before {
  std::string words; ///< for people; empty: nothing is known and nothing is wrong
  bool taken = false;
};

/// Leaves of `chosen` the variant that was fastest when an equal graph was measured, if that is known and still among its variants.
measured_before take_measured_before(graphs::choice& chosen, std::uint64_t key);

/// What became of keeping what was measured, for people. Never throws but std::bad_alloc; waits for other writers, but not long.
std::string keep_measured(const measurement_name& as, const tuned_run& decided);

} // namespace tacit::runtime
