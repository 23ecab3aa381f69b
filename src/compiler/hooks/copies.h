/* The sends from copies that are under way. */
#ifndef TACIT_HOOKS_COPIES_H
#define TACIT_HOOKS_COPIES_H

#include <mpi.h>

/* Where a copy of the message can be sent from, or null: an ordinary send is the better choice or the only
 * one. */
void* tacit_copy_message(const void* buffer, int count, MPI_Datatype datatype, int dest);
/* Hands the copy over to the pool, which frees it when the request is complete. */
void tacit_copy_sent(void* copy, MPI_Request request, const char* location);
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

#endif
