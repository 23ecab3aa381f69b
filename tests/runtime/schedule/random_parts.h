// One rank's part of a random graph as values, so that it can be altered and built any number of times, and memory for it.
#pragma once

#include "oracle/random_graph.h"
#include "runtime/schedule/graph_builder.h"

#include <algorithm>
#include <cstdint>
#include <mpi.h>
#include <utility>
#include <vector>

namespace tacit::test {

using namespace runtime;
using graphs::segment;

inline constexpr std::size_t room =
    8192; ///< bytes of a rank's memory: random graphs begin below 5,000 and have 40

inline int rank_in_world() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int world_size() {
  int n = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

class duplicate_of_world {
public:
  duplicate_of_world() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~duplicate_of_world() { MPI_Comm_free(&comm_); }
  duplicate_of_world(const duplicate_of_world&) = delete;
  duplicate_of_world& operator=(const duplicate_of_world&) = delete;
  MPI_Comm get() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

using memory = std::vector<unsigned char>;

inline unsigned char byte_of(int rank, std::size_t at, int round) {
  return static_cast<unsigned char>(static_cast<std::size_t>(rank) * 37 + at * 11 +
                                    static_cast<std::size_t>(round) * 101 + 5);
}

struct part_values {
  struct operation {
    graphs::op_kind kind;
    std::vector<segment> reads, writes;
    int peer = 0, tag = 0;
  };
  std::vector<operation> operations;
  std::vector<std::pair<int, int>> dependencies;
  std::vector<segment> scratch;
};

inline part_values values_of(const graphs::graph& g, int rank) {
  part_values out;
  std::vector<int> number(g.size(), -1);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const graphs::operation& op = g[op_id{i}];
    if (static_cast<int>(index(op.rank)) != rank)
      continue;
    number[i] = static_cast<int>(out.operations.size());
    const auto reads = g.reads(op_id{i}), writes = g.writes(op_id{i});
    out.operations.push_back({op.kind,
                              {reads.begin(), reads.end()},
                              {writes.begin(), writes.end()},
                              static_cast<int>(index(op.peer)),
                              op.tag});
  }
  for (const graphs::dependency& d : g.dependencies())
    if (number[index(d.before)] >= 0)
      out.dependencies.emplace_back(number[index(d.before)], number[index(d.after)]);
  return out;
}

inline std::vector<segment> at(const memory& where, std::vector<segment> list) {
  for (segment& s : list)
    s.address += reinterpret_cast<std::uint64_t>(where.data());
  return list;
}

/// The part with its bytes in `where`; computations write what only operation and round say.
inline graph_builder built(const part_values& v, MPI_Comm comm, memory& where, const int& round) {
  graph_builder out(comm);
  for (std::size_t i = 0; i < v.operations.size(); ++i) {
    const part_values::operation& op = v.operations[i];
    const std::vector<segment> reads = at(where, op.reads), writes = at(where, op.writes);
    switch (op.kind) {
    case graphs::op_kind::send:
      out.send(reads, op.peer, op.tag);
      break;
    case graphs::op_kind::recv:
      out.recv(writes, op.peer, op.tag);
      break;
    case graphs::op_kind::copy:
      out.copy(reads, writes);
      break;
    default:
      out.compute(
          [writes, i, &round] {
            for (const segment& s : writes)
              std::fill_n(reinterpret_cast<unsigned char*>(s.address), s.length,
                          static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(round) + 200));
          },
          reads, writes);
    }
  }
  for (const auto& [before, after] : v.dependencies)
    out.depend(before, after);
  if (!v.scratch.empty())
    out.scratch(at(where, v.scratch));
  return out;
}

} // namespace tacit::test
