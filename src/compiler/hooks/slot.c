/* Slots: holding, completing, and comparing byte ranges. Shared by the C and the Fortran forms. */
#include "compiler/hooks/slot.h"

#include "compiler/hooks/check.h"
#include "compiler/hooks/copies.h"
#include "compiler/hooks/statistics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && !defined(SMPI_H)
#include <x86intrin.h>
#elif !defined(SMPI_H)
#include <time.h>
#endif

static uintptr_t smaller(uintptr_t a, uintptr_t b) {
  return a < b ? a : b;
}
static uintptr_t larger(uintptr_t a, uintptr_t b) {
  return a > b ? a : b;
}

static byte_range hull(byte_range a, byte_range b) {
  if (a.low == a.high)
    return b;
  if (b.low == b.high)
    return a;
  return (byte_range){smaller(a.low, b.low), larger(a.high, b.high)};
}

static uintptr_t length(byte_range range) {
  return range.high - range.low;
}

/* A range that finds no room goes to where it costs the least. */
static void add_range(slot_state* slot, byte_range bytes, int receives) {
  if (bytes.low == bytes.high)
    return;
  uint32_t into = slot->range_count;
  if (into == slot_ranges) {
    into = 0;
    for (uint32_t i = 1; i < slot_ranges; ++i)
      if (length(hull(slot->ranges[i], bytes)) - length(slot->ranges[i]) <
          length(hull(slot->ranges[into], bytes)) - length(slot->ranges[into]))
        into = i;
    bytes = hull(slot->ranges[into], bytes);
    slot->owned &= ~(1U << into);
  } else {
    ++slot->range_count;
  }
  slot->ranges[into] = bytes;
  if (receives)
    slot->received_ranges |= 1U << into;
}

void tacit_describe_range(slot_state* slot, const message* posted) {
  byte_range bytes;
  if (tacit_byte_range(posted, &bytes))
    add_range(slot, bytes, posted->receives);
  else
    slot->unknown_bytes = 1;
}

void tacit_describe(slot_state* slot, const message* posted) {
  tacit_describe_range(slot, posted);
  if (tacit_checks())
    tacit_check_hold(slot, posted);
}

static MPI_Request* requests_of(slot_state* slot) {
  return slot->many ? slot->many : slot->few;
}

static void empty(slot_state* slot, enum ending how) {
  if (tacit_counts())
    tacit_count_end(slot, how);
  if (slot->checked)
    tacit_check_end(slot);
  free(slot->many);
  slot->many = NULL;
  slot->pending = slot->request_count = 0;
  slot->range_count = slot->received_ranges = slot->unknown_bytes = slot->owned = 0;
}

slot_state* tacit_open(tacit_slot* slot) {
  slot_state* state = state_of(slot);
  if (state->in_use != 1) {
    const char* location = state->location;
    const int watched = state->in_use == 2;
    memset(state, 0, sizeof *state);
    state->location = location;
    state->in_use = 1;
    if (tacit_checks())
      tacit_check_open(state, watched);
  }
  return state;
}

/* What goes wrong here the error handler is told; nothing else follows from it, as the program does not look at the code. */
static void complete(slot_state* slot, enum ending how) {
  if (!slot->pending)
    return;
  MPI_Request* requests = requests_of(slot);
  const long before = slot->checked ? tacit_check_waits() : 0;
  if (slot->request_count == 1)
    (void)MPI_Wait(requests, MPI_STATUS_IGNORE);
  else
    (void)MPI_Waitall(slot->request_count, requests, MPI_STATUSES_IGNORE);
  if (slot->checked) /* waiting here is no waiting while it is pending; some libraries sleep in it */
    slot->waits += tacit_check_waits() - before;
  empty(slot, how);
}

void tacit_complete(slot_state* slot) {
  complete(slot, for_the_next);
}

void tacit_hold_described(slot_state* slot, MPI_Request request) {
  slot->pending = slot->request_count = 1;
  slot->few[0] = request;
  if (tacit_counts())
    tacit_count_post(slot);
  if (tacit_checks())
    tacit_check_start(slot);
}

void tacit_hold(slot_state* slot, MPI_Request request, const message* posted) {
  tacit_describe(slot, posted);
  tacit_hold_described(slot, request);
}

static uint32_t index_for(const slot_state* slot, MPI_Request request) {
  for (uint32_t i = 0; i < slot_ranges; ++i)
    if ((slot->noted_used & 1U << i) && slot->noted[i].request == request)
      return i;
  for (uint32_t i = 0; i < slot_ranges; ++i)
    if (!(slot->noted_used & 1U << i))
      return i;
  return slot_ranges;
}

static void set_bit(uint32_t* bits, uint32_t index, int value) {
  *bits = value ? *bits | 1U << index : *bits & ~(1U << index);
}

int tacit_is_noted(int how) {
  return !(how & 2) || tacit_checks();
}

