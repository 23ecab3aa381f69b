/* A completion that was moved too far, in the way its argument says. In check mode the run must end with a
 * report (send, receive), or the program must read garbage (read). */
#include "hooks/overlap.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size;
  double out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* planted = argc > 1 ? argv[1] : "";
  tacit_slot sent = {{0}}, received = {{0}};
  MPI_Request request;
  MPI_Irecv(in, 8, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
  __tacit_note(&received, in, 8, MPI_DOUBLE, 1, &request);
  __tacit_send(&sent, out, 8, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
  __tacit_defer(&received, &request);
  if (strcmp(planted, "send") == 0)
    out[3] = -3;
  if (strcmp(planted, "receive") == 0)
    in[7] = 0;
  const double early = strcmp(planted, "read") == 0 ? in[1] : 2;
  __tacit_wait(&sent, out);
  __tacit_wait(&received, in);
  if (early != 2)
    printf("read too early: %g\n", early);
  for (int i = 0; i < 8; ++i)
    if (in[i] != i + 1)
      printf("wrong data\n");
  MPI_Finalize();
  return 0;
}
