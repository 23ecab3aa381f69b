#include "graphs/plan/block_list.h"

#include <algorithm>

namespace tacit::graphs {

std::optional<block> find_block_of_many(std::span<const block_run> runs, rank_id peer, std::size_t about) {
  for (std::size_t back = 0; back <= 1 && back <= about;
       ++back) // without the own block those behind it move up
    if (about - back < runs.size())
      if (std::optional<block> found = find_in_run(runs[about - back], peer))
        return found;
  const auto behind = std::upper_bound(runs.begin(), runs.end(), peer,
                                       [](rank_id r, const block_run& run) { return r < run.peer; });
  if (behind != runs.begin())
    if (std::optional<block> found = find_in_run(*(behind - 1), peer))
      return found;
  for (const block_run& run : runs)
    if (std::optional<block> found = find_in_run(run, peer))
      return found;
  return std::nullopt;
}

} // namespace tacit::graphs
