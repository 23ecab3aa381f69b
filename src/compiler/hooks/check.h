/* Check mode: operations complete where the program as written completes them, and their buffers are spoilt
 * until the completion that the pass placed. */
#ifndef TACIT_HOOKS_CHECK_H
#define TACIT_HOOKS_CHECK_H

#include "compiler/hooks/slot_state.h"

/* Nonzero if TACIT_OVERLAP_CHECK=1. */
int tacit_checks(void);
/* How often this thread has given up its processor to wait, and a message if it has done so since. */
long tacit_check_waits(void);
void tacit_check_waited(long before, const char* location);
/* The memory is a slot from now on: what was noted for slots that were there before is forgotten. */
void tacit_check_open(const slot_state* slot);
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
