/* What a collective operation uses, for its slot: shared by the C and the Fortran forms of the hooks. */
#ifndef TACIT_HOOKS_COLLECTIVES_H
#define TACIT_HOOKS_COLLECTIVES_H

#include "compiler/hooks/parts.h"
#include "compiler/hooks/slot.h"

/* One side of a collective: what a rank sends, or what it receives. */
typedef struct side {
  const void* buffer; /* MPI_IN_PLACE: no side of its own */
  int count;
  MPI_Datatype datatype;
  int per_rank;                      /* `count` elements for each rank, one behind the other */
  const int *counts, *displacements; /* or so many for each rank, there */
} side;

typedef struct collective {
  enum tacit_shape shape;
  side sent, received; /* a broadcast: its buffer is `received` */
  int root;
  MPI_Comm comm;
} collective;

/* What a nonblocking operation of the program uses that has several pieces of memory (__tacit_note_parts). */
void tacit_note_parts(tacit_slot* slot, int kind, const collective* posted, MPI_Request request,
                      const void* variable);

/* Completes what the slot holds; a null slot holds nothing. */
void tacit_make_room(tacit_slot* slot);
/* Puts the operation that was just posted into the slot; a null slot: completes it. */
int tacit_hold_collective(tacit_slot* slot, MPI_Request request, const collective* posted);

#endif
