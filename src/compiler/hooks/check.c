/* Check mode: TACIT_OVERLAP_CHECK=1 finds accesses to buffers of operations whose completion was moved too
 * far.
 *
 * Every operation is completed already where the program as written completed it. The data of a receive are
 * then put aside and its buffer is spoiled; where the moved completion stands, the buffer must still be
 * spoiled, and gets its data. So a read that comes too early yields garbage each time, not only when the
 * message happens to be late, and a write is noticed. Whole pages of a buffer are closed meanwhile, so that an
 * access to them is reported where it happens. The bytes of a send must be the same at both points.
 * Packing by the datatype touches the data only, so that gaps may be used meanwhile as they may in MPI. */
#define _GNU_SOURCE /* RUSAGE_THREAD */

#include "compiler/hooks/check.h"

#include "compiler/hooks/devices.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/settings.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct shadow {
  struct shadow* next;
  const slot_state* slot; /* that noted it */
  message posted;         /* its datatype is a duplicate that is ours */
  MPI_Request request;
  int ambiguous; /* noted twice under one handle */
  int bytes;
  unsigned char* data; /* as it was when the program had completed the operation */
} shadow;

/* As a double a huge number, as an index far outside, as a pointer not mapped. */
enum { poison = 0x7b };

/* Noted, not yet deferred; notes of persistent requests are kept for their next start. A slot ends with the function that
 * has it, and nobody says so: its notes are forgotten when its memory becomes part of another slot. Until then they are
 * found here, so that there are never more of them than slots have room. The lock is not held during calls of MPI. */
static shadow* noted;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void take_lock(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
}
static void unlock(void) {
  atomic_flag_clear_explicit(&lock, memory_order_release);
}

int tacit_checks(void) {
  static _Atomic int once;
  if (once == 0)
    once = tacit_switch_setting("TACIT_OVERLAP_CHECK") + 1;
  return once == 2 && tacit_world_is_up(); /* messages are packed by MPI_COMM_SELF */
}

static shadow* describe(const message* posted, MPI_Request request) {
  shadow* made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->posted = *posted;
  made->request = request;
  if (MPI_Type_dup(posted->datatype, &made->posted.datatype) == MPI_SUCCESS)
    return made;
  free(made);
  return NULL;
}

static void forget(shadow* one) {
  MPI_Type_free(&one->posted.datatype);
  free(one->data);
  free(one);
}

static void push(shadow** list, shadow* one) {
  if (!one)
    return;
  one->next = *list;
  *list = one;
}

void tacit_check_hold(slot_state* slot, const message* posted) {
  push(&slot->shadows, describe(posted, MPI_REQUEST_NULL));
}

void tacit_check_open(const slot_state* slot) {
  shadow* ended = NULL;
  take_lock();
  for (shadow** link = &noted; *link;) {
    shadow* one = *link;
    if (one->slot < slot + 1 && slot < one->slot + 1) {
      *link = one->next;
      push(&ended, one);
    } else {
      link = &one->next;
    }
  }
  unlock();
  while (ended) {
    shadow* one = ended;
    ended = one->next;
    forget(one);
  }
}

static shadow** find_noted(const slot_state* slot, MPI_Request request) {
  shadow** link = &noted;
  while (*link && ((*link)->slot != slot || (*link)->request != request))
    link = &(*link)->next;
  return link;
}

void tacit_check_note(slot_state* slot, MPI_Request request, const message* posted) {
  shadow* made = describe(posted, request);
  if (made)
    made->slot = slot;
  take_lock();
  shadow* known = *find_noted(slot, request);
  if (known)
    known->ambiguous = 1;
  else
    push(&noted, made);
  unlock();
  if (known && made)
    forget(made);
}

void tacit_check_defer(slot_state* slot, MPI_Request request, int persistent) {
  take_lock();
  shadow** link = find_noted(slot, request);
  shadow* found = *link;
  if (found && !persistent)
    *link = found->next;
  unlock();
  if (!found)
    return;
  if (!found->ambiguous)
    push(&slot->shadows, describe(&found->posted, request));
  if (!persistent)
    forget(found);
}

