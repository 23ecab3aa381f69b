#include "tasks/layout/split.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tacit::tasks {
namespace {

coordinate granules(interval global, coordinate granularity) {
  return (global.length() + granularity - 1) / granularity;
}

partition undivided(interval global) {
  return {global, 1, 1, 0, 0, {}};
}

partition equal_parts(interval global, coordinate granularity, std::uint32_t parts) {
  const coordinate all = granules(global, granularity),
                   used = std::clamp<coordinate>(parts, 1, std::max<coordinate>(1, all));
  return {global, granularity, static_cast<std::uint32_t>(used), all / used, all % used, {}};
}

/// Part i ends where the weights up to it have their share of the granules, rounded down; the last one at the end.
partition weighted_parts(interval global, coordinate granularity, std::span<const std::uint32_t> weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const coordinate all = granules(global, granularity);
  partition out{global, granularity, static_cast<std::uint32_t>(weights.size()), 0, 0, {}};
  std::uint64_t before = 0;
  for (const std::uint32_t weight : weights) {
    before += weight;
    const auto share = static_cast<coordinate>(static_cast<unsigned __int128>(all) * before /
                                               std::max<std::uint64_t>(1, sum));
    out.ends.push_back(std::min(global.end, global.begin + share * granularity));
  }
  out.ends.back() = global.end;
  return out;
}

bool has_empty_part(const partition& p) {
  coordinate before = p.global.begin;
  for (const coordinate end : p.ends)
    if (std::exchange(before, end) == end)
      return true;
  return false;
}

/// The parts of two dimensions, as many as there are ranks or as fit, with the shortest border between chunks.
std::array<std::uint32_t, 2> near_square(const geometry& shape, std::uint32_t ranks) {
  const auto parts_of = [&](std::size_t d) { // no more than ranks, so that products of them are small
    return std::min<coordinate>(ranks, granules(shape.global.side[d], shape.granularity.size[d]));
  };
  const coordinate most[2] = {parts_of(0), parts_of(1)};
  const auto fitting = std::min<coordinate>(ranks, std::max<coordinate>(1, most[0] * most[1]));
  for (auto used = static_cast<std::uint32_t>(fitting); used > 1; --used) {
    std::array<std::uint32_t, 2> best{};
    double border = 0;
    for (std::uint32_t rows = 1; rows <= used; ++rows) {
      const std::uint32_t columns = used / rows;
      if (rows * columns != used || rows > most[0] || columns > most[1])
        continue;
      const double this_border = static_cast<double>(shape.global[0].length()) / rows +
                                 static_cast<double>(shape.global[1].length()) / columns;
      if (best[0] == 0 || this_border < border)
        best = {rows, columns}, border = this_border;
    }
    if (best[0] != 0)
      return best;
  }
  return {1, 1};
}

} // namespace

interval partition::part(std::uint32_t i) const {
  if (!ends.empty())
    return {i == 0 ? global.begin : ends[i - 1], ends[i]};
  if (parts == 1)
    return global;
  const coordinate first = each * i + std::min<coordinate>(i, longer);
  const coordinate count = each + (static_cast<coordinate>(i) < longer ? 1 : 0);
  return {global.begin + first * granularity,
          std::min(global.end, global.begin + (first + count) * granularity)};
}

std::uint32_t partition::first_part() const {
  const auto found = std::ranges::upper_bound(ends, global.begin);
  return found == ends.end() ? 0 : static_cast<std::uint32_t>(found - ends.begin());
}

std::uint32_t split::stride(int axis) const {
  std::uint32_t out = 1;
  for (int d = axis + 1; d < dimensions; ++d)
    out *= axes[static_cast<std::size_t>(d)].parts;
  return out;
}

std::uint32_t split::coordinate_of(std::uint32_t rank, int axis) const {
  const std::uint32_t parts = axes[static_cast<std::size_t>(axis)].parts;
  return parts == 1 ? 0 : rank / stride(axis) % parts;
}

box split::chunk(std::uint32_t rank) const {
  if (rank >= chunks())
    return {};
  box out;
  for (int d = 0; d < dimensions; ++d)
    out[d] = axes[static_cast<std::size_t>(d)].part(coordinate_of(rank, d));
  return out;
}

namespace {

std::uint64_t digest_of(const std::array<partition, dimensions>& axes) {
  hash_input hash;
  for (const partition& axis : axes) {
    for (const coordinate word :
         {axis.global.begin, axis.global.end, axis.granularity, coordinate{axis.parts}})
      hash.add(static_cast<std::uint64_t>(word));
    hash.add(vocabulary::hash_of(axis.ends.data(), axis.ends.size() * sizeof(coordinate)));
  }
  return hash.value();
}

} // namespace

split make_split(const geometry& shape, std::uint32_t ranks) {
  split out{shape.global,
            {undivided(shape.global[0]), undivided(shape.global[1]), undivided(shape.global[2])}};
  switch (shape.split) {
  case split_rule::one_dim:
    out.axes[0] = shape.weights.get().size() == ranks
                      ? weighted_parts(shape.global[0], shape.granularity[0], shape.weights.get())
                      : equal_parts(shape.global[0], shape.granularity[0], ranks);
    out.gaps |= has_empty_part(out.axes[0]);
    break;
  case split_rule::two_dim: {
    const std::array<std::uint32_t, 2> parts = near_square(shape, ranks);
    out.axes[0] = equal_parts(shape.global[0], shape.granularity[0], parts[0]);
    out.axes[1] = equal_parts(shape.global[1], shape.granularity[1], parts[1]);
    break;
  }
  case split_rule::none:
    break;
  case split_rule::per_rank:
    out.global = box_of(range{{ranks, 1, 1}});
    out.gaps = false;
    out.axes = {equal_parts({0, ranks}, 1, ranks), undivided({0, 1}), undivided({0, 1})};
    break;
  }
  out.digest = digest_of(out.axes);
  return out;
}

std::shared_ptr<const split> split_table::of(const geometry& shape) {
  const auto found = std::ranges::find(known_, shape, &known::shape);
  if (found != known_.end()) {
    std::rotate(known_.begin(), found, found + 1);
    return known_.front().made;
  }
  if (known_.size() == kept)
    known_.pop_back();
  // One object for all splits that are equal, so that comparing two of the same task shapes is comparing pointers.
  split made = make_split(shape, ranks_);
  const auto equal = std::ranges::find_if(known_, [&](const known& k) { return *k.made == made; });
  std::shared_ptr<const split> shared =
      equal != known_.end() ? equal->made : std::make_shared<const split>(std::move(made));
  known_.insert(known_.begin(), {shape, shared});
  return shared;
}

} // namespace tacit::tasks
