// environment: OMPI_MCA_btl=self,tcp
// assume: user_code
/* A function of the user that MPI runs cannot touch a local of another function, but it waits outside MPI for what the receiver
 * of that local does. (Over TCP a large message gets on only while its sender calls MPI.) */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char name[] = "/tmp/callback_waits_XXXXXX";
static int waits(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  while (access(name, F_OK) != 0)
    usleep(1000);
  return MPI_SUCCESS;
}
__attribute__((noinline)) void tell(int key) {
  double out[n];
  for (int i = 0; i < n; i++)
    out[i] = i;
  MPI_Send(out, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  COMPUTE;
}
int main(int argc, char** argv) {
  static double in[n];
  int rank, key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && (close(mkstemp(name)) != 0 || unlink(name) != 0))
    abort();
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, waits, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
    tell(key);
    printf("ended\n");
  } else {
    MPI_Recv(in, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fclose(fopen(name, "w"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(name);
  MPI_Finalize();
  return 0;
}
