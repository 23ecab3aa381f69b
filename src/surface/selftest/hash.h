// Deterministic choices: every rank computes the same ones without talking to the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace tacit::surface {

/// SplitMix64's finalizer over the parts in order (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t hash(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const std::uint64_t part : parts) {
    h += part + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
  }
  return h;
}

/// A sequence of choices, the same on every rank that starts it with the same seed.
class choices {
public:
  explicit choices(std::uint64_t seed) : seed_(seed) {}
  /// 0 … bound - 1
  int below(int bound) {
    return static_cast<int>(hash({seed_, count_++}) % static_cast<std::uint64_t>(bound));
  }
  template <typename List>
  void shuffle(List& list) {
    for (int i = static_cast<int>(list.size()) - 1; i > 0; --i)
      std::swap(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(below(i + 1))]);
  }

private:
  std::uint64_t seed_, count_ = 0;
};

/// The place of rank or edge `i` in a vector.
inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

} // namespace tacit::surface
