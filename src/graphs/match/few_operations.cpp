#include "graphs/match/few_operations.h"

#include <algorithm>
#include <utility>

namespace tacit::graphs {

/// The operations of a rank may lie anywhere. Those of the next ranks come behind them in the list.
[[gnu::always_inline]] inline void few_operations::look_ahead(std::uint32_t i) const {
  constexpr std::size_t places = 24, rows = 16, named = 8;
  const op_id* const at = mine_.data() + i;
  const auto left = static_cast<std::size_t>(by_rank_.list.data() + by_rank_.list.size() - at);
  if (left <= places)
    return;
  before_.prefetch(at[places]);
  before_.prefetch_row(at[rows]);
  if (const auto earlier = before_[at[named]]; !earlier.empty())
    __builtin_prefetch(&by_rank_.local[index(earlier.front())]);
}

/// Finds out which operations come before each one through local dependencies. True if all do, as in a program of blocking calls: then
/// nobody minds what they touch.
bool few_operations::all_in_a_row() {
  ordered_.assign(mine_.size(), 0);
  bool in_a_row = true;
  for (std::uint32_t i = 0; i < mine_.size(); ++i) {
    look_ahead(i);
    for (const op_id earlier : before_[mine_[i]]) {
      const std::uint32_t k = by_rank_.local[index(earlier)];
      ordered_[i] |= ordered_[k] | std::uint64_t{1} << k;
    }
    in_a_row = in_a_row && ordered_[i] == (std::uint64_t{1} << i) - 1;
  }
  return in_a_row;
}

/// False if a list has a byte twice.
bool few_operations::put_in_order(std::uint32_t local) {
  constexpr auto overlaps_next = [](const segment& x, const segment& y) {
    return y.address < x.address + x.length;
  };
  const auto is_in_order = [&](std::span<const segment> list) {
    return std::adjacent_find(list.begin(), list.end(), overlaps_next) == list.end();
  };
  lists own{g_.reads(mine_[local]), g_.writes(mine_[local])};
  sorted_.resize(std::max(sorted_.size(), std::size_t{2} * local + 2));
  for (const auto& [list, copy] : {std::pair(&own.reads, &sorted_[std::size_t{2} * local]),
                                   std::pair(&own.writes, &sorted_[std::size_t{2} * local + 1])}) {
    if (is_in_order(*list))
      continue;
    if (std::ranges::equal(*list, copy->of)) { // ranks mostly do the same
      *list = copy->sorted;
      continue;
    }
    copy->sorted.assign(list->begin(), list->end());
    sorter_.sort(std::span(copy->sorted),
                 [](const segment& x, const segment& y) { return x.address < y.address; });
    copy->of = {};
    if (!is_in_order(copy->sorted))
      return false;
    copy->of = std::exchange(*list, copy->sorted);
  }
  lists_.push_back(own);
  return true;
}

bool few_operations::are_apart(std::span<const op_id> mine) {
  mine_ = mine;
  if (all_in_a_row())
    return true;
  lists_.clear();
  std::size_t left = 8 * mine_.size();
  for (std::uint32_t i = 0; i < mine_.size(); ++i) {
    if (!put_in_order(i))
      return false;
    const lists& own = lists_.back();
    left += 8 * (own.writes.size() + own.reads.size());
    std::uint64_t others = ~ordered_[i] & ((std::uint64_t{1} << i) - 1);
    for (; others != 0; others &= others - 1) {
      const lists& other = lists_[static_cast<std::size_t>(__builtin_ctzll(others))];
      if (own.writes.empty() && other.writes.empty())
        continue;
      const std::size_t cost =
          own.writes.size() + own.reads.size() + other.writes.size() + other.reads.size();
      if (cost > left || overlap_in_order(own.writes, other.writes) ||
          overlap_in_order(own.writes, other.reads) || overlap_in_order(own.reads, other.writes))
        return false;
      left -= cost;
    }
  }
  return true;
}

} // namespace tacit::graphs
