#include "graphs/match/backward_search.h"

#include <algorithm>

namespace tacit::graphs {

bool backward_search::finds_all(op_id start, std::span<const op_id> wanted) {
  if (wanted_.empty()) {
    wanted_.assign(g_.size(), 0);
    seen_.assign(g_.size(), 0);
  }
  ++query_;
  for (const op_id op : wanted)
    wanted_[index(op)] = query_;
  std::size_t missing = wanted.size();
  if (missing > 0)
    missing = search_locally(start, by_rank_.local[index(wanted.front())], missing);
  if (missing > 0)
    missing = search_everywhere(start, wanted, missing);
  return missing == 0;
}

bool backward_search::found(op_id op) {
  if (wanted_[index(op)] != query_)
    return false;
  wanted_[index(op)] = 0;
  return true;
}

std::size_t backward_search::search_locally(op_id start, std::uint32_t earliest, std::size_t missing) {
  stack_.assign(1, start);
  while (!stack_.empty() && missing > 0) {
    const op_id op = stack_.back();
    stack_.pop_back();
    for (const op_id earlier : before_[op]) {
      if (by_rank_.local[index(earlier)] < earliest || seen_[index(earlier)] == query_)
        continue;
      seen_[index(earlier)] = query_;
      if (found(earlier))
        --missing;
      stack_.push_back(earlier);
    }
  }
  return missing;
}

template <typename Reach>
void backward_search::reach_over_fences(op_id op, Reach&& reach) {
  if (fences_.before[index(op)] != no_op)
    reach(fences_.before[index(op)]);
  const std::uint32_t group = fences_.group[index(op)];
  if (group == no_group || group_seen_[group] == stamp_)
    return;
  group_seen_[group] = stamp_;
  for (op_id other = fences_.first_awaited[group]; other != no_op; other = fences_.next_awaited[index(other)])
    reach(other);
  for (const op_id fence : fences_.members[group])
    for (const op_id earlier : before_[fence])
      reach(earlier);
}

std::size_t backward_search::search_everywhere(op_id start, std::span<const op_id> wanted,
                                               std::size_t missing) {
  if (position_.empty()) {
    position_.resize(g_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i)
      position_[index(order_[i])] = i;
    group_seen_.assign(fences_.members.size(), 0);
  }
  std::uint32_t earliest = ~std::uint32_t{0};
  for (const op_id op : wanted)
    if (missed(op))
      earliest = std::min(earliest, position_[index(op)]);
  ++stamp_;
  stack_.assign(1, start);
  const auto reach = [&](op_id op) {
    if (position_[index(op)] < earliest || everywhere_[index(op)] == stamp_)
      return;
    everywhere_[index(op)] = stamp_;
    if (found(op))
      --missing;
    stack_.push_back(op);
  };
  everywhere_.resize(g_.size(), 0);
  while (!stack_.empty() && missing > 0) {
    const op_id op = stack_.back();
    stack_.pop_back();
    for (const op_id earlier : before_[op])
      reach(earlier);
    if (g_[op].kind == op_kind::recv && m_.partner[index(op)] != no_op)
      reach(m_.partner[index(op)]);
    if (fences_.any())
      reach_over_fences(op, reach);
  }
  return missing;
}

} // namespace tacit::graphs
