#include "interpose/recorder/content.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tacit::interpose {

namespace {

using long_hash = std::uint64_t (*)(const void*, std::uint64_t);

std::uint64_t hash_long(const void* bytes, std::uint64_t length) {
  return XXH3_64bits(bytes, length);
}

long_hash widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return hash_long_avx2;
#endif
  return hash_long;
}

// Up to here XXH3 uses no vectors.
constexpr std::uint64_t longest_short = 240;

} // namespace

std::uint64_t hash_bytes(const void* bytes, std::uint64_t length) {
  static const long_hash chosen = widest();
  return length <= longest_short ? XXH3_64bits(bytes, length) : chosen(bytes, length);
}

std::uint64_t content_hasher::hash(std::uint64_t buffer, const data_layout& layout, std::uint64_t count,
                                   std::uint64_t bytes) {
  blocks_.clear();
  have_ = 0;
  left_ = bytes;
  block_bytes_ = content_block_bytes(bytes);
  for_each_run(buffer, layout, count, bytes, [this](const memory_run& run) { add(run); });
  if (have_ > 0 || blocks_.empty()) // the layout has fewer bytes
    blocks_.push_back(hash_bytes(gathered_.data(), have_));
  return blocks_.size() == 1 ? blocks_[0]
                             : hash_bytes(blocks_.data(), blocks_.size() * sizeof(std::uint64_t));
}

/// Takes the next bytes. Blocks that lie in one run are hashed where they are, the others are gathered.
void content_hasher::add(memory_run run) {
  const auto* from = reinterpret_cast<const unsigned char*>(run.address);
  while (run.length > 0) {
    const std::uint64_t block = std::min(block_bytes_, left_), part = std::min(run.length, block - have_);
    const unsigned char* whole = from;
    if (part < block) {
      if (gathered_.size() < block)
        gathered_.resize(block);
      std::memcpy(gathered_.data() + have_, from, part);
      whole = gathered_.data();
    }
    have_ += part;
    from += part;
    run.length -= part;
    if (have_ < block)
      return;
    blocks_.push_back(hash_bytes(whole, block));
    left_ -= block;
    have_ = 0;
  }
}

} // namespace tacit::interpose
