// An interval map from real to virtual addresses, and a table of whole buffers by their description. Cost
// O(segments · log intervals) for each send or receive; a buffer of more than `most_runs` runs is one opaque
// run of its own.
#include "recordings/meaning/versions.h"

#include <algorithm>

namespace tacit::recordings {
namespace {

constexpr std::size_t most_runs = 1u << 14;

bool wraps(const graphs::segment& run) {
  return run.address + run.length < run.address;
}

} // namespace

std::vector<graphs::segment> memory_runs(const rank_recording& r, const call& c, std::uint64_t bytes) {
  std::vector<graphs::segment> runs;
  if (c.layout == none)
    return runs;
  const layout_info& l = r.layouts[c.layout];
  const std::uint64_t base =
      (c.allocation == none ? 0 : r.allocations[c.allocation].base) + static_cast<std::uint64_t>(c.offset);
  const bool dense =
      l.segments.size() == 1 && l.extent > 0 && l.segments[0].length == static_cast<std::uint64_t>(l.extent);
  if (dense) {
    runs.push_back({base + static_cast<std::uint64_t>(l.segments[0].displacement), bytes});
    return runs;
  }
  for (std::uint64_t element = 0; element < c.count && bytes > 0; ++element) {
    const std::uint64_t left = bytes;
    for (const layout_segment& s : l.segments) {
      const std::uint64_t length = std::min(bytes, s.length);
      if (length == 0)
        continue;
      const std::uint64_t address =
          base + element * static_cast<std::uint64_t>(l.extent) + static_cast<std::uint64_t>(s.displacement);
      if (!runs.empty() && runs.back().address + runs.back().length == address)
        runs.back().length += length;
      else if (runs.size() == most_runs)
        return {};
      else
        runs.push_back({address, length});
      bytes -= length;
    }
    if (bytes == left)
      return {}; // no bytes in an element, as only a damaged recording has them
  }
  return bytes == 0 ? runs : std::vector<graphs::segment>{};
}

std::vector<graphs::segment> sorted_memory_runs(const rank_recording& r, const call& c, std::uint64_t bytes) {
  std::vector<graphs::segment> runs = memory_runs(r, c, bytes);
  std::ranges::sort(runs, {}, &graphs::segment::address);
  return runs;
}

bool memory_hull(const rank_recording& r, const call& c, std::uint64_t& begin, std::uint64_t& end) {
  if (c.layout == none || c.count == 0)
    return false;
  const layout_info& l = r.layouts[c.layout];
  if (l.segments.empty())
    return false;
  // Unsigned arithmetic on purpose: a damaged recording may hold any displacement, and wrapping is caught
  // below.
  std::int64_t low = l.segments[0].displacement;
  std::uint64_t high = 0;
  for (const layout_segment& s : l.segments)
    low = std::min(low, s.displacement);
  for (const layout_segment& s : l.segments)
    high = std::max(high,
                    static_cast<std::uint64_t>(s.displacement) - static_cast<std::uint64_t>(low) + s.length);
  const std::uint64_t base =
      (c.allocation == none ? 0 : r.allocations[c.allocation].base) + static_cast<std::uint64_t>(c.offset);
  begin = base + static_cast<std::uint64_t>(low);
  end = begin + high + (c.count - 1) * static_cast<std::uint64_t>(l.extent);
  return begin < end;
}

graphs::segment version_map::fresh(std::uint64_t length) {
  const graphs::segment s{next_, length};
  next_ += length + 1; // a gap, so that different versions never look contiguous
  return s;
}

void version_map::forget(std::uint64_t begin, std::uint64_t end) {
  auto at = memory_.upper_bound(begin);
  if (at != memory_.begin())
    --at;
  while (at != memory_.end() && at->first < end) {
    const std::uint64_t from = at->first;
    const known_bytes old = at->second;
    if (old.end <= begin) {
      ++at;
      continue;
    }
    at = memory_.erase(at);
    if (from < begin)
      memory_[from] = {begin, old.address};
    if (old.end > end)
      at = memory_.insert_or_assign(end, known_bytes{old.end, old.address + (end - from)}).first;
  }
}

void version_map::map_run(std::uint64_t begin, std::uint64_t length, std::vector<graphs::segment>& to) {
  const std::uint64_t end = begin + length;
  std::vector<std::pair<std::uint64_t, known_bytes>> added;
  auto at = memory_.upper_bound(begin);
  if (at != memory_.begin() && std::prev(at)->second.end > begin)
    --at;
  for (std::uint64_t now = begin; now < end;) {
    if (at != memory_.end() && at->first <= now) {
      const std::uint64_t stop = std::min(end, at->second.end);
      to.push_back({at->second.address + (now - at->first), stop - now});
      assumed_ = true;
      now = stop;
      ++at;
    } else {
      const std::uint64_t stop = at == memory_.end() ? end : std::min(end, at->first);
      const graphs::segment bytes = fresh(stop - now);
      to.push_back(bytes);
      added.emplace_back(now, known_bytes{stop, bytes.address});
      now = stop;
    }
  }
  for (const auto& [from, bytes] : added)
    memory_[from] = bytes;
}

std::vector<graphs::segment> version_map::sent(const rank_recording& r, const call& send,
                                               std::uint64_t bytes) {
  const bool hashed = (send.flags & call_hash_valid) != 0;
  if (!hashed)
    return {fresh(bytes)};
  known_buffer& buffer = buffers_[{send.allocation, send.offset, send.layout, send.count}];
  if (!buffer.segments.empty() && buffer.hash == send.hash && buffer.bytes == bytes)
    return buffer.segments;
  const std::vector<graphs::segment> runs = memory_runs(r, send, bytes);
  std::vector<graphs::segment> segments;
  const bool packed_anew =
      !runs.empty() && packed_.contains(runs[0].address) && packed_[runs[0].address] != bytes;
  if (!runs.empty())
    packed_[runs[0].address] = bytes;
  for (const graphs::segment& run : runs) {
    if (wraps(run)) {
      segments.push_back(fresh(run.length));
      continue;
    }
    if (!buffer.segments.empty() || packed_anew)
      forget(run.address, run.address + run.length); // its content has changed
    map_run(run.address, run.length, segments);
  }
  if (runs.empty())
    segments.push_back(fresh(bytes));
  buffer = {send.hash, bytes, segments};
  return segments;
}

void version_map::received(const rank_recording& r, const call& receive, std::uint64_t bytes) {
  packed_.clear();
  for (const graphs::segment& run : memory_runs(r, receive, bytes))
    if (!wraps(run))
      forget(run.address, run.address + run.length);
}

} // namespace tacit::recordings
