// Rows and columns: a set of groups of one size that together are the world, each once, is a grid if the
// members of each are consecutive ranks (rows) or ranks at the distance of the number of groups (columns).
#include "recordings/meaning/groups.h"

#include <algorithm>
#include <set>

namespace tacit::recordings {
namespace {

/// Distance between consecutive members if it is constant, else 0.
std::uint32_t stride_of(const std::vector<std::uint32_t>& members) {
  if (members.size() < 2 || members[1] <= members[0])
    return 0;
  const std::uint32_t stride = members[1] - members[0];
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] - members[i - 1] != stride || members[i] < members[i - 1])
      return 0;
  return stride;
}

} // namespace

std::vector<group_shape> group_shapes(const std::vector<group>& groups) {
  const std::size_t world = groups[0].members.size();
  std::set<std::vector<std::uint32_t>> known;
  for (const group& g : groups)
    known.insert(g.members);
  std::vector<group_shape> shapes;
  for (const group& g : groups) {
    const std::size_t size = g.members.size();
    if (g.members == groups[0].members) {
      shapes.push_back({group_kind::all});
      continue;
    }
    std::vector<std::uint32_t> sorted = g.members;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == groups[0].members) {
      shapes.push_back({group_kind::reordered});
      continue;
    }
    const std::uint32_t stride = stride_of(g.members);
    const std::size_t others = size > 0 && world % size == 0 ? world / size : 0;
    const bool row = stride == 1 && others > 1 && g.members[0] % size == 0;
    const bool column = stride > 1 && stride == others && g.members[0] < others;
    bool all_there = row || column;
    for (std::uint32_t k = 0; k < others && all_there; ++k) {
      std::vector<std::uint32_t> sibling;
      sibling.reserve(size);
      for (std::uint32_t i = 0; i < size; ++i)
        sibling.push_back(row ? k * static_cast<std::uint32_t>(size) + i : k + i * stride);
      all_there = known.contains(sibling);
    }
    const auto length = static_cast<std::uint32_t>(size), count = static_cast<std::uint32_t>(others);
    if (row && all_there)
      shapes.push_back({group_kind::row, g.members[0] / length, count, length});
    else if (column && all_there)
      shapes.push_back({group_kind::column, g.members[0], length, count});
    else
      shapes.push_back({group_kind::some});
  }
  return shapes;
}

} // namespace tacit::recordings
