#include "surface/selftest/topology.h"

#include "surface/selftest/hash.h"

#include <algorithm>
#include <numeric>

namespace tacit::surface {
namespace {

/// Row-major, the last dimension fastest (MPI-4.1, 8.5.1).
std::vector<int> coordinates(const std::vector<int>& sizes, int rank) {
  std::vector<int> where(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0; rank /= sizes[d])
    where[d] = rank % sizes[d];
  return where;
}

int rank_at(const std::vector<int>& sizes, const std::vector<int>& where) {
  int rank = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    rank = rank * sizes[d] + where[d];
  return rank;
}

int shifted(const topology& cart, int rank, std::size_t dimension, int step) {
  std::vector<int> where = coordinates(cart.sizes, rank);
  int& coordinate = where[dimension];
  coordinate += step;
  const int size = cart.sizes[dimension];
  if (coordinate < 0 || coordinate >= size) {
    if (!cart.periodic[dimension])
      return nobody;
    coordinate = (coordinate + size) % size;
  }
  return rank_at(cart.sizes, where);
}

bool has_multiple_edges(const topology& graph) {
  for (std::size_t r = 0; r < graph.destinations.size(); ++r) {
    std::vector<int> list = graph.destinations[r];
    std::sort(list.begin(), list.end());
    if (std::adjacent_find(list.begin(), list.end()) != list.end() ||
        std::binary_search(list.begin(), list.end(), static_cast<int>(r)))
      return true;
  }
  return false;
}

/// Calls `use` with every list of `left` factors (ones included) whose product is `product`.
template <typename Use>
void for_each_shape(int product, int left, std::vector<int>& sizes, const Use& use) {
  if (left == 0) {
    if (product == 1)
      use(sizes);
    return;
  }
  for (int factor = 1; factor <= product; ++factor)
    if (product % factor == 0) {
      sizes.push_back(factor);
      for_each_shape(product / factor, left - 1, sizes, use);
      sizes.pop_back();
    }
}

void add_carts(int ranks, const selection& wanted, std::vector<topology>& list) {
  int count = 0;
  for (int dimensions = 1; dimensions <= wanted.dimensions; ++dimensions) {
    std::vector<int> shape;
    for_each_shape(ranks, dimensions, shape, [&](const std::vector<int>& sizes) {
      for (unsigned mask = 0; mask < 1u << dimensions; ++mask) {
        if (count++ % wanted.every != 0)
          continue;
        std::vector<int> periodic;
        for (int d = 0; d < dimensions; ++d)
          periodic.push_back(static_cast<int>(mask >> d & 1));
        list.push_back(make_cart(sizes, periodic));
        list.back().reorder = count % 5 == 0;
      }
    });
  }
}

struct edge {
  int from, to;
};

/// Neighbor lists in an order of the graph's own: each rank has shuffled both.
topology from_edges(maker made_by, std::string words, int ranks, const std::vector<edge>& edges,
                    choices& random) {
  topology graph;
  graph.made_by = made_by;
  graph.words = std::move(words);
  graph.sources.resize(at(ranks));
  graph.destinations.resize(at(ranks));
  for (const auto& [from, to] : edges) {
    graph.destinations[at(from)].push_back(to);
    if (made_by != maker::graph)
      graph.sources[at(to)].push_back(from);
  }
  for (int r = 0; r < ranks; ++r) {
    random.shuffle(graph.destinations[at(r)]);
    random.shuffle(graph.sources[at(r)]);
  }
  if (made_by == maker::graph) // one list for both directions; the edges are symmetric
    graph.sources = graph.destinations;
  graph.weights = random.below(2) == 0;
  return graph;
}

std::vector<edge> ring(int ranks, int parallel) {
  std::vector<edge> edges;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < parallel; ++i)
      edges.push_back({r, (r + 1) % ranks});
  return edges;
}

std::vector<edge> star(int ranks, bool out, bool in) {
  std::vector<edge> edges;
  for (int r = 1; r < ranks; ++r) {
    if (out)
      edges.push_back({0, r});
    if (in)
      edges.push_back({r, 0});
  }
  return edges;
}

std::vector<edge> complete(int ranks, bool oneself) {
  std::vector<edge> edges;
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b)
      if (a != b || oneself)
        edges.push_back({a, b});
  return edges;
}

std::vector<edge> random_edges(int ranks, bool multiple, choices& random) {
  std::vector<edge> edges;
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> others(at(ranks));
    std::iota(others.begin(), others.end(), 0);
    if (multiple) {
      for (int degree = random.below(std::min(2 * ranks, 8) + 1); degree > 0; --degree)
        edges.push_back({r, random.below(ranks)});
      continue;
    }
    std::erase(others, r);
    random.shuffle(others);
    others.resize(at(random.below(std::min(static_cast<int>(others.size()), 6) + 1)));
    for (const int other : others)
      edges.push_back({r, other});
  }
  return edges;
}

