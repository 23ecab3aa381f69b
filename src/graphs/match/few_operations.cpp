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

namespace {

/// False, too, if a list has a byte twice.
bool is_in_order(std::span<const segment> list) {
  return std::adjacent_find(list.begin(), list.end(), [](const segment& x, const segment& y) {
           return y.address < x.address + x.length;
         }) == list.end();
}

} // namespace

/// False if a list has a byte twice.
bool few_operations::put_in_order(std::uint32_t local) {
  lists own{{g_.reads(mine_[local])}, {g_.writes(mine_[local])}};
  sorted_.resize(std::max(sorted_.size(), std::size_t{2} * local + 2));
  if (!put_in_order(own.reads, sorted_[std::size_t{2} * local]) ||
      !put_in_order(own.writes, sorted_[std::size_t{2} * local + 1]))
    return false;
  lists_.push_back(own);
  return true;
}

bool few_operations::put_in_order(ordered_list& list, std::vector<segment>& copy) {
  using state = known_list::state;
  known_list* const known = known_.of(list.pieces);
  if (!known)
    return is_in_order(list.pieces) || sort_into(copy, list);
  if (known->is == state::fresh)
    known->is = is_in_order(list.pieces) ? state::in_order : state::unordered;
  else if (known->is == state::unordered)
    known->is = sort_into(known->sorted, list) ? state::sorted : state::overlapping;
  list.stays = known->is == state::in_order || known->is == state::sorted;
  if (known->is == state::sorted)
    list.pieces = known->sorted;
  return known->is == state::unordered ? sort_into(copy, list) : known->is != state::overlapping;
}

bool few_operations::sort_into(std::vector<segment>& copy, ordered_list& list) {
  copy.assign(list.pieces.begin(), list.pieces.end());
  sorter_.sort(std::span(copy), [](const segment& x, const segment& y) { return x.address < y.address; });
  list.pieces = copy;
  return is_in_order(copy);
}

/// False, too, if it takes more steps than are left.
bool few_operations::are_apart(const ordered_list& a, const ordered_list& b, std::size_t& left) {
  const auto is_below = [](const segment& x, const segment& y) {
    return y.address >= x.address && y.address - x.address >= x.length;
  };
  const std::span<const segment> x = a.pieces, y = b.pieces;
  if (x.empty() || y.empty() || is_below(x.back(), y.front()) || is_below(y.back(), x.front()))
    return true;
  compared_pair* known = nullptr;
  if (a.stays && b.stays) {
    constexpr unsigned bits = 12; // where there are many more different lists they have to be compared anyway
    compared_.resize(std::size_t{1} << bits);
    const auto both =
        31 * reinterpret_cast<std::uintptr_t>(x.data()) + reinterpret_cast<std::uintptr_t>(y.data());
    known = &compared_[(both * 0x9e37'79b9'7f4a'7c15u) >> (64 - bits)];
    if (known->a == x.data() && known->b == y.data())
      return known->apart;
  }
  if (x.size() + y.size() > left)
    return false;
  left -= x.size() + y.size();
  const bool apart = !overlap_in_order(x, y);
  if (known)
    *known = {x.data(), y.data(), apart};
  return apart;
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
    left += 8 * (own.writes.pieces.size() + own.reads.pieces.size());
    std::uint64_t others = ~ordered_[i] & ((std::uint64_t{1} << i) - 1);
    for (; others != 0; others &= others - 1) {
      const lists& other = lists_[static_cast<std::size_t>(__builtin_ctzll(others))];
      if (!are_apart(own.writes, other.writes, left) || !are_apart(own.writes, other.reads, left) ||
          !are_apart(own.reads, other.writes, left))
        return false;
    }
  }
  return true;
}

} // namespace tacit::graphs
