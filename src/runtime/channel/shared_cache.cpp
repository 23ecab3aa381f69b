#include "runtime/channel/shared_cache.h"

#include <algorithm>
#include <memory>
#include <utility>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tacit::runtime {
namespace {

#if defined(__x86_64__)

std::uint64_t cycles_to_load(const std::atomic<std::uint64_t>& word, std::uint64_t& value) {
  _mm_mfence();
  _mm_lfence();
  const std::uint64_t start = __rdtsc();
  _mm_lfence();
  value = word.load(std::memory_order_relaxed);
  _mm_lfence();
  return __rdtsc() - start;
}

std::uint64_t measure_memory() {
  constexpr std::size_t samples = 15;
  const auto lines = std::make_unique<cache_mark[]>(samples);
  std::array<std::uint64_t, samples> cycles{};
  for (std::size_t i = 0; i < samples; ++i) {
    _mm_clflush(&lines[i].mark);
    lines[i].same_page.store(1, std::memory_order_relaxed);
    std::uint64_t unused = 0;
    cycles[i] = cycles_to_load(lines[i].mark, unused);
  }
  // What disturbs a load makes it longer, and this number stays.
  std::nth_element(cycles.begin(), cycles.begin() + samples / 4, cycles.end());
  return cycles[samples / 4];
}

#else

std::uint64_t cycles_to_load(const std::atomic<std::uint64_t>& word, std::uint64_t& value) {
  value = word.load(std::memory_order_relaxed);
  return 0;
}

std::uint64_t measure_memory() {
  return 1;
}

#endif

/// A line that takes longer than this part of a load from memory does not come out of a common cache.
bool is_long(std::uint64_t cycles) {
  static const std::uint64_t memory = measure_memory();
  constexpr std::uint64_t percent = 65;
  return 100 * cycles > percent * memory;
}

} // namespace

void shared_caches::mark() {
  ++marks_;
  for (cache_mark* line : shown_)
    line->mark.store(marks_, std::memory_order_relaxed);
}

bool shared_caches::look() {
  bool changed = false;
  for (auto& [rank, w] : watched_)
    changed = look_at(w) || changed;
  return changed;
}

bool shared_caches::look_at(int rank) {
  const auto found = watched_.find(rank);
  return found != watched_.end() && look_at(found->second);
}

bool shared_caches::look_at(watched& w) {
  static_cast<void>(w.line->same_page.load(std::memory_order_relaxed));
  std::uint64_t value = 0;
  const std::uint64_t cycles = cycles_to_load(w.line->mark, value);
  if (value == w.last)
    return false;
  w.last = value;
  w.cycles[w.looks++ % w.cycles.size()] = cycles;
  auto sorted = w.cycles;
  const std::size_t known = std::min(w.looks, sorted.size());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
  const bool apart = is_long(sorted[known / 2]);
  return std::exchange(w.apart, apart) != apart;
}

bool shared_caches::shares_no_cache(int rank) const {
  const auto found = watched_.find(rank);
  return found != watched_.end() && found->second.apart;
}

} // namespace tacit::runtime
