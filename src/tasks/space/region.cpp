#include "tasks/space/region.h"

#include <fmt/format.h>
#include <limits>

namespace tacit::tasks {
namespace {

/// The ends of the intervals of one dimension, sorted, each once.
std::vector<coordinate> cuts_of(std::span<const box> boxes, int d) {
  std::vector<coordinate> cuts;
  cuts.reserve(boxes.size() * 2);
  for (const box& b : boxes)
    cuts.insert(cuts.end(), {b[d].begin, b[d].end});
  std::ranges::sort(cuts);
  cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  return cuts;
}

bool same_section(const box& a, const box& b, int d) {
  for (int e = d + 1; e < dimensions; ++e)
    if (a[e] != b[e])
      return false;
  return true;
}

/// Joins the slab that begins at `slab` to the one before it, which begins at `before`, if they touch and look alike.
bool joins(std::span<const box> before, std::span<const box> slab, int d) {
  return before.size() == slab.size() && !slab.empty() && before[0][d].end == slab[0][d].begin &&
         std::ranges::equal(before, slab, [d](const box& a, const box& b) { return same_section(a, b, d); });
}

/// Canonical boxes of a union; all boxes agree in the dimensions before d.
std::vector<box> canonical(std::span<const box> boxes, int d) {
  if (boxes.empty() || d == dimensions)
    return {boxes.begin(), boxes.begin() + (boxes.empty() ? 0 : 1)};
  const std::vector<coordinate> cuts = cuts_of(boxes, d);
  std::vector<box> out, inside;
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const interval slab{cuts[i], cuts[i + 1]};
    inside.clear();
    for (box b : boxes)
      if (b[d].contains(slab)) {
        b[d] = slab;
        inside.push_back(b);
      }
    const std::vector<box> section = canonical(inside, d + 1);
    if (joins({out.begin() + static_cast<std::ptrdiff_t>(before), out.end()}, section, d)) {
      for (std::size_t k = before; k < out.size(); ++k)
        out[k][d].end = slab.end;
      continue;
    }
    before = out.size();
    out.insert(out.end(), section.begin(), section.end());
  }
  return out;
}

/// Orders two boxes that differ in one dimension, and do not touch there; false if they are no such boxes.
bool apart(std::vector<box>& boxes) {
  if (boxes.size() != 2)
    return false;
  int differs = -1;
  for (int d = 0; d < dimensions; ++d)
    if (boxes[0][d] != boxes[1][d]) {
      if (differs >= 0)
        return false;
      differs = d;
    }
  if (differs < 0)
    return false;
  if (boxes[1][differs].begin < boxes[0][differs].begin)
    std::swap(boxes[0], boxes[1]);
  return boxes[0][differs].end < boxes[1][differs].begin;
}

} // namespace

std::string text_of(const box& b) {
  if (b.empty())
    return "{}";
  int last = dimensions - 1;
  while (last > 0 && b[last] == interval{0, 1})
    --last;
  std::string out;
  for (int d = 0; d <= last; ++d)
    out += fmt::format("{}[{},{})", d ? "x" : "", b[d].begin, b[d].end);
  return out;
}

region::region(std::vector<box> boxes) {
  std::erase_if(boxes, [](const box& b) { return b.empty(); });
  if (boxes.size() > 1 && !apart(boxes))
    boxes = canonical(boxes, 0);
  if (boxes.size() == 1)
    one_ = boxes[0];
  else
    many_ = std::move(boxes);
}

coordinate region::volume() const {
  coordinate sum = 0;
  for (const box& b : boxes())
    sum += b.volume();
  return sum;
}

bool region::contains(const region& other) const {
  return many_.empty() && !other.empty() ? one_.contains(other.hull()) : difference(other, *this).empty();
}

box region::hull() const {
  box out = one_;
  for (const box& b : many_)
    out = hull_of(out, b);
  return out;
}

region union_of(const region& a, const region& b) {
  if (a.empty() || (b.boxes().size() == 1 && b.boxes()[0].contains(a.hull())))
    return b;
  if (b.empty() || (a.boxes().size() == 1 && a.boxes()[0].contains(b.hull())))
    return a;
  std::vector<box> all(a.begin(), a.end());
  all.insert(all.end(), b.boxes().begin(), b.boxes().end());
  return region(std::move(all));
}

region intersection(const region& a, const region& b) {
  if (a.boxes().size() == 1 && b.boxes().size() == 1)
    return intersection(a.boxes()[0], b.boxes()[0]);
  std::vector<box> out;
  for (const box& x : a.boxes())
    for (const box& y : b.boxes())
      if (const box both = intersection(x, y); !both.empty())
        out.push_back(both);
  return region(std::move(out));
}

void append_difference(const box& whole, const box& hole, std::vector<box>& out) {
  const box common = intersection(whole, hole);
  if (common.empty()) {
    if (!whole.empty())
      out.push_back(whole);
    return;
  }
  box rest = whole;
  for (int d = 0; d < dimensions; ++d) {
    box part = rest;
    part[d] = {rest[d].begin, common[d].begin};
    if (!part.empty())
      out.push_back(part);
    part[d] = {common[d].end, rest[d].end};
    if (!part.empty())
      out.push_back(part);
    rest[d] = common[d];
  }
}

region difference(const region& a, const region& b) {
  if (!overlap(a, b))
    return a;
  std::vector<box> left(a.begin(), a.end()), next;
  for (const box& hole : b.boxes()) {
    next.clear();
    for (const box& whole : left)
      append_difference(whole, hole, next);
    left.swap(next);
  }
  return region(std::move(left));
}

bool overlap(const region& a, const region& b) {
  for (const box& x : a.boxes())
    for (const box& y : b.boxes())
      if (overlap(x, y))
        return true;
  return false;
}

std::string text_of(const region& r) {
  if (r.boxes().size() == 1)
    return text_of(r.boxes()[0]);
  std::string out = "{";
  for (const box& b : r.boxes())
    out += (out.size() > 1 ? ", " : "") + text_of(b);
  return out + "}";
}

} // namespace tacit::tasks
