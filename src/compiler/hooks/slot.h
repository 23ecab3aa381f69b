/* The steps that the C and the Fortran forms of the hooks share: what is done with a slot. */
#ifndef TACIT_HOOKS_SLOT_H
#define TACIT_HOOKS_SLOT_H

#include "compiler/hooks/slot_state.h"

#include <stddef.h>

/* The slot, about to be used: clears it at the first time. */
slot_state* tacit_open(tacit_slot* slot);
/* Waits for what the slot holds and empties it. That it failed keeps nothing from being done next, as in the program as written. */
void tacit_complete(slot_state* slot);
/* Puts an operation that was just posted into the slot, which is empty. */
void tacit_hold(slot_state* slot, MPI_Request request, const message* posted);
/* The same in two steps, for an operation that uses several pieces of memory: each piece, then the request.
 */
void tacit_describe(slot_state* slot, const message* posted);
/* Which bytes the slot uses from now on. */
void tacit_describe_range(slot_state* slot, const message* posted);
void tacit_hold_described(slot_state* slot, MPI_Request request);
/* Nonzero unless only check mode, which is off, needs the note (see __tacit_note). */
int tacit_is_noted(int how);
/* `variable`: where the program keeps the request, which is what check mode knows it by. */
void tacit_note(slot_state* slot, MPI_Request request, const void* variable, const message* posted);
/* Takes over the requests, which stay in the caller's array, and the notes about them; nulls are left out. A
 * persistent request is noted once and deferred each time it was started, so that its note stays. The program
 * keeps the requests at `variables`, so many bytes each. Zero if there is no memory. */
int tacit_defer(slot_state* slot, int count, const MPI_Request* requests, const void* variables,
                size_t variable_bytes, int persistent);

#endif
