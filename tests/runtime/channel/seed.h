// The seed of random tests: the variable SEED, or another one in every run. Tests print it where they fail.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace tacit::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  }();
  return value;
}

} // namespace tacit::test
