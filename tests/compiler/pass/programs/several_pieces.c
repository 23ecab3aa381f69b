// options: rename=off window=1
/* Operations of the program that use several pieces of memory; with an argument, that one only. */
#include "../compute.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { few = 3, ranks = 2 };
static int out[few * ranks], in[few * ranks], counts[ranks] = {few, few}, places[ranks] = {few, 0}, me;

#define CASE(name, post)                                                                                     \
  __attribute__((noinline)) static int name(int peer) {                                                      \
    MPI_Request r;                                                                                           \
    (void)peer;                                                                                              \
    post;                                                                                                    \
    MPI_Wait(&r, MPI_STATUS_IGNORE);                                                                         \
    COMPUTE;                                                                                                 \
    return in[0] + 10 * in[few] + 100 * out[1];                                                              \
  }
#if MPI_VERSION >= 4
CASE(isendrecv, MPI_Isendrecv(out, few, MPI_INT, peer, 0, in, few, MPI_INT, peer, 0, MPI_COMM_WORLD, &r))
#endif
CASE(ibcast, MPI_Ibcast(in, few, MPI_INT, 1, MPI_COMM_WORLD, &r))
CASE(ireduce, MPI_Ireduce(out, in, few, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &r))
CASE(iallreduce, MPI_Iallreduce(out, in, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(in_place, MPI_Iallreduce(MPI_IN_PLACE, in, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(iscan, MPI_Iscan(out, in, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(iexscan, MPI_Iexscan(out, in, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(ireduce_scatter, MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(ireduce_scatter_block, MPI_Ireduce_scatter_block(out, in, few, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r))
CASE(iallgather, MPI_Iallgather(out, few, MPI_INT, in, few, MPI_INT, MPI_COMM_WORLD, &r))
CASE(iallgatherv, MPI_Iallgatherv(out, few, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &r))
CASE(ialltoall, MPI_Ialltoall(out, few, MPI_INT, in, few, MPI_INT, MPI_COMM_WORLD, &r))
CASE(ialltoallv,
     MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &r))
CASE(igather, MPI_Igather(out, few, MPI_INT, in, few, MPI_INT, 1, MPI_COMM_WORLD, &r))
CASE(igatherv, MPI_Igatherv(out, few, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &r))
CASE(iscatter, MPI_Iscatter(out, few, MPI_INT, in, few, MPI_INT, 0, MPI_COMM_WORLD, &r))
CASE(iscatterv, MPI_Iscatterv(out, counts, places, MPI_INT, in, few, MPI_INT, 1, MPI_COMM_WORLD, &r))

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const struct {
    const char* name;
    int (*run)(int);
  } all[] = {
#if MPI_VERSION >= 4
      {"isendrecv", isendrecv},
#endif
      {"ibcast", ibcast},
      {"ireduce", ireduce},
      {"iallreduce", iallreduce},
      {"in_place", in_place},
      {"iscan", iscan},
      {"iexscan", iexscan},
      {"ireduce_scatter", ireduce_scatter},
      {"ireduce_scatter_block", ireduce_scatter_block},
      {"iallgather", iallgather},
      {"iallgatherv", iallgatherv},
      {"ialltoall", ialltoall},
      {"ialltoallv", ialltoallv},
      {"igather", igather},
      {"igatherv", igatherv},
      {"iscatter", iscatter},
      {"iscatterv", iscatterv},
  };
  int known = argc < 2;
  for (unsigned each = 0; each < sizeof all / sizeof *all; each++) {
    for (int i = 0; i < few * ranks; i++)
      out[i] = 10 * me + i + 1, in[i] = 0;
    if (argc < 2 || strcmp(argv[1], all[each].name) == 0) {
      known = 1;
      printf("%s on %d: %d\n", all[each].name, me, all[each].run(1 - me));
    }
  }
  if (!known)
    printf("not here\n");
  MPI_Finalize();
  return 0;
}
