#include "vocabulary/base/huge_pages.h"

#include <cerrno>
#include <cstdint>
#include <sys/mman.h>

namespace tacit::vocabulary {

namespace {

/// Only whole huge pages, so that no neighbor on the heap is touched; 2 MiB on the machines we know, and
/// elsewhere multiples of the page size still.
[[maybe_unused]] void advise_whole_pages(void* memory, std::size_t bytes, int advice) {
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + huge - 1) / huge * huge;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge * huge;
  const int before =
      errno; // whoever calls MPI or us may look at it later; that this advice is not taken is no error
  if (begin < end)
    madvise(reinterpret_cast<void*>(begin), end - begin, advice);
  errno = before;
}

} // namespace

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  advise_whole_pages(memory, bytes, MADV_HUGEPAGE);
#endif
}

void move_to_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr int collapse = 25; // MADV_COLLAPSE, which headers of older C libraries lack
  advise_whole_pages(memory, bytes, collapse);
#endif
}

} // namespace tacit::vocabulary
