// options: mode=aggressive rename=off
/* A datatype leads from the variable that the call names to another one. */
#include <mpi.h>

enum { n = 4096 };
extern double* work;

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

double two_variables(int peer) {
  int count;
  double values[50], sum = 0;
  int lengths[2] = {1, 50};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, both;
  MPI_Get_address(&count, &places[0]);
  MPI_Get_address(values, &places[1]);
  places[1] -= places[0];
  places[0] = 0;
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  MPI_Recv(&count, 1, both, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-108
  COMPUTE;
  for (int i = 0; i < 50; i++)
    sum += values[i];
  return sum + count;
}
double* plain_messages_move(double* restrict buffer, int peer) {
  MPI_Send(buffer, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  COMPUTE;
  return buffer;
}
