// Almost all accesses go elsewhere: they are compared with the hull of all watches, and nothing more.
#include "compiler/coalesce/accesses.h"

#include <algorithm>
#include <cstdint>
#include <pthread.h>

namespace tacit::compiler {
namespace {

pthread_mutex_t watches = PTHREAD_MUTEX_INITIALIZER;
watch* first = nullptr;
std::uintptr_t hull_low = UINTPTR_MAX, hull_high = 0;

thread_local int of_ours = 0;

std::uintptr_t number(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

/// Under the mutex.
void set_hull() {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (const watch* w = first; w; w = w->next) {
    low = std::min(low, number(w->low));
    high = std::max(high, number(w->high));
  }
  __atomic_store_n(&hull_low, low, __ATOMIC_RELAXED);
  __atomic_store_n(&hull_high, high, __ATOMIC_RELAXED);
}

} // namespace

void begin_watch(watch& added) {
  pthread_mutex_lock(&watches);
  added.next = first;
  first = &added;
  set_hull();
  pthread_mutex_unlock(&watches);
}

void end_watch(watch& ended) {
  pthread_mutex_lock(&watches);
  for (watch** at = &first; *at; at = &(*at)->next)
    if (*at == &ended) {
      *at = ended.next;
      break;
    }
  set_hull();
  pthread_mutex_unlock(&watches);
}

unwatched::unwatched() {
  ++of_ours;
}
unwatched::~unwatched() {
  --of_ours;
}

void note_access(const void* place, std::size_t bytes, bool stores) {
  const std::uintptr_t from = number(place), to = from + bytes;
  if (from >= __atomic_load_n(&hull_high, __ATOMIC_RELAXED) ||
      to <= __atomic_load_n(&hull_low, __ATOMIC_RELAXED) || of_ours > 0)
    return;
  pthread_mutex_lock(&watches);
  const char* const begin = static_cast<const char*>(place);
  for (watch* w = first; w; w = w->next)
    if (from < number(w->high) && number(w->low) < to)
      w->seen(*w, std::max(begin, w->low), std::min(begin + bytes, w->high), stores);
  pthread_mutex_unlock(&watches);
}

} // namespace tacit::compiler
