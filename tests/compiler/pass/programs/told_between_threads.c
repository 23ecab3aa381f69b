// options: rename=off
/* A message from another thread of the same process tells that this thread has written plain variables, which no access to them shows. */
#include "../compute.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static double a[n];
static int rank, told[1], tells[1];

__attribute__((noinline)) static double read_when_told(void) {
  MPI_Recv(told, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  COMPUTE;
  return a[n - 1] + told[0];
}
static void* reader(void* nothing) {
  printf("rank %d: %g\n", rank, read_when_told());
  return nothing;
}
__attribute__((noinline)) static void write_and_tell(void) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    a[i] = 5;
  MPI_Isend(tells, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tells[0] = 3;
  if (level < MPI_THREAD_MULTIPLE) {
    printf("rank %d: this library has one thread\n", rank);
  } else {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    usleep(300000);
    write_and_tell();
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
