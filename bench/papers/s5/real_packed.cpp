// Exchanges of packed numbers: sparse alltoall and Cartesian grids.
#include "real_case.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <random>
#include <tacit/tacit.h>

namespace bench {
namespace {

/// What sender, receiver, tag, place and iteration give; exact in a double.
double number(int from, int to, int tag, int place, int iteration) {
  const auto mixed = (static_cast<std::uint64_t>(from) * 1009 + static_cast<std::uint64_t>(to)) * 1009 +
                     static_cast<std::uint64_t>(tag);
  return static_cast<double>((mixed * 65537 + static_cast<std::uint64_t>(place)) * 31 % 1000003) + iteration;
}

int world_rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

int world_size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

int place_blocks(const std::vector<int>& counts, std::vector<int>& places) {
  places.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  return std::accumulate(counts.begin(), counts.end(), 0);
}

} // namespace

void fill_in_packed(real_case& c) {
  for (auto* list : {&c.out_counts, &c.in_counts, &c.out_places, &c.in_places})
    list->reserve(1); // Open MPI takes no null pointers, not even of no counts
  c.out.assign(static_cast<std::size_t>(place_blocks(c.out_counts, c.out_places)), 0);
  c.in.assign(static_cast<std::size_t>(place_blocks(c.in_counts, c.in_places)), -1);
  const int me = world_rank();
  auto base = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < c.who.destinations.size(); ++i)
    for (int k = 0; k < c.out_counts[i]; ++k)
      base->push_back(number(me, c.who.destinations[i], c.who.send_tags[i], k, 0));
  c.data = base;
  c.produce = [&c, values = base.get()](int iteration) {
    for (std::size_t k = 0; k < c.out.size(); ++k)
      c.out[k] = (*values)[k] + iteration;
  };
  c.consume = [&c] { c.sum += std::accumulate(c.in.begin(), c.in.end(), 0.0); };
  c.right = [&c, me](int iteration) {
    for (std::size_t i = 0; i < c.who.sources.size(); ++i)
      for (int k = 0; k < c.in_counts[i]; ++k)
        if (c.in[static_cast<std::size_t>(c.in_places[i] + k)] !=
            number(c.who.sources[i], me, c.who.receive_tags[i], k, iteration))
          return false;
    return true;
  };
}

real_case_handle sparse_alltoall(int degree, int bytes, unsigned seed) {
  auto c = std::make_unique<real_case>();
  const int me = world_rank(), n = world_size();
  degree = std::min(degree, n - 1);
  c->name = fmt::format("sparse alltoall {}", degree);
  c->about = fmt::format("{} random neighbors, {} B each, seed {}", degree, bytes, seed);
  std::mt19937 random(seed);
  for (int from = 0; from < n; ++from) { // the same on all ranks
    std::vector<int> others;
    for (int to = 0; to < n; ++to)
      if (to != from)
        others.push_back(to);
    for (std::size_t i = others.size(); i > 1; --i)
      std::swap(others[i - 1], others[random() % i]);
    others.resize(static_cast<std::size_t>(degree));
    if (from == me)
      c->who.destinations = others;
    if (std::find(others.begin(), others.end(), me) != others.end())
      c->who.sources.push_back(from);
  }
  pattern& p = c->who;
  p.send_tags.assign(p.destinations.size(), 0);
  p.receive_tags.assign(p.sources.size(), 0);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(p.sources.size()), p.sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(p.destinations.size()),
                                 p.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &p.comm);
  p.tacit = p.comm;
  c->out_counts.assign(p.destinations.size(), bytes / 8);
  c->in_counts.assign(p.sources.size(), bytes / 8);
  fill_in_packed(*c);
  return c;
}

real_case_handle cartesian(int dimensions, int bytes) {
  auto c = std::make_unique<real_case>();
  c->name = fmt::format("cartesian {}-D", dimensions);
  c->about = fmt::format("{} neighbors on a periodic grid, {} B each", 2 * dimensions, bytes);
  c->who = make_pattern(fmt::format("torus{}d", dimensions));
  c->out_counts.assign(c->who.destinations.size(), bytes / 8);
  c->in_counts.assign(c->who.sources.size(), bytes / 8);
  fill_in_packed(*c);
  return c;
}

void free_case(real_case& c) {
  for (auto* types : {&c.out_types, &c.in_types})
    for (MPI_Datatype& t : *types)
      MPI_Type_free(&t);
  free_pattern(c.who);
}

} // namespace bench
