// Lists of segments as plans keep them.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/graph/one_in_place.h"

#include <span>

namespace tacit::graphs {

using segment_list = one_in_place<segment>;
static_assert(sizeof(segment_list) == 24); // there are two in each step and one in each block

/// Puts segments behind others, without joining any; they may be those of the list itself.
inline void append(segment_list& list, std::span<const segment> more) {
  list.insert_at_end(more.data(), more.size());
}

} // namespace tacit::graphs
