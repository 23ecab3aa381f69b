// options: ranks=1
/* The error handler throws, and who calls MPI catches. */
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

double work[100000];

static void handler(MPI_Comm*, int*, ...) {
  throw std::runtime_error("an error of MPI");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler thrower;
  MPI_Comm_create_errhandler(handler, &thrower);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, thrower);
  const std::vector<double> b(100000);
  const int nobody = 77;
  const char* seen = "nothing";
  try {
    MPI_Send(b.data(), 100000, MPI_DOUBLE, nobody, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 100000; i++)
      work[i] = work[i] * 2 + 1;
  } catch (const std::exception&) {
    seen = "the error";
  }
  std::printf("%s\n", seen);
  MPI_Finalize();
}
