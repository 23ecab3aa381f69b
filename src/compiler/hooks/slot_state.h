/* What is inside a tacit_slot, and the steps that the C and the Fortran forms of the hooks share.
 *
 * A slot is empty or holds one pending operation: its requests, and the byte ranges they use. Ranges come in
 * two forms. The splitting hooks post the operation themselves and know its bytes. Deferred requests were
 * posted by the program: a note right after the post ties the bytes to the handle of the request, and the
 * deferral looks the handle up. (Without the handle two posts in flight could not be told apart, and the
 * range of one would be taken for that of the other.) Handles are unique among the requests that are not yet
 * complete; one that is found twice belongs to a completed operation, for which any range is right.
 *
 * Compiled code sets the first two words only (functions may be short, and slots many); the first use clears
 * the rest, so a slot of which nothing is pending and which is not in use is empty whatever follows.
 *
 * A range is never too small: what cannot be known overlaps everything. Where each range belongs to one
 * request, an access that disturbs some of the requests completes those and leaves the others pending. */
#ifndef TACIT_HOOKS_SLOT_STATE_H
#define TACIT_HOOKS_SLOT_STATE_H

#include "compiler/hooks/message.h"
#include "compiler/hooks/overlap.h"

enum { slot_ranges = 8, slot_requests = 8 };

typedef struct noted_range {
  MPI_Request request;
  byte_range bytes;
} noted_range;

struct checked; /* check.c */

/* Why a slot is empty again: completed where the pass put the completion, or before by a test whether the
 * bytes are touched, or found complete while polling, or to make room; or nothing was left to wait for when
 * the program would have waited. */
enum ending { at_its_placement, by_a_guard, by_progress, for_the_next, at_once, endings };

typedef struct slot_state {
  int pending; /* something is in the slot; compiled code looks at this */
  int in_use; /* 1: what follows the location is valid; 2: not yet, and the file is compiled for check mode */
  const char* location; /* of the call in the source, or null; set by compiled code */
  int request_count;    /* in `many` if it is set, else in `few` */
  uint32_t site;        /* statistics: who put the operation here */
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

  long waits;              /* check mode: how often this thread had waited when the operation began */
  struct checked* checked; /* check mode: what is pending */
} slot_state;

_Static_assert(sizeof(slot_state) <= sizeof(tacit_slot), "the pass reserves sizeof(tacit_slot) bytes");

static inline slot_state* state_of(tacit_slot* slot) {
  return (slot_state*)slot;
}

#endif
