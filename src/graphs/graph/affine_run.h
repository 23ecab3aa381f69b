// Affine runs: messages of one rank that advance together (SEMANTICS 2).
//
// A program writes a linear alltoall as a loop: iteration q sends block q to rank q, and receives from it. Its 2 (p - 1) operations are two
// affine runs: peers and addresses advance by constants. A list of runs says the operations of one rank, in their order of
// creation and one to one, in memory that does not grow with p; what is no message of one piece is only counted (the owner of the list
// keeps it). Lists are made by adding one operation after the other, and equal sequences make equal lists.
//
// Peers wrap at the number of ranks, and may leave the rank itself out, which is what loops over all others do: so the runs of a
// rank are two however the loop is written. Where peers do not advance evenly, addresses may go by the peer (block q belongs
// to rank q) or by the iteration (blocks in the order in which they are sent).
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::graphs {

/// A send or a receive of one piece of memory, or of no bytes (at address 0).
struct plain_message {
  op_kind kind = op_kind::send;
  comm_id comm = world;
  std::int32_t tag = 0;
  rank_id peer = no_rank;
  segment data;
  friend bool operator==(const plain_message&, const plain_message&) = default;
};

/// By what the addresses of a run advance.
enum class advance_by : std::uint8_t {
  either,    ///< so far both say the same
  iteration, ///< `stride` from one message to the next one
  peer,      ///< `per_peer` from one rank to the next one
};

struct affine_run {
  op_kind kind = op_kind::send;
  advance_by by = advance_by::either;
  bool skips_self = false; ///< peers leave out the rank itself
  comm_id comm = world;
  std::int32_t tag = 0;
  std::uint32_t count = 1;
  rank_id peer = no_rank; ///< of the first message
  std::int32_t peer_step =
      0;                    ///< to the next one; 1 and -1 wrap at the number of ranks and meet no rank twice
  segment data;             ///< of the first message
  std::uint64_t stride = 0; ///< modulo 2^64
  std::uint64_t per_peer = 0; ///< modulo 2^64
  friend bool operator==(const affine_run&, const affine_run&) = default;
};
static_assert(sizeof(affine_run) == 56);

/// The k-th message of a run, from 0.
plain_message message_of(const affine_run& run, std::uint32_t k, rank_id self, std::uint32_t ranks);
/// True if the message comes next in the run, which has it then.
bool extend(affine_run& run, const plain_message& next, rank_id self, std::uint32_t ranks);
/// At which of its messages a run with steps of 1 or -1 meets the rank itself, or would if it were as long.
std::uint32_t distance_to_self(const affine_run& run, rank_id self, std::uint32_t ranks);

/// The operations of one rank.
class affine_list {
public:
  /// `body` runs that take turns, or, where it is 0, operations that are no plain messages.
  struct loop {
    std::uint32_t first_run = 0;
    std::uint32_t body = 0;
    std::uint32_t operations = 0;
  };

  affine_list() = default;
  affine_list(rank_id self, std::uint32_t ranks) : self_(self), ranks_(ranks) {}
  /// As another one was: `runs` and `loops` are its own. Throws std::invalid_argument if they make no list.
  affine_list(rank_id self, std::uint32_t ranks, std::vector<affine_run> runs, std::vector<loop> loops);

  // If memory is refused, nothing has changed.
  void add(const plain_message& m);
  void add_other();

  rank_id self() const { return self_; }
  std::uint32_t ranks() const { return ranks_; }
  std::size_t size() const { return size_; } ///< operations
  std::span<const affine_run> runs() const { return runs_; }
  std::span<const loop> loops() const { return loops_; }
  bool has_others() const { return has_others_; }

  /// Where one is in the order of creation.
  struct cursor {
    std::size_t loop = 0;
    std::uint32_t operation = 0; ///< of the loop
    friend bool operator==(const cursor&, const cursor&) = default;
  };
  cursor begin() const { return {}; }
  cursor end() const { return {loops_.size(), 0}; }
  void move_on(cursor& at) const;
  /// Nothing if the operation there is no plain message.
  std::optional<plain_message> at(const cursor& at) const;

private:
  affine_run& next_run(const loop& l) { return runs_[l.first_run + l.operations % l.body]; }
  bool continues_last(const plain_message& m);
  bool becomes_loop_of_two(const plain_message& m);

  rank_id self_ = no_rank;
  std::uint32_t ranks_ = 0x7fffffff; ///< so many that peers do not wrap
  std::size_t size_ = 0;
  bool has_others_ = false;
  std::vector<affine_run> runs_;
  std::vector<loop> loops_;
};

/// A graph of nothing but messages, without dependencies, on the communicator of all ranks.
struct affine_graph {
  std::vector<affine_list> ranks;
};

/// The operations of a graph as affine runs, if it is such a graph and nothing is declared of it. Cost O(operations).
std::optional<affine_graph> affine_form(const graph& g);
/// The graph that the runs say; operations rank by rank.
graph expanded(const affine_graph& g);

} // namespace tacit::graphs
