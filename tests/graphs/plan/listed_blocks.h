// The blocks of a step one by one, for tests that change them.
#pragma once

#include "graphs/plan/block_list.h"

#include <utility>
#include <vector>

namespace tacit::graphs {

struct listed_block {
  rank_id peer = no_rank;
  segment_list bytes;
};

/// Calls change(std::vector<listed_block>&), and makes the list anew of what is left.
template <typename Change>
void change_blocks(block_list& blocks, Change&& change) {
  std::vector<listed_block> list;
  for (const block b : blocks)
    list.push_back({b.peer, std::span<const segment>(b.bytes)});
  change(list);
  blocks.clear();
  for (listed_block& b : list)
    blocks.push_back(b.peer, std::move(b.bytes));
}

} // namespace tacit::graphs
