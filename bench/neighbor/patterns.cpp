#include "patterns.h"

#include <map>
#include <tacit/tacit.h>

namespace bench {
namespace {

/// The k-th edge to a rank belongs to its k-th edge from here.
std::vector<int> occurrences(const std::vector<int>& peers) {
  std::map<int, int> seen;
  std::vector<int> out;
  for (const int peer : peers)
    out.push_back(seen[peer]++);
  return out;
}

MPI_Comm graph(const pattern& p) {
  MPI_Comm comm = MPI_COMM_NULL;
  const int in = static_cast<int>(p.sources.size()), out = static_cast<int>(p.destinations.size());
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, p.sources.data(), MPI_UNWEIGHTED, out,
                                 p.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

std::vector<int> grid(int dimensions) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> dims(static_cast<std::size_t>(dimensions), 0);
  MPI_Dims_create(size, dimensions, dims.data());
  return dims;
}

void add_torus(pattern& p, int dimensions) {
  const std::vector<int> dims = grid(dimensions), periods(dims.size(), 1);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims.data(), periods.data(), 0, &p.comm);
  p.tacit = p.comm;
  for (int d = 0; d < dimensions; ++d) {
    int low = 0, high = 0;
    MPI_Cart_shift(p.comm, d, 1, &low, &high);
    p.destinations.insert(p.destinations.end(), {low, high});
    p.send_tags.insert(p.send_tags.end(), {2 * d, 2 * d + 1});
    p.receive_tags.insert(p.receive_tags.end(), {2 * d + 1, 2 * d});
  }
  p.sources = p.destinations;
}

int rank_at(const std::vector<int>& dims, const std::vector<int>& place) {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d)
    rank = rank * dims[d] + ((place[d] % dims[d]) + dims[d]) % dims[d];
  return rank;
}

void add_stencil(pattern& p, int distance) {
  const std::vector<int> dims = grid(3), periods(3, 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<int> here{rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};
  std::vector<int> offsets;
  for (int x = -distance; x <= distance; ++x)
    for (int y = -distance; y <= distance; ++y)
      for (int z = -distance; z <= distance; ++z) {
        offsets.insert(offsets.end(), {x, y, z});
        p.destinations.push_back(rank_at(dims, {here[0] + x, here[1] + y, here[2] + z}));
        p.sources.push_back(rank_at(dims, {here[0] - x, here[1] - y, here[2] - z}));
      }
  p.send_tags.resize(p.destinations.size());
  for (std::size_t i = 0; i < p.send_tags.size(); ++i)
    p.send_tags[i] = static_cast<int>(i);
  p.receive_tags = p.send_tags;
  p.comm = graph(p);
  tacit_topology topology = TACIT_TOPOLOGY_NULL;
  tacit_topology_stencil(3, dims.data(), periods.data(), static_cast<int>(p.sources.size()), offsets.data(),
                         &topology);
  tacit_topology_comm(topology, MPI_COMM_WORLD, &p.tacit);
  tacit_topology_free(&topology);
}

void add_pair(pattern& p) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  p.destinations = p.sources = {rank ^ 1};
  p.send_tags = p.receive_tags = occurrences(p.sources);
  p.tacit = p.comm = graph(p);
}

} // namespace

pattern make_pattern(std::string_view name) {
  pattern p;
  p.name = name;
  if (name == "pair")
    add_pair(p);
  else if (name == "torus2d")
    add_torus(p, 2);
  else if (name == "torus4d")
    add_torus(p, 4);
  else
    add_stencil(p, name == "stencil27" ? 1 : 2);
  return p;
}

void free_pattern(pattern& p) {
  if (p.tacit != p.comm)
    MPI_Comm_free(&p.tacit);
  MPI_Comm_free(&p.comm);
}

} // namespace bench
