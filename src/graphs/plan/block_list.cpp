#include "graphs/plan/block_list.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

bool holds(const block_run& run, rank_id peer) {
  // A block for everybody is not one of a row, whose last rank is less.
  return index(peer) - index(run.peer) < run.count;
}

block block_in(const block_run& run, rank_id peer) {
  return run.at(static_cast<std::uint32_t>(index(peer) - index(run.peer)));
}

} // namespace

std::optional<block> find_block(std::span<const block_run> runs, rank_id peer, std::size_t about) {
  for (std::size_t back = 0; back <= 1 && back <= about;
       ++back) // without the own block those behind it move up
    if (about - back < runs.size() && holds(runs[about - back], peer))
      return block_in(runs[about - back], peer);
  constexpr std::size_t few = 4;
  if (runs.size() > few) {
    const auto behind = std::upper_bound(runs.begin(), runs.end(), peer,
                                         [](rank_id r, const block_run& run) { return r < run.peer; });
    if (behind != runs.begin() && holds(*(behind - 1), peer))
      return block_in(*(behind - 1), peer);
  }
  for (const block_run& run : runs)
    if (holds(run, peer))
      return block_in(run, peer);
  return std::nullopt;
}

} // namespace tacit::graphs
