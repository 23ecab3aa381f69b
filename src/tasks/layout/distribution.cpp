#include "tasks/layout/distribution.h"

namespace tacit::tasks {
namespace {

/// The first coordinate of an axis for which the test holds; it holds for all after it.
template <typename Test>
std::uint32_t first_that(std::uint32_t parts, Test&& test) {
  std::uint32_t low = 0, high = parts;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (test(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// True if an axis with several parts is followed by no dimension, so that ranks along it have the same.
bool replicated_along(const distribution& p, int axis) {
  if (p.across->axes[static_cast<std::size_t>(axis)].parts == 1)
    return false;
  return std::ranges::none_of(p.map.dims, [&](const axis_map& map) {
    return map.what != axis_map::kind::constant && map.of == axis;
  });
}

std::uint32_t first_part(const split& s, int axis) {
  return s.axes[static_cast<std::size_t>(axis)].first_part();
}

void visit_holders(const distribution& where, const box& what, const mesh_range& found,
                   const std::function<void(std::uint32_t, const region&)>& visit) {
  const auto offer = [&](std::uint32_t rank, const region& piece) {
    if (const region common = intersection(piece, region(what)); !common.empty())
      visit(rank, common);
  };
  if (!where.symbolic()) {
    for (std::uint32_t rank = 0; rank < where.listed->size(); ++rank)
      offer(rank, (*where.listed)[rank]);
    return;
  }
  const split& s = *where.across;
  for (std::uint32_t i = found.axis[0].first; i < found.axis[0].second; ++i)
    for (std::uint32_t j = found.axis[1].first; j < found.axis[1].second; ++j)
      for (std::uint32_t k = found.axis[2].first; k < found.axis[2].second; ++k) {
        const std::uint32_t rank = i * s.stride(0) + j * s.stride(1) + k;
        offer(rank, where.piece(rank));
      }
}

} // namespace

bool operator==(const distribution& a, const distribution& b) {
  if (a.symbolic() != b.symbolic())
    return false;
  if (!a.symbolic())
    return a.listed == b.listed || *a.listed == *b.listed;
  return a.map == b.map && (a.across == b.across || *a.across == *b.across);
}

box distribution::piece_box(std::uint32_t rank) const {
  return intersection(tasks::image(map, across->chunk(rank), across->global, extent), box_of(extent));
}

region distribution::piece(std::uint32_t rank) const {
  if (symbolic())
    return piece_box(rank);
  return rank < listed->size() ? (*listed)[rank] : region{};
}

region distribution::first_copy(std::uint32_t rank) const {
  if (symbolic())
    for (int k = 0; k < dimensions; ++k)
      if (replicated_along(*this, k) && across->coordinate_of(rank, k) != first_part(*across, k))
        return {};
  return piece(rank);
}

region distribution::image() const {
  if (symbolic())
    return intersection(tasks::image(map, across->global, across->global, extent), box_of(extent));
  std::vector<box> all;
  for (const region& r : *listed)
    all.insert(all.end(), r.boxes().begin(), r.boxes().end());
  return region(std::move(all));
}

bool mesh_range::empty() const {
  return count() == 0;
}

std::uint64_t mesh_range::count() const {
  std::uint64_t out = 1;
  for (const auto& [first, last] : axis)
    out *= last > first ? last - first : 0;
  return out;
}

mesh_range holders(const distribution& where, const box& what) {
  mesh_range out;
  const split& s = *where.across;
  for (int k = 0; k < dimensions; ++k)
    out.axis[static_cast<std::size_t>(k)] = {0, s.axes[static_cast<std::size_t>(k)].parts};
  for (int d = 0; d < dimensions; ++d) {
    const axis_map& map = where.map[d];
    if (map.what == axis_map::kind::constant) {
      if (intersection(intersection(map.fixed, {0, where.extent[d]}), what[d]).empty())
        out.axis[0] = {0, 0};
      continue;
    }
    const partition& parts = s.axes[map.of];
    const auto at = [&](std::uint32_t i) {
      return image(map, parts.part(i), s.global[map.of], where.extent[d]);
    };
    auto& [first, last] = out.axis[map.of];
    first =
        std::max(first, first_that(parts.parts, [&](std::uint32_t i) { return at(i).end > what[d].begin; }));
    last =
        std::min(last, first_that(parts.parts, [&](std::uint32_t i) { return at(i).begin >= what[d].end; }));
  }
  return out;
}

mesh_range first_holders(const distribution& where, const box& what) {
  mesh_range out = holders(where, what);
  for (int k = 0; k < dimensions; ++k)
    if (auto& [first, last] = out.axis[static_cast<std::size_t>(k)];
        first < last && replicated_along(where, k)) {
      first = first_part(*where.across, k);
      last = first + 1;
    }
  return out;
}

void for_each_holder(const distribution& where, const box& what,
                     const std::function<void(std::uint32_t, const region&)>& visit) {
  visit_holders(where, what, where.symbolic() ? holders(where, what) : mesh_range{}, visit);
}

void for_each_first_holder(const distribution& where, const box& what,
                           const std::function<void(std::uint32_t, const region&)>& visit) {
  visit_holders(where, what, where.symbolic() ? first_holders(where, what) : mesh_range{}, visit);
}

} // namespace tacit::tasks
