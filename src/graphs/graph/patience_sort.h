// Sorting what consists of a few ascending lists, put together in any way: pieces of two buffers in turns, columns of a matrix side by side,
// blocks in the order of distances from a rank. Items are dealt out to piles, each to the first one whose last item is not greater, so
// that every pile ascends, and piles are merged two by two (C. L. Mallows 1963, "patience sorting"). Where more go down than up the list
// is turned round first. Comparing one by one guesses wrong at every other item; here it is known to which pile the next one belongs.
// Cost O(items · log piles); with many piles the list is sorted by comparing. Not stable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// Sorts lists of one kind, and keeps its memory from one to the next.
template <typename Item>
class patience_sorter {
public:
  template <typename Less>
  void sort(std::span<Item> list, Less less) {
    std::size_t down = 0;
    for (std::size_t i = 1; i < list.size(); ++i)
      down += less(list[i], list[i - 1]);
    if (down == 0)
      return;
    if (down > list.size() / 2)
      std::reverse(list.begin(), list.end());
    if (list.size() <= few || !deal(list, less))
      return std::sort(list.begin(), list.end(), less);
    merge(list, less);
  }

private:
  static constexpr std::size_t most = 32; ///< piles
  static constexpr std::size_t few = 32;  ///< items that are sorted by comparing

  /// Finds the pile of each item; false if there are too many piles.
  template <typename Less>
  bool deal(std::span<Item> list, Less less) {
    std::array<std::size_t, most> last{}; // items on top, which descend from pile to pile
    pile_.resize(std::max(pile_.size(), list.size()));
    counts_.fill(0);
    piles_ = 0;
    std::size_t at = 0; // the pile of the item before
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto takes = [&](std::size_t pile) { return !less(list[i], list[last[pile]]); };
      if (piles_ == 0 || !takes(at) || (at > 0 && takes(at - 1))) {
        at = 0;
        while (at < piles_ && !takes(at))
          ++at;
        if (at == piles_ && ++piles_ > most)
          return false;
      }
      last[at] = i;
      pile_[i] = static_cast<std::uint8_t>(at);
      ++counts_[at];
    }
    return true;
  }

  template <typename Less>
  void merge(std::span<Item> list, Less less) {
    std::array<std::size_t, most + 1> ends{}; // of the piles, behind a 0
    for (std::size_t k = 0; k < piles_; ++k)
      ends[k + 1] = ends[k] + counts_[k];
    std::array<std::size_t, most + 1> next = ends;
    spare_.resize(std::max(spare_.size(), list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      spare_[next[pile_[i]]++] = list[i];
    Item *from = spare_.data(), *to = list.data();
    for (std::size_t piles = piles_; piles > 1; std::swap(from, to)) {
      std::size_t merged = 0;
      for (std::size_t k = 0; k < piles; k += 2) {
        const std::size_t middle = ends[k + 1], end = ends[std::min(k + 2, piles)];
        merge_two(from + ends[k], from + middle, from + end, to + ends[k], less);
        ends[++merged] = end;
      }
      piles = merged;
    }
    if (from != list.data())
      std::copy_n(from, list.size(), list.data());
  }

  /// Piles of different buffers lie one behind the other.
  template <typename Less>
  static void merge_two(Item* first, Item* middle, Item* end, Item* to, Less less) {
    if (first == middle || middle == end || !less(*middle, *(middle - 1)))
      std::copy(first, end, to);
    else if (less(*(end - 1), *first))
      std::copy(first, middle, std::copy(middle, end, to));
    else
      std::merge(first, middle, middle, end, to, less);
  }

  std::vector<Item> spare_;
  std::vector<std::uint8_t> pile_;
  std::array<std::size_t, most> counts_{};
  std::size_t piles_ = 0;
};

} // namespace tacit::graphs
