// What a pass has found out about lists of segments that a graph keeps once (segment_pool.h), by where they lie.
#pragma once

#include "graphs/graph/segment.h"
#include "graphs/graph/segment_pool.h"

#include <span>
#include <unordered_map>

namespace tacit::graphs {

template <typename Value>
class known_lists {
public:
  /// What is known of a list of the graph itself, at first nothing; null for short lists, which the graph may have several times. Values
  /// stay where they are.
  Value* of(std::span<const segment> list) {
    return list.size() < segment_pool::shortest_shared ? nullptr : &by_place_[list.data()];
  }

private:
  std::unordered_map<const segment*, Value> by_place_; // looked up, never iterated
};

} // namespace tacit::graphs
