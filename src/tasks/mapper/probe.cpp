#include "tasks/mapper/probe.h"

namespace tacit::tasks {
namespace {

std::pair<box, box> halves(const box& b, int d) {
  std::pair<box, box> out{b, b};
  out.first[d].end = out.second[d].begin = b[d].begin + b[d].length() / 2;
  return out;
}

/// What the functor answers for the whole range, and for its halves in each dimension that has some.
struct answers {
  box global;
  range extent;
  region whole;
  std::array<region, dimensions> low, high;
  bool divides(int k) const { return global[k].length() > 1; }
};

answers ask(const mapper_function& function, const box& global, const range& extent) {
  answers out{global, extent, function(global, global, extent), {}, {}};
  for (int k = 0; k < dimensions; ++k)
    if (out.divides(k)) {
      const auto [low, high] = halves(global, k);
      out.low[static_cast<std::size_t>(k)] = function(low, global, extent);
      out.high[static_cast<std::size_t>(k)] = function(high, global, extent);
    }
  return out;
}

/// The dimension of the chunk on which one of the buffer depends: -1 if on none, -2 if on several.
int followed(const answers& a, int d) {
  int found = -1;
  for (int k = 0; k < dimensions; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (a.divides(k) && a.low[at].hull()[d] != a.high[at].hull()[d])
      found = found == -1 ? k : -2;
  }
  return found;
}

/// The widths of both sides, from the halves whose border lies inside the range.
axis_map following(const answers& a, int d, int k) {
  const auto at = static_cast<std::size_t>(k);
  const auto [low, high] = halves(a.global, k);
  axis_map out;
  out.what = axis_map::kind::follows;
  out.of = static_cast<std::uint8_t>(k);
  out.below = high[k].begin - a.high[at].hull()[d].begin;
  out.above = a.low[at].hull()[d].end - low[k].end;
  out.clamp = image(out, a.global[k], a.global[k], a.extent[d]) != a.whole.hull()[d];
  return out;
}

std::optional<term> candidate(const answers& a) {
  if (a.whole.boxes().size() != 1)
    return std::nullopt;
  term out;
  for (int d = 0; d < dimensions; ++d) {
    const int k = followed(a, d);
    if (k == -2)
      return std::nullopt;
    out[d].fixed = a.whole.hull()[d];
    if (k >= 0)
      out[d] = following(a, d, k);
  }
  return out;
}

int longest_side(const box& b) {
  int out = 0;
  for (int d = 1; d < dimensions; ++d)
    if (b[d].length() > b[out].length())
      out = d;
  return out;
}

/// From the whole range to an item, by halves: the low ones first, or the high ones.
void descend(const mapper_function& function, const answers& a, bool low_first, probed& out) {
  box here = a.global;
  region mapped = a.whole;
  for (bool take_low = low_first; here.volume() > 1; take_low = !take_low) {
    const auto [low, high] = halves(here, longest_side(here));
    region of_low = function(low, a.global, a.extent), of_high = function(high, a.global, a.extent);
    if (union_of(of_low, of_high) != mapped) {
      out.counterexample = std::pair(low, high);
      return;
    }
    for (const auto& [chunk, answer] : {std::pair(low, of_low), std::pair(high, of_high)})
      if (out.recognized && region(image(*out.recognized, chunk, a.global, a.extent)) != answer)
        out.recognized.reset();
    here = take_low ? low : high;
    mapped = take_low ? std::move(of_low) : std::move(of_high);
  }
}

/// Whether it is the term wherever it may be asked, as both map a chunk to what its items are mapped to. Rounding may hide a
/// difference from the descents where there are few items; with many it shows at once.
bool equal_for_all_items(const mapper_function& function, const term& of, const answers& a) {
  constexpr coordinate few = 64;
  if (a.global.volume() > few)
    return true;
  for (coordinate i = a.global[0].begin; i < a.global[0].end; ++i)
    for (coordinate j = a.global[1].begin; j < a.global[1].end; ++j)
      for (coordinate k = a.global[2].begin; k < a.global[2].end; ++k) {
        const box item = box_of({i, j, k}, {i + 1, j + 1, k + 1});
        if (region(image(of, item, a.global, a.extent)) != function(item, a.global, a.extent))
          return false;
      }
  return true;
}

} // namespace

probed probe(const mapper_function& function, const box& global, const range& extent) {
  probed out;
  if (global.empty())
    return out;
  const answers a = ask(function, global, extent);
  out.recognized = candidate(a);
  for (const bool low_first : {true, false})
    if (!out.counterexample)
      descend(function, a, low_first, out);
  if (out.counterexample || (out.recognized && !equal_for_all_items(function, *out.recognized, a)))
    out.recognized.reset();
  return out;
}

} // namespace tacit::tasks
