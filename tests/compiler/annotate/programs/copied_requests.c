// ranks=2
// Requests that go from one variable to another: a wait completes what another variable's post began, and stays.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static int rank, way;
static double a[8], b[8], z;
static void copied(void) {
  MPI_Request current, next;
  MPI_Irecv(a, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &current);
#pragma mpi cco MPI_Wait
  {
    MPI_Irecv(b, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &next);
    MPI_Wait(&current, MPI_STATUS_IGNORE);
    z += a[7];
    current = next;
    MPI_Wait(&current, MPI_STATUS_IGNORE);
    for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    z += b[7];
  }
}
static void swapped(void) {
  MPI_Request current = MPI_REQUEST_NULL, next = MPI_REQUEST_NULL, other;
  MPI_Irecv(b, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &next);
#pragma mpi cco MPI_Wait
  {
    MPI_Irecv(a, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &current);
    other = current, current = next, next = other;
    MPI_Waitall(1, &current, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    z += b[7];
  }
  MPI_Wait(&next, MPI_STATUS_IGNORE);
}
static void chosen(int second) {
  MPI_Request first, last;
  MPI_Irecv(a, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &first);
  MPI_Irecv(b, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &last);
#pragma mpi cco MPI_Wait
  {
    MPI_Request one = second ? last : first;
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    z += second ? b[7] : a[7];
    MPI_Isend(&way, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
  }
  MPI_Wait(second ? &first : &last, MPI_STATUS_IGNORE);
}
static void own(void) {
  MPI_Request request = MPI_REQUEST_NULL, other;
#pragma mpi cco MPI_Wait
  {
    MPI_Irecv(a, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    z += a[7];
  }
  request = MPI_REQUEST_NULL;
  MPI_Irecv(b, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &other);
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  z += b[7];
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (way = 0; way < 5; ++way)
    if (rank == 0) {
      double o[8] = {1, 2, 3, 4, 5, 6, 7, 8 + way};
      usleep(50000);
      MPI_Send(o, 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      usleep(50000);
      MPI_Send(o, 8, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    } else {
      way == 0 ? copied() : way == 1 ? swapped() : way < 4 ? chosen(way - 2) : own();
      printf("%d: %.17g\n", way, z);
    }
  MPI_Finalize();
  return 0;
}
