// The bytes of a message in packing order, and their hash: equal bytes give equal hashes however they lie in
// memory.
#pragma once

#include "recordings/record/format.h"

#include <algorithm>
#include <cstdint>
#include <span>
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

/// hash_of (base/hash.h) of `length` bytes, by the widest instructions that the processor has.
std::uint64_t hash_bytes(const void* bytes, std::uint64_t length);

/// The bytes of one block of a message of `length` bytes. Blocks are small where messages are small, so that a changed
/// byte condemns few others, and at most 256 in a long message; the last one may be shorter.
inline std::uint64_t content_block_bytes(std::uint64_t length) {
  constexpr std::uint64_t smallest_block = 256, most_blocks = 256;
  const std::uint64_t wanted = (length + most_blocks - 1) / most_blocks;
  return std::max(smallest_block, (wanted + smallest_block - 1) / smallest_block * smallest_block);
}

/// Hashes messages block by block: each byte is read once, for the whole and for its block. The hash of a message is that of the
/// list of its blocks' hashes, of a single block the block's. Reusable, so that it need not allocate.
class content_hasher {
public:
  /// The hash of the first `bytes` packed bytes of the buffer.
  std::uint64_t hash(std::uint64_t buffer, const data_layout& layout, std::uint64_t count,
                     std::uint64_t bytes);
  /// Those of the blocks of that message.
  std::span<const std::uint64_t> blocks() const { return blocks_; }

private:
  void add(memory_run run);

  std::vector<std::uint64_t> blocks_;
  std::uint64_t block_bytes_ = 0;
  std::vector<unsigned char> gathered_; ///< a block that lies in several runs
  std::uint64_t have_ = 0;              ///< bytes of it
  std::uint64_t left_ = 0;              ///< bytes of the message from this block on
};

#if defined(__x86_64__)
std::uint64_t hash_long_avx2(const void* bytes, std::uint64_t length);
#endif

} // namespace tacit::interpose
