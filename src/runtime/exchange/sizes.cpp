#include "runtime/exchange/sizes.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

/// A rank with an error of its own still takes part in the exchange, with this in place of sizes.
constexpr std::uint64_t no_size = ~std::uint64_t{0};

} // namespace

peer_sizes sizes_by_peer(const std::vector<neighbors::edge>& edges,
                         const std::vector<std::vector<graphs::segment>>& blocks) {
  peer_sizes out;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    auto& list = out[edges[i].peer];
    list.resize(std::max<std::size_t>(list.size(), edges[i].channel + 1));
    list[edges[i].channel] = blocks.empty() ? no_size : graphs::total_length(blocks[i]);
  }
  return out;
}

peer_sizes exchange_sizes(const peer_sizes& sent, const peer_sizes& expected, int tag, MPI_Comm comm) {
  peer_sizes announced = expected;
  std::vector<MPI_Request> requests(expected.size() + sent.size(), MPI_REQUEST_NULL);
  std::size_t next = 0;
  for (auto& [peer, list] : announced)
    check_mpi(MPI_Irecv(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Irecv");
  for (const auto& [peer, list] : sent)
    check_mpi(MPI_Isend(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Isend");
  await(requests, "exchanging the sizes of edges");
  return announced;
}

void compare_sizes(const neighbors::neighborhood& n, const peer_sizes& expected,
                   const peer_sizes& announced) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    const neighbors::edge& e = n.sources[i];
    if (e.peer == no_rank)
      continue;
    const std::uint64_t here = expected.at(e.peer)[e.channel], there = announced.at(e.peer)[e.channel];
    if (there != no_size && here != there)
      throw neighbor_error(
          neighbor_error::kind::graph,
          fmt::format("incoming edge {}: {} B expected, but rank {} sends {} B; counts and datatypes on both "
                      "ends of an edge must describe equally many bytes",
                      i, here, index(e.peer), there));
  }
}

} // namespace tacit::runtime
