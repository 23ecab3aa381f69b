#include "runtime/exchange/unlisted.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <tuple>

namespace tacit::runtime {
namespace {

/// The members of one message's structure.
struct members {
  std::vector<int> counts;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
  std::uint64_t bytes = 0;

  void add(const typed_block& b) {
    MPI_Count lower = 0, extent = 0, size = 0;
    check_mpi(MPI_Type_get_extent_x(b.type, &lower, &extent), "MPI_Type_get_extent_x");
    check_mpi(MPI_Type_size_x(b.type, &size), "MPI_Type_size_x");
    bytes += static_cast<std::uint64_t>(b.count) * static_cast<std::uint64_t>(size);
    for (std::int64_t done = 0; done < b.count; done += INT_MAX) { // counts of members are int
      counts.push_back(static_cast<int>(std::min<std::int64_t>(b.count - done, INT_MAX)));
      displacements.push_back(static_cast<MPI_Aint>(b.address) + done * extent);
      types.push_back(b.type);
    }
  }
};

void add_messages(const neighbor_side& side, const std::vector<neighbors::edge>& edges, bool incoming,
                  bool coalesce, std::vector<typed_message>& out) {
  const std::vector<typed_block> blocks = typed_blocks(side, incoming ? "receive" : "send", edges);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].peer != no_rank)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(edges[a].peer, edges[a].channel) < std::tuple(edges[b].peer, edges[b].channel);
  });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    const neighbors::edge& e = edges[order[first]];
    members all;
    for (end = first; end < order.size() && edges[order[end]].peer == e.peer; ++end) {
      if (end > first && !coalesce)
        break;
      all.add(blocks[order[end]]);
    }
    typed_message m;
    m.incoming = incoming;
    m.peer = static_cast<int>(index(e.peer));
    m.tag = coalesce ? 0 : static_cast<int>(e.channel);
    m.bytes = all.bytes;
    check_mpi(MPI_Type_create_struct(static_cast<int>(all.counts.size()), all.counts.data(),
                                     all.displacements.data(), all.types.data(), &m.type),
              "MPI_Type_create_struct");
    out.push_back(m);
    check_mpi(MPI_Type_commit(&out.back().type), "MPI_Type_commit");
  }
}

} // namespace

std::vector<typed_message> unlisted_messages(const neighbor_call& call, const neighbors::neighborhood& n,
                                             bool coalesce) {
  std::vector<typed_message> out;
  try {
    add_messages(call.receive, n.sources, true, coalesce, out);
    add_messages(call.send, n.destinations, false, coalesce, out);
  } catch (...) {
    for (typed_message& m : out)
      MPI_Type_free(&m.type);
    throw;
  }
  return out;
}

} // namespace tacit::runtime
