// ranks=2
// Buffers and statuses that an `if` declares in its head: they end with it, and messages with them are complete before.
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>
struct big { double d[4096]; };
static double z;
static void work() noexcept { for (int k = 0; k < 500; ++k) z = z * 0.5 + k; }
static void send_of_init(int n) {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    if (big s{{1, 2, 3}}; n > 5) {
      MPI_Send(&s, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    }
    big t{};
    for (int i = 0; i < 4096; ++i) t.d[i] = -i - n;
    for (int i = 0; i < 4096; ++i) z += t.d[(i * 7 + n) % 4096];
  }
}
static void send_of_else(int n) {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    if (n < 0) {
      work();
    } else if (big s{{4, 5, n + 0.5}}; n < 5) {
      work();
    } else {
      MPI_Send(s.d, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
    }
    big t{};
    for (int i = 0; i < 4096; ++i) t.d[i] = -2 * i - n;
    for (int i = 0; i < 4096; ++i) z += t.d[(i * 5 + n) % 4096];
  }
}
static void send_without_braces(int n) {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    if (big s{{6, 7, n - 0.5}}; n > 5)
      MPI_Send(s.d, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    big t{};
    for (int i = 0; i < 4096; ++i) t.d[i] = -3 * i - n;
    for (int i = 0; i < 4096; ++i) z += t.d[(i * 3 + n) % 4096];
  }
}
static void receive(int n) {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    if (MPI_Status st; n > 5) {
      double got[4096];
      MPI_Recv(got, 4096, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &st);
      for (int k = 0; k < 500; ++k) z = z * 0.5 + k;
      z += got[2] + st.MPI_TAG;
    }
    work();
  }
}
/// What only a block declares moves as before.
static void inner(int n, double* got) {
#pragma mpi cco MPI_SendRecv(MPI_COMM_WORLD)
  {
    if (int more = n + 1; more > 5) {
      MPI_Recv(got, 4096, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int k = 0; k < 500; ++k) z = z * 0.5 + k + more;
      z += got[1];
    }
  }
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, n = 2000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double got[4096];
  if (rank == 0) {
    send_of_init(n), send_of_else(n), send_without_braces(n);
    for (int i = 0; i < 4096; ++i) got[i] = i;
    usleep(50000);
    MPI_Send(got, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Send(got, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Send(&z, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    for (int i = 0; i < 3; ++i) {
      usleep(100000);
      MPI_Recv(got, 4096, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      double sum = 0;
      for (double x : got) sum += x;
      printf("%g %g %g, sum %g\n", got[0], got[1], got[2], sum);
    }
    receive(n), inner(n, got);
    double sent;
    MPI_Recv(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sent: %.17g, received: %.17g\n", sent, z);
  }
  MPI_Finalize();
}