static int pack(const shadow* one, unsigned char* into) {
  int position = 0;
  return MPI_Pack(one->posted.buffer, one->posted.count, one->posted.datatype, into, one->bytes, &position,
                  MPI_COMM_SELF) == MPI_SUCCESS
             ? position
             : 0;
}

static void unpack(const shadow* one, const unsigned char* from) {
  int position = 0;
  (void)MPI_Unpack(from, one->bytes, &position, (void*)one->posted.buffer, one->posted.count,
                   one->posted.datatype, MPI_COMM_SELF);
}

static int packed_bytes(const shadow* one) {
  int size = 0;
  if (one->posted.count <= 0 || MPI_Type_size(one->posted.datatype, &size) != MPI_SUCCESS || size <= 0 ||
      one->posted.count > INT_MAX / 2 / size)
    return 0;
  return MPI_Pack_size(one->posted.count, one->posted.datatype, MPI_COMM_SELF, &size) == MPI_SUCCESS ? size
                                                                                                     : 0;
}

static void put_aside(shadow* one) {
  one->bytes = packed_bytes(one);
  one->data = one->bytes > 0 ? malloc((size_t)one->bytes) : NULL;
  one->bytes = one->data ? pack(one, one->data) : 0;
}

static void spoil(const shadow* one) {
  unsigned char* garbage = malloc((size_t)one->bytes);
  if (!garbage)
    return;
  memset(garbage, poison, (size_t)one->bytes);
  unpack(one, garbage);
  free(garbage);
}

long tacit_check_waits(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

void tacit_check_waited(long before, const char* location) {
  const long times = tacit_check_waits() - before;
  if (times <= 0)
    return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "tacit: rank %d: the process waited %ld times while the operation at %s was pending. If it waited "
          "outside MPI for a rank that needs this message, it would hang. [TACIT-119]\n",
          rank, times, location ? location : "an unknown location");
}

static const char* location_of(const slot_state* slot) {
  return slot->location ? slot->location : "an unknown location";
}

/* A launcher may drop what it has not read yet when a rank aborts (MPICH's lost one message in ten). */
static void give_up(void) {
  nanosleep(&(struct timespec){0, 200000000L}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void report(const slot_state* slot, const shadow* one, int first) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "tacit: rank %d: %s: byte %d of the %d bytes of a pending %s (buffer %p, %d elements) was written "
          "before the operation was complete.\n"
          "tacit: The completion was moved too far: please report it, and compile this file with "
          "TACIT_OVERLAP=off meanwhile. [TACIT-118]\n",
          rank, location_of(slot), first, one->bytes, one->posted.receives ? "receive" : "send",
          one->posted.buffer, one->posted.count);
  fflush(stderr);
  give_up();
}

/* --- pages that nobody may touch ---
 * Reading what is spoilt makes the program wrong, but says nothing. So the pages that lie wholly within a buffer
 * are closed meanwhile: for everybody if it is received into, for writing if it is sent. Few messages have whole
 * pages, and few operations are pending at a time: those that find no room are only spoilt. */
enum { most_closed = 64 };
typedef struct closed_pages {
  _Atomic uintptr_t low;
  uintptr_t high;
  const shadow* of;
  const slot_state* slot;
} closed_pages;
static closed_pages closed[most_closed];
static struct sigaction others;
static int this_rank = -1;

static void on_fault(int signal, siginfo_t* info, void* context) {
  const uintptr_t at = (uintptr_t)info->si_addr;
  for (int i = 0; i < most_closed; ++i)
    if (closed[i].low && closed[i].low <= at && at < closed[i].high) {
      const shadow* one = closed[i].of;
      char text[512];
      const int length =
          snprintf(text, sizeof text,
                   "tacit: rank %d: %s: byte %zu of a pending %s (buffer %p, %d elements) was %s before the "
                   "operation was complete.\n"
                   "tacit: The completion was moved too far: please report it, and compile this file with "
                   "TACIT_OVERLAP=off meanwhile. [TACIT-118]\n",
                   this_rank, location_of(closed[i].slot), (size_t)(at - (uintptr_t)one->posted.buffer),
                   one->posted.receives ? "receive" : "send", one->posted.buffer, one->posted.count,
                   one->posted.receives ? "used" : "written");
      if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(1);
      give_up();
      _exit(1);
    }
  (void)context;
  sigaction(signal, &others, NULL); /* not ours: the instruction faults again */
}

