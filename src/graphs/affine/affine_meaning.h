// What a graph of affine runs means, where that is one collective of all ranks: found from the runs, without expanding them.
//
// Every rank's runs become stretches: for each other rank, the piece of memory that goes there and the one that what comes from there
// goes to, as few formulas. From these follow, for p ranks and blocks of B bytes:
//
//   match    all messages have one communicator, tag and length. If the stretches of every rank that sends to others tile all other
//            ranks, and those of every rank that receives do, each pair has exactly one send and one receive (rooted patterns: all others
//            have one message, with the root).
//   races    nothing depends on anything, so everything may happen at once: no byte that a rank receives may be in another block that it
//            sends or receives. Blocks of a stretch are apart if its stride is not less than B; stretches are compared as wholes.
//   flow     then each transfer is one message: nothing is passed on, overwritten or merged, because one piece goes from each rank to
//            each.
//   detect   blocks that a rank sends are all the same bytes (allgather, bcast), or are apart (alltoall, scatter); gather has one each.
//
// A message of a rank to itself is a copy beside the collective. All else is refused: then the graph is expanded and compiled as any
// other one, which says the same where both say anything (tests/graphs/affine). Cost O(runs log runs).
#pragma once

#include "graphs/affine/stretches.h"
#include "graphs/graph/affine_run.h"
#include "vocabulary/calls/patterns.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// A block from the rank itself to itself.
struct own_copy {
  rank_id rank = no_rank;
  std::uint64_t from = 0, to = 0; ///< addresses
};

/// The collective, and where its blocks are on each rank. As a plan it is one collective step on each rank, and a copy where there is an
/// own block.
struct affine_meaning {
  pattern kind = pattern::bcast;
  rank_id root = no_rank;  ///< rooted patterns
  std::uint64_t bytes = 0; ///< of each block
  std::uint32_t ranks = 0;
  std::vector<own_copy> own; ///< by rank
  std::vector<stretch> stretches;
  /// Per rank, where in `stretches` its sends begin, then its receives; one more at the end.
  std::vector<std::uint32_t> first;

  std::span<const stretch> sends(rank_id r) const { return between(2 * index(r)); }
  std::span<const stretch> receives(rank_id r) const { return between(2 * index(r) + 1); }
  const own_copy* own_of(rank_id r) const;

private:
  std::span<const stretch> between(std::size_t i) const {
    return std::span(stretches).subspan(first[i], first[i + 1] - first[i]);
  }
};

/// Why it has to be expanded.
enum class affine_refusal : std::uint8_t {
  none,
  few_ranks,
  other_operations,
  peers,
  messages,
  unmatched,
  memory,
  mixed
};
/// For people: "blocks lie in each other".
std::string_view words(affine_refusal why);

struct affine_search {
  affine_meaning found; ///< if `why` is none
  affine_refusal why = affine_refusal::none;
};
affine_search find_meaning(const affine_graph& g);

/// Translation validation: whether the collective, by what it means, moves each message of the runs from the same bytes to the
/// same bytes and nothing else, and touches no byte in two orders. It asks the runs message by message at the ends of what is even in
/// them, and shares no conclusion with `find_meaning`. Empty if so, else the first difference.
std::string fault_of(const affine_graph& g, const affine_meaning& m);

} // namespace tacit::graphs
