#include "plan/segments.h"

#include <algorithm>

namespace tacit {

std::vector<segment> normalized(std::vector<segment> segments) {
  std::sort(segments.begin(), segments.end(),
            [](const segment& a, const segment& b) { return a.address < b.address; });
  std::vector<segment> out;
  for (const segment& s : segments) {
    if (s.length == 0)
      continue;
    const bool touches = !out.empty() && s.address - out.back().address <= out.back().length;
    if (!touches)
      out.push_back(s);
    else
      out.back().length = std::max(out.back().length, s.address - out.back().address + s.length);
  }
  return out;
}

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

bool overlap(const std::vector<segment>& a, const std::vector<segment>& b) {
  return !intersection(normalized(a), normalized(b)).empty();
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

void append(std::vector<segment>& list, segment piece) {
  if (piece.length == 0)
    return;
  if (!list.empty() && list.back().address + list.back().length == piece.address)
    list.back().length += piece.length;
  else
    list.push_back(piece);
}

} // namespace tacit
