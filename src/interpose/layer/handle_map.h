// A hash table from 64-bit keys (handles, addresses) to small values, for the hot path of every call: open
// addressing with linear probing, backward-shift deletion, no allocation except when it grows. Load stays at
// or below one half, so probes are O(1); the key ~0 must not be used.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::interpose {

template <typename Value>
class handle_map {
public:
  handle_map() : cells_(64) {}

  Value* find(std::uint64_t key) {
    for (std::size_t i = home(key);; i = next(i)) {
      if (cells_[i].key == key)
        return &cells_[i].value;
      if (cells_[i].key == empty)
        return nullptr;
    }
  }

  /// The value of `key`, made if it is new.
  Value& operator[](std::uint64_t key) {
    if (Value* known = find(key))
      return *known;
    if (2 * (size_ + 1) > cells_.size())
      grow();
    ++size_;
    cell& made = free_cell(key);
    made.key = key;
    return made.value;
  }

  void erase(std::uint64_t key) {
    std::size_t hole = home(key);
    while (cells_[hole].key != key) {
      if (cells_[hole].key == empty)
        return;
      hole = next(hole);
    }
    // Pull back every later cell of the cluster that may live in the hole.
    for (std::size_t i = next(hole); cells_[i].key != empty; i = next(i)) {
      const std::size_t wanted = home(cells_[i].key);
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
        cells_[hole] = std::move(cells_[i]);
        hole = i;
      }
    }
    cells_[hole] = cell{};
    --size_;
  }

  std::size_t size() const { return size_; }

private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct cell {
    std::uint64_t key = empty;
    Value value{};
  };

  std::size_t mask() const { return cells_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home(std::uint64_t key) const { return (key * 0x9e3779b97f4a7c15u >> 20) & mask(); }
  cell& free_cell(std::uint64_t key) {
    std::size_t i = home(key);
    while (cells_[i].key != empty)
      i = next(i);
    return cells_[i];
  }
  void grow() {
    std::vector<cell> old(cells_.size() * 2);
    old.swap(cells_);
    for (cell& c : old)
      if (c.key != empty)
        free_cell(c.key) = std::move(c);
  }

  std::vector<cell> cells_;
  std::size_t size_ = 0;
};

} // namespace tacit::interpose
