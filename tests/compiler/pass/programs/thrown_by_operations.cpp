// options: ranks=1
// assume: user_code
/* A function of the program that MPI runs throws, and who calls MPI catches, also where a message is under way. */
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static double work[100000], out[100000], in[100000];

static void add(void*, void*, int*, MPI_Datatype*) {
  throw std::runtime_error("no sum");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  const char* seen = "nothing";
  MPI_Request requests[2];
  for (int i = 0; i < 100000; i++)
    out[i] = i;
  MPI_Irecv(in, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(out, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int i = 0; i < 100000; i++)
    work[i] = work[i] * 2 + 1;
  try {
    double one = 1, two = 2;
    MPI_Reduce_local(&one, &two, 1, MPI_DOUBLE, op);
  } catch (const std::exception&) {
    seen = "the error";
  }
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  std::printf("%s %g\n", seen, in[99999]);
  MPI_Finalize();
}