void tacit_note(slot_state* slot, MPI_Request request, const void* variable, const message* posted) {
  if (request == MPI_REQUEST_NULL)
    return;
  byte_range bytes;
  const int known = tacit_byte_range(posted, &bytes);
  const uint32_t at = index_for(slot, request);
  if (at < slot_ranges) {
    slot->noted[at] = (noted_range){request, bytes};
    set_bit(&slot->noted_used, at, 1);
    set_bit(&slot->noted_unknown, at, !known);
    set_bit(&slot->noted_received, at, posted->receives);
  } else {
    slot->noted_rest = slot->rest_count ? hull(slot->noted_rest, bytes) : bytes;
    slot->rest_unknown |= !known;
    slot->rest_received |= posted->receives != 0;
    ++slot->rest_count;
  }
  if (tacit_checks())
    tacit_check_note(slot, request, variable, posted, 0);
}

static void take_rest(slot_state* slot, int persistent, int needed) {
  if (needed) {
    slot->unknown_bytes |= slot->rest_unknown;
    add_range(slot, slot->noted_rest, (int)slot->rest_received);
  }
  if (!persistent && --slot->rest_count == 0)
    slot->rest_unknown = slot->rest_received = 0;
}

static uint32_t is_complete(MPI_Request request) {
  int complete = 0;
  return MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete;
}

/* The last range, if it is new, belongs to the last request. */
static void own_range(slot_state* slot, uint32_t ranges_before) {
  if (slot->range_count == ranges_before || slot->request_count > UINT8_MAX)
    return;
  slot->owners[ranges_before] = (uint8_t)(slot->request_count - 1);
  slot->owned |= 1U << ranges_before;
}

/* For the last of the slot's requests. */
static void take_note(slot_state* slot, MPI_Request request, const void* variable, int persistent) {
  const uint32_t at = index_for(slot, request);
  const int found = at < slot_ranges && (slot->noted_used & 1U << at) != 0;
  /* Check mode takes operations for pending that MPI has completed: it knows the bytes of each. */
  const uint32_t ranges_before = slot->range_count;
  const int pieces = tacit_checks() ? tacit_check_defer(slot, request, variable, persistent) : 0;
  if (!found && slot->rest_count > 0)
    take_rest(slot, persistent, pieces == 0);
  else if (pieces > 0)
    own_range(slot, pieces == 1 ? ranges_before : slot->range_count);
  else if (!found)
    slot->unknown_bytes |= !is_complete(request); /* completed operations may share a handle, and a note */
  else if (slot->noted_unknown & 1U << at)
    slot->unknown_bytes = 1;
  else {
    add_range(slot, slot->noted[at].bytes, (slot->noted_received & 1U << at) != 0);
    own_range(slot, ranges_before);
  }
  if (found && !persistent)
    set_bit(&slot->noted_used, at, 0);
}

/* What has already arrived where the program waits for it need not be watched for any longer. */
static void empty_if_complete(slot_state* slot, enum ending how) {
  int complete = 0;
  const int error = MPI_Testall(slot->request_count, requests_of(slot), &complete, MPI_STATUSES_IGNORE);
  if (error == MPI_SUCCESS && complete)
    empty(slot, how);
}

int tacit_defer(slot_state* slot, int count, const MPI_Request* requests, const void* variables,
                size_t variable_bytes, int persistent) {
  int active = 0;
  for (int i = 0; i < count; ++i)
    active += requests[i] != MPI_REQUEST_NULL;
  if (active == 0)
    return 1;
  if (active > slot_requests) {
    slot->many = malloc((size_t)active * sizeof *slot->many);
    if (!slot->many)
      return 0;
  }
  MPI_Request* into = requests_of(slot);
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL) {
      into[slot->request_count++] = requests[i];
      take_note(slot, requests[i], (const char*)variables + (size_t)i * variable_bytes, persistent);
    }
  slot->pending = 1;
  if (tacit_counts())
    tacit_count_post(slot);
  if (tacit_checks())
    tacit_check_start(slot);
  else
    empty_if_complete(slot, at_once);
  return 1;
}

static int range_disturbed(const slot_state* slot, uint32_t i, byte_range bytes, int writes) {
  return bytes.low < slot->ranges[i].high && slot->ranges[i].low < bytes.high &&
         (writes || (slot->received_ranges & 1U << i));
}

static void drop_range(slot_state* slot, uint32_t i) {
  const uint32_t last = --slot->range_count;
  slot->ranges[i] = slot->ranges[last];
  slot->owners[i] = slot->owners[last];
  set_bit(&slot->received_ranges, i, (slot->received_ranges & 1U << last) != 0);
  set_bit(&slot->owned, i, (slot->owned & 1U << last) != 0);
  set_bit(&slot->received_ranges, last, 0);
  set_bit(&slot->owned, last, 0);
}

