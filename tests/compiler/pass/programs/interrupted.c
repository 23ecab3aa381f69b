// options: rename=off poke=off
// assume: user_code
/* A signal ends the computation behind a receive: its handler jumps out of the function that received. Here the signal comes
 * from the computation itself, from a page that is closed behind the table. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { n = 50000, steps = 3000, page = 4096 };
double inbox[n], work[steps];
static sigjmp_buf end_of_table;

static void leave(int signal) {
  (void)signal;
  siglongjmp(end_of_table, 1);
}

__attribute__((noinline)) static double receive(const double* table, int length) {
  MPI_Recv(inbox, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; i++)
    work[i % steps] = work[i % steps] * 0.5 + table[i];
  return inbox[n - 1];
}

static double* closed_behind(int length) {
  void* memory = NULL;
  if (posix_memalign(&memory, page, 2 * page) != 0)
    exit(1);
  memset(memory, 0, 2 * page);
  mprotect((char*)memory + page, page, PROT_NONE);
  return (double*)((char*)memory + page) - length;
}

int main(int argc, char** argv) {
  int rank, length = 500;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 0; i < n; i++)
      inbox[i] = i;
    MPI_Send(inbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    double* table = closed_behind(length);
    void (*before)(int) = signal(SIGSEGV, leave);
    if (sigsetjmp(end_of_table, 1) == 0)
      printf("not interrupted: %g\n", receive(table, 2 * length));
    else
      printf("interrupted: %g\n", inbox[n - 1]);
    signal(SIGSEGV, before);
    mprotect((char*)(table + length), page, PROT_READ | PROT_WRITE);
  }
  MPI_Finalize();
  return 0;
}
