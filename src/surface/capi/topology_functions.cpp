// Topologies of our own, and the neighborhood of any communicator.
#include "surface/capi/handles.h"

#include "runtime/exchange/topologies.h"
#include "runtime/schedule/topology_communicator.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tacit;
using namespace tacit::surface;

namespace {

neighbors::grid_shape shape_of(const char* function, int ndims, const int dims[], const int periods[]) {
  if (ndims < 0 || (ndims > 0 && (!dims || !periods)))
    refuse(fmt::format("{}: {} dimensions, or a null array; give sizes and periods of each dimension",
                       function, ndims));
  neighbors::grid_shape shape;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 1)
      refuse(fmt::format("{}: dimension {} has size {}; sizes are 1 or more", function, d, dims[d]));
    shape.dims.push_back(dims[d]);
    shape.periodic.push_back(periods[d] != 0);
  }
  return shape;
}

std::vector<rank_id> ranks_of(const char* which, int count, const int ranks[]) {
  if (count < 0 || (count > 0 && !ranks))
    refuse(fmt::format("tacit_topology_graph: {} {} edges, or a null array; give one rank per edge", count,
                       which));
  std::vector<rank_id> out;
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 && ranks[i] != MPI_PROC_NULL)
      refuse(fmt::format("tacit_topology_graph: {} edge {} names rank {}; give a rank or MPI_PROC_NULL",
                         which, i, ranks[i]));
    out.push_back(ranks[i] < 0 ? no_rank : rank_id{static_cast<std::uint32_t>(ranks[i])});
  }
  return out;
}

std::vector<int> weights_of(int count, const int weights[]) {
  if (!weights || weights == MPI_UNWEIGHTED)
    return {};
#ifdef MPI_WEIGHTS_EMPTY
  if (weights == MPI_WEIGHTS_EMPTY)
    return {};
#endif
  return {weights, weights + count};
}

void hand_over(tacit::neighbors::topology&& made, const char* function, tacit_topology* into) {
  if (!into)
    refuse(fmt::format("{}: the place for the topology is a null pointer", function));
  auto handle = std::make_unique<tacit_topology_s>();
  handle->value = std::make_shared<const tacit::neighbors::topology>(std::move(made));
  *into = handle.release();
}

/// Lists at most `most` edges.
void list_edges(const std::vector<neighbors::edge>& edges, int most, int ranks[], int weights[],
                const char* which) {
  const auto n = std::min(edges.size(), static_cast<std::size_t>(std::max(most, 0)));
  if (n > 0 && !ranks)
    refuse(fmt::format("tacit_neighbors: the array of {} is a null pointer", which));
  for (std::size_t i = 0; i < n; ++i) {
    ranks[i] = edges[i].peer == no_rank ? MPI_PROC_NULL : static_cast<int>(index(edges[i].peer));
    if (weights && weights != MPI_UNWEIGHTED)
      weights[i] = edges[i].weight;
  }
}

neighbors::neighborhood neighborhood_at(const char* function, MPI_Comm comm) {
  require_calls_allowed();
  if (comm == MPI_COMM_NULL)
    refuse(fmt::format("{}: the communicator is MPI_COMM_NULL", function));
  return runtime::neighborhood_of(comm);
}

using comm_maker = MPI_Comm(const std::shared_ptr<const tacit::neighbors::topology>&, MPI_Comm, bool);

int make_comm(const char* function, comm_maker& make, tacit_topology topology, MPI_Comm comm,
              MPI_Comm* newcomm) {
  return guarded(comm, [&] {
    require_calls_allowed();
    if (comm == MPI_COMM_NULL)
      refuse(fmt::format("{}: the communicator is MPI_COMM_NULL", function));
    if (newcomm)
      *newcomm = MPI_COMM_NULL;
    const MPI_Comm made = make(topology ? topology->value : nullptr, comm, newcomm != nullptr);
    if (newcomm)
      *newcomm = made;
  });
}

} // namespace

extern "C" {

int tacit_topology_cart(int ndims, const int dims[], const int periods[], tacit_topology* topology) {
  return guarded(MPI_COMM_NULL, [&] {
    tacit::neighbors::topology t;
    t.what = tacit::neighbors::topology::kind::grid;
    t.shape = shape_of("tacit_topology_cart", ndims, dims, periods);
    hand_over(std::move(t), "tacit_topology_cart", topology);
  });
}

int tacit_topology_stencil(int ndims, const int dims[], const int periods[], int count, const int offsets[],
                           tacit_topology* topology) {
  return guarded(MPI_COMM_NULL, [&] {
    tacit::neighbors::topology t;
    t.what = tacit::neighbors::topology::kind::stencil;
    t.shape = shape_of("tacit_topology_stencil", ndims, dims, periods);
    if (count < 0 || (count > 0 && ndims > 0 && !offsets))
      refuse(
          fmt::format("tacit_topology_stencil: {} offsets, or a null array; give one row of {} numbers per "
                      "neighbor",
                      count, ndims));
    for (const int* at = offsets; t.offsets.size() < static_cast<std::size_t>(count); at += ndims)
      t.offsets.emplace_back(at, at + ndims);
    hand_over(std::move(t), "tacit_topology_stencil", topology);
  });
}

int tacit_topology_graph(int indegree, const int sources[], const int sourceweights[], int outdegree,
                         const int destinations[], const int destweights[], tacit_topology* topology) {
  return guarded(MPI_COMM_NULL, [&] {
    tacit::neighbors::topology t;
    t.edges = neighbors::graph_neighborhood(
        ranks_of("incoming", indegree, sources), weights_of(indegree, sourceweights),
        ranks_of("outgoing", outdegree, destinations), weights_of(outdegree, destweights));
    hand_over(std::move(t), "tacit_topology_graph", topology);
  });
}

int tacit_topology_comm(tacit_topology topology, MPI_Comm comm, MPI_Comm* newcomm) {
  return make_comm("tacit_topology_comm", runtime::make_topology_comm, topology, comm, newcomm);
}

int tacit_topology_comm_reordered(tacit_topology topology, MPI_Comm comm, MPI_Comm* newcomm) {
  return make_comm("tacit_topology_comm_reordered", runtime::make_reordered_comm, topology, comm, newcomm);
}

int tacit_topology_free(tacit_topology* topology) {
  if (topology) {
    delete *topology;
    *topology = TACIT_TOPOLOGY_NULL;
  }
  return TACIT_SUCCESS;
}

int tacit_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  return guarded(comm, [&] {
    const neighbors::neighborhood n = neighborhood_at("tacit_neighbors_count", comm);
    if (indegree)
      *indegree = static_cast<int>(n.sources.size());
    if (outdegree)
      *outdegree = static_cast<int>(n.destinations.size());
    if (weighted)
      *weighted = n.weighted ? 1 : 0;
  });
}

int tacit_neighbors(MPI_Comm comm, int maxin, int sources[], int sourceweights[], int maxout,
                    int destinations[], int destweights[]) {
  return guarded(comm, [&] {
    const neighbors::neighborhood n = neighborhood_at("tacit_neighbors", comm);
    list_edges(n.sources, maxin, sources, sourceweights, "sources");
    list_edges(n.destinations, maxout, destinations, destweights, "destinations");
  });
}

} // extern "C"
