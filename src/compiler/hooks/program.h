/* What the hooks have to know of the program that they are part of. */
#ifndef TACIT_HOOKS_PROGRAM_H
#define TACIT_HOOKS_PROGRAM_H

/* Nonzero if the program defines MPI functions of its own, in whose place or by which the hooks would send, receive or wait. A
 * library that has all of them (a tool, tacit's interposer) sees another way to do the same, and nothing is lost; one that has some
 * of them need not understand it. */
int tacit_program_wraps(void);

/* Nonzero if each hook has to be the blocking call that it stands for (collectives: started and completed), so that nothing is left
 * pending, because
 * - the program wraps them.
 * - several threads may call MPI at once (MPI_THREAD_MULTIPLE; sessions do not say): a message from another thread of this process
 *   tells that it has written plain variables, and no access to these shows that the message has to have come before.
 * - a request has been freed while it was active (__tacit_request_freed): that its operation is complete is told by another message
 *   alone, such as an answer (MPI-4.1, 3.7.3), and behind that the program may use the buffer. */
int tacit_calls_as_written(void);

/* Nonzero between MPI_Init and MPI_Finalize. Programs that only have sessions have neither MPI_COMM_WORLD nor MPI_COMM_SELF,
 * and nobody tells when they end. */
int tacit_world_is_up(void);

#endif
