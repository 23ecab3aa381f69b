#include "tasks/layout/compare.h"

namespace tacit::tasks {
namespace {

const partition& axis_of(const split& s, int axis) {
  return s.axes[static_cast<std::size_t>(axis)];
}

bool wider(const axis_map& outer, const axis_map& inner) {
  return outer.what == inner.what && outer.granularity == inner.granularity && outer.below >= inner.below &&
         outer.above >= inner.above;
}

/// The interval of a dimension that does not vary.
interval fixed_interval(const distribution& p, int dim) {
  const axis_map& map = p.map[dim];
  const interval part = axis_of(*p.across, map.of).part(0);
  return intersection(tasks::image(map, part, p.across->global[map.of], p.extent[dim]), {0, p.extent[dim]});
}

} // namespace

int varying_axis(const distribution& p, int dim) {
  const axis_map& map = p.map[dim];
  return map.what != axis_map::kind::constant && axis_of(*p.across, map.of).parts > 1 ? map.of : -1;
}

bool constant(const distribution& p) {
  if (!p.symbolic())
    return false;
  for (int d = 0; d < dimensions; ++d)
    if (varying_axis(p, d) >= 0)
      return false;
  return true;
}

distribution simplified(distribution p) {
  for (int d = 0; d < dimensions; ++d) {
    const int axis = varying_axis(p, d);
    if (axis < 0 || p.across->gaps)
      continue;
    const partition& parts = axis_of(*p.across, axis);
    const interval whole{0, p.extent[d]}, global = p.across->global[axis];
    const auto has_all = [&](std::uint32_t i) {
      return tasks::image(p.map[d], parts.part(i), global, p.extent[d]).contains(whole);
    };
    if (has_all(0) && has_all(parts.parts - 1)) // both ends of the intervals are monotone
      p.map[d] = all().terms[0][d];
  }
  return p;
}

bool same_mesh(const split& a, const split& b) {
  for (std::size_t k = 0; k < dimensions; ++k)
    if (a.axes[k].parts != b.axes[k].parts)
      return false;
  return true;
}

/// Weighted ones have as many ends as there are ranks: those of one split are not compared.
bool same_axis(const distribution& a, const distribution& b, int axis) {
  return a.across == b.across || axis_of(*a.across, axis) == axis_of(*b.across, axis);
}

bool dimension_covers(const distribution& outer, const distribution& inner, int dim, interval within) {
  const int axis = varying_axis(outer, dim);
  if (axis < 0) {
    const interval needed =
        varying_axis(inner, dim) < 0 ? intersection(fixed_interval(inner, dim), within) : within;
    return fixed_interval(outer, dim).contains(needed);
  }
  const int other = varying_axis(inner, dim);
  return other == axis && same_axis(outer, inner, axis) && wider(outer.map[dim], inner.map[dim]);
}

bool covers(const distribution& outer, const distribution& inner, const box& within) {
  if (outer.symbolic() && inner.symbolic() && outer.across == inner.across && outer.map == inner.map &&
      outer.extent == inner.extent)
    return true; // every rank has the same in both
  if (!outer.symbolic())
    return !inner.symbolic() && outer == inner;
  if (constant(outer) &&
      outer.across->chunks() >= (inner.symbolic() ? inner.across->chunks() : inner.listed->size()) &&
      !outer.across->gaps)
    return outer.piece(0).contains(
        intersection(inner.symbolic() ? inner.image() : region(within), region(within)));
  if (!inner.symbolic() || !same_mesh(*outer.across, *inner.across))
    return false;
  if (outer.across != inner.across && (outer.across->gaps || inner.across->gaps))
    return false;
  for (int d = 0; d < dimensions; ++d)
    if (!dimension_covers(outer, inner, d, within[d]))
      return false;
  return true;
}

bool disjoint(const distribution& p) {
  if (!p.symbolic())
    return false;
  for (int k = 0; k < dimensions; ++k) {
    if (axis_of(*p.across, k).parts == 1)
      continue;
    bool followed = false;
    for (int d = 0; d < dimensions; ++d)
      followed |= varying_axis(p, d) == k && p.map[d].below + p.map[d].above <= 0;
    if (!followed)
      return false;
  }
  return true;
}

} // namespace tacit::tasks
