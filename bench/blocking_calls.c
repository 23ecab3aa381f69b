/* Blocking neighborhood collectives, as a program calls them, for bench/blocking_calls.py: the send buffer is rewritten and the
   receive buffer read each time. Under an interposer the same call goes to the library directly, too, by its PMPI name, which is looked up
   so that nobody sees it: blocks of both take turns in one process, since from process to process times differ by half.
   Prints one line per topology, call and bytes: the 10th percentile of the blocks by either name, in microseconds a call, and the
   median of the library's time over the other's of pairs of blocks that follow each other. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pairs = 30, warm_up = 700, most_calls = 1000, most_bytes = 4096, most_edges = 6, calls = 5 };

static char out[most_edges * most_bytes], in[most_edges * most_bytes];
static int counts[most_edges], places[most_edges];
static MPI_Aint byte_places[most_edges];
static MPI_Datatype types[most_edges];
static volatile int sum;

static const char* const names[calls] = {"MPI_Neighbor_alltoall", "MPI_Neighbor_allgather",
                                         "MPI_Neighbor_alltoallv", "MPI_Neighbor_allgatherv",
                                         "MPI_Neighbor_alltoallw"};
typedef int equal_call(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int varying_call(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                         MPI_Datatype, MPI_Comm);
typedef int gathering_call(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                           MPI_Comm);
typedef int typed_call(const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                       const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
struct functions {
  equal_call *alltoall, *allgather;
  varying_call* alltoallv;
  gathering_call* allgatherv;
  typed_call* alltoallw;
};
static struct functions program = {MPI_Neighbor_alltoall, MPI_Neighbor_allgather, MPI_Neighbor_alltoallv,
                                   MPI_Neighbor_allgatherv, MPI_Neighbor_alltoallw},
                        library;

static void find(const char* name, void* function) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (!found)
    MPI_Abort(MPI_COMM_WORLD, 1);
  memcpy(function, &found, sizeof found);
}

static void call(const struct functions* f, int which, int bytes, MPI_Comm comm) {
  if (which == 0)
    f->alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
  else if (which == 1)
    f->allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
  else if (which == 2)
    f->alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  else if (which == 3)
    f->allgatherv(out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  else
    f->alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, comm);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Seconds a call, of the slowest rank. */
static double block(const struct functions* f, int which, int edges, int bytes, int times, MPI_Comm comm) {
  double slowest = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    memset(out, i, (size_t)(edges * bytes));
    call(f, which, bytes, comm);
    sum += in[0] + in[edges * bytes - 1];
  }
  const double mine = (MPI_Wtime() - start) / times;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void measure(const char* topology, int which, int edges, int bytes, MPI_Comm comm) {
  double of_program[pairs], of_library[pairs], ratios[pairs];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < edges; ++i) {
    counts[i] = bytes;
    byte_places[i] = places[i] = i * bytes;
    types[i] = MPI_BYTE;
  }
  block(&program, which, edges, bytes, warm_up, comm);
  const double once = block(&program, which, edges, bytes, 20, comm);
  const int times = once > 1e-4 ? 10 : once > 1e-6 ? (int)(1e-3 / once) : most_calls;
  for (int i = 0; i < pairs; ++i) {
    of_program[i] = block(&program, which, edges, bytes, times, comm);
    of_library[i] = block(&library, which, edges, bytes, times, comm);
    ratios[i] = of_library[i] / of_program[i];
  }
  qsort(of_program, pairs, sizeof *of_program, ascending);
  qsort(of_library, pairs, sizeof *of_library, ascending);
  qsort(ratios, pairs, sizeof *ratios, ascending);
  if (rank == 0)
    printf("%s %s %d %.4f %.4f %.4f\n", topology, names[which], bytes, 1e6 * of_program[pairs / 10],
           1e6 * of_library[pairs / 10], ratios[pairs / 2]);
}

static void measure_all(const char* topology, int edges, MPI_Comm comm) {
  for (int which = 0; which < calls; ++which)
    for (int bytes = 8; bytes <= most_bytes; bytes *= 8)
      measure(topology, which, edges, bytes, comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  const char* const grids[][3] = {{"open-line", "open-2-D-grid", "open-3-D-grid"},
                                  {"line", "2-D-grid", "3-D-grid"}};
  int size = 1, rank = 0, others[most_edges], n = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  find("PMPI_Neighbor_alltoall", &library.alltoall);
  find("PMPI_Neighbor_allgather", &library.allgather);
  find("PMPI_Neighbor_alltoallv", &library.alltoallv);
  find("PMPI_Neighbor_allgatherv", &library.allgatherv);
  find("PMPI_Neighbor_alltoallw", &library.alltoallw);
  for (int periodic = 1; periodic >= 0; --periodic)
    for (int dimensions = 1; dimensions <= 2 + periodic; ++dimensions) {
      int dims[3] = {0, 0, 0}, periods[3] = {periodic, periodic, periodic};
      MPI_Dims_create(size, dimensions, dims);
      MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &comm);
      measure_all(grids[periodic][dimensions - 1], 2 * dimensions, comm);
    }
  for (int other = 0; other < size && n < most_edges; ++other)
    if (other != rank)
      others[n++] = other;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, others, MPI_UNWEIGHTED, n, others, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  measure_all("graph", n, comm);
  MPI_Finalize();
  return 0;
}
