/* Sends from copies: the pool of copies that are under way.
 *
 * A blocking send whose buffer is written again at once need not wait for its receiver if it is sent from a
 * copy. The copies form one list, oldest first. Later calls of the hooks test the oldest few and free what is
 * complete. A thread completes its own before it may wait for others outside MPI (compiled code says when):
 * until then its messages get on whenever it calls MPI. What is left is completed when MPI_Finalize deletes the
 * attributes of MPI_COMM_SELF, its first act by the standard.
 *
 * TACIT_OVERLAP_MEMORY (bytes; K, M, G) bounds the copies; a send that finds no room is an ordinary MPI_Send.
 * So are messages up to TACIT_OVERLAP_EAGER bytes, for which MPI makes a copy itself. The lock is held only
 * for work on the list and for tests, never while waiting; where it is taken, reaping is left to its holder.
 */
#include "compiler/hooks/copies.h"

#include "compiler/hooks/check.h"
#include "compiler/hooks/devices.h"
#include "compiler/hooks/finalize.h"
#include "compiler/hooks/overlap.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/settings.h"
#include "compiler/hooks/statistics.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy {
  struct copy* next;
  const char* sender;   /* the address of `here` in the thread that has sent it */
  const char* location; /* in the source, or null */
  long waits;           /* check mode: as in a slot */
  MPI_Request request;
  size_t bytes;
  max_align_t data[];
} copy;

/* Open MPI's shared memory sends up to 4 kB without a handshake, its own header included; MPICH's and both
 * over TCP send more. */
enum { normal_eager = 4000, normal_memory = 64 << 20 };
/* Old sends that a slow receiver blocks must not make every later call look at the whole list. */
enum { tests_at_once = 4 };

static copy* first;
static copy** last = &first;
static size_t bytes_held;
static _Atomic int under_way;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int completed_by_finalize;
static int thread_level = MPI_THREAD_SINGLE;
static _Thread_local char here;   /* its address tells threads apart */
static const char* communicating; /* the thread that made the first copy */

static int try_lock(void) {
  return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);
}
static void unlock(void) {
  atomic_flag_clear_explicit(&lock, memory_order_release);
}
static void take_lock(void) {
  while (!try_lock()) {
  }
}

static size_t memory_limit(void) {
  static _Atomic size_t once;
  if (once == 0)
    once = tacit_size_setting("TACIT_OVERLAP_MEMORY", normal_memory, "a number of bytes, such as 64M") + 1;
  return once - 1;
}

static size_t eager_limit(void) {
  static _Atomic size_t once;
  if (once == 0)
    once = tacit_size_setting("TACIT_OVERLAP_EAGER", normal_eager, "a number of bytes, such as 4000") + 1;
  return once - 1;
}

int tacit_sends_at_once(int count, MPI_Datatype datatype) {
  int size;
  return !tacit_checks() && MPI_Type_size(datatype, &size) == MPI_SUCCESS && size >= 0 &&
         (unsigned long long)(count > 0 ? count : 0) * (unsigned)size <= eager_limit();
}

/* Bytes of the message if they lie in one piece at the buffer, else 0. */
static size_t plain_bytes(const void* buffer, int count, MPI_Datatype datatype) {
  int integers, addresses, types, combiner, size;
  MPI_Aint lower, extent;
  if (!buffer || count <= 0 ||
      MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
      combiner != MPI_COMBINER_NAMED || MPI_Type_size(datatype, &size) != MPI_SUCCESS || size <= 0 ||
      MPI_Type_get_extent(datatype, &lower, &extent) != MPI_SUCCESS || lower != 0 || extent != size)
    return 0;
  return (size_t)count * (size_t)size;
}

