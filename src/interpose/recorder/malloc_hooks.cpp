// malloc and friends, seen on their way to the allocator the program brought (glibc's or another one).
//
// Each function passes on to the next definition (RTLD_NEXT). Looking that up may itself allocate; such
// requests are served from a small arena of ours that is never freed. Only blocks of followed_block_bytes and
// more are noted, and only while a recording is wanted, so that a small free costs a look at the block's size
// and a comparison.
//
// Not part of the static archive: there the allocator belongs to the program.
//
// Under a sanitizer the allocator is the sanitizer's, which nobody may stand in front of; it calls us itself.
#include "interpose/recorder/memory.h"

#include <cstddef>

#ifdef TACIT_SANITIZED

// <sanitizer/allocator_interface.h>, which GCC 12 does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, std::size_t),
                                                         void (*freed)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* block);

namespace {

using namespace tacit::interpose;

void note_block(const volatile void* block, std::size_t bytes) {
  if (bytes >= followed_block_bytes && following_memory())
    block_allocated(const_cast<const void*>(block), bytes);
}

void note_free(const volatile void* block) {
  if (following_memory() && __sanitizer_get_allocated_size(block) >= followed_block_bytes)
    block_freed(const_cast<const void*>(block));
}

__attribute__((constructor)) void follow_the_sanitizer() {
  __sanitizer_install_malloc_and_free_hooks(note_block, note_free);
}

} // namespace

#else

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>

namespace {

using namespace tacit::interpose;

struct allocator {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  std::size_t (*usable_size)(void*);
};

allocator next{};
std::atomic<bool> known{false};

alignas(64) char arena[16 * 1024];
std::atomic<std::size_t> arena_used{0};

bool in_arena(const void* p) {
  return p >= arena && p < arena + sizeof arena;
}

void* from_arena(std::size_t bytes) {
  const std::size_t at = arena_used.fetch_add((bytes + 63) & ~std::size_t{63});
  return at + bytes <= sizeof arena ? arena + at : nullptr;
}

template <typename Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// True once the next allocator is known; false for the requests made while it is being looked up.
bool ready() {
  if (known.load(std::memory_order_acquire))
    return true;
  static __thread bool looking;
  if (looking)
    return false;
  looking = true;
  allocator found{};
  look_up(found.malloc, "malloc");
  look_up(found.free, "free");
  look_up(found.calloc, "calloc");
  look_up(found.realloc, "realloc");
  look_up(found.memalign, "memalign");
  look_up(found.aligned_alloc, "aligned_alloc");
  look_up(found.posix_memalign, "posix_memalign");
  look_up(found.usable_size, "malloc_usable_size");
  next = found; // several threads may do this; all write the same values
  known.store(true, std::memory_order_release);
  looking = false;
  return true;
}

void* noted(void* block, std::size_t bytes) {
  if (bytes >= followed_block_bytes && block && following_memory()) {
    const int error = errno;
    block_allocated(block, bytes);
    errno = error;
  }
  return block;
}

void note_free(void* block) {
  if (following_memory() && next.usable_size(block) >= followed_block_bytes)
    block_freed(block);
}

} // namespace

#define TACIT_HOOK extern "C" __attribute__((visibility("default")))

TACIT_HOOK void* malloc(std::size_t bytes) noexcept {
  return ready() ? noted(next.malloc(bytes), bytes) : from_arena(bytes);
}

TACIT_HOOK void free(void* block) noexcept {
  if (!block || in_arena(block) || !ready())
    return;
  note_free(block);
  next.free(block);
}

TACIT_HOOK void* calloc(std::size_t count, std::size_t bytes) noexcept {
  // The arena is zero to begin with and never reused; sizes asked for during look-up are small.
  return ready() ? noted(next.calloc(count, bytes), count * bytes) : from_arena(count * bytes);
}

TACIT_HOOK void* realloc(void* block, std::size_t bytes) noexcept {
  if (!ready())
    return from_arena(bytes);
  if (in_arena(block)) {
    void* moved = next.malloc(bytes);
    const std::size_t left = static_cast<std::size_t>(arena + sizeof arena - static_cast<char*>(block));
    if (moved)
      std::memcpy(moved, block, bytes < left ? bytes : left);
    return noted(moved, bytes);
  }
  const std::size_t before = block && following_memory() ? next.usable_size(block) : 0;
  if (before >= followed_block_bytes)
    block_freed(block);
  void* moved = next.realloc(block, bytes);
  if (!moved && bytes > 0)
    return noted(block, before), nullptr; // failed: the old block lives on
  return noted(moved, bytes);
}

TACIT_HOOK void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return ready() ? noted(next.memalign(alignment, bytes), bytes) : nullptr;
}

TACIT_HOOK void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return ready() ? noted(next.aligned_alloc(alignment, bytes), bytes) : nullptr;
}

TACIT_HOOK int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (!ready())
    return ENOMEM;
  const int result = next.posix_memalign(block, alignment, bytes);
  if (result == 0)
    noted(*block, bytes);
  return result;
}

TACIT_HOOK void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total))
    return errno = ENOMEM, nullptr;
  return realloc(block, total);
}

#endif
