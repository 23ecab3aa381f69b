/* A completion that was moved too far, in the way its argument says. In check mode the run must end with a
 * report (send, receive), or the program must read garbage (read). */
#include "compiler/hooks/overlap.h"

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
  double sums[8], everywhere[8] = {0};
  int counts[4] = {2, 2, 2, 2}, places[4] = {0, 2, 4, 6};
  tacit_slot summed = {{0}}, gathered = {{0}};
  __tacit_allreduce(&summed, out, sums, 8, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  __tacit_allgatherv(&gathered, out, 2, MPI_DOUBLE, everywhere, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  if (strcmp(planted, "send") == 0)
    out[3] = -3;
  if (strcmp(planted, "receive") == 0)
    in[7] = 0;
  if (strcmp(planted, "sum") == 0)
    sums[4] = 0;
  if (strcmp(planted, "counts") == 0)
    counts[1] = 1;
  if (strcmp(planted, "gather") == 0)
    everywhere[3] = 0;
  const double early = strcmp(planted, "read") == 0 ? in[1] : 2;
  __tacit_wait(&summed, sums);
  __tacit_wait(&gathered, everywhere);
  __tacit_wait(&sent, out);
  __tacit_wait(&received, in);
  if (early != 2)
    printf("read too early: %g\n", early);
  for (int i = 0; i < 8; ++i)
    if (in[i] != i + 1 || sums[i] != i + 1 || (i < 2 * size && everywhere[i] != i % 2 + 1))
      printf("wrong data\n");
  MPI_Finalize();
  return 0;
}
