// Collectives among transfers (seed 000 section 2.4 and Appendix B, by meaning; SEMANTICS 3).
//
// Exact on the full group of each communicator, and on what subgroups.h tries beside; the largest collective on any subset of ranks is
// NP-hard to find. Everything is counted in bytes, so blocks that the program
// cut differently still count; the answer is lexicographically best in the order allgather, alltoall,
// broadcast, then gather and scatter together, where bytes of a complete broadcast are never given to an
// alltoall.
#pragma once

#include "graphs/detect/slice_list.h"
#include "graphs/flow/evaluation.h"
#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "vocabulary/base/ids.h"
#include "vocabulary/calls/patterns.h"
#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::graphs {

/// Elements of all members that are combined one by one: each member gives `length` bytes.
struct combined_piece {
  std::uint64_t length = 0;
  std::vector<std::uint64_t> operands; ///< the address at each member, in communicator order
  /// Allreduce and scans: likewise, where the first member of a scan has none (0); else one, at the root or owner.
  std::vector<std::uint64_t> results;
  rank_id owner = no_rank; ///< reduce-scatter: who gets the result
};

struct finding {
  pattern kind = pattern::bcast;
  comm_id comm = world;   ///< the group
  rank_id root = no_rank; ///< rooted patterns: the root, as graph rank
  std::uint64_t bytes =
      0; ///< uniform patterns: bytes per block (pair); vector patterns: of the largest block
  std::uint32_t blocks =
      1; ///< largest number of separate pieces one block consists of (>1: needs a datatype)
  /// What it takes of the transfers, each byte once over all findings: by destination, then source. Within a
  /// pair the slices are in packing order: for bcast and allgather the same sequence of source bytes for
  /// every destination, for all others by destination address.
  slice_list slices;
  reducer_id by = no_reducer;                ///< reductions: by what,
  std::vector<combined_piece> combined = {}; ///< and what; they have no slices
  /// Reductions that must give the bits of the graph: how, by positions in the group. MPI's collectives do not.
  evaluation order = {};
};

struct refusal {
  pattern kind = pattern::bcast;
  comm_id comm = world;
  reason why = reason::none;
  std::string detail; ///< with numbers: "best candidate, rank 3, reaches 5 of 7 ranks"
};

struct findings {
  std::vector<finding> found;   ///< highest abstraction first
  slice_list residual;          ///< what no finding takes, in transfer order
  std::vector<refusal> refused; ///< per communicator and pattern: why not (or why not more)
  /// Groups of findings that no communicator of the graph has: their numbers follow those of the graph, so that who uses the findings
  /// adds them to it (`with_groups`).
  std::vector<communicator> groups;
};

/// `g` with communicators for the groups.
graph with_groups(graph g, const std::vector<communicator>& groups);

/// Rings of four ranks, where each sends to two of three, stay messages.
inline constexpr double default_density = 0.75;

struct detect_options {
  bool vector_forms = true; ///< also look for allgatherv, alltoallv, scatterv, gatherv
  /// τ of the paper: share of pairs with data that a vector collective must have. Unless more than the default is asked for, one
  /// empty pair does not cost a rooted one either if it is the only one of its kind that lacks no more,
  /// and no communicator of fewer ranks may want its messages.
  double density = default_density;
  std::uint64_t budget =
      1ull << 31; ///< elementary steps that one search may take; past it: reason not_searched
  std::uint32_t smallest_group = 3; ///< smaller groups are refused as trivial; 2 at least
  bool subgroups = false;           ///< also try groups that no communicator has (subgroups.h)
  bool ordered = true;              ///< also reductions that must keep the order of the graph
};

/// Finds collectives. Groups are tried from the largest communicator to the smallest, in order of creation,
/// each distinct set of members once; groups of one or two ranks are refused as trivial. Then, if asked for, groups that no
/// communicator has, for uniform collectives, and for vector collectives where a group has something for all (detect.cpp); last, such groups
/// for barriers.
findings detect(const graph& g, const matching& m, const run_order& o, const transfers& t,
                const detect_options& options = {});

} // namespace tacit::graphs
