// Whole graphs, of which each rank builds and compiles its part.
#pragma once

#include "graphs/part/parts_in_process.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/schedule/compile_together.h"
#include "runtime/schedule/graph_communicators.h"

#include <algorithm>
#include <memory>
#include <mpi.h>
#include <sstream>
#include <string>
#include <vector>

namespace tacit::runtime {

/// The memory that graphs of the generators speak of, from address 0 on.
class real_memory {
public:
  explicit real_memory(std::size_t bytes) : bytes_(bytes) {}
  graph_builder::bytes at(std::span<const graphs::segment> list) {
    graph_builder::bytes out;
    for (const graphs::segment& s : list)
      out.push_back({reinterpret_cast<std::uint64_t>(bytes_.data()) + s.address, s.length});
    return out;
  }
  unsigned char& operator[](std::uint64_t address) { return bytes_.at(address); }
  std::size_t size() const { return bytes_.size(); }

private:
  std::vector<unsigned char> bytes_;
};

inline unsigned char initial(std::uint64_t rank, std::uint64_t address, int round) {
  const std::uint64_t h =
      (rank * 1'000'003 + address * 31 + static_cast<std::uint64_t>(round) * 7) * 0x9e3779b97f4a7c15;
  return static_cast<unsigned char>(h >> 56);
}

/// Adds the communicators of a whole graph; their numbers here, by those in the graph. Collective.
inline std::vector<int> add_communicators(graph_builder& part, const graphs::graph& g) {
  std::vector<int> numbers{graph_builder::whole_graph};
  for (std::size_t c = 1; c < g.communicators().size(); ++c) {
    const auto& members = g.communicators()[c].members;
    const auto self =
        std::find(members.begin(), members.end(), rank_id{static_cast<std::uint32_t>(part.rank())});
    const bool is_member = self != members.end();
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, is_member ? 1 : MPI_UNDEFINED, static_cast<int>(self - members.begin()),
                   &made);
    numbers.push_back(is_member ? add_communicator(made, [&]() -> graph_builder& { return part; }) : -1);
    if (is_member)
      MPI_Comm_free(&made);
  }
  return numbers;
}

/// Where a rank stands in a communicator of the graph.
inline int place_in(const graphs::graph& g, comm_id comm, rank_id r) {
  const auto& members = g.communicators()[index(comm)].members;
  return static_cast<int>(std::find(members.begin(), members.end(), r) - members.begin());
}

/// This rank's part of a whole graph, built.
inline graph_builder built(const graphs::graph& g, real_memory& memory) {
  graph_builder part(MPI_COMM_WORLD);
  const std::vector<int> numbers = add_communicators(part, g);
  const graphs::graph mine = test::part_of_rank(g, rank_id{static_cast<std::uint32_t>(part.rank())});
  for (std::uint32_t i = 0; i < mine.size(); ++i) {
    const graphs::operation& o = mine.operations()[i];
    const op_id op{i};
    const int peer = place_in(g, o.comm, o.peer), on = numbers[index(o.comm)];
    if (o.kind == graphs::op_kind::send)
      part.send(memory.at(mine.reads(op)), peer, o.tag, on);
    else if (o.kind == graphs::op_kind::recv)
      part.recv(memory.at(mine.writes(op)), peer, o.tag, on);
    else
      part.copy(memory.at(mine.reads(op)), memory.at(mine.writes(op)));
  }
  for (const graphs::dependency& d : mine.dependencies())
    part.depend(static_cast<int>(index(d.before)), static_cast<int>(index(d.after)));
  for (const auto& [rank, bytes] : mine.scratch_bytes())
    part.scratch(memory.at(std::span(&bytes, 1)));
  for (const auto& [rank, bytes] : mine.live_out_bytes())
    part.live_out(memory.at(std::span(&bytes, 1)));
  return part;
}

inline std::unique_ptr<schedule> compiled(const graph_builder& part, compiled_by by,
                                          const std::string& driver = {}) {
  compile_request wanted;
  wanted.by = by;
  wanted.kept = 0;
  wanted.driver = driver;
  return compile_together(part, "the test", [&] { return wanted; });
}

/// The lines that begin so.
inline std::string lines_of(const schedule& made, const std::string& begin) {
  std::istringstream text(made.explain().text);
  std::string out;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(begin))
      out += line + "\n";
  return out;
}

/// What this rank's operations write and nobody reads afterwards.
inline std::vector<bool> unread_bytes(const graphs::graph& g, std::size_t size) {
  const rank_id me{static_cast<std::uint32_t>(rank_in(MPI_COMM_WORLD))};
  std::vector<bool> unread(size);
  const auto set = [&](const graphs::segment& s, bool value) {
    for (std::uint64_t i = 0; i < s.length; ++i)
      unread[s.address + i] = value;
  };
  for (const auto& [rank, s] : g.scratch_bytes())
    if (rank == me)
      set(s, true);
  if (g.live_out_bytes().empty())
    return unread;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (g.operations()[i].rank == me)
      for (const graphs::segment& s : g.writes(op_id{i}))
        set(s, true);
  for (const auto& [rank, s] : g.live_out_bytes())
    if (rank == me)
      set(s, false);
  return unread;
}

} // namespace tacit::runtime
