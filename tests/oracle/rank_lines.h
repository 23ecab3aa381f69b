// Ranks at a constant distance, as rows and columns of a grid are.
#pragma once

#include <cstdint>
#include <vector>

namespace tacit::oracle {

using ranks_of = std::vector<std::uint32_t>;

inline ranks_of every(std::uint32_t first, std::uint32_t distance, std::uint32_t count) {
  ranks_of out;
  for (std::uint32_t k = 0; k < count; ++k)
    out.push_back(first + k * distance);
  return out;
}

} // namespace tacit::oracle
