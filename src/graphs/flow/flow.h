// Where every byte comes from (seed 000 section 2.3, Algorithms 3 and 4, by meaning): transfers in static
// single transfer (SST) form, and wait sets.
//
// A race-free graph is a simultaneous assignment: each byte it leaves behind is the initial value of exactly
// one (rank, address), a combination of such values (⊕, made by a reduction), or unknown (⊤, written by an
// opaque operation). `follow` returns that assignment. Reductions stay what they are: bytes that they touch,
// directly or through messages and copies, are told apart from those that are only moved.
#pragma once

#include "graphs/flow/fragment_tree.h"
#include "graphs/graph/graph.h"
#include "graphs/match/match.h"
#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// `length` bytes at (destination, destination_address) get the initial value of (source, source_address). A
/// local copy has source == destination. source == no_rank means ⊤: unknown, and source_address is the id of
/// the opaque operation that wrote it.
struct transfer {
  std::uint64_t destination_address = 0;
  std::uint64_t source_address = 0;
  std::uint64_t length = 0;
  rank_id source = no_rank;
  rank_id destination = no_rank;
  friend bool operator==(const transfer&, const transfer&) = default;
};

/// What one reduction made: `length` bytes, which fragments and transfers of source `combined` name by
/// addresses from `base` on. Its operands are fragments whose `address` is the offset, sorted, without gaps, as
/// long as possible; left ⊕ right, element by element.
struct reduction {
  op_id op = no_op; ///< the reduction, or the receive that reduces
  std::uint64_t base = 0;
  std::uint64_t length = 0;
  std::vector<fragment> left, right;
};

/// What a computation reads: fragments whose `address` is the offset in it, sorted, without gaps, as long as possible.
struct operands_of_call {
  op_id op = no_op;
  std::vector<fragment> read;
};

/// Canonical: sorted by (destination, destination address), maximally coalesced, identity transfers dropped,
/// bytes that are not live-out dropped.
struct transfers {
  std::vector<transfer> list; ///< without what `kept` has
  /// Bytes that are written by the operations in `kept_operations`, in the same form; sources may be `combined`.
  std::vector<transfer> kept;
  std::vector<std::uint32_t> kept_part; ///< of each in `kept`: its part of the graph
  /// Operations that touch bytes of reductions or computations, directly or through others (separate.h), in run order, and their
  /// parts: no operation touches a byte that one of another part writes. Parts are numbered from 0.
  std::vector<op_id> kept_operations;
  std::vector<std::uint32_t> part_of_kept;
  std::vector<reduction> reductions;   ///< in run order, so operands come first
  std::vector<operands_of_call> calls; ///< in run order; only of follow_with_calls
  bool apart = false;                  ///< known that no rank is given bytes where it has some that are read
  bool complete = true;        ///< false: a budget was exceeded (a diagnostic says so), `list` is meaningless
  std::uint64_t fragments = 0; ///< moved over the whole graph: what the budget counts
};

/// The reduction that makes the bytes at an address of source `combined`.
const reduction& made_by(const transfers& t, std::uint64_t address);

/// What following may cost before it is given up. Fragments moved bound the time, about 10 ns each; bytes
/// bound the memory, everything counted that is held at one time, the transfers included: 32 bytes a rank,
/// and for each fragment 32 to 80 bytes, as densely as the memory of its rank is packed, and 32 for its
/// transfer (a rank with two or more fragments: 350 more).
struct flow_options {
  std::uint64_t fragment_budget = 1ull << 28;
  std::uint64_t memory_budget = 2ull << 30;
};

/// Reads one of the two budgets: a plain number counts fragments, one with a unit ("512MiB", "2G", powers of
/// 1024) bytes. False, with nothing changed, for anything else and for zero.
bool read_budget(std::string_view text, flow_options& options);

/// Follows every byte through the graph. Cost O(operations + fragments moved).
transfers follow(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                 const flow_options& options = {});

/// Likewise, and what computations read; what they write has names, so that its bytes are told apart: for what the k-th of `calls` writes,
/// `source` is computed_by(g, k), and source_address is where it is written. So what is computed may be in more fragments than `follow` moves.
transfers follow_with_calls(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                            const flow_options& options = {});

/// The source of what a computation writes, behind the ranks; and whether it is one, and the number of the computation.
inline rank_id computed_by(const graph& g, std::size_t call) {
  return rank_id{g.ranks() + static_cast<std::uint32_t>(call)};
}
inline bool is_computed(const graph& g, rank_id source) {
  return index(source) >= g.ranks() && source != combined && source != no_rank;
}
inline std::size_t computation_of(const graph& g, rank_id source) {
  return index(source) - g.ranks();
}

/// The ranks that each rank must have heard from before it may leave the graph (seed 000 section 2.3).
struct wait_sets {
  /// words[rank * words_per_rank + r / 64] bit r % 64: rank waits for r. A rank is never in its own set.
  std::vector<std::uint64_t> words;
  std::size_t words_per_rank = 0;
  bool contains(rank_id rank, rank_id other) const {
    return words[index(rank) * words_per_rank + index(other) / 64] >> (index(other) % 64) & 1;
  }
};

/// Which paths make a rank wait for another one.
enum class sync_paths : std::uint8_t {
  all,           ///< every path of D ∪ M: the wait sets of the paper
  explicit_only, ///< paths with at least one zero-byte message or fence: what policy `data` must keep (E4)
};

/// Wait sets of all ranks. Memory p²/8 bytes: ask for it only where p is moderate. Cost O(operations · p /
/// 64).
wait_sets compute_wait_sets(const graph& g, const matching& m, const run_order& o, sync_paths paths);

/// True if every member of `group` waits for every other one over `paths`; otherwise `rank` and `missing` (if
/// given) name a counterexample. Blocks of source ranks with early exit: O(operations) memory at any p.
bool wait_sets_complete(const graph& g, const matching& m, const run_order& o, std::span<const rank_id> group,
                        sync_paths paths, rank_id* rank = nullptr, rank_id* missing = nullptr);

} // namespace tacit::graphs
