#include "graphs/graph/segment_pool.h"

#include "vocabulary/base/hash.h"

#include <algorithm>
#include <utility>

namespace tacit::graphs {

std::uint32_t segment_pool::add(std::span<const segment> list) {
  if (list.size() < shortest_shared)
    return put(list);
  if (2 * (count_ + 1) > known_.size())
    make_room();
  const auto hash = static_cast<std::uint32_t>(vocabulary::hash_of(list.data(), list.size_bytes()));
  known& at = place_of(list, hash);
  if (at.count == 0) {
    at = {put(list), static_cast<std::uint32_t>(list.size()), hash};
    ++count_;
  }
  return at.first;
}

std::uint32_t segment_pool::put(std::span<const segment> list) {
  const auto first = static_cast<std::uint32_t>(pieces_.size());
  pieces_.insert(pieces_.end(), list.begin(), list.end());
  return first;
}

segment_pool::known& segment_pool::place_of(std::span<const segment> list, std::uint32_t hash) {
  const std::size_t mask = known_.size() - 1;
  std::size_t at = hash & mask;
  while (known_[at].count != 0 && (known_[at].hash != hash || known_[at].count != list.size() ||
                                   !std::ranges::equal(this->list(known_[at].first, known_[at].count), list)))
    at = (at + 1) & mask;
  return known_[at];
}

void segment_pool::make_room() {
  constexpr std::size_t at_first = 16;
  const std::vector<known> old = std::exchange(known_, {});
  known_.resize(old.empty() ? at_first : 2 * old.size());
  const std::size_t mask = known_.size() - 1;
  for (const known& k : old) {
    if (k.count == 0)
      continue;
    std::size_t at = k.hash & mask; // no two of them are equal
    while (known_[at].count != 0)
      at = (at + 1) & mask;
    known_[at] = k;
  }
}

} // namespace tacit::graphs
