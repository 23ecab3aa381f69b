// The communication graph (cDAG, seed 000 section 1.1): what each rank does, and what must happen before
// what.
//
// Operations are nodes. Local dependencies D are edges between operations of one rank: `before` has completed
// before `after` starts. Matches M (which receive takes which send) are not stored here, except for the pairs
// that a put or a get makes (seed 000 section 2.1: the pair is matched when it is made); room `match`
// computes the rest. A fence orders everything its group did before it, on every member, before everything
// the group does after it, as MPI_Win_fence does for an epoch: it needs no explicit dependencies.
//
// Addresses are opaque 64-bit keys per rank; only overlap and order of bytes matter. Data of an operation is
// a list of segments (a flattened datatype). Sends and copies read, receives and copies write, an opaque
// operation reads and writes what it declares and its results are unknown (⊤). A reduction, and a receive that
// reduces, combine elements with those of their target, as MPI_Reduce_local does: target = source ⊕ target.
// Zero-byte messages carry synchronization only.
//
// Builders never fail: what is wrong with a graph is said by `check_operations` below and by the later rooms,
// together and with rank, operation, bytes and remedy.
#pragma once

#include "graphs/graph/segment.h"
#include "graphs/graph/segment_pool.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// The sum of the lengths of all segments.
std::uint64_t total_length(std::span<const segment> segments);
/// Puts segments behind others, without joining any.
inline void append(std::vector<segment>& list, const std::vector<segment>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

enum class op_kind : std::uint8_t { send, recv, copy, opaque, fence, reduce };
inline constexpr std::size_t op_kinds = 6;

/// "send", "recv", "copy", "opaque", "fence", "reduce".
std::string_view name(op_kind kind);

/// One operation, 32 bytes. A contiguous send or receive holds its only segment in place; everything else
/// refers to the graph's segment pool. Read it through graph::reads and graph::writes.
struct operation {
  op_kind kind = op_kind::send;
  bool pooled =
      false; ///< `data` is {access list in the pool, bytes sent or written} instead of the segment itself
  comm_id comm = world;
  rank_id rank = no_rank;
  rank_id peer = no_rank; ///< send: destination, recv: source, else no_rank
  std::int32_t tag = 0;
  segment data;
};
static_assert(sizeof(operation) == 32);

/// How two elements become one: an operator of MPI on one datatype. Two are the same if all of this is equal.
struct reducer {
  std::string operation;     ///< "sum", or a name for an operator of the program
  std::string type;          ///< of the elements: "int", "double"
  std::uint32_t element = 1; ///< bytes of data in one element, at least 1
  bool commutative = true;
  bool rounds = false;  ///< associative only up to rounding, as sums in floating point are
  bool anywhere = true; ///< every rank can combine by it: MPI's own, on elements without gaps
  /// The same two operands may give other bits elsewhere in memory or beside other elements, as where vector code saturates.
  bool varies = false;
  friend bool operator==(const reducer&, const reducer&) = default;
};

/// "sum of double".
std::string describe(const reducer& r);

/// A reducer of a graph, numbered in the order in which they were added.
enum class reducer_id : std::uint32_t {};
inline constexpr reducer_id no_reducer{0xffffffffu};

struct dependency {
  op_id before;
  op_id after;
};

/// Two operations matched when they were made (put: send at the origin, recv at the target; get: the
/// reverse).
struct made_pair {
  op_id send;
  op_id recv;
  op_id origin; ///< the one at the rank that called put or get; epochs of fences are counted there
};

struct communicator {
  std::string name;
  std::vector<rank_id> members; ///< in communicator rank order
};

class graph {
public:
  /// A graph over `ranks` processes; communicator 0, "world", holds them all.
  explicit graph(std::uint32_t ranks);

  comm_id add_communicator(std::string name, std::vector<rank_id> members);

  op_id send(rank_id rank, std::span<const segment> from, rank_id to, std::int32_t tag = 0,
             comm_id comm = world);
  op_id recv(rank_id rank, std::span<const segment> into, rank_id from, std::int32_t tag = 0,
             comm_id comm = world);
  op_id copy(rank_id rank, std::span<const segment> from, std::span<const segment> into);
  /// Local computation: reads and writes these bytes; what it writes is unknown to the analysis.
  op_id opaque(rank_id rank, std::span<const segment> reads, std::span<const segment> writes);
  /// The number of an equal reducer, or a new one.
  reducer_id add_reducer(const reducer& r);
  /// Local reduction, element by element in packing order: `into` = `from` ⊕ `into`. The two are equally long.
  op_id reduce(rank_id rank, std::span<const segment> from, std::span<const segment> into, reducer_id by);
  /// A receive whose message is the left operand: `into` = message ⊕ `into`.
  op_id recv_reduce(rank_id rank, std::span<const segment> into, rank_id from, reducer_id by,
                    std::int32_t tag = 0, comm_id comm = world);
  /// Collective over `comm`: the k-th fence of each member belong together.
  op_id fence(rank_id rank, comm_id comm = world);
  /// One-sided write from `rank` to `target`; returns the operation at `rank`.
  op_id put(rank_id rank, std::span<const segment> local, rank_id target, std::span<const segment> remote);
  /// One-sided read by `rank` from `target`; returns the operation at `rank`.
  op_id get(rank_id rank, std::span<const segment> local, rank_id target, std::span<const segment> remote);

  // One contiguous block, the common case.
  op_id send(rank_id rank, segment from, rank_id to, std::int32_t tag = 0, comm_id comm = world);
  op_id recv(rank_id rank, segment into, rank_id from, std::int32_t tag = 0, comm_id comm = world);

  void depend(op_id before, op_id after);
  /// Declares bytes whose final value nobody reads (E-rules: not part of the live-out set).
  void scratch(rank_id rank, segment bytes);
  /// Declares the live-out bytes. If nothing is declared, everything written minus scratch is live.
  void live_out(rank_id rank, segment bytes);
  /// Makes room for this many operations and dependencies.
  void reserve(std::size_t operations, std::size_t dependencies);

  std::uint32_t ranks() const { return ranks_; }
  std::size_t size() const { return operations_.size(); }
  std::span<const operation> operations() const { return operations_; }
  const operation& operator[](op_id op) const { return operations_[index(op)]; }
  std::span<const dependency> dependencies() const { return dependencies_; }
  std::span<const communicator> communicators() const { return communicators_; }
  std::span<const made_pair> made_pairs() const { return made_pairs_; }
  std::span<const reducer> reducers() const { return reducers_; }
  bool has_fences() const { return has_fences_; }
  bool has_reductions() const { return has_reductions_; }
  /// True if there are computations of the program's own.
  bool has_computations() const { return has_computations_; }
  /// True if there are copies of no bytes, which only stand between others.
  bool has_marks() const { return has_marks_; }
  /// True if there are messages of no bytes, which only synchronize.
  bool has_empty_sends() const { return has_empty_sends_; }
  std::span<const std::pair<rank_id, segment>> scratch_bytes() const { return scratch_; }
  std::span<const std::pair<rank_id, segment>> live_out_bytes() const { return live_out_; }

  /// What a reduction or a receive that reduces combines by, else no_reducer.
  reducer_id reduces_by(op_id op) const;
  bool reduces(op_id op) const { return reduces_by(op) != no_reducer; }

  /// Of a send, or what a receive has room for.
  std::uint64_t message_length(op_id op) const { return operations_[index(op)].data.length; }

  /// The bytes an operation reads (send, copy, opaque, the left operand of reduce), in packing order. What it
  /// combines them with lies where it writes.
  std::span<const segment> reads(op_id op) const;
  /// The bytes an operation writes (recv, copy, opaque, reduce), in packing order.
  std::span<const segment> writes(op_id op) const;

private:
  struct access { // of a pooled operation
    std::uint32_t first_read, read_count, first_write, write_count;
    reducer_id by;
  };
  op_id add(operation op, std::span<const segment> reads, std::span<const segment> writes,
            reducer_id by = no_reducer);

  std::uint32_t ranks_;
  bool has_fences_ = false;
  bool has_empty_sends_ = false;
  bool has_reductions_ = false;
  bool has_computations_ = false;
  bool has_marks_ = false;
  std::vector<operation> operations_;
  std::vector<dependency> dependencies_;
  std::vector<communicator> communicators_;
  std::vector<made_pair> made_pairs_;
  std::vector<reducer> reducers_;
  std::vector<access> accesses_;
  segment_pool pool_;
  std::vector<std::pair<rank_id, segment>> scratch_;
  std::vector<std::pair<rank_id, segment>> live_out_;
};

// Every pass asks these of every operation.

inline std::span<const segment> graph::reads(op_id id) const {
  const operation& op = operations_[index(id)];
  if (op.pooled) {
    const access& a = accesses_[op.data.address];
    return pool_.list(a.first_read, a.read_count);
  }
  return op.kind == op_kind::send && op.data.length > 0 ? std::span(&op.data, 1) : std::span<const segment>{};
}

inline std::span<const segment> graph::writes(op_id id) const {
  const operation& op = operations_[index(id)];
  if (op.pooled) {
    const access& a = accesses_[op.data.address];
    return pool_.list(a.first_write, a.write_count);
  }
  return op.kind == op_kind::recv && op.data.length > 0 ? std::span(&op.data, 1) : std::span<const segment>{};
}

inline reducer_id graph::reduces_by(op_id id) const {
  const operation& op = operations_[index(id)];
  return op.pooled ? accesses_[op.data.address].by : no_reducer;
}

/// "rank 3 op 17: recv 64 B at 0x100 from rank 2, tag 7" — how diagnostics name an operation.
std::string describe(const graph& g, op_id op);

/// Checks each operation by itself: ranks, communicators and group membership exist, dependencies stay on one
/// rank and follow creation order, no receive, copy or reduction writes a byte twice, both sides of a copy,
/// reduction, put or get are equally long, reductions have whole elements and operands that do not overlap,
/// tags are not negative, addresses do not wrap. The later rooms rely on it: they may only
/// be given a graph for which this reports no error.
diagnostics check_operations(const graph& g);

/// Checks that a graph with reductions stays below 2^63: plans keep what arrives to be combined above.
void check_addresses(const graph& g, diagnostics& problems);

} // namespace tacit::graphs
