// Counts what malloc really hands out (malloc_usable_size), so that rounding is included. One thread only.
#include "heap.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {
std::int64_t held = 0, most = 0;

void* take(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr)
    throw std::bad_alloc();
  held += static_cast<std::int64_t>(malloc_usable_size(memory));
  most = std::max(most, held);
  return memory;
}

void give_back(void* memory) {
  if (memory == nullptr)
    return;
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
} // namespace

void* operator new(std::size_t size) {
  return take(size);
}
void* operator new[](std::size_t size) {
  return take(size);
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete[](void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  give_back(memory);
}

namespace tacit::bench {

std::int64_t heap_bytes() {
  return held;
}
std::int64_t heap_peak() {
  return most;
}
void reset_heap_peak() {
  most = held;
}

} // namespace tacit::bench
