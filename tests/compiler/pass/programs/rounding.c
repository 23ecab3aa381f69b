// options: ranks=2 environment: OMPI_MCA_btl_vader_single_copy_mechanism=none
// assume: calls
/* How this thread rounds is part of what a reduction gives that is still to be done: it is complete before the mode changes. */
#include "../let_run.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 50000, steps = 3000 };
double in[n], sum[n], work[steps];

__attribute__((noinline)) double add_up(void) {
  MPI_Request request;
  MPI_Iallreduce(in, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  __builtin_set_flt_rounds(0); // toward zero
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  const double last = sum[n - 1];
  __builtin_set_flt_rounds(1);
  return last;
}

int main(int argc, char** argv) {
  int rank, processes[2] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  processes[rank] = getpid();
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    in[i] = rank == 0 ? 1 : 0x1.8p-53; // the sum is above the middle between two numbers
  if (rank == 0)
    let_run(processes[1]);
  const double last = add_up();
  if (rank == 1)
    printf("%a\n", last);
  MPI_Finalize();
  return 0;
}
