#include "neighbors/topology/mapping.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <ranges>
#include <utility>

namespace tacit::neighbors {
namespace {

constexpr std::array<std::uint64_t, 4> level_distance{40, 4, 2, 1};

constexpr std::uint32_t divisions = 8; ///< that are tried

using ranks = std::vector<std::uint32_t>;

class division {
public:
  /// `order` decides between equals: the first comes first.
  division(const rank_traffic& traffic, std::span<const hardware_place> places, const ranks& order)
      : traffic_(traffic), places_(places), holder_(places.size()), turn_(places.size()),
        free_(places.size()), inside_(places.size()) {
    for (std::uint32_t i = 0; i < order.size(); ++i)
      turn_[order[i]] = i;
  }

  ranks run() {
    ranks all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    ranks processes = all;
    std::stable_sort(processes.begin(), processes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return places_[a] < places_[b]; });
    divide(std::move(all), processes, 0);
    return std::move(holder_);
  }

private:
  /// Gives the ranks to the processes, which are equally many and agree in all levels before `level`.
  void divide(ranks vertices, std::span<const std::uint32_t> processes, std::size_t level) {
    if (level == level_distance.size()) {
      for (std::size_t i = 0; i < vertices.size(); ++i)
        holder_[vertices[i]] = processes[i];
      return;
    }
    while (!processes.empty()) {
      const std::uint64_t here = places_[processes.front()][level];
      const auto end = std::find_if(processes.begin(), processes.end(),
                                    [&](std::uint32_t p) { return places_[p][level] != here; });
      const auto size = static_cast<std::size_t>(end - processes.begin());
      divide(size == vertices.size() ? std::exchange(vertices, {}) : take_group(vertices, size),
             processes.first(size), level + 1);
      processes = processes.subspan(size);
    }
  }

  struct candidate {
    std::int64_t gain = 0; ///< twice the traffic into the group, less all traffic of the rank
    std::uint32_t turn = 0, rank = 0;
    /// The queue hands out its last element first: the best candidate has to be the greatest.
    bool operator<(const candidate& other) const {
      return gain != other.gain ? gain < other.gain : turn > other.turn;
    }
  };

  /// Removes a group from `vertices`.
  ranks take_group(ranks& vertices, std::size_t size) {
    for (const std::uint32_t v : vertices) {
      free_[v] = true;
      inside_[v] = 0;
    }
    ranks group;
    std::priority_queue<candidate> border;
    while (group.size() < size) {
      const std::uint32_t next = best(border, vertices);
      free_[next] = false;
      group.push_back(next);
      for (const auto& [peer, weight] : traffic_.of[next])
        if (free_[peer]) {
          inside_[peer] += static_cast<std::int64_t>(weight);
          border.push({gain(peer), turn_[peer], peer});
        }
    }
    std::erase_if(vertices, [&](std::uint32_t v) { return !free_[v]; });
    for (const std::uint32_t v : vertices)
      free_[v] = false;
    std::sort(group.begin(), group.end());
    return group;
  }

  /// The best rank at the border of the group; without one, the rank with the least traffic to those that are
  /// left.
  std::uint32_t best(std::priority_queue<candidate>& border, const ranks& vertices) {
    while (!border.empty()) {
      const candidate top = border.top();
      border.pop();
      if (free_[top.rank] && top.gain == gain(top.rank)) // else it is out of date
        return top.rank;
    }
    std::uint32_t found = no_rank_number;
    std::uint64_t least = 0;
    for (const std::uint32_t v : vertices) {
      if (!free_[v])
        continue;
      std::uint64_t left = 0;
      for (const auto& [peer, weight] : traffic_.of[v])
        left += free_[peer] ? weight : 0;
      if (found == no_rank_number || left < least || (left == least && turn_[v] < turn_[found])) {
        found = v;
        least = left;
      }
    }
    return found;
  }

  /// Only ranks that are to be divided here count: the traffic to others is lost already.
  std::int64_t gain(std::uint32_t v) const {
    std::int64_t outside = 0;
    for (const auto& [peer, weight] : traffic_.of[v])
      outside += free_[peer] ? static_cast<std::int64_t>(weight) : 0;
    return inside_[v] - outside;
  }

  static constexpr std::uint32_t no_rank_number = ~std::uint32_t{0};
  const rank_traffic& traffic_;
  std::span<const hardware_place> places_;
  ranks holder_, turn_;
  std::vector<bool> free_;           ///< among the vertices at hand, and in no group yet
  std::vector<std::int64_t> inside_; ///< traffic into the group that grows
};

class local_search {
public:
  local_search(const rank_traffic& traffic, std::span<const hardware_place> places, ranks holder,
               std::uint64_t work)
      : traffic_(traffic), places_(places), holder_(std::move(holder)), work_(work) {}

