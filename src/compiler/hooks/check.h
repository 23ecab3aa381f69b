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
/* The memory is a slot from now on: what was noted for slots that were there before is forgotten, and nothing may
 * be pending in them. `watched`: its file is compiled for check mode; of the first that is not a message says so. */
void tacit_check_open(const slot_state* slot, int watched);
void tacit_check_hold(slot_state* slot, const message* posted);
/* `another`: a further piece of memory of the operation that was noted before. */
void tacit_check_note(slot_state* slot, MPI_Request request, const void* variable, const message* posted,
                      int another);
/* How many pieces of memory were noted for the request; the slot uses them now. */
int tacit_check_defer(slot_state* slot, MPI_Request request, const void* variable, int persistent);
/* MPI is about to be called for the slot, or, null, has been. */
void tacit_check_enter(const slot_state* slot);
/* All operations of the slot are described: completes them already here, as the program did before it was
 * transformed, and spoils their buffers. */
void tacit_check_start(slot_state* slot);
void tacit_check_end(slot_state* slot);
/* The same for those operations only that an access to these bytes would disturb. */
void tacit_check_end_some(slot_state* slot, byte_range bytes, int writes);

/* Says what is wrong, in this order, with the rank, and ends the run. */
void tacit_check_report(const char* location, const char* what, const char* pending_at, const char* wrong);
/* Nonzero if something is pending, in any thread. */
int tacit_check_any(void);
/* Reports the access or the call if nothing like it may be while something that is pending is. See __tacit_watch_access. */
void tacit_check_access(byte_range bytes, int writes, const char* location);
void tacit_check_call(const slot_state* but, const char* name, const char* location);
void tacit_check_anything(const char* what, const char* pending_at, const char* location);
void tacit_check_return(const slot_state* slot);
/* What MPI said when the operation that is pending now was complete for the program. */
int tacit_check_error(const slot_state* slot);

#endif
