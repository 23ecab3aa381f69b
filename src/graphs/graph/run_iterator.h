// Visits the items that an array of runs stands for: of each run those that its `at(i)` makes, for i below its `count`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace tacit::graphs {

template <typename Run, typename Item>
class run_iterator {
public:
  using value_type = Item;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;

  run_iterator() = default;
  explicit run_iterator(const Run* run) : run_(run) {}
  Item operator*() const { return run_->at(i_); }
  run_iterator& operator++() {
    if (++i_ == run_->count)
      ++run_, i_ = 0;
    return *this;
  }
  run_iterator operator++(int) { return std::exchange(*this, ++run_iterator(*this)); }
  bool operator==(const run_iterator&) const = default;

private:
  const Run* run_ = nullptr;
  std::uint32_t i_ = 0;
};

} // namespace tacit::graphs
