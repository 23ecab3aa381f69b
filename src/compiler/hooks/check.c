/* Check mode: TACIT_OVERLAP_CHECK=1 finds accesses to buffers of operations whose completion was moved too
 * far.
 *
 * Every operation is completed already where the program as written completed it. The data of a receive are
 * then put aside and its buffer is spoiled; where the moved completion stands, the buffer must still be
 * spoiled, and gets its data. So a read that comes too early yields garbage each time, not only when the
 * message happens to be late, and a write is noticed. Whole pages of a buffer are closed meanwhile, so that an
 * access to them is reported where it happens. The bytes of a send must be the same at both points.
 * Packing by the datatype touches the data only, so that gaps may be used meanwhile as they may in MPI.
 *
 * What is pending stands in a list, apart from the slots: a slot whose function has returned is memory of others, and
 * what it held was never completed. */
#define _GNU_SOURCE /* RUSAGE_THREAD */

#include "compiler/hooks/check.h"

#include "compiler/hooks/devices.h"
#include "compiler/hooks/finalize.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/settings.h"
#include "compiler/hooks/slot.h"

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
  const char* location;   /* of the slot, which may end before */
  message posted;         /* its datatype is a duplicate that is ours */
  MPI_Request request;
  const void* variable; /* where the program keeps the request */
  int bytes;
  unsigned char* data; /* as it was when the program had completed the operation */
  byte_range range;    /* if the message is all there is between its first and its last byte, else empty */
} shadow;

/* What a slot holds. */
typedef struct checked {
  struct checked* next;
  const slot_state* slot;
  const char* location;
  const char* thread; /* the address of `here` in the thread that has the slot */
  shadow* shadows;
  int error; /* what MPI said when the program had completed the operation */
} checked;

/* As a double a huge number, as an index far outside, as a pointer not mapped. */
enum { poison = 0x7b };

/* Noted, not yet deferred; notes of persistent requests are kept for their next start. They are known by the variable that
 * the program has the request in: MPI gives one handle to all operations that it completes at once. A slot ends with the
 * function that has it, and nobody says so: its notes are forgotten when its memory becomes part of another slot. Until then
 * they are found here, so that there are never more of them than slots have room. The lock is not held during calls of MPI. */
static shadow* noted;
static checked* pending;
static _Atomic int pending_count;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Thread_local char here; /* its address tells threads apart */

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

static checked* checked_of(slot_state* slot) {
  if (slot->checked)
    return slot->checked;
  slot->checked = calloc(1, sizeof *slot->checked);
  if (slot->checked) {
    slot->checked->slot = slot;
    slot->checked->location = slot->location;
    slot->checked->thread = &here;
  }
  return slot->checked;
}

static void add_shadow(slot_state* slot, shadow* one) {
  checked* of = one ? checked_of(slot) : NULL;
  if (of) {
    one->location = of->location;
    push(&of->shadows, one);
  } else if (one) {
    forget(one);
  }
}

void tacit_check_hold(slot_state* slot, const message* posted) {
  add_shadow(slot, describe(posted, MPI_REQUEST_NULL));
}

/* Takes out of the list what was noted for the memory of the slot; for one variable only unless that is null. */
static shadow* take_noted(const slot_state* slot, const void* variable) {
  shadow* taken = NULL;
  take_lock();
  for (shadow** link = &noted; *link;) {
    shadow* one = *link;
    const int is_meant = variable ? one->slot == slot && one->variable == variable
                                  : one->slot < slot + 1 && slot < one->slot + 1;
    if (is_meant) {
      *link = one->next;
      push(&taken, one);
    } else {
      link = &one->next;
    }
  }
  unlock();
  return taken;
}

static void forget_all(shadow* list) {
  while (list) {
    shadow* one = list;
    list = one->next;
    forget(one);
  }
}

void tacit_check_note(slot_state* slot, MPI_Request request, const void* variable, const message* posted,
                      int another) {
  if (!another)
    forget_all(take_noted(slot, variable));
  shadow* made = describe(posted, request);
  if (!made)
    return;
  made->slot = slot;
  made->variable = variable;
  take_lock();
  push(&noted, made);
  unlock();
}

int tacit_check_defer(slot_state* slot, MPI_Request request, const void* variable, int persistent) {
  int pieces = 0;
  shadow* found = take_noted(slot, variable);
  for (const shadow* one = found; one; one = one->next)
    if (one->request == request) {
      add_shadow(slot, describe(&one->posted, request));
      tacit_describe_range(slot, &one->posted);
      ++pieces;
    }
  if (!persistent) {
    forget_all(found);
    return pieces;
  }
  take_lock();
  while (found) {
    shadow* one = found;
    found = one->next;
    push(&noted, one);
  }
  unlock();
  return pieces;
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

static const char* known(const char* location) {
  return location ? location : "an unknown location";
}

/* A launcher may drop what it has not read yet when a rank aborts (MPICH's lost one message in ten). */
static void give_up(void) {
  nanosleep(&(struct timespec){0, 200000000L}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#define TOO_FAR                                                                                              \
  "tacit: The completion was moved too far: please report it, and compile this file with TACIT_OVERLAP=off " \
  "meanwhile. [TACIT-118]\n"

static const char* kind_of(const shadow* one) {
  return one->posted.receives ? "receive" : "send";
}

static void report(const shadow* one, int first) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "tacit: rank %d: %s: byte %d of the %d bytes of a pending %s (buffer %p, %d elements) was written "
          "before the operation was complete.\n" TOO_FAR,
          rank, known(one->location), first, one->bytes, kind_of(one), one->posted.buffer, one->posted.count);
  fflush(stderr);
  give_up();
}

void tacit_check_report(const char* location, const char* what, const char* pending_at, const char* wrong) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "tacit: rank %d: %s: %s %s %s.\n" TOO_FAR, rank, known(location), what, known(pending_at),
          wrong);
  fflush(stderr);
  give_up();
}

