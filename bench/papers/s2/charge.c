/* What programs counted by cost_counter.cpp call: the simulated processor computes for as many units as the
 * program has counted. Each rank has its own copy of the program and so of the counters. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

uint64_t tacit_spent; /* counted, not yet charged */
static uint64_t charged;

void tacit_charge(uint64_t more) {
  const uint64_t units = tacit_spent + more;
  tacit_spent = 0;
  charged += units;
  if (units > 0)
    smpi_execute_flops((double)units);
}

/* A clock for the hooks that costs nothing (slot.c): the computation of this rank so far, in nanoseconds. */
uint64_t tacit_computed(void);
uint64_t tacit_computed(void) {
  return (charged + tacit_spent) / TACIT_UNITS_PER_NANOSECOND;
}

/* Before MPI_Finalize: says how much the ranks computed together, so that two forms of a program can be
 * compared. */
void tacit_charge_last(uint64_t more) {
  tacit_charge(more);
  uint64_t all = 0;
  int rank = 0;
  PMPI_Reduce(&charged, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("computed %llu\n", (unsigned long long)all);
    fflush(stdout);
  }
}
