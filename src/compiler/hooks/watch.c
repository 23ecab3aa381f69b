/* What files say that are compiled for check mode: their accesses, calls and returns, each in front of itself, with its line. So
 * that is reported which no page can show: reads of a few bytes, what is told others too early, functions that return.
 *
 * A status or an error code that the program gets no more is filled with garbage and marked. It is looked at where the
 * garbage is read: what anybody has written since is not garbage any more, so that nobody has to say that. */
#include "compiler/hooks/check.h"
#include "compiler/hooks/program.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct mark {
  struct mark* next;
  byte_range bytes;
  const slot_state* slot;
  const char* location; /* of the call that would have written here */
  int local;            /* ends with the function that has the slot */
  int is_code;
} mark;

enum { garbage = 0x7b, most_statuses = 1 << 16 };

static mark* marks;
static _Atomic int mark_count;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void take_lock(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
}
static void unlock(void) {
  atomic_flag_clear_explicit(&lock, memory_order_release);
}

static int any_marks(void) {
  return atomic_load_explicit(&mark_count, memory_order_relaxed) != 0;
}

static int meet(byte_range one, byte_range other) {
  return one.low < other.high && other.low < one.high;
}

/* Forgets those in these bytes, and those of the slot that end with its function. */
static void drop_marks(byte_range bytes, const slot_state* ends) {
  take_lock();
  for (mark** link = &marks; *link;) {
    mark* one = *link;
    if (meet(one->bytes, bytes) || (one->local && one->slot == ends)) {
      *link = one->next;
      --mark_count;
      free(one);
    } else {
      link = &one->next;
    }
  }
  unlock();
}

static void add_mark(const slot_state* slot, void* low, size_t bytes, int local, int is_code) {
  mark* made = malloc(sizeof *made);
  const byte_range range = {(uintptr_t)low, (uintptr_t)low + bytes};
  drop_marks(range, NULL);
  if (!made)
    return;
  memset(low, garbage, bytes);
  *made = (mark){NULL, range, slot, slot->location, local, is_code};
  take_lock();
  made->next = marks;
  marks = made;
  ++mark_count;
  unlock();
}

/* All of the bytes that the two have in common, and as many as a number has. */
static int is_garbage(byte_range one, byte_range other) {
  const uintptr_t low = one.low > other.low ? one.low : other.low;
  const uintptr_t high = one.high < other.high ? one.high : other.high;
  for (uintptr_t at = low; at < high; ++at)
    if (*(const unsigned char*)at != garbage)
      return 0;
  return low + sizeof(MPI_Fint) <= high;
}

static void look_at(byte_range bytes, const char* location) {
  const char* of = NULL;
  int is_code = 0, found = 0;
  take_lock();
  for (const mark* one = marks; one && !found; one = one->next)
    if (meet(one->bytes, bytes) && is_garbage(one->bytes, bytes)) {
      found = 1;
      of = one->location;
      is_code = one->is_code;
    }
  unlock();
  if (found)
    tacit_check_report(location, is_code ? "looks at the error code of" : "looks at the status of", of,
                       "which is known later only");
}

void __tacit_watch_access(const void* bytes, uint64_t length, int how, const char* location) {
  const byte_range range = {(uintptr_t)bytes, (uintptr_t)bytes + length};
  if (tacit_check_any())
    tacit_check_access(range, how & 1, location);
  if (how == 0 && any_marks())
    look_at(range, location);
}

void __tacit_watch_call(const tacit_slot* but, const char* name, const char* location) {
  if (tacit_check_any())
    tacit_check_call((const slot_state*)but, name, location);
}

void __tacit_watch_anything(tacit_slot* slot, const char* what, const char* location) {
  const slot_state* state = state_of(slot);
  if (state->pending && tacit_checks())
    tacit_check_anything(what, state->location, location);
}

void __tacit_watch_argument(const void* variable, const char* location) {
  if (any_marks())
    look_at((byte_range){(uintptr_t)variable, (uintptr_t)variable + sizeof(MPI_Fint)}, location);
}

void __tacit_watch_status(tacit_slot* slot, void* statuses, int first, int count, int local) {
  if (count > 0 && count < most_statuses && tacit_checks() && !tacit_calls_as_written())
    add_mark(state_of(slot), (MPI_Status*)statuses + first, (size_t)count * sizeof(MPI_Status), local, 0);
}

void __tacit_watch_code(tacit_slot* slot, void* ierror, int local) {
  const slot_state* state = state_of(slot);
  if (!tacit_checks() || tacit_calls_as_written() || tacit_check_error(state) == MPI_SUCCESS)
    return;
  if (ierror)
    add_mark(state, ierror, sizeof(MPI_Fint), local, 1);
  else
    tacit_check_report(state->location, "looks at the error code of", state->location,
                       "which is known later only");
}

void __tacit_watch_return(tacit_slot* slot) {
  if (!tacit_checks())
    return;
  tacit_check_return(state_of(slot));
  if (any_marks())
    drop_marks((byte_range){0, 0}, state_of(slot));
}
