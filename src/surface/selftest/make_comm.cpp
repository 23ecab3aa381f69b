// Communicators with MPI's topologies.
#include "surface/selftest/hash.h"
#include "surface/selftest/implementation.h"

#include <algorithm>

namespace tacit::surface {
namespace {

MPI_Comm make_graph(const topology& where, MPI_Comm all) {
  std::vector<int> index, edges{};
  for (const std::vector<int>& list : where.destinations) {
    edges.insert(edges.end(), list.begin(), list.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  edges.push_back(0); // never null
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(all, static_cast<int>(index.size()), index.data(), edges.data(), 0, &made);
  return made;
}

MPI_Comm make_adjacent(const topology& where, int rank, MPI_Comm all) {
  std::vector<int> from = where.sources[at(rank)], to = where.destinations[at(rank)];
  const int in = static_cast<int>(from.size()), out = static_cast<int>(to.size());
  std::vector<int> weights(std::max(from.size(), to.size()) + 1);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<int>(hash({static_cast<std::uint64_t>(rank), i}) % 100);
  from.push_back(0);
  to.push_back(0);
  int* const of_edges = where.weights ? weights.data() : MPI_UNWEIGHTED;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(all, in, from.data(), of_edges, out, to.data(), of_edges, MPI_INFO_NULL, 0,
                                 &made);
  return made;
}

/// Each edge is told by the rank behind the sender: none tells its own.
MPI_Comm make_general(const topology& where, int rank, MPI_Comm all) {
  const int ranks = static_cast<int>(where.destinations.size()), teller = (rank + 1) % ranks;
  std::vector<int> to = where.destinations[at(teller)];
  const int degree = static_cast<int>(to.size());
  std::vector<int> weights(to.size() + 1, 7);
  to.push_back(0);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create(all, 1, &teller, &degree, to.data(), where.weights ? weights.data() : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &made);
  return made;
}

MPI_Comm make_plain(const topology& where, MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  if (where.made_by == maker::graph)
    return make_graph(where, all);
  if (where.made_by == maker::dist_adjacent)
    return make_adjacent(where, rank, all);
  if (where.made_by == maker::dist_general)
    return make_general(where, rank, all);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(all, static_cast<int>(where.sizes.size()), where.sizes.data(), where.periodic.data(),
                  where.reorder ? 1 : 0, &made);
  return made;
}

/// The order of neighbors that the general constructor has chosen, told to everybody.
void learn_neighbors(topology& graph, MPI_Comm comm) {
  int rank = 0, in = 0, out = 0, weighted = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const int most = static_cast<int>(std::max(in, out)) + 1;
  std::vector<int> from(static_cast<std::size_t>(most)), to(from), weights(from), more(from);
  MPI_Dist_graph_neighbors(comm, in, from.data(), weights.data(), out, to.data(), more.data());
  from.resize(static_cast<std::size_t>(in));
  to.resize(static_cast<std::size_t>(out));
  const auto tell = [comm](const std::vector<int>& mine, std::vector<std::vector<int>>& lists) {
    const int count = static_cast<int>(mine.size());
    std::vector<int> counts(lists.size()), starts(lists.size());
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
    int sum = 0;
    for (std::size_t r = 0; r < lists.size(); ++r) {
      starts[r] = sum;
      sum += counts[r];
    }
    std::vector<int> all(static_cast<std::size_t>(sum) + 1);
    MPI_Allgatherv(mine.data(), count, MPI_INT, all.data(), counts.data(), starts.data(), MPI_INT, comm);
    for (std::size_t r = 0; r < lists.size(); ++r)
      lists[r].assign(all.begin() + starts[r], all.begin() + starts[r] + counts[r]);
  };
  tell(from, graph.sources);
  tell(to, graph.destinations);
}

} // namespace

MPI_Comm implementation::make(topology& where, MPI_Comm all) {
  MPI_Comm made = make_plain(where, all);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  if (where.made_by == maker::dist_general)
    learn_neighbors(where, made);
  return made;
}

void implementation::unmake(MPI_Comm comm) {
  MPI_Comm_free(&comm);
}

std::string implementation::words(int code) const {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

} // namespace tacit::surface
