// Buffers in a section of their own, and in the data of the program, looked at by the names that the linker gives these.
// assume: data
#include "../let_run.h"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 60000, STEPS = 3000 };

static double in_section[N] __attribute__((section("messages"), used));
static double plain[N];
static double results[STEPS];
extern double __start_messages[];
extern double __stop_messages[];
extern char end[];
static volatile long before_end;

static void compute(void) {
  for (int i = 0; i < STEPS; ++i)
    results[i] = results[i] * 1.5 + i;
}

__attribute__((noinline)) static double first_of_section(void) {
  MPI_Recv(in_section, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute();
  const double seen = __start_messages[N - 1];
  compute();
  return seen;
}

/// The last variable of the section.
__attribute__((noinline)) static double from_the_end(void) {
  MPI_Request request;
  MPI_Irecv(in_section, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  compute();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compute();
  const double seen = __stop_messages[-1];
  compute();
  return seen;
}

/// As a collector of garbage looks at all variables.
__attribute__((noinline)) static double among_all_data(void) {
  MPI_Recv(plain, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute();
  double seen;
  __builtin_memcpy(&seen, end - before_end, sizeof seen);
  compute();
  return seen;
}

int main(int argc, char** argv) {
  int rank;
  int receiver = getpid();
  static double data[N];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&receiver, 1, MPI_INT, 1, MPI_COMM_WORLD);
  before_end = end - (char*)&plain[N - 1];
  for (int step = 0; step < 3; ++step) {
    if (rank == 0) {
      for (int i = 0; i < N; ++i)
        data[i] = i + step + 1;
      let_run(receiver);
      MPI_Send(data, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
      printf("%d: %g\n", step,
             step == 0   ? first_of_section()
             : step == 1 ? from_the_end()
                         : among_all_data());
    }
  }
  MPI_Finalize();
  return 0;
}