  ranks run() {
    while (improve_all()) {
    }
    return std::move(holder_);
  }

private:
  /// One pass over all ranks; false if nothing became better, or the work is used up.
  bool improve_all() {
    bool improved = false;
    if (holder_.size() <= all_pairs) {
      for (std::uint32_t u = 0; u < holder_.size(); ++u)
        for (std::uint32_t v = u + 1; v < holder_.size(); ++v)
          improved |= improve(u, v);
      return improved && work_ > 0;
    }
    for (std::uint32_t u = 0; u < holder_.size(); ++u)
      for (const auto& first : traffic_.of[u]) {
        improved |= improve(u, first.peer);
        for (const auto& second : traffic_.of[first.peer]) {
          if (second.peer > u) // each pair once
            improved |= improve(u, second.peer);
          if (work_ == 0)
            return false;
        }
      }
    return improved;
  }

  bool improve(std::uint32_t u, std::uint32_t v) {
    if (u == v || work_ == 0 || distance(places_[holder_[u]], places_[holder_[v]]) == 0)
      return false;
    const std::uint64_t cost = traffic_.of[u].size() + traffic_.of[v].size();
    work_ -= std::min(work_, 2 * cost);
    if (change(u, v) + change(v, u) >= 0)
      return false;
    std::swap(holder_[u], holder_[v]);
    return true;
  }

  /// Of the cost, if `u` moves to where `v` is; the link between the two stays as long as it is.
  std::int64_t change(std::uint32_t u, std::uint32_t v) const {
    const hardware_place &from = places_[holder_[u]], &to = places_[holder_[v]];
    std::int64_t sum = 0;
    for (const auto& [peer, weight] : traffic_.of[u]) {
      if (peer == v)
        continue;
      const hardware_place& there = places_[holder_[peer]];
      sum += static_cast<std::int64_t>(weight) * (static_cast<std::int64_t>(distance(to, there)) -
                                                  static_cast<std::int64_t>(distance(from, there)));
    }
    return sum;
  }

  static constexpr std::size_t all_pairs = 256; ///< ranks up to which any two are tried
  const rank_traffic& traffic_;
  std::span<const hardware_place> places_;
  ranks holder_;
  std::uint64_t work_;
};

} // namespace

std::uint64_t distance(const hardware_place& a, const hardware_place& b) {
  for (std::size_t level = 0; level < a.size(); ++level)
    if (a[level] != b[level])
      return level_distance[level];
  return 0;
}

rank_traffic traffic_of(std::span<const std::vector<edge>> of_ranks) {
  std::vector<std::map<std::uint32_t, std::uint64_t>> sums(of_ranks.size());
  for (std::uint32_t r = 0; r < of_ranks.size(); ++r)
    for (const edge& e : of_ranks[r]) {
      const auto peer = static_cast<std::uint32_t>(index(e.peer));
      if (e.peer == no_rank || peer == r || e.weight <= 0)
        continue;
      sums[r][peer] += static_cast<std::uint64_t>(e.weight);
      sums[peer][r] += static_cast<std::uint64_t>(e.weight);
    }
  rank_traffic made;
  made.of.resize(sums.size());
  for (std::size_t r = 0; r < sums.size(); ++r)
    for (const auto& [peer, weight] : sums[r])
      made.of[r].push_back({peer, weight});
  return made;
}

std::uint64_t mapping_cost(const rank_traffic& traffic, std::span<const hardware_place> places,
                           std::span<const std::uint32_t> holder) {
  std::uint64_t twice = 0;
  for (std::size_t r = 0; r < holder.size(); ++r)
    for (const auto& [peer, weight] : traffic.of[r])
      twice += weight * distance(places[holder[r]], places[holder[peer]]);
  return twice / 2;
}

std::vector<std::uint32_t> map_ranks(const rank_traffic& traffic, std::span<const hardware_place> places,
                                     std::uint64_t work_limit) {
  ranks as_it_is(places.size());
  std::iota(as_it_is.begin(), as_it_is.end(), 0u);
  ranks best = as_it_is;
  std::uint64_t least = mapping_cost(traffic, places, best);
  const auto improve_from = [&](ranks start) {
    ranks found = local_search(traffic, places, std::move(start), work_limit / (divisions + 1)).run();
    const std::uint64_t cost = mapping_cost(traffic, places, found);
    if (cost < least) {
      least = cost;
      best = std::move(found);
    }
  };
  improve_from(as_it_is);
  std::mt19937 random(1); // the same on every machine: std::shuffle is not
  for (ranks order = as_it_is; const std::uint32_t round : std::views::iota(0u, divisions)) {
    for (std::size_t i = order.size(); round > 0 && i > 1; --i)
      std::swap(order[i - 1], order[random() % i]);
    improve_from(division(traffic, places, order).run());
  }
  return best;
}

} // namespace tacit::neighbors
