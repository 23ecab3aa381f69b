#include "runtime/exchange/sizes.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tacit::runtime {
namespace {

/// A rank with an error of its own still takes part in the exchange, with this in place of sizes.
constexpr std::uint64_t no_size = ~std::uint64_t{0};

} // namespace

edge_sizes::side::side(const std::vector<neighbors::edge>& edges) : position(edges.size(), 0) {
  std::map<rank_id, std::size_t> counts;
  for (const neighbors::edge& e : edges)
    if (e.peer != no_rank) {
      std::size_t& count = counts[e.peer];
      count = std::max<std::size_t>(count, e.channel + 1);
    }
  for (auto& [peer, count] : counts) {
    peers.push_back({static_cast<int>(index(peer)), words.size(), static_cast<int>(count)});
    words.resize(words.size() + count, 0);
    count = peers.back().first; // from here on, where the peer's edges begin
  }
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].peer != no_rank)
      position[i] = counts.at(edges[i].peer) + edges[i].channel;
    else
      position[i] = no_size;
}

void edge_sizes::side::put(const std::vector<std::vector<graphs::segment>>& blocks) noexcept {
  for (std::size_t i = 0; i < position.size(); ++i)
    if (position[i] != no_size)
      words[position[i]] = blocks.empty() ? no_size : graphs::total_length(blocks[i]);
}

edge_sizes::edge_sizes(const neighbors::neighborhood& n)
    : sources_(n.sources), destinations_(n.destinations), announced_(sources_.words),
      requests_(sources_.peers.size() + destinations_.peers.size(), MPI_REQUEST_NULL) {}

void edge_sizes::put(const neighbors::neighbor_blocks& blocks) noexcept {
  sources_.put(blocks.in);
  destinations_.put(blocks.out);
}

void edge_sizes::exchange(int tag, MPI_Comm comm) {
  std::size_t next = 0;
  for (const peer_edges& p : sources_.peers)
    check_mpi(MPI_Irecv(&announced_[p.first], p.count, MPI_UINT64_T, p.peer, tag, comm, &requests_[next++]),
              "MPI_Irecv");
  for (const peer_edges& p : destinations_.peers)
    check_mpi(MPI_Isend(&destinations_.words[p.first], p.count, MPI_UINT64_T, p.peer, tag, comm,
                        &requests_[next++]),
              "MPI_Isend");
  await(requests_, "exchanging the sizes of edges");
}

void edge_sizes::compare(const neighbors::neighborhood& n) const {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    if (n.sources[i].peer == no_rank)
      continue;
    const std::uint64_t here = sources_.words[sources_.position[i]], there = announced_[sources_.position[i]];
    if (there != no_size && here != there)
      throw neighbor_error(
          neighbor_error::kind::graph,
          fmt::format("incoming edge {}: {} B expected, but rank {} sends {} B; counts and datatypes on both "
                      "ends of an edge must describe equally many bytes",
                      i, here, index(n.sources[i].peer), there));
  }
}

} // namespace tacit::runtime
