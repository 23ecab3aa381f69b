#include "runtime/exchange/topologies.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/attributes.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

using held_topology = std::shared_ptr<const neighbors::topology>;

/// What a communicator and its duplicates share. Counted here, so that duplicating needs no memory: a rank
/// without it would fail in MPI's own call, in which the others wait.
struct shared_topology {
  held_topology topology;
  std::atomic<int> holders = 1;
};

int share(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  auto* const held = static_cast<shared_topology*>(value);
  ++held->holders;
  *static_cast<shared_topology**>(copy) = held;
  *flag = 1;
  return MPI_SUCCESS;
}

int drop_one(MPI_Comm, int, void* value, void*) {
  auto* const held = static_cast<shared_topology*>(value);
  if (--held->holders == 0)
    delete held;
  return MPI_SUCCESS;
}

comm_attribute<shared_topology>& topologies() {
  static comm_attribute<shared_topology> kept(share, drop_one);
  return kept;
}

neighbors::neighborhood read_grid(MPI_Comm comm) {
  int n = 0;
  check_mpi(MPI_Cartdim_get(comm, &n), "MPI_Cartdim_get");
  const auto room = static_cast<std::size_t>(std::max(n, 1));
  std::vector<int> dims(room), periods(room), coordinates(room);
  check_mpi(MPI_Cart_get(comm, n, dims.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  neighbors::grid_shape shape;
  for (int d = 0; d < n; ++d) {
    shape.dims.push_back(dims[static_cast<std::size_t>(d)]);
    shape.periodic.push_back(periods[static_cast<std::size_t>(d)] != 0);
  }
  return neighbors::cartesian_neighborhood(shape, rank_id{static_cast<std::uint32_t>(rank_in(comm))});
}

rank_id as_rank(int rank) {
  return rank < 0 ? no_rank : rank_id{static_cast<std::uint32_t>(rank)};
}

std::vector<rank_id> as_ranks(const std::vector<int>& ranks, int count) {
  std::vector<rank_id> out;
  for (int i = 0; i < count; ++i)
    out.push_back(as_rank(ranks[static_cast<std::size_t>(i)]));
  return out;
}

std::vector<int> graph_neighbors(MPI_Comm comm, int rank) {
  int n = 0;
  check_mpi(MPI_Graph_neighbors_count(comm, rank, &n), "MPI_Graph_neighbors_count");
  std::vector<int> list(static_cast<std::size_t>(n) + 1);
  check_mpi(MPI_Graph_neighbors(comm, rank, n, list.data()), "MPI_Graph_neighbors");
  list.pop_back();
  return list;
}

/// Each neighbor is source and destination (MPI-4.1 section 8.6), so neighbors must list each other equally
/// often; the whole graph is known here.
neighbors::neighborhood read_graph(MPI_Comm comm) {
  const int me = rank_in(comm);
  const std::vector<int> mine = graph_neighbors(comm, me);
  for (const int other : mine) {
    const std::vector<int> theirs = graph_neighbors(comm, other);
    const auto there = std::count(mine.begin(), mine.end(), other);
    const auto here = std::count(theirs.begin(), theirs.end(), me);
    if (there != here)
      throw neighbor_error(
          neighbor_error::kind::graph,
          fmt::format("rank {} of the graph topology lists rank {} {} time(s), but rank {} lists rank {} {} "
                      "time(s); neighborhood collectives need a symmetric graph, or MPI_Dist_graph_create",
                      me, other, there, other, me, here));
  }
  const std::vector<rank_id> peers = as_ranks(mine, static_cast<int>(mine.size()));
  return neighbors::graph_neighborhood(peers, {}, peers, {});
}

neighbors::neighborhood read_dist_graph(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  check_mpi(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted), "MPI_Dist_graph_neighbors_count");
  std::vector<int> sources(static_cast<std::size_t>(in) + 1), destinations(static_cast<std::size_t>(out) + 1);
  std::vector<int> source_weights(sources.size(), 1), destination_weights(destinations.size(), 1);
  // MPI_UNWEIGHTED is a variable of MPICH, which is not linked to the interposer; weights that a graph has
  // not are not written.
  check_mpi(MPI_Dist_graph_neighbors(comm, in, sources.data(), source_weights.data(), out,
                                     destinations.data(), destination_weights.data()),
            "MPI_Dist_graph_neighbors");
  if (!weighted) {
    source_weights.assign(source_weights.size(), 1);
    destination_weights.assign(destination_weights.size(), 1);
  }
  auto n = neighbors::graph_neighborhood(as_ranks(sources, in), source_weights, as_ranks(destinations, out),
                                         destination_weights);
  n.weighted = weighted != 0;
  return n;
}

} // namespace

void attach_topology(MPI_Comm comm, std::shared_ptr<const neighbors::topology> t) {
  auto held = std::make_unique<shared_topology>();
  held->topology = std::move(t);
  topologies().set(comm, std::move(held));
}

std::shared_ptr<const neighbors::topology> attached_topology(MPI_Comm comm) {
  const shared_topology* const found = topologies().of(comm);
  return found ? found->topology : nullptr;
}

neighbors::neighborhood neighborhood_of(MPI_Comm comm) {
  if (const auto ours = attached_topology(comm))
    return ours->of(rank_id{static_cast<std::uint32_t>(rank_in(comm))});
  int kind = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind == MPI_CART)
    return read_grid(comm);
  if constexpr (has_neighborhoods) {
    if (kind == MPI_GRAPH)
      return read_graph(comm);
    if (kind == MPI_DIST_GRAPH)
      return read_dist_graph(comm);
  }
  throw neighbor_error(neighbor_error::kind::argument,
                       "the communicator has no topology; make one with MPI_Cart_create, "
                       "MPI_Dist_graph_create_adjacent or tacit_topology_comm");
}

} // namespace tacit::runtime
