// A piece of the memory of a rank.
#pragma once

#include <cstdint>

namespace tacit::graphs {

struct segment {
  std::uint64_t address = 0;
  std::uint64_t length = 0; ///< bytes
  friend bool operator==(const segment&, const segment&) = default;
};

} // namespace tacit::graphs
