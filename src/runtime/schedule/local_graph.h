// One rank's part of a graph as values: how the parts travel, and how they become one graph on rank 0.
#pragma once

#include "graphs/graph/affine_run.h"
#include "graphs/graph/graph.h"
#include "runtime/run/pack.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mpi.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacit::runtime {

enum class local_kind : std::uint8_t { send, recv, copy, compute, fence, put, get, reduce, nothing };

/// A communicator that was added to the graph.
struct local_communicator {
  std::uint64_t id = 0;     ///< agreed among its members, unique in the graph
  std::vector<int> members; ///< as ranks of the graph's communicator
  std::string name;
};

/// Values only: the handles stay on their rank (graph_builder.h).
using local_reducer = graphs::reducer;

struct local_operation {
  local_kind kind = local_kind::nothing;
  std::int32_t comm = 0; ///< 0: the graph's; k: the k-th that was added
  int peer = -1;
  int tag = 0;
  std::vector<graphs::segment> reads, writes; ///< put: reads here, writes there; get: the reverse
  std::int32_t reducer = -1;                  ///< in local_graph::reducers; reduce, recv: what combines
};

/// A rank's operations in order of creation. Messages of one piece are kept as affine runs (graphs/graph/affine_run.h), so loops take
/// memory by what is in their body, and equal operations make equal lists.
class local_operations {
public:
  using value_type = local_operation;

  local_operations() = default;
  local_operations(int rank, int ranks)
      : list_(rank_id{static_cast<std::uint32_t>(rank)}, static_cast<std::uint32_t>(ranks)) {}
  local_operations(graphs::affine_list list, std::vector<local_operation> others)
      : list_(std::move(list)), others_(std::move(others)) {}

  /// If memory is refused, nothing has changed.
  void push_back(local_operation op);
  std::size_t size() const { return list_.size(); }
  bool empty() const { return size() == 0; }
  std::vector<local_operation> one_by_one() const { return {begin(), end()}; }
  const graphs::affine_list& list() const { return list_; }
  std::span<const local_operation> others() const { return others_; } ///< that are in no run

  /// Each operation is there until the iterator moves on.
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = local_operation;
    using difference_type = std::ptrdiff_t;
    using pointer = const local_operation*;
    using reference = const local_operation&;

    iterator(const local_operations& of, graphs::affine_list::cursor at) : of_(&of), at_(at) { read(); }
    reference operator*() const { return other_ ? *other_ : message_; }
    pointer operator->() const { return &**this; }
    iterator& operator++() {
      of_->list_.move_on(at_);
      read();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

  private:
    void read();
    const local_operations* of_;
    graphs::affine_list::cursor at_;
    std::size_t others_read_ = 0;
    const local_operation* other_ = nullptr; ///< if the operation is in no run
    local_operation message_;
  };
  iterator begin() const { return {*this, list_.begin()}; }
  iterator end() const { return {*this, list_.end()}; }

private:
  graphs::affine_list list_;
  std::vector<local_operation> others_;
};

struct local_graph {
  std::vector<local_communicator> communicators;
  std::vector<local_reducer> reducers;
  local_operations operations;
  std::vector<std::pair<std::int32_t, std::int32_t>> dependencies;
  std::vector<graphs::segment> scratch, live_out;
};

/// The operations if they are messages of one piece, and perhaps a copy of one piece that is as long: it stands behind them as a message of the
/// rank to itself. Else nothing.
std::optional<graphs::affine_list> messages_alone(const local_operations& operations);

/// The operations alone, if they are such messages in all parts and there is nothing else in any part: no dependency, no declaration, no
/// communicator. Else nothing.
std::optional<graphs::affine_graph> affine_form(const std::vector<local_graph>& parts);

void pack(packer& into, const local_graph& g);
// Its two parts: the communicators, and all else.
void pack(packer& into, const std::vector<local_communicator>& communicators);
void pack_operations(packer& into, const local_graph& g);
void pack(packer& into, const graphs::reducer& r);
graphs::reducer unpack_reducer(unpacker& from);
local_graph unpack_local_graph(unpacker& from);

/// All parts as one graph.
struct joined_graph {
  graphs::graph g;
  std::vector<std::vector<op_id>> names; ///< per rank and local operation: the operation in `g`
  std::vector<std::vector<graphs::reducer_id>> reducers; ///< per rank and local reducer: the one in `g`
};
/// Joins them rank by rank. Throws std::length_error if there are more communicators than a comm_id can tell
/// apart.
joined_graph join(const std::vector<local_graph>& parts);
/// A graph of all ranks with the communicators that `join` gives it, and nothing else.
graphs::graph ranks_of(const std::vector<local_graph>& parts);
/// One part alone, its operations and communicators numbered as the rank numbers them: sends, receives and copies.
graphs::graph alone(const local_graph& part, rank_id rank, std::uint32_t ranks);

} // namespace tacit::runtime
