/* What is inside a tacit_slot, and the steps that the C and the Fortran forms of the hooks share.
 *
 * A slot is empty or holds one pending operation: its requests, and the byte ranges they use. Ranges come in
 * two ways. The splitting hooks post the operation themselves and know its bytes. Deferred requests were
 * posted by the program: a note right after the post ties the bytes to the handle of the request, and the
 * deferral looks the handle up. (Without the handle two posts in flight could not be told apart, and the
 * range of one would be taken for that of the other.) Handles are unique among the requests that are not yet
 * complete; one that is found twice belongs to a completed operation, for which any range is right.
 *
 * Compiled code clears the first word only (functions may be short, and slots many); the first use clears the
 * rest, so a slot whose first word is zero is empty whatever follows.
 *
 * A range is never too small: what cannot be known overlaps everything. Where each range belongs to one
 * request, an access that disturbs some of the requests completes those and leaves the others pending. */
#ifndef TACIT_HOOKS_SLOT_H
#define TACIT_HOOKS_SLOT_H

#include "compiler/hooks/overlap.h"

#include <stdint.h>

enum { slot_ranges = 8, slot_requests = 8 };

typedef struct byte_range {
  uintptr_t low, high; /* [low, high); low == high: no bytes */
} byte_range;

/* The message of one operation, as it was posted. */
typedef struct message {
  const void* buffer;
  int count;
  MPI_Datatype datatype;
  int receives;
} message;

typedef struct noted_range {
  MPI_Request request;
  byte_range bytes;
} noted_range;

struct shadow; /* check.c */

/* Why a slot is empty again: completed where the pass put the completion, or before by a test whether the
 * bytes are touched, or found complete while polling, or to make room; or nothing was left to wait for when
 * the program would have waited. */
enum ending { at_its_place, by_a_guard, by_progress, for_the_next, at_once, endings };

typedef struct slot_state {
  int pending;       /* something is in the slot; compiled code looks at this */
  int in_use;        /* what follows is valid */
  int request_count; /* in `many` if it is set, else in `few` */
  uint32_t site;     /* statistics: who put the operation here */
  MPI_Request few[slot_requests];
  MPI_Request* many;
  uint64_t last_poke;

  byte_range ranges[slot_ranges];
  uint32_t range_count;
  uint32_t received_ranges; /* bit i: ranges[i] is received into */
  uint32_t unknown_bytes;   /* nonzero: may use any byte */
  uint32_t owned;           /* bit i: ranges[i] are the bytes of one request, owners[i] */
  uint8_t owners[slot_ranges];

  uint32_t noted_used;     /* bit i: noted[i] is valid */
  uint32_t noted_unknown;  /* bit i: noted[i] may be any byte */
  uint32_t noted_received; /* bit i: noted[i] is received into */
  noted_range noted[slot_ranges];
  byte_range noted_rest; /* the hull of the notes that found no room */
  uint32_t rest_count;   /* how many of those are not yet deferred */
  uint32_t rest_unknown;
  uint32_t rest_received;

  struct shadow* shadows;       /* check mode: of the pending operation */
  struct shadow* noted_shadows; /* check mode: noted, not yet deferred */
} slot_state;

_Static_assert(sizeof(slot_state) <= sizeof(tacit_slot), "the pass reserves sizeof(tacit_slot) bytes");

static inline slot_state* state_of(tacit_slot* slot) {
  return (slot_state*)slot;
}

/* The slot, about to be used: clears it at the first time. */
slot_state* tacit_open(tacit_slot* slot);
/* Waits for what the slot holds and empties it. */
int tacit_complete(slot_state* slot);
/* Puts an operation that was just posted into the slot, which is empty. */
void tacit_hold(slot_state* slot, MPI_Request request, const message* posted);
/* The same in two steps, for an operation that uses several pieces of memory: each piece, then the request.
 */
void tacit_describe(slot_state* slot, const message* posted);
void tacit_hold_described(slot_state* slot, MPI_Request request);
void tacit_note(slot_state* slot, MPI_Request request, const message* posted);
/* Takes over the requests, which stay in the caller's array, and the notes about them; nulls are left out. A
 * persistent request is noted once and deferred each time it was started, so that its note stays. Zero if
 * there is no memory. */
int tacit_defer(slot_state* slot, int count, const MPI_Request* requests, int persistent);

/* Nonzero if the bytes of the message are known. */
int tacit_byte_range(const message* posted, byte_range* bytes);

/* copies.c: the sends from copies that are under way. */

/* Where a copy of the message can be sent from, or null: an ordinary send is the better choice or the only
 * one. */
void* tacit_copy_message(const void* buffer, int count, MPI_Datatype datatype, int dest);
/* Hands the copy over to the pool, which frees it when the request is complete. */
void tacit_copy_sent(void* copy, MPI_Request request);
void tacit_copy_unsent(void* copy);
/* Nonzero if MPI copies a message of this size itself, so that its blocking send does not wait for anybody:
 * splitting it would only cost. Zero in check mode. */
int tacit_sends_at_once(int count, MPI_Datatype datatype);
/* Frees copies whose sends are complete. Not blocking. */
void tacit_reap_copies(void);
int tacit_copies_under_way(void);
/* Nonzero if copies are under way and this thread may call MPI without having been asked to by the program.
 */
int tacit_copies_may_progress(void);

/* statistics.c */

/* Nonzero if TACIT_OVERLAP_STATISTICS=1. */
int tacit_counts(void);
void tacit_count_call(const void* site);
void tacit_count_copy(void);
void tacit_count_post(slot_state* slot);
void tacit_count_end(const slot_state* slot, enum ending how);
/* First in every hook that stands for a call of the program. */
#define TACIT_COUNT_CALL()                                                                                   \
  do {                                                                                                       \
    if (tacit_counts())                                                                                      \
      tacit_count_call(__builtin_return_address(0));                                                         \
  } while (0)

/* check.c */

/* Nonzero if TACIT_OVERLAP_CHECK=1. */
int tacit_checks(void);
void tacit_check_hold(slot_state* slot, const message* posted);
void tacit_check_note(slot_state* slot, MPI_Request request, const message* posted);
void tacit_check_defer(slot_state* slot, MPI_Request request, int persistent);
/* All operations of the slot are described: completes them already here, as the program did before it was
 * transformed, and spoils their buffers. */
void tacit_check_start(slot_state* slot);
void tacit_check_end(slot_state* slot);
/* The same for those operations only that an access to these bytes would disturb. */
void tacit_check_end_some(slot_state* slot, byte_range bytes, int writes);

#endif
