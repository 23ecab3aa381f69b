// options: with=parked.c environment: OMPI_MCA_btl=self,tcp
/* A function without effects that never returns: what has been sent has to get on without it. (Over TCP a large message gets on
 * only while its sender calls MPI.) The receiver ends it by a signal, whose handler stands in another file: the pass leaves files alone in which
 * a handler jumps. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { n = 200000, steps = 3000 };
static double out[n], work[steps];

sigjmp_buf* where_signals_lead(void);
static __attribute__((noinline)) void park(void) {
  for (;;)
    ;
}
static __attribute__((noinline)) void tell_and_park(void) {
  MPI_Send(out, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  park();
}

int main(int argc, char** argv) {
  int rank, process = getpid();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (sigsetjmp(*where_signals_lead(), 1) == 0)
      tell_and_park();
    printf("left\n");
  } else {
    MPI_Recv(out, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received\n");
    usleep(300000); // the sender has to have come back from MPI
    kill(process, SIGUSR1);
  }
  MPI_Finalize();
  return 0;
}