/* Completes what an access to these bytes would disturb. */
static void complete_disturbed(slot_state* slot, byte_range bytes, int writes) {
  int all = slot->unknown_bytes || bytes.low > bytes.high, some = 0;
  if (!all && bytes.low == bytes.high)
    return;
  for (uint32_t i = 0; i < slot->range_count && !all; ++i)
    if (range_disturbed(slot, i, bytes, writes)) {
      some = 1;
      all = slot->request_count == 1 || !(slot->owned & 1U << i);
    }
  if (!all && some) {
    for (uint32_t i = slot->range_count; i-- > 0;)
      if (range_disturbed(slot, i, bytes, writes)) {
        (void)MPI_Wait(&requests_of(slot)[slot->owners[i]], MPI_STATUS_IGNORE);
        drop_range(slot, i);
      }
    if (slot->checked)
      tacit_check_end_some(slot, bytes, writes);
    all = slot->range_count == 0; /* what is left has no bytes */
  }
  if (all)
    complete(slot, by_a_guard);
}

/* What follows stands where the program calls no function of MPI, which may change errno: the program's stays. */

void __tacit_wait(tacit_slot* slot, void* buffer) {
  (void)buffer;
  slot_state* state = state_of(slot);
  if (!state->pending)
    return;
  const int errno_before = errno;
  complete(state, at_its_placement);
  errno = errno_before;
}

void __tacit_wait_overlap(tacit_slot* slot, void* buffer, const void* low, const void* high, int writes) {
  (void)buffer;
  slot_state* state = state_of(slot);
  if (!state->pending)
    return;
  const int errno_before = errno;
  complete_disturbed(state, (byte_range){(uintptr_t)low, (uintptr_t)high}, writes);
  errno = errno_before;
}

/* Iterations before the first that may touch [to.low, to.high); those that jump over it count as touching. */
static uint64_t iterations_before(byte_range from, int64_t step, byte_range to) {
  if (from.low < to.high && to.low < from.high)
    return 0;
  const uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
  if (step > 0 && from.high <= to.low)
    return (to.low - from.high) / stride + 1;
  if (step < 0 && from.low >= to.high)
    return (from.low - to.high) / stride + 1;
  return UINT64_MAX;
}

/* Iterations until addresses wrap around: what comes then is not known. */
static uint64_t iterations_in_memory(byte_range from, int64_t step) {
  if (step == 0)
    return UINT64_MAX;
  const uint64_t last =
      step > 0 ? (UINTPTR_MAX - from.high) / (uint64_t)step : from.low / (0 - (uint64_t)step);
  return last == UINT64_MAX ? last : last + 1;
}

uint64_t __tacit_until(tacit_slot* slot, void* buffer, uintptr_t low, uintptr_t high, int64_t step,
                       int writes) {
  (void)buffer;
  slot_state* state = state_of(slot);
  const byte_range from = {low, high};
  if (!state->pending)
    return UINT64_MAX;
  const int errno_before = errno;
  complete_disturbed(state, from, writes);
  errno = errno_before;
  if (!state->pending)
    return UINT64_MAX;
  uint64_t least = iterations_in_memory(from, step);
  for (uint32_t i = 0; i < state->range_count; ++i)
    if (writes || (state->received_ranges & 1U << i)) {
      const uint64_t before = iterations_before(from, step, state->ranges[i]);
      least = before < least ? before : least;
    }
  return least;
}

/* A clock that costs nothing, and the least distance of two pokes: 5 to 8 microseconds, during which a fast
 * network moves some 50 kB, and of which an MPI_Test takes a few percent. Simulated programs have only the
 * simulated time. */
#if defined(TACIT_TICKS)
uint64_t TACIT_TICKS(void); /* the nanoseconds of a simulator that has something cheaper than MPI_Wtime */
static uint64_t ticks(void) {
  return TACIT_TICKS();
}
enum { poke_distance = 5000 };
#elif defined(SMPI_H)
static uint64_t ticks(void) {
  return (uint64_t)(MPI_Wtime() * 1e9);
}
enum { poke_distance = 5000 };
#elif defined(__x86_64__)
static uint64_t ticks(void) {
  return __rdtsc();
}
enum { poke_distance = 16384 };
#else
static uint64_t ticks(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
enum { poke_distance = 5000 };
#endif

void __tacit_poke(tacit_slot* slot) {
  slot_state* state = tacit_open(slot);
  if (!state->pending && !tacit_copies_may_progress())
    return;
  const uint64_t now = ticks();
  if (now - state->last_poke < poke_distance)
    return;
  state->last_poke = now;
  const int errno_before = errno;
  tacit_reap_copies();
  if (state->pending && !state->checked) /* spoiled buffers stay so until the program could need them */
    empty_if_complete(state, by_progress);
  errno = errno_before;
}