static void report_never_completed(const char* location) {
  tacit_check_report(location, "the operation that was pending at", location, "was never completed");
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
      const int length = snprintf(
          text, sizeof text,
          "tacit: rank %d: %s: byte %zu of a pending %s (buffer %p, %d elements) was %s before the "
          "operation was complete.\n" TOO_FAR,
          this_rank, known(one->location), (size_t)(at - (uintptr_t)one->posted.buffer), kind_of(one),
          one->posted.buffer, one->posted.count, one->posted.receives ? "used" : "written");
      if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(1);
      give_up();
      _exit(1);
    }
  (void)context;
  sigaction(signal, &others, NULL); /* not ours: the instruction faults again */
}

/* Takes over a signal, once. Handlers cannot ask MPI for the rank. */
static void take_signal(int signal, const struct sigaction* ours, struct sigaction* before,
                        _Atomic int* once) {
  if (atomic_exchange(once, 1))
    return;
  MPI_Comm_rank(MPI_COMM_WORLD, &this_rank);
  sigaction(signal, ours, before);
}

static void watch_faults(void) {
  static _Atomic int once;
  const struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  take_signal(SIGSEGV, &ours, &others, &once);
}

static void find_range(shadow* one) {
  byte_range bytes;
  int size;
  if (tacit_byte_range(&one->posted, &bytes) && MPI_Type_size(one->posted.datatype, &size) == MPI_SUCCESS &&
      (uintptr_t)size * (uintptr_t)one->posted.count == bytes.high - bytes.low)
    one->range = bytes;
}

/* Only where the message is all there is between its first and its last byte, and the pages are the system's. */
static void close_pages(shadow* one) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t low = (one->range.low + page - 1) / page * page, high = one->range.high / page * page;
  if (low >= high || tacit_uses_devices())
    return;
  watch_faults();
  for (int i = 0; i < most_closed; ++i) {
    uintptr_t nobody = 0;
    if (!atomic_compare_exchange_strong(&closed[i].low, &nobody, low))
      continue;
    closed[i].high = high;
    closed[i].of = one;
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

/* What was pending in a slot whose memory this is now, wholly or in part; or null. */
static const checked* left_behind(const slot_state* memory) {
  take_lock();
  const checked* found = pending;
  while (found && !(found->slot < memory + 1 && memory < found->slot + 1))
    found = found->next;
  unlock();
  return found;
}

/* What such a file does with single bytes, statuses and error codes leaves no trace. Said once. */
static void warn_of_unwatched(const char* location) {
  static _Atomic int once;
  int rank = -1;
  if (atomic_exchange(&once, 1))
    return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "tacit: rank %d: the file of the call at %s is not compiled for check mode (TACIT_OVERLAP_CHECK=1 "
          "when compiling, too): reads of less than a page, looks at statuses and error codes, and calls "
          "that others "
          "learn something from go unseen there. [TACIT-122]\n",
          rank, known(location));
}

void tacit_check_open(const slot_state* slot, int watched) {
  if (!watched)
    warn_of_unwatched(slot->location);
  forget_all(take_noted(slot, NULL));
  const checked* ended = left_behind(slot);
  if (ended)
    report_never_completed(ended->location);
}

static int at_finalize(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  if (pending)
    report_never_completed(pending->location);
  return MPI_SUCCESS;
}

static void watch_the_end(void) {
  static _Atomic int once;
  if (!atomic_exchange(&once, 1))
    (void)tacit_call_at_finalize(at_finalize);
}

/* An error handler of the program may throw; nobody behind a hook catches that. */
static _Thread_local const char* in_mpi;
static struct sigaction aborting;

static void on_abort(int signal) {
  char text[512];
  const int length = snprintf(
      text, sizeof text,
      "tacit: rank %d: %s: the program was ended by what MPI called here (an exception?), where nobody "
      "can catch it.\n" TOO_FAR,
      this_rank, known(in_mpi));
  if (in_mpi && write(STDERR_FILENO, text, (size_t)length) < 0)
    _exit(1);
  sigaction(signal, &aborting, NULL);
}

static void watch_aborts(void) {
  static _Atomic int once;
  const struct sigaction ours = {.sa_handler = on_abort};
  take_signal(SIGABRT, &ours, &aborting, &once);
}

