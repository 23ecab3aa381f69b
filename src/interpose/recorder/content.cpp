#include "interpose/recorder/content.h"

#include "vocabulary/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tacit::interpose {

std::uint64_t hash_bytes(const void* bytes, std::uint64_t length) {
  return hash_of(bytes, length);
}

std::uint64_t hash_packed(std::uint64_t buffer, const data_layout& layout, std::uint64_t count,
                          std::uint64_t bytes) {
  // One run needs no state; the result is the same.
  memory_run first;
  std::size_t runs = 0;
  XXH3_state_t state;
  for_each_run(buffer, layout, count, bytes, [&](const memory_run& run) {
    if (runs == 1) {
      XXH3_64bits_reset(&state);
      XXH3_64bits_update(&state, reinterpret_cast<const void*>(first.address), first.length);
    }
    if (runs == 0)
      first = run;
    else
      XXH3_64bits_update(&state, reinterpret_cast<const void*>(run.address), run.length);
    ++runs;
  });
  return runs <= 1 ? hash_bytes(reinterpret_cast<const void*>(first.address), first.length)
                   : XXH3_64bits_digest(&state);
}

} // namespace tacit::interpose
