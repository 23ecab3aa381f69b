// Idea: who has heard from whom, both ways, is a graph of ranks, and a barrier is a clique in it. Finding the largest one is hard (NP), but a group
// whose barrier is not hidden behind others has a member that exchanges signals with nobody else: the rank and those it has heard from,
// and that have heard from it, are the group ("equal closed neighborhoods"). Where each rank is in several groups, as in rows and columns
// of a grid at the same time, there is no such member; then ranks at a constant distance are tried.
//
// Everything is decided by the table alone, so what is returned is true. Cost O(ranks² · members / 64) at worst, nearly always O(ranks²).
#include "graphs/detect/barrier_groups.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace tacit::graphs {
namespace {

/// Two ranks, or three, that tell each other are neighbors.
constexpr std::size_t smallest_barrier = 4;

class mutual_pairs {
public:
  mutual_pairs(const wait_sets& heard, std::uint32_t ranks) : ranks_(ranks), both_(heard) {
    for (std::uint32_t a = 0; a < ranks; ++a) {
      for (std::uint32_t b = 0; b < ranks; ++b)
        if (has(a, b) && !heard.contains(rank_id{b}, rank_id{a}))
          both_.words[a * both_.words_per_rank + b / 64] &= ~(std::uint64_t{1} << (b % 64));
      both_.words[a * both_.words_per_rank + a / 64] |= std::uint64_t{1} << (a % 64); // closed
    }
  }

  bool has(std::uint32_t a, std::uint32_t b) const { return both_.contains(rank_id{a}, rank_id{b}); }
  std::span<const std::uint64_t> of(std::uint32_t rank) const {
    return std::span(both_.words).subspan(rank * both_.words_per_rank, both_.words_per_rank);
  }
  rank_set neighborhood(std::uint32_t rank) const {
    rank_set out;
    for (std::uint32_t b = 0; b < ranks_; ++b)
      if (has(rank, b))
        out.push_back(rank_id{b});
    return out;
  }
  bool has_all(std::uint32_t rank, const rank_set& others) const {
    return std::ranges::all_of(others, [&](rank_id r) { return has(rank, index(r)); });
  }
  bool is_clique(const rank_set& group) const {
    return std::ranges::all_of(group, [&](rank_id r) { return has_all(index(r), group); });
  }

private:
  std::uint32_t ranks_;
  wait_sets both_;
};

/// Ranks whose partners are all partners of each other, with them.
void add_neighborhoods(const mutual_pairs& pairs, std::uint32_t ranks, std::vector<rank_set>& out) {
  std::vector<bool> known(ranks, false); // to have the neighborhood of one before
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (known[r])
      continue;
    rank_set group = pairs.neighborhood(r);
    if (group.size() < smallest_barrier || group.size() == ranks)
      continue;
    rank_set others; // those that have another neighborhood
    for (const rank_id b : group)
      if (std::ranges::equal(pairs.of(r), pairs.of(index(b))))
        known[index(b)] = true;
      else
        others.push_back(b);
    if (std::ranges::all_of(others, [&](rank_id b) { return pairs.has_all(index(b), group); }))
      out.push_back(std::move(group));
  }
}

/// Rows and columns of a grid, if most ranks are in no group so far.
void add_lattices(const mutual_pairs& pairs, std::uint32_t ranks, std::vector<rank_set>& out) {
  std::vector<bool> covered(ranks, false);
  for (const rank_set& group : out)
    for (const rank_id r : group)
      covered[index(r)] = true;
  std::uint32_t best = 0;
  std::vector<bool> partner;
  std::size_t most = 0;
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (const std::size_t n = covered[r] ? 0 : pairs.neighborhood(r).size(); n > most) {
      most = n;
      best = r;
    }
  if (most < smallest_barrier)
    return;
  for (std::uint32_t b = 0; b < ranks; ++b)
    partner.push_back(pairs.has(best, b));
  for (rank_set& group : lattices_around(best, partner))
    if (group.size() >= smallest_barrier && pairs.is_clique(group))
      out.push_back(std::move(group));
}

} // namespace

std::vector<rank_set> barrier_groups(const wait_sets& heard, std::uint32_t ranks) {
  const mutual_pairs pairs(heard, ranks);
  std::vector<rank_set> all, out;
  add_neighborhoods(pairs, ranks, all);
  add_lattices(pairs, ranks, all);
  std::ranges::stable_sort(all, std::greater<>(), &rank_set::size);
  for (rank_set& group : all) {
    const auto covers = [&](const rank_set& larger) { return std::ranges::includes(larger, group); };
    if (std::ranges::none_of(out, covers))
      out.push_back(std::move(group));
  }
  return out;
}

} // namespace tacit::graphs
