// options: with=returned_request.c
/* Another file gets the address of a request from a function, and puts a generalized one there: its query function reads what
 * has been received. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

double a[n];
double seen;
static MPI_Request request;
MPI_Request* place(void) {
  return &request;
}
void begin(void);
__attribute__((noinline)) void receive(void) {
  MPI_Recv(a, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  COMPUTE;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    begin();
    receive();
    printf("%g\n", seen);
  } else {
    usleep(300000);
    a[n - 1] = 7;
    MPI_Send(a, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
