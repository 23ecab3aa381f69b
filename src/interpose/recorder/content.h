// The bytes of a message in packing order, and their hash: equal bytes give equal hashes however they lie in
// memory.
#pragma once

#include "recordings/record/format.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tacit::interpose {

struct layout_segment {
  std::int64_t displacement = 0;
  std::uint64_t length = 0;
};

/// A datatype: where the bytes of one element lie, in packing order.
struct data_layout {
  std::uint32_t id = 0; ///< in the recording
  std::uint64_t size = 0;
  std::int64_t extent = 0;
  bool known = false; ///< `segments` is complete
  std::vector<layout_segment> segments;
};

/// A run of bytes in memory.
struct memory_run {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

/// Calls `use(memory_run)` for the first `bytes` packed bytes of the buffer, neighbors joined. Cost O(runs +
/// elements of layouts with gaps).
template <typename Use>
void for_each_run(std::uint64_t buffer, const data_layout& layout, std::uint64_t count, std::uint64_t bytes,
                  Use use) {
  const auto& segments = layout.segments;
  const bool dense = segments.size() == 1 && layout.extent > 0 &&
                     segments[0].length == static_cast<std::uint64_t>(layout.extent);
  if (dense) {
    const std::uint64_t whole = std::min(bytes, count * segments[0].length);
    if (whole > 0)
      use(memory_run{buffer + static_cast<std::uint64_t>(segments[0].displacement), whole});
    return;
  }
  memory_run run;
  for (std::uint64_t element = 0; element < count && bytes > 0; ++element) {
    for (const layout_segment& s : segments) {
      const std::uint64_t length = std::min(bytes, s.length);
      const std::uint64_t address = buffer + static_cast<std::uint64_t>(s.displacement);
      if (length == 0)
        continue;
      if (run.length > 0 && run.address + run.length == address) {
        run.length += length;
      } else {
        if (run.length > 0)
          use(run);
        run = {address, length};
      }
      bytes -= length;
    }
    buffer += static_cast<std::uint64_t>(layout.extent);
  }
  if (run.length > 0)
    use(run);
}

/// What a call record says of the bytes that are sent.
struct content_note {
  std::uint64_t hash = 0;
  std::uint16_t flags = 0; ///< recordings::call_hash_valid, call_in_device or none
};

/// hash_of (base/hash.h) of `length` bytes.
std::uint64_t hash_bytes(const void* bytes, std::uint64_t length);
/// The same of the first `bytes` packed bytes of the buffer.
std::uint64_t hash_packed(std::uint64_t buffer, const data_layout& layout, std::uint64_t count,
                          std::uint64_t bytes);

} // namespace tacit::interpose
