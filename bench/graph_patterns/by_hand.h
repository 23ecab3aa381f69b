/* Patterns without tacit: the loop that programs have, the best that a good programmer writes, and MPI's blocking collectives. */
#ifndef TACIT_BENCH_BY_HAND_H
#define TACIT_BENCH_BY_HAND_H

#include "patterns.h"

void by_loop(struct pattern_case* c);

/* Persistent messages, packed blocks, a barrier, a reduction and an allreduce in log2 p rounds. */
void prepare_best(struct pattern_case* c);
void by_best(struct pattern_case* c);
void end_best(struct pattern_case* c);

/* Collective; what `by_mpi` needs beside. */
void make_ring(int ranks);
void free_ring(void);
void prepare_mpi(struct pattern_case* c);
void by_mpi(struct pattern_case* c);

#endif
