// Loads and stores of checked programs: clang calls a function at each (-fsanitize-coverage=trace-loads,trace-stores), and the linker
// leads memcpy and its like through another (--wrap). Whoever wants to know of a part of memory begins a watch.
#pragma once

#include <cstddef>

namespace tacit::compiler {

struct watch {
  const char* low = nullptr;
  const char* high = nullptr;
  /// Called with what of [low, high) was loaded or stored, by any thread, one at a time; must neither begin nor end a watch.
  void (*seen)(watch& at, const char* from, const char* to, bool stores) = nullptr;
  watch* next = nullptr;
};

void begin_watch(watch& added);
void end_watch(watch& ended);
/// Accesses of this thread as long as it lives are the run time's own.
class unwatched {
public:
  unwatched();
  ~unwatched();
  unwatched(const unwatched&) = delete;
  unwatched& operator=(const unwatched&) = delete;
};

void note_access(const void* place, std::size_t bytes, bool stores);

} // namespace tacit::compiler
