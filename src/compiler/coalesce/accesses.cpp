// What compiler and linker make checked programs call. An object of its own, which no other program links.
#include "compiler/coalesce/accesses.h"

#include <cstdint>

using tacit::compiler::note_access;

__extension__ using bytes_16 = unsigned __int128;

extern "C" {

// A type cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define TACIT_TRACED(bytes, type)                                                                            \
  __attribute__((visibility("default"))) void __sanitizer_cov_load##bytes(type* place);                      \
  __attribute__((visibility("default"))) void __sanitizer_cov_store##bytes(type* place);                     \
  void __sanitizer_cov_load##bytes(type* place) {                                                            \
    note_access(place, bytes, false);                                                                        \
  }                                                                                                          \
  void __sanitizer_cov_store##bytes(type* place) {                                                           \
    note_access(place, bytes, true);                                                                         \
  }

TACIT_TRACED(1, std::uint8_t)
TACIT_TRACED(2, std::uint16_t)
TACIT_TRACED(4, std::uint32_t)
TACIT_TRACED(8, std::uint64_t)
TACIT_TRACED(16, bytes_16)
#undef TACIT_TRACED
// NOLINTEND(bugprone-macro-parentheses)

// Likewise by the names that clang gives them under AddressSanitizer.
#define TACIT_COPYING(copy)                                                                                  \
  void* __real_##copy(void* to, const void* from, std::size_t bytes);                                        \
  void* __wrap_##copy(void* to, const void* from, std::size_t bytes);                                        \
  void* __wrap_##copy(void* to, const void* from, std::size_t bytes) {                                       \
    note_access(from, bytes, false);                                                                         \
    note_access(to, bytes, true);                                                                            \
    return __real_##copy(to, from, bytes);                                                                   \
  }
#define TACIT_SETTING(set)                                                                                   \
  void* __real_##set(void* to, int value, std::size_t bytes);                                                \
  void* __wrap_##set(void* to, int value, std::size_t bytes);                                                \
  void* __wrap_##set(void* to, int value, std::size_t bytes) {                                               \
    note_access(to, bytes, true);                                                                            \
    return __real_##set(to, value, bytes);                                                                   \
  }

// A program that is linked without --wrap, or without the sanitizer, has no __real_….
#pragma weak __real_memcpy
#pragma weak __real_memmove
#pragma weak __real_memset
#pragma weak __real___asan_memcpy
#pragma weak __real___asan_memmove
#pragma weak __real___asan_memset

TACIT_COPYING(memcpy)
TACIT_COPYING(memmove)
TACIT_SETTING(memset)
TACIT_COPYING(__asan_memcpy)
TACIT_COPYING(__asan_memmove)
TACIT_SETTING(__asan_memset)
#undef TACIT_COPYING
#undef TACIT_SETTING
}
