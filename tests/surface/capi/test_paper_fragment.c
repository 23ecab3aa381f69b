/* The code fragment of the paper's section 1.2, as printed, with what UPC supplies to it: the transposition
 * of NAS FT. It must compile and do what the upc_memget loop before it does, again and again. */
#define TACIT_CDAG_AS_PRINTED
#include <tacit/cdag.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double real, imag;
} dcomplex;
enum { chunk = 3, most_threads = 64 };
typedef struct {
  dcomplex cell[chunk * most_threads];
} image;

static int THREADS, MYTHREAD;
static image src[most_threads], dst[most_threads]; /* only the own image is used */
#define upc_barrier MPI_Barrier(MPI_COMM_WORLD)

static int check(int round) {
  int wrong = 0;
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < chunk; k++) {
      dcomplex got = dst[MYTHREAD].cell[chunk * i + k];
      if (got.real != round * 1000 + i || got.imag != chunk * MYTHREAD + k)
        wrong++;
    }
  return wrong;
}

static void fill(int round) {
  for (int k = 0; k < chunk * THREADS; k++) {
    src[MYTHREAD].cell[k].real = round * 1000 + MYTHREAD;
    src[MYTHREAD].cell[k].imag = k;
  }
}

int main(int argc, char** argv) {
  int wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &THREADS);
  MPI_Comm_rank(MPI_COMM_WORLD, &MYTHREAD);
  if (getenv("TACIT_EXPECTED_RANKS") && atoi(getenv("TACIT_EXPECTED_RANKS")) != THREADS)
    MPI_Abort(MPI_COMM_WORLD, 3);
  fill(1);
  // clang-format off: as printed
  upc_barrier;
cDAG_graph g = cDAG_CreateGraph();
for (int i = 0; i < THREADS; i++) {
    int msgsize = sizeof(dcomplex) * chunk;
    cDAG_Send(g, &src[MYTHREAD].cell[chunk*i], msgsize, i);
    cDAG_Recv(g, &dst[MYTHREAD].cell[chunk*i], msgsize, i);
}
cDAG_Schedule sched = cDAG CompileGraph(g);
cDAG_Run(sched);
  // clang-format on
  wrong += check(1);
  for (int round = 2; round < 5; round++) {
    fill(round);
    cDAG_Run(sched);
    wrong += check(round);
  }
  cDAG_FreeGraph(g);
  cDAG_FreeSchedule(sched);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (MYTHREAD == 0)
    printf("%d wrong cells\n", all_wrong);
  MPI_Finalize();
  return all_wrong != 0;
}