/* Appends to *done what is complete among the oldest `limit` copies. */
static void collect(copy*** done, int limit) {
  copy** link = &first;
  for (int tested = 0; *link && tested < limit; ++tested) {
    copy* one = *link;
    int complete = 0;
    if (MPI_Test(&one->request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete) {
      *link = one->next;
      bytes_held -= one->bytes;
      --under_way;
      one->next = NULL;
      **done = one;
      *done = &one->next;
      --tested;
    } else {
      link = &one->next;
    }
  }
  last = &first;
  while (*last)
    last = &(*last)->next;
}

static void free_all(copy* list) {
  while (list) {
    copy* next = list->next;
    free(list);
    list = next;
  }
}

static void reap(int limit) {
  copy* done = NULL;
  copy** end = &done;
  /* In check mode copies stay until their moved completion. */
  if (!under_way || tacit_checks() || !try_lock())
    return;
  collect(&end, limit);
  unlock();
  free_all(done);
}

void tacit_reap_copies(void) {
  reap(tests_at_once);
}

int tacit_copies_under_way(void) {
  return atomic_load_explicit(&under_way, memory_order_relaxed) != 0;
}

/* Below MPI_THREAD_MULTIPLE only the thread that communicates may, and where threads take turns nobody knows
 * whose it is. */
int tacit_copies_may_progress(void) {
  return tacit_copies_under_way() && (thread_level == MPI_THREAD_MULTIPLE ||
                                      (thread_level != MPI_THREAD_SERIALIZED && communicating == &here));
}

static int fits(size_t bytes) {
  take_lock();
  const size_t limit = memory_limit();
  const int fit = bytes <= limit && bytes_held <= limit - bytes;
  if (fit)
    bytes_held += bytes;
  unlock();
  return fit;
}

static void give_back(size_t bytes) {
  take_lock();
  bytes_held -= bytes;
  unlock();
}

static int at_finalize(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  take_lock();
  copy* list = first;
  first = NULL;
  last = &first;
  bytes_held = 0;
  under_way = 0;
  unlock();
  for (copy* one = list; one; one = one->next)
    (void)MPI_Wait(&one->request, MPI_STATUS_IGNORE);
  free_all(list);
  return MPI_SUCCESS;
}

/* Nonzero if what is under way will be completed by MPI_Finalize. */
static int registered(void) {
  if (!tacit_world_is_up())
    return 0;
  take_lock();
  if (!completed_by_finalize) {
    communicating = &here;
    completed_by_finalize =
        MPI_Query_thread(&thread_level) == MPI_SUCCESS && tacit_call_at_finalize(at_finalize);
  }
  const int ready = completed_by_finalize;
  unlock();
  return ready;
}

void* tacit_copy_message(const void* buffer, int count, MPI_Datatype datatype, int dest) {
  const size_t bytes = dest == MPI_PROC_NULL ? 0 : plain_bytes(buffer, count, datatype);
  tacit_reap_copies();
  if (bytes <= eager_limit() || tacit_uses_devices() || !registered())
    return NULL;
  if (!fits(bytes)) {
    reap(under_way);
    if (!fits(bytes))
      return NULL;
  }
  copy* made = malloc(sizeof *made + bytes);
  if (!made) {
    give_back(bytes);
    return NULL;
  }
  made->bytes = bytes;
  return memcpy(made->data, buffer, bytes);
}

static copy* copy_of(void* data) {
  return (copy*)((char*)data - offsetof(copy, data));
}

void tacit_copy_sent(void* data, MPI_Request request, const char* location) {
  copy* sent = copy_of(data);
  sent->request = request;
  sent->sender = &here;
  sent->location = location;
  if (tacit_checks()) {
    (void)MPI_Wait(&sent->request, MPI_STATUS_IGNORE);
    sent->waits = tacit_check_waits();
  }
  sent->next = NULL;
  take_lock();
  *last = sent;
  last = &sent->next;
  ++under_way;
  unlock();
  if (tacit_counts())
    tacit_count_copy();
}

/* Takes the copies of this thread out of the pool. Waiting for those of others could wait for ever: what they
 * are for may come after what this thread is about to do. */
static copy* take_own(void) {
  copy* own = NULL;
  copy** end = &own;
  take_lock();
  for (copy** link = &first; *link;) {
    copy* one = *link;
    if (one->sender != &here) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    one->next = NULL;
    *end = one;
    end = &one->next;
    --under_way;
    bytes_held -= one->bytes;
  }
  last = &first;
  while (*last)
    last = &(*last)->next;
  unlock();
  return own;
}

void __tacit_complete_copies(void) {
  if (!tacit_copies_under_way())
    return;
  const int errno_before = errno; /* the program does not call MPI here */
  copy* list = take_own();
  for (copy* one = list; one; one = one->next) {
    if (tacit_checks())
      tacit_check_waited(one->waits, one->location);
    (void)MPI_Wait(&one->request, MPI_STATUS_IGNORE);
  }
  free_all(list);
  errno = errno_before;
}

/* In check mode copies stay in the list until their moved completion. */
void __tacit_watch_copies(const char* what, const char* location) {
  if (!tacit_copies_under_way() || !tacit_checks())
    return;
  const char* of = NULL;
  int found = 0;
  take_lock();
  for (const copy* one = first; one && !found; one = one->next)
    if (one->sender == &here) {
      found = 1;
      of = one->location;
    }
  unlock();
  if (found)
    tacit_check_anything(what, of, location);
}

void tacit_copy_unsent(void* data) {
  copy* unsent = copy_of(data);
  give_back(unsent->bytes);
  free(unsent);
}
