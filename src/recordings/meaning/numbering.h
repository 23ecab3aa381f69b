// Numbers for values that come again, in the order in which they came first.
#pragma once

#include "recordings/record/reader.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::recordings {

/// Different values are 0, 1, 2 … as they come first. The values lie side by side, and of a table of numbers, 8 bytes each, at most three
/// quarters are taken: a question among millions of values misses the caches twice, and what is kept is all that grows.
template <typename Value, typename Hash>
class numbering {
public:
  /// The number of this value, the next one if it has none.
  std::uint32_t number_of(const Value& value) {
    if (4 * (values_.size() + 1) > 3 * places_.size())
      grow();
    const auto hash = static_cast<std::uint32_t>(Hash{}(value));
    place& found = places_[place_of(value, hash)];
    if (found.number == none) {
      values_.push_back(value); // first, as it may find no memory
      found = {hash, static_cast<std::uint32_t>(values_.size() - 1)};
    }
    return found.number;
  }

  /// The number of this value, or `none`.
  std::uint32_t find(const Value& value) const {
    if (places_.empty())
      return none;
    return places_[place_of(value, static_cast<std::uint32_t>(Hash{}(value)))].number;
  }

  const Value& operator[](std::uint32_t number) const { return values_[number]; }
  const std::vector<Value>& values() const { return values_; }
  std::size_t size() const { return values_.size(); }

private:
  struct place {
    std::uint32_t hash = 0, number = none;
  };

  /// Where this value stands, or the free place where it would.
  std::size_t place_of(const Value& value, std::uint32_t hash) const {
    const std::size_t last = places_.size() - 1;
    std::size_t at = hash & last;
    while (places_[at].number != none &&
           (places_[at].hash != hash || !(values_[places_[at].number] == value)))
      at = (at + 1) & last;
    return at;
  }

  void grow() {
    std::vector<place> old(places_.empty() ? 16 : 2 * places_.size());
    old.swap(places_);
    const std::size_t last = places_.size() - 1;
    for (const place& p : old) {
      if (p.number == none)
        continue;
      std::size_t at = p.hash & last;
      while (places_[at].number != none)
        at = (at + 1) & last;
      places_[at] = p;
    }
  }

  std::vector<Value> values_;
  std::vector<place> places_; ///< a power of two of them
};

} // namespace tacit::recordings
