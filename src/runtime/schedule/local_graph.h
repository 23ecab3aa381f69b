// One rank's part of a graph as values: how the parts travel, and how they become one graph on rank 0.
#pragma once

#include "graphs/graph/graph.h"
#include "runtime/run/pack.h"

#include <cstdint>
#include <mpi.h>
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

struct local_graph {
  std::vector<local_communicator> communicators;
  std::vector<local_reducer> reducers;
  std::vector<local_operation> operations;
  std::vector<std::pair<std::int32_t, std::int32_t>> dependencies;
  std::vector<graphs::segment> scratch, live_out;
};

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
