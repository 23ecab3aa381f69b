// Memory that fails on request: the program that includes this, in one file alone, gets its own operator new. GCC 12 takes what it
// inlines of it for a mistake: compile with -Wno-mismatched-new-delete.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

/// Which allocation from now on fails (1: the next), 0: none. Set on one rank only.
inline long allocation_to_fail = 0;
/// Once one has failed, so do all that follow: memory does not come back because somebody missed it.
inline bool all_following_fail = false;
inline bool any_has_failed = false;

void* operator new(std::size_t size) {
  if (allocation_to_fail > 0 && --allocation_to_fail == 0) {
    allocation_to_fail = all_following_fail ? 1 : 0;
    any_has_failed = true;
    throw std::bad_alloc();
  }
  void* p = std::malloc(size > 0 ? size : 1);
  if (!p)
    throw std::bad_alloc();
  return p;
}
// The other functions would come from the library, which a sanitizer replaces by some that do not fit these.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
