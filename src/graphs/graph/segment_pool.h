// The lists of segments of a graph, those of several pieces kept once.
//
// Ranks mostly do the same, so that a butterfly of 1,024 ranks has twenty million pieces in a few thousand different lists. Kept once, they
// take a fraction of the memory, and whoever asks something of a list that depends on nothing else asks it once (known_lists.h): equal lists
// lie at the same place. Lists of a few pieces are cheaper kept again than looked for.
#pragma once

#include "graphs/graph/segment.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

class segment_pool {
public:
  /// Lists of fewer pieces are kept again for every operation.
  static constexpr std::size_t shortest_shared = 8;

  /// Where the list begins: a new one lies behind all others.
  std::uint32_t add(std::span<const segment> list);
  std::span<const segment> list(std::uint32_t first, std::uint32_t count) const {
    return std::span(pieces_).subspan(first, count);
  }

private:
  struct known { // count 0: none
    std::uint32_t first = 0, count = 0, hash = 0;
  };
  std::uint32_t put(std::span<const segment> list);
  /// The place of an equal list, or the free one where it belongs.
  known& place_of(std::span<const segment> list, std::uint32_t hash);
  void make_room();

  std::vector<segment> pieces_;
  std::vector<known> known_; ///< by hash; a power of two, at most half full
  std::size_t count_ = 0;    ///< of known lists
};

} // namespace tacit::graphs
