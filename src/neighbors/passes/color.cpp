#include "neighbors/passes/color.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tacit::neighbors {
namespace {

constexpr std::uint32_t no_arc = std::numeric_limits<std::uint32_t>::max();

/// One sending and one receiving node per rank; which arc has which color there.
class double_cover {
public:
  double_cover(std::span<const arc> arcs, std::uint32_t ranks)
      : arcs_(arcs), at_(2 * std::size_t{ranks}), first_free_(at_.size(), 0), color_(arcs.size(), 0) {}

  void color(std::uint32_t edge) {
    const std::size_t u = sender(edge), v = receiver(edge);
    const std::uint32_t a = free_color(u), b = free_color(v);
    if (arc_at(v, a) != no_arc)
      swap_from(v, a, b);
    paint(edge, a);
  }
  std::vector<std::uint32_t> colors() && { return std::move(color_); }

private:
  std::size_t sender(std::uint32_t edge) const { return 2 * index(arcs_[edge].from); }
  std::size_t receiver(std::uint32_t edge) const { return 2 * index(arcs_[edge].to) + 1; }
  std::uint32_t arc_at(std::size_t node, std::uint32_t color) const {
    return color < at_[node].size() ? at_[node][color] : no_arc;
  }
  /// The least one. Arcs are never taken away, so it can only be smaller than before after a swap.
  std::uint32_t free_color(std::size_t node) {
    std::uint32_t& c = first_free_[node];
    while (arc_at(node, c) != no_arc)
      ++c;
    return c;
  }
  void put(std::size_t node, std::uint32_t color, std::uint32_t edge) {
    if (color >= at_[node].size())
      at_[node].resize(color + 1, no_arc);
    at_[node][color] = edge;
    if (edge == no_arc)
      first_free_[node] = std::min(first_free_[node], color);
  }
  void paint(std::uint32_t edge, std::uint32_t color) {
    color_[edge] = color;
    put(sender(edge), color, edge);
    put(receiver(edge), color, edge);
  }
  /// The path from v whose first edge has color a: a becomes b and b becomes a.
  void swap_from(std::size_t v, std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> path;
    std::size_t node = v;
    for (std::uint32_t color = a, edge = arc_at(v, a); edge != no_arc; edge = arc_at(node, color)) {
      path.push_back(edge);
      node = node == sender(edge) ? receiver(edge) : sender(edge);
      color = color == a ? b : a;
    }
    for (const std::uint32_t edge : path) {
      put(sender(edge), color_[edge], no_arc);
      put(receiver(edge), color_[edge], no_arc);
    }
    for (const std::uint32_t edge : path)
      paint(edge, color_[edge] == a ? b : a);
  }

  std::span<const arc> arcs_;
  std::vector<std::vector<std::uint32_t>> at_; ///< per node and color; nodes of one rank are neighbors
  std::vector<std::uint32_t> first_free_;      ///< per node: all lower colors are taken
  std::vector<std::uint32_t> color_;
};

} // namespace

arc_coloring color_arcs(std::span<const arc> arcs, std::uint32_t ranks) {
  double_cover graph(arcs, ranks);
  for (std::uint32_t i = 0; i < arcs.size(); ++i)
    graph.color(i);
  arc_coloring out{std::move(graph).colors(), 0};
  for (const std::uint32_t c : out.color)
    out.colors = std::max(out.colors, c + 1);
  return out;
}

std::vector<std::uint32_t> ranks_sent_to(const neighborhood& n, rank_id rank) {
  std::vector<std::uint32_t> out;
  std::set<rank_id> seen{rank, no_rank};
  for (const edge& e : n.destinations)
    if (seen.insert(e.peer).second)
      out.push_back(static_cast<std::uint32_t>(e.peer));
  return out;
}

std::uint64_t time_to_take(std::span<const arc> arcs, std::span<const std::uint32_t> key,
                           std::uint32_t ranks) {
  std::vector<std::vector<std::uint32_t>> posted(ranks); // arcs
  for (std::uint32_t i = 0; i < arcs.size(); ++i)
    posted[index(arcs[i].from)].push_back(i);
  std::vector<std::vector<std::uint32_t>> arrivals(ranks); // times
  for (auto& list : posted) {
    std::stable_sort(list.begin(), list.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
    for (std::uint32_t time = 0; time < list.size(); ++time)
      arrivals[index(arcs[list[time]].to)].push_back(time);
  }
  std::uint64_t sum = 0;
  for (auto& times : arrivals) {
    std::sort(times.begin(), times.end());
    std::uint32_t free_at = 0;
    for (const std::uint32_t arrival : times)
      free_at = std::max(free_at, arrival) + 1;
    sum += free_at;
  }
  return sum;
}

bool coloring_pays(std::span<const arc> arcs, const arc_coloring& coloring, std::uint32_t ranks) {
  const std::vector<std::uint32_t> as_listed(arcs.size(), 0);
  const std::uint64_t listed = time_to_take(arcs, as_listed, ranks);
  const std::uint64_t colored = time_to_take(arcs, coloring.color, ranks);
  return 16 * colored <= 15 * listed;
}

edge_rounds listed_rounds(const neighborhood& n) {
  edge_rounds rounds{std::vector<std::uint32_t>(n.sources.size()),
                     std::vector<std::uint32_t>(n.destinations.size())};
  std::iota(rounds.in.begin(), rounds.in.end(), 0u);
  std::iota(rounds.out.begin(), rounds.out.end(), 0u);
  return rounds;
}

edge_rounds colored_rounds(const neighborhood& n, rank_id rank, std::span<const arc> arcs,
                           const arc_coloring& coloring) {
  std::map<rank_id, std::uint32_t> to, from;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (arcs[i].from == rank)
      to[arcs[i].to] = coloring.color[i];
    if (arcs[i].to == rank)
      from[arcs[i].from] = coloring.color[i];
  }
  const auto color_of = [&](const edge& e, const std::map<rank_id, std::uint32_t>& side) {
    return e.peer == rank || e.peer == no_rank ? coloring.colors : side.at(e.peer);
  };
  edge_rounds rounds;
  for (const edge& e : n.sources)
    rounds.in.push_back(color_of(e, from));
  for (const edge& e : n.destinations)
    rounds.out.push_back(color_of(e, to));
  return rounds;
}

} // namespace tacit::neighbors
