// What all ranks must know of each other's final receives to name the collective that they are together, as numbers that one reduction
// brings together (SEMANTICS 5.3 and 5.4), and the finding that follows from them.
//
// A finding is only about graphs in which everything that moves is one collective of all ranks: there each rank's own receives, and these
// numbers, are enough, and the finding is that of graphs/detect. Where blocks differ in length, all ranks hear the lengths, as MPI's vector
// collectives ask for them anyway, but no addresses. All else is refused, with the reason.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/part/part_refusal.h"
#include "vocabulary/calls/patterns.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

/// Bytes that one rank takes from another one: in the order of their addresses there, as long as possible.
struct taken_bytes {
  rank_id source = no_rank;
  std::vector<segment> bytes;
};

/// What a rank's final receives say, source by source, in the order of the sources.
struct received {
  std::vector<taken_bytes> from;
  std::vector<std::uint32_t> pieces;     ///< of each: receives that are apart, here or there
  part_refusal why = part_refusal::none; ///< they cannot be part of a collective as it is looked for here
};
/// `list`: as part_run gives it.
received sort_by_source(std::span<const transfer> list, rank_id self);

/// The first source's bytes as said by one rank, if they are few pieces.
struct proposal {
  static constexpr std::size_t most_pieces = 6;
  std::int64_t pieces = -1;                           ///< negative: nothing is proposed
  std::array<std::uint64_t, 2 * most_pieces> bytes{}; ///< address and length of each
  friend bool operator==(const proposal&, const proposal&) = default;
};
proposal proposal_of(const std::vector<segment>& bytes);
std::vector<segment> bytes_of(const proposal& p);

/// Numbers below 2^63, so that a reduction of signed ones does for all of them. The neutral element as it is made.
struct part_facts {
  std::int64_t refused_rank = 1ll << 62, why = 0; ///< of the lowest rank that refuses; see `refused_by`
  std::int64_t operations = 0, transfers = 0;     ///< sums
  std::int64_t receivers = 0;                     ///< ranks that get something,
  std::int64_t from_one = 0;                      ///< from one other rank alone,
  std::int64_t from_all = 0;                      ///< from all other ranks
  std::int64_t least_source = 1ll << 62, largest_source = -1; ///< of those in `from_one`
  std::int64_t last_from_all = -1;                            ///< one of those in `from_all`
  std::int64_t least_bytes = 1ll << 62, most_bytes = -1;      ///< that a rank gets from another one, if any
  /// Likewise of what comes in one piece, and the most pieces that anything comes in.
  std::int64_t least_whole = 1ll << 62, most_whole = -1, most_pieces = 0;
  std::int64_t least_hash = 1ll << 62, most_hash = -1; ///< of the bytes of those in `from_one`: a filter
  /// What ranks 0 and 1 get: the root of a broadcast knows from the one that is not the root what it sends.
  std::array<proposal, 2> proposed;
  /// After bytes were claimed: of each rank that sends, 1 if all that it sends goes to all others, 2 if nothing does, 3 else.
  std::int64_t least_shared = 1ll << 62, most_shared = -1;
};

/// What one rank says of itself.
part_facts facts_of(const received& mine, rank_id self, std::uint32_t ranks, std::uint64_t operations,
                    std::uint64_t transfers);
void refuse(part_facts& mine, rank_id self, part_refusal why);
/// The rank whose reason is `all.why`.
int refused_by(const part_facts& all);
/// Associative and commutative.
void merge(part_facts& into, const part_facts& other);

/// From how many ranks on an all-to-all pattern is left to one rank: the choice among algorithms for it takes time like the square.
inline constexpr std::uint32_t most_ranks_of_all_to_all = 64;

struct part_finding {
  part_refusal why = part_refusal::none; ///< else nothing of the rest holds
  pattern kind = pattern::bcast; ///< all-to-all patterns: alltoall or alltoallv, until `settle` says which
  rank_id root = no_rank;
  std::uint64_t bytes = 0; ///< of each block; of the largest one, if they differ
  bool claims = false;     ///< origins must learn from their receivers what they send
  bool whole = false;      ///< whatever one rank gets from another one comes in one piece
  /// Vector collectives: what all ranks say of blocks (`told_lengths`), rank by rank.
  std::vector<std::uint64_t> lengths;
};
/// The same on all ranks: `all` is what they say together.
part_finding finding_of(const part_facts& all, std::uint32_t ranks);

/// What `self` sends, as claimed by its receivers, in `least_shared` and `most_shared`.
void add_shared(part_facts& mine, std::span<const taken_bytes> claimed);
/// With what all ranks have found in what is claimed.
part_finding settle(part_finding before, const part_facts& all);

/// How many lengths each rank has to say before blocks are known: none if they are equal.
std::size_t lengths_to_tell(pattern kind, std::uint32_t ranks);
/// What this rank says; fills as many as there are. `gives`: as claimed by its receivers.
void tell_lengths(pattern kind, const received& mine, std::span<const taken_bytes> gives,
                  std::span<std::uint64_t> into);
/// Bytes of the block that goes from one rank to another one; `lengths` is filled.
std::uint64_t length_of_block(const part_finding& what, std::uint32_t ranks, std::uint32_t from,
                              std::uint32_t to);

/// Why a part is left to the rank that knows all: none, or the reason. The part holds the operations of one rank alone.
part_refusal refusal_of(const graph& part);

} // namespace tacit::graphs
