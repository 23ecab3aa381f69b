// Do two cores share a cache? Measured, because it decides how large messages travel best, and nothing tells:
// what a virtual machine reports about its caches need not be true, and its cores may be moved while it runs
// (seen: every few seconds).
//
// Idea. Who receives large messages writes a mark now and then, in a line of its own, before something that
// the sender waits for. The sender then loads it once and takes the time. If the cores share a cache, the
// line comes several times faster than from memory; if not, about as slowly (AMD EPYC, 2.6 GHz: 130 cycles
// against 390, memory 350). Memory is measured the same way, on lines that have been flushed. A word that has
// not changed since the last look is still in the looker's own cache and says nothing. The median of the last
// three looks counts, so that an interruption does not.
//
// The answer decides about time only, never about what arrives; so the two ends need not agree, and a wrong
// one does no harm that lasts. Without a counter of cycles all share one. Cost: two fetches of a line and
// some 0.1 us in every `runs_per_mark`th run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tacit::runtime {

/// Written by one process, timed by another one. `same_page` is loaded first, so that the address translation
/// is not timed. Distances keep the mark from being fetched ahead together with what lies around it.
struct alignas(1024) cache_mark {
  std::atomic<std::uint64_t> same_page = 0;
  alignas(512) std::atomic<std::uint64_t> mark = 0;
};

inline constexpr std::uint32_t runs_per_mark = 32;

/// Distances from this process to those to which it sends large messages.
class shared_caches {
public:
  void show(cache_mark* mine) { shown_.push_back(mine); }
  void watch(int rank, const cache_mark* theirs) { watched_[rank].line = theirs; }
  bool is_used() const { return !shown_.empty() || !watched_.empty(); }
  /// To be called before something that the others wait for.
  void mark();
  /// Loads what has changed. True if the answer for a rank has changed.
  bool look();
  bool look_at(int rank);
  /// The two cores share no cache. False if nobody knows.
  bool shares_no_cache(int rank) const;

private:
  struct watched {
    const cache_mark* line = nullptr;
    std::uint64_t last = 0; ///< mark
    std::array<std::uint64_t, 3> cycles{};
    std::size_t looks = 0;
    bool apart = false;
  };
  static bool look_at(watched& w);

  std::vector<cache_mark*> shown_;
  std::map<int, watched> watched_;
  std::uint64_t marks_ = 0;
};

} // namespace tacit::runtime