void tacit_check_enter(const slot_state* slot) {
  if (!tacit_checks())
    return;
  watch_aborts();
  in_mpi = slot ? known(slot->location) : NULL;
}

void tacit_check_start(slot_state* slot) {
  MPI_Request* requests = slot->many ? slot->many : slot->few;
  tacit_check_enter(slot);
  const int error = MPI_Waitall(slot->request_count, requests, MPI_STATUSES_IGNORE);
  tacit_check_enter(NULL);
  checked* made = checked_of(slot);
  if (!made)
    return;
  made->error = error;
  for (shadow* one = made->shadows; one; one = one->next)
    put_aside(one);
  for (shadow* one = made->shadows; one; one = one->next)
    if (one->posted.receives && one->bytes > 0)
      spoil(one);
  for (shadow* one = made->shadows; one; one = one->next)
    if (one->bytes > 0) {
      find_range(one);
      close_pages(one);
    }
  watch_the_end();
  take_lock();
  made->next = pending;
  pending = made;
  ++pending_count;
  unlock();
  slot->waits = tacit_check_waits();
}

static void verify(const shadow* one) {
  unsigned char* now = malloc((size_t)one->bytes);
  if (!now || pack(one, now) != one->bytes) {
    free(now);
    return;
  }
  for (int i = 0; i < one->bytes; ++i)
    if (now[i] != (one->posted.receives ? poison : one->data[i])) {
      report(one, i);
      break;
    }
  free(now);
}

/* Gives the buffers their data. Nobody else finds these any more. */
static void end(shadow* list) {
  for (const shadow* one = list; one; one = one->next)
    open_pages(one);
  for (const shadow* one = list; one; one = one->next)
    if (one->bytes > 0)
      verify(one);
  for (const shadow* one = list; one; one = one->next)
    if (one->posted.receives && one->bytes > 0)
      unpack(one, one->data);
  forget_all(list);
}

void tacit_check_end(slot_state* slot) {
  checked* of = slot->checked;
  tacit_check_waited(slot->waits, slot->location);
  take_lock();
  for (checked** link = &pending; *link; link = &(*link)->next)
    if (*link == of) {
      *link = of->next;
      --pending_count;
      break;
    }
  unlock();
  slot->checked = NULL;
  end(of->shadows);
  free(of);
}

void tacit_check_end_some(slot_state* slot, byte_range bytes, int writes) {
  shadow* ended = NULL;
  take_lock();
  for (shadow** link = &slot->checked->shadows; *link;) {
    shadow* one = *link;
    byte_range own;
    if ((writes || one->posted.receives) && tacit_byte_range(&one->posted, &own) && own.low < bytes.high &&
        bytes.low < own.high) {
      *link = one->next;
      push(&ended, one);
    } else {
      link = &one->next;
    }
  }
  unlock();
  end(ended);
}

/* --- what files tell that are compiled for check mode (watch.c) --- */

int tacit_check_any(void) {
  return atomic_load_explicit(&pending_count, memory_order_relaxed) != 0;
}

static int disturbs(byte_range bytes, int writes, const shadow* one) {
  return (writes || one->posted.receives) && one->range.low < bytes.high && bytes.low < one->range.high;
}

void tacit_check_access(byte_range bytes, int writes, const char* location) {
  const char *of = NULL, *what = NULL;
  take_lock();
  for (const checked* slot = pending; slot && !what; slot = slot->next)
    for (const shadow* one = slot->shadows; one && !what; one = one->next)
      if (disturbs(bytes, writes, one)) {
        of = slot->location;
        what = !writes                ? "reads from the buffer of the receive at"
               : one->posted.receives ? "writes to the buffer of the receive at"
                                      : "writes to the buffer of the send at";
      }
  unlock();
  if (what)
    tacit_check_report(location, what, of, "which is pending");
}

static int orders(const checked* slot) {
  for (const shadow* one = slot->shadows; one; one = one->next)
    if (one->posted.receives || one->posted.synchronous)
      return 1;
  return 0;
}

static void report_call(const char* location, const char* name, const char* what, const char* of) {
  char all[256];
  snprintf(all, sizeof all, "%.128s %s", name, what);
  tacit_check_report(location, all, of, "is complete");
}

void tacit_check_call(const slot_state* but, const char* name, const char* location) {
  take_lock();
  const checked* found = pending;
  while (found && (found->slot == but || found->thread != &here || !orders(found)))
    found = found->next;
  const char* of = found ? found->location : NULL;
  unlock();
  if (found)
    report_call(location, name, "may tell others how far this rank has come, before the operation at", of);
}

void tacit_check_anything(const char* what, const char* pending_at, const char* location) {
  report_call(location, what, "may use anything and wait for anybody, before the operation at", pending_at);
}

void tacit_check_return(const slot_state* slot) {
  if (slot->pending && slot->checked)
    report_never_completed(slot->checked->location);
}

int tacit_check_error(const slot_state* slot) {
  return slot->pending && slot->checked ? slot->checked->error : MPI_SUCCESS;
}
