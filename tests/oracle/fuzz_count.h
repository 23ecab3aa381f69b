// How many random cases a test runs: TACIT_FUZZ_COUNT, or 2,000; and where it starts: TACIT_FUZZ_SEED, or 1.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tacit::oracle {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
inline std::uint64_t fuzz_count() {
  return from_environment("TACIT_FUZZ_COUNT", 2000);
}
inline std::uint64_t fuzz_seed() {
  return from_environment("TACIT_FUZZ_SEED", 1);
}

} // namespace tacit::oracle
