#include "tasks/layout/overlap.h"

namespace tacit::tasks {
namespace {

/// Whether another rank writes through `theirs` what `me` writes through `mine`.
std::optional<write_conflict> overlap_at(const distribution& mine, const distribution& theirs,
                                         std::uint32_t me) {
  std::optional<write_conflict> found;
  for (const box& b : mine.piece(me).boxes())
    for_each_holder(theirs, b, [&](std::uint32_t rank, const region& common) {
      if (rank != me && !found)
        found = write_conflict{me, rank, common};
    });
  return found;
}

} // namespace

std::optional<write_conflict> find_overlap(std::span<const distribution> written, std::uint32_t me) {
  for (std::size_t i = 0; i < written.size(); ++i)
    for (std::size_t k = i; k < written.size(); ++k) {
      const distribution &a = written[i], &b = written[k];
      if ((i == k || a == b) && disjoint(a))
        continue;
      if (i != k && !overlap(a.image(), b.image()))
        continue;
      if (auto found = overlap_at(a, b, me))
        return found;
      if (auto found = i == k ? std::nullopt : overlap_at(b, a, me))
        return found;
    }
  return std::nullopt;
}

} // namespace tacit::tasks
