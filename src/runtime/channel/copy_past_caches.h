// Copying for another core: stores that leave the writer's caches at once (non-temporal ones).
//
// An ordinary store first fetches the line from the core that read it last, and the reader then fetches it
// dirty out of the writer's cache. Between cores that share no cache both are slow, and a core has few of
// them under way at a time. Non-temporal stores fetch nothing and put whole lines where the reader's
// prefetcher finds them in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tacit::runtime {

/// As memcpy. Visible to whoever sees a later release store only if order_copies() comes between.
inline void copy_past_caches(std::byte* to, const std::byte* from, std::uint64_t n) {
#if defined(__x86_64__)
  constexpr std::uint64_t line = 64;
  constexpr int parts = line / sizeof(__m128i);
  // Only whole lines: parts of lines would be combined with what memory holds.
  const std::uint64_t head = std::min<std::uint64_t>(n, -reinterpret_cast<std::uintptr_t>(to) % line);
  std::memcpy(to, from, head);
  std::uint64_t i = head;
  for (; i + line <= n; i += line) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + i);
    auto* const target = reinterpret_cast<__m128i*>(to + i);
    for (int k = 0; k < parts; ++k)
      _mm_stream_si128(target + k, _mm_loadu_si128(source + k));
  }
  std::memcpy(to + i, from + i, n - i);
#else
  std::memcpy(to, from, n);
#endif
}

/// Non-temporal stores are not ordered with later ones by a release store.
inline void order_copies() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

} // namespace tacit::runtime