/// Every edge in both directions, equally often; an edge to oneself once.
std::vector<edge> both_directions(const std::vector<edge>& edges, bool multiple) {
  std::vector<edge> all;
  for (const auto& [from, to] : edges) {
    const auto same = [f = from, t = to](const edge& e) { return e.from == f && e.to == t; };
    if (!multiple && std::any_of(all.begin(), all.end(), same))
      continue;
    all.push_back({from, to});
    if (from != to)
      all.push_back({to, from});
  }
  return all;
}

void add_graphs(int ranks, const selection& wanted, std::vector<topology>& list) {
  choices random(hash({wanted.seed, static_cast<std::uint64_t>(ranks), 1}));
  const auto add = [&](std::string words, const std::vector<edge>& edges, bool multiple) {
    list.push_back(from_edges(maker::graph, "graph: " + std::move(words), ranks,
                              both_directions(edges, multiple), random));
  };
  add("no edges", {}, false);
  if (ranks > 2)
    add("ring", ring(ranks, 1), false);
  add("star", star(ranks, true, false), false);
  add("complete", complete(ranks, false), false);
  add("complete with edges to oneself", complete(ranks, true), false);
  add("ring of double edges", ring(ranks, 2), true);
  for (int i = 0; i < wanted.random_graphs; ++i) {
    const bool multiple = i % 2 == 0;
    add("random " + std::to_string(i), random_edges(ranks, multiple, random), multiple);
  }
}

void add_distributed(int ranks, const selection& wanted, std::vector<topology>& list) {
  choices random(hash({wanted.seed, static_cast<std::uint64_t>(ranks), 2}));
  const auto add = [&](const std::string& words, const std::vector<edge>& edges) {
    list.push_back(from_edges(maker::dist_adjacent, "distributed graph: " + words, ranks, edges, random));
    list.push_back(from_edges(maker::dist_general, "distributed graph (general constructor): " + words, ranks,
                              edges, random));
  };
  add("no edges", {});
  if (ranks > 1)
    add("ring in one direction", ring(ranks, 1));
  add("rank 0 sends to all", star(ranks, true, false));
  add("all send to rank 0", star(ranks, false, true));
  add("star", star(ranks, true, true));
  add("complete", complete(ranks, false));
  add("complete with edges to oneself", complete(ranks, true));
  add("ring of triple edges", ring(ranks, 3));
  for (int i = 0; i < wanted.random_graphs; ++i)
    add("random " + std::to_string(i), random_edges(ranks, i % 2 == 0, random));
}

} // namespace

topology_class topology::kind() const {
  if (made_by == maker::graph)
    return has_multiple_edges(*this) ? topology_class::graph_multi : topology_class::graph;
  if (made_by != maker::cart)
    return has_multiple_edges(*this) ? topology_class::dist_multi : topology_class::dist;
  bool any = false, two = false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!periodic[d])
      continue;
    if (sizes[d] == 1)
      return topology_class::cart_one;
    any = true;
    two = two || sizes[d] == 2;
  }
  return two ? topology_class::cart_two : any ? topology_class::cart_periodic : topology_class::cart_open;
}

topology make_cart(std::vector<int> sizes, std::vector<int> periodic) {
  topology cart;
  cart.sizes = std::move(sizes);
  cart.periodic = std::move(periodic);
  cart.words = "Cartesian";
  int ranks = 1;
  for (std::size_t d = 0; d < cart.sizes.size(); ++d) {
    ranks *= cart.sizes[d];
    cart.words += (d == 0 ? ' ' : 'x') + std::to_string(cart.sizes[d]) + (cart.periodic[d] ? "p" : "");
  }
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> neighbors;
    for (std::size_t d = 0; d < cart.sizes.size(); ++d)
      for (const int step : {-1, 1})
        neighbors.push_back(shifted(cart, r, d, step));
    cart.sources.push_back(neighbors);
    cart.destinations.push_back(neighbors);
  }
  return cart;
}

origin expected_origin(const topology& where, int rank, int slot) {
  const std::vector<int>& from = where.sources[at(rank)];
  const int sender = from[at(slot)];
  if (sender == nobody)
    return {};
  if (where.made_by == maker::cart)
    return {sender, slot ^ 1};
  auto which = std::count(from.begin(), from.begin() + slot, sender);
  const std::vector<int>& to = where.destinations[at(sender)];
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] == rank && which-- == 0)
      return {sender, static_cast<int>(i)};
  return {}; // the lists do not fit together; whoever made them checks that
}

std::vector<topology> make_topologies(int ranks, const selection& wanted) {
  std::vector<topology> list;
  add_carts(ranks, wanted, list);
  add_graphs(ranks, wanted, list);
  add_distributed(ranks, wanted, list);
  return list;
}

} // namespace tacit::surface
