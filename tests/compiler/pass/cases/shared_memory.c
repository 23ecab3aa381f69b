// options: mode=aggressive rename=off
/* A message tells other ranks, or tells from them, who may use the memory they share. */
#include <mpi.h>

enum { n = 4096 };
double* shared;
double kept;

void make(MPI_Win* window) {
  MPI_Win_allocate_shared(n * sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, window);
}
void receive_then_write(int peer) {
  double token;
  MPI_Recv(&token, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-110
  for (int i = 0; i < n; i++)
    shared[i] = i;
  kept = token;
}
double receive_then_read(int peer) {
  double token, sum = 0;
  MPI_Recv(&token, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-110
  for (int i = 0; i < n; i++)
    sum += shared[i] * shared[n - i];
  return sum + token;
}
void write_then_tell(int peer) {
  double token[10] = {0};
  MPI_Request request;
  for (int i = 0; i < n; i++)
    shared[i] = i;
  MPI_Isend(token, 10, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request); // is not posted earlier
  MPI_Wait(&request, MPI_STATUS_IGNORE);                               // stays TACIT-106
}
void write_then_let_go(int peer) {
  MPI_Send(&kept, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // proved
  double own[64];
  for (int i = 0; i < n; i++)
    own[i % 64] = own[i / 64] + i;
  shared[0] = own[7];
}
