/* Blocking neighborhood collectives on periodic grids, as a program calls them, for bench/blocking_calls.py: the send buffer is
   rewritten and the receive buffer read each time. Prints one line per call, dimensions and bytes: the fastest block and the 10th
   percentile of the blocks, in microseconds a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { blocks = 60, most_bytes = 4096, most_edges = 6 };

static char out[most_edges * most_bytes], in[most_edges * most_bytes];
static int counts[most_edges], places[most_edges];
static MPI_Aint byte_places[most_edges];
static MPI_Datatype types[most_edges];
static volatile int sum;

static void call(int which, int bytes, MPI_Comm grid) {
  if (which == 0)
    MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid);
  else if (which == 1)
    MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid);
  else if (which == 2)
    MPI_Neighbor_alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, grid);
  else
    MPI_Neighbor_alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, grid);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(int which, const char* name, int dimensions, int bytes, MPI_Comm grid) {
  const int calls = bytes > 64 ? 300 : 1000;
  double times[blocks];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2 * dimensions; ++i) {
    counts[i] = bytes;
    byte_places[i] = places[i] = i * bytes;
    types[i] = MPI_BYTE;
  }
  for (int block = 0; block < blocks; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      memset(out, i, (size_t)(2 * dimensions * bytes));
      call(which, bytes, grid);
      sum += in[0] + in[2 * dimensions * bytes - 1];
    }
    const double mine = (MPI_Wtime() - start) / calls;
    MPI_Allreduce(&mine, &times[block], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  qsort(times, blocks, sizeof *times, ascending);
  if (rank == 0)
    printf("%s %d %d %.4f %.4f\n", name, dimensions, bytes, 1e6 * times[0], 1e6 * times[blocks / 10]);
}

int main(int argc, char** argv) {
  const char* const names[] = {"MPI_Neighbor_alltoall", "MPI_Neighbor_allgather", "MPI_Neighbor_alltoallv",
                               "MPI_Neighbor_alltoallw"};
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Dims_create(size, dimensions, dims);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &grid);
    for (int which = 0; which < 4; ++which)
      for (int bytes = 8; bytes <= most_bytes; bytes *= 8)
        measure(which, names[which], dimensions, bytes, grid);
    MPI_Comm_free(&grid);
  }
  MPI_Finalize();
  return 0;
}
