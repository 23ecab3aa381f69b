// Items of a pass in great number: kept until its end, counted, in pieces of memory that stay where they are.
#pragma once

#include "graphs/flow/memory_budget.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tacit::graphs {

/// Items by numbers, those of one group side by side. Nothing moves when there are more.
template <typename Item>
class numbered_items {
public:
  explicit numbered_items(memory_budget& budget) : budget_(budget) {}
  numbered_items(const numbered_items&) = delete;
  numbered_items& operator=(const numbered_items&) = delete;
  ~numbered_items() {
    for (const auto& c : chunks_)
      budget_.give_back(c.size * sizeof(Item));
  }

  /// The number of the first one.
  std::uint32_t add(std::span<const Item> items) {
    if (items.size() > room_)
      make_room(items.size());
    std::copy(items.begin(), items.end(), next_);
    const std::uint32_t first = count_;
    next_ += items.size();
    room_ -= items.size();
    count_ += static_cast<std::uint32_t>(items.size());
    return first;
  }
  const Item* at(std::uint32_t number) const {
    return blocks_[number >> bits] + (number & ((std::uint32_t{1} << bits) - 1));
  }
  std::uint32_t size() const { return count_; } ///< numbers given out; some are not used
  bool empty() const { return count_ == 0; }

private:
  static constexpr std::uint32_t bits = 12;
  static constexpr std::size_t block = std::size_t{1} << bits;
  static constexpr std::size_t most = (std::size_t{16} << 20) / sizeof(Item);
  struct chunk {
    std::unique_ptr<Item[]> items;
    std::size_t size;
  };

  /// Half as much again as there is, up to some huge pages, so that little is not used.
  void make_room(std::size_t count) {
    const std::size_t first = blocks_.size() * block;
    const std::size_t wanted = std::max(count, std::min(first / 2, most));
    const std::size_t size = (wanted + block - 1) / block * block;
    if (first + size > ~std::uint32_t{0})
      throw over_budget{};
    budget_.take(size * sizeof(Item));
    chunks_.push_back({std::make_unique_for_overwrite<Item[]>(size), size});
    next_ = chunks_.back().items.get();
    vocabulary::prefer_huge_pages(next_, size * sizeof(Item));
    for (std::size_t i = 0; i < size; i += block)
      blocks_.push_back(next_ + i);
    room_ = size;
    count_ = static_cast<std::uint32_t>(first);
  }

  memory_budget& budget_;
  std::vector<chunk> chunks_;
  std::vector<Item*> blocks_; ///< by the upper bits of a number
  Item* next_ = nullptr;
  std::size_t room_ = 0; ///< items behind `next_` in its chunk
  std::uint32_t count_ = 0;
};

} // namespace tacit::graphs
