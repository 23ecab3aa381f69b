/* What the interposer adds to calls that no client wants, for bench/unwanted_calls.py: an exchange of the
   program's own, 8 MPI_Irecv
   + 8 MPI_Isend + MPI_Waitall of 8 bytes with the next rank, and the same with MPI_PROC_NULL, which does
   nearly nothing. With an argument, a persistent neighborhood operation is alive meanwhile, started once and
   complete. Prints the fastest block of each kind in nanoseconds a call. */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <time.h>

#if MPI_VERSION < 4
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

enum { messages = 8, calls = 2 * messages + 1, rounds = 500, blocks = 100 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void exchange(long* in, long* out, int peer) {
  MPI_Request q[2 * messages];
  for (int i = 0; i < messages; ++i)
    MPI_Irecv(&in[i], 1, MPI_LONG, peer, i, MPI_COMM_WORLD, &q[i]);
  for (int i = 0; i < messages; ++i)
    MPI_Isend(&out[i], 1, MPI_LONG, peer, i, MPI_COMM_WORLD, &q[messages + i]);
  MPI_Waitall(2 * messages, q, MPI_STATUSES_IGNORE);
}

static double fastest(int peer) {
  long in[messages], out[messages] = {0};
  double best = 1e30;
  for (int block = 0; block < blocks; ++block) {
    const double begin = now_ns();
    for (int i = 0; i < rounds; ++i)
      exchange(in, out, peer);
    const double each = (now_ns() - begin) / rounds / calls;
    if (each < best)
      best = each;
  }
  return best;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm ring;
  MPI_Request alive = MPI_REQUEST_NULL;
  const int periodic = 1;
  long in[2], out[2] = {rank, rank};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  if (argc > 1) {
    MPI_Neighbor_alltoall_init(out, 1, MPI_LONG, in, 1, MPI_LONG, ring, MPI_INFO_NULL, &alive);
    MPI_Start(&alive);
    MPI_Wait(&alive, MPI_STATUS_IGNORE);
  }
  const double nobody = fastest(MPI_PROC_NULL);
  const double next = fastest((rank + 1) % size);
  if (rank == 0)
    printf("nobody %.3f\nnext_rank %.3f\n", nobody, next);
  if (argc > 1)
    MPI_Request_free(&alive);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