static void watch_faults(void) {
  static _Atomic int once;
  if (atomic_exchange(&once, 1))
    return;
  MPI_Comm_rank(MPI_COMM_WORLD, &this_rank);
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &ours, &others);
}

/* Only where the message is all there is between its first and its last byte, and the pages are the system's. */
static void close_pages(slot_state* slot, shadow* one) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  byte_range bytes;
  int size;
  if (tacit_uses_devices() || !tacit_byte_range(&one->posted, &bytes) ||
      MPI_Type_size(one->posted.datatype, &size) != MPI_SUCCESS ||
      (uintptr_t)size * (uintptr_t)one->posted.count != bytes.high - bytes.low)
    return;
  const uintptr_t low = (bytes.low + page - 1) / page * page, high = bytes.high / page * page;
  if (low >= high)
    return;
  watch_faults();
  for (int i = 0; i < most_closed; ++i) {
    uintptr_t nobody = 0;
    if (!atomic_compare_exchange_strong(&closed[i].low, &nobody, low))
      continue;
    closed[i].high = high;
    closed[i].of = one;
    closed[i].slot = slot;
    (void)mprotect((void*)low, high - low, one->posted.receives ? PROT_NONE : PROT_READ);
    return;
  }
}

static void open_pages(const shadow* one) {
  for (int i = 0; i < most_closed; ++i)
    if (closed[i].low && closed[i].of == one) {
      (void)mprotect((void*)closed[i].low, closed[i].high - closed[i].low, PROT_READ | PROT_WRITE);
      closed[i].of = NULL;
      closed[i].low = 0;
    }
}

void tacit_check_start(slot_state* slot) {
  MPI_Request* requests = slot->many ? slot->many : slot->few;
  (void)MPI_Waitall(slot->request_count, requests, MPI_STATUSES_IGNORE);
  for (shadow* one = slot->shadows; one; one = one->next)
    put_aside(one);
  for (shadow* one = slot->shadows; one; one = one->next)
    if (one->posted.receives && one->bytes > 0)
      spoil(one);
  for (shadow* one = slot->shadows; one; one = one->next)
    if (one->bytes > 0)
      close_pages(slot, one);
  slot->waits = tacit_check_waits();
}

static void verify(const slot_state* slot, const shadow* one) {
  unsigned char* now = malloc((size_t)one->bytes);
  if (!now || pack(one, now) != one->bytes) {
    free(now);
    return;
  }
  for (int i = 0; i < one->bytes; ++i)
    if (now[i] != (one->posted.receives ? poison : one->data[i])) {
      report(slot, one, i);
      break;
    }
  free(now);
}

/* Gives the buffer its data and forgets the first shadow of the list. */
static void release(shadow** list) {
  shadow* one = *list;
  if (one->posted.receives && one->bytes > 0)
    unpack(one, one->data);
  *list = one->next;
  forget(one);
}

void tacit_check_end(slot_state* slot) {
  tacit_check_waited(slot->waits, slot->location);
  for (const shadow* one = slot->shadows; one; one = one->next)
    open_pages(one);
  for (const shadow* one = slot->shadows; one; one = one->next)
    if (one->bytes > 0)
      verify(slot, one);
  while (slot->shadows)
    release(&slot->shadows);
}

void tacit_check_end_some(slot_state* slot, byte_range bytes, int writes) {
  shadow** link = &slot->shadows;
  while (*link) {
    const message* posted = &(*link)->posted;
    byte_range own;
    if ((writes || posted->receives) && tacit_byte_range(posted, &own) && own.low < bytes.high &&
        bytes.low < own.high) {
      open_pages(*link);
      if ((*link)->bytes > 0)
        verify(slot, *link);
      release(link);
    } else {
      link = &(*link)->next;
    }
  }
}
