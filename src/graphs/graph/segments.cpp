#include "graphs/graph/segments.h"

#include <algorithm>

namespace tacit::graphs {

std::vector<segment> normalized(std::vector<segment> segments) {
  const auto before = [](const segment& a, const segment& b) { return a.address < b.address; };
  if (!std::is_sorted(segments.begin(), segments.end(), before)) // as most datatypes list their pieces
    std::sort(segments.begin(), segments.end(), before);
  std::size_t kept = 0;
  for (const segment& s : segments) {
    if (s.length == 0)
      continue;
    segment* const last = kept > 0 ? &segments[kept - 1] : nullptr;
    if (!last || s.address - last->address > last->length)
      segments[kept++] = s;
    else
      last->length = std::max(last->length, s.address - last->address + s.length);
  }
  segments.resize(kept);
  return segments;
}

namespace {

/// First and last byte of all together; lists without bytes have none.
struct reach {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
};

reach reach_of(std::span<const segment> list) {
  reach r;
  for (const segment& s : list)
    if (s.length > 0) {
      r.first = std::min(r.first, s.address);
      r.last = std::max(r.last, s.address + (s.length - 1));
    }
  return r;
}

} // namespace

std::vector<segment> intersection(std::span<const segment> a, std::span<const segment> b) {
  std::vector<segment> out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t first = std::max(a[i].address, b[j].address);
    // Last bytes, not ends: an end may wrap at 2^64.
    const std::uint64_t last_a = a[i].address + (a[i].length - 1), last_b = b[j].address + (b[j].length - 1);
    const std::uint64_t last = std::min(last_a, last_b);
    if (first <= last)
      out.push_back({first, last - first + 1});
    last_a <= last_b ? ++i : ++j;
  }
  return normalized(std::move(out));
}

bool apart(std::span<const segment> a, std::span<const segment> b) {
  const reach all_a = reach_of(a), all_b = reach_of(b);
  return all_a.last < all_b.first || all_b.last < all_a.first;
}

bool overlap(std::span<const segment> a, std::span<const segment> b) {
  const auto in_order = [](std::span<const segment> list) {
    return normalized(std::vector<segment>(list.begin(), list.end()));
  };
  return !apart(a, b) && overlap_in_order(in_order(a), in_order(b));
}

segment first_outside(std::span<const segment> part, std::span<const segment> whole) {
  for (const segment& s : part) {
    if (s.length == 0)
      continue;
    auto after =
        std::upper_bound(whole.begin(), whole.end(), s.address,
                         [](std::uint64_t address, const segment& w) { return address < w.address; });
    if (after == whole.begin())
      return {s.address, 1};
    const segment& holds = *--after;
    const std::uint64_t offset = s.address - holds.address;
    if (offset >= holds.length)
      return {s.address, 1};
    if (s.length > holds.length - offset)
      return {s.address + (holds.length - offset), 1};
  }
  return {};
}

namespace {

template <typename List>
void append_to(List& list, segment piece) {
  if (piece.length == 0)
    return;
  if (!list.empty() && list.back().address + list.back().length == piece.address)
    list.back().length += piece.length;
  else
    list.push_back(piece);
}

} // namespace

void append(std::vector<segment>& list, segment piece) {
  append_to(list, piece);
}

void append(segment_list& list, segment piece) {
  append_to(list, piece);
}

std::vector<segment> bytes_between(std::span<const segment> list, std::uint64_t begin, std::uint64_t end) {
  std::vector<segment> out;
  std::uint64_t at = 0;
  for (const segment& s : list) {
    if (at >= end)
      break;
    const std::uint64_t from = std::max(begin, at), to = std::min(end, at + s.length);
    if (from < to)
      append(out, {s.address + (from - at), to - from});
    at += s.length;
  }
  return out;
}

} // namespace tacit::graphs
