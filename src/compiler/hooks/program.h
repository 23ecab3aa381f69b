/* What the hooks have to know of the program that they are part of. */
#ifndef TACIT_HOOKS_PROGRAM_H
#define TACIT_HOOKS_PROGRAM_H

/* Nonzero if the program defines MPI functions of its own, in whose place or by which the hooks would send, receive or wait:
 * then each hook is the blocking call that it stands for (collectives: started and completed), and nothing is left pending.
 * A library that has all of them (a tool, tacit's interposer) sees another way to do the same, and nothing is lost; one that
 * has some of them need not understand it. */
int tacit_program_wraps(void);

/* Nonzero between MPI_Init and MPI_Finalize. Programs that only have sessions have neither MPI_COMM_WORLD nor MPI_COMM_SELF,
 * and nobody tells when they end. */
int tacit_world_is_up(void);

#endif
