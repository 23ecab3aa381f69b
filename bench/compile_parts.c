/* What compiling a new graph takes by one rank and by all ranks together (TACIT_COMPILE), in one process, in turns.
 *
 * compile_parts MESSAGES BYTES ROUNDS [lacking]: so many messages of so many bytes from every rank to every other one, which are an alltoall;
 * `lacking`: but not from rank 0 to rank 1, so that one rank compiles what remains of the graph.
 * A line for each way: its name, and the median over the rounds of the microseconds of the slowest rank, without building the graph. */
#include "whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

static int me, ranks, messages, bytes, lacking;

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "compile_parts: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static char* place(char* in, int peer, int k) {
  return in + ((size_t)peer * (size_t)messages + (size_t)k) * (size_t)bytes;
}

static int is_sent(int from, int to) {
  return from != to && !(lacking && from == 0 && to == 1);
}

static double compiling(const char* way, int tag, char* mine, char* got) {
  tacit_graph graph;
  tacit_schedule made;
  MPI_Info info;
  double took, slowest;
  check(tacit_graph_create(MPI_COMM_WORLD, &graph));
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages && is_sent(peer, me); k++)
      check(tacit_graph_recv(graph, place(got, peer, k), bytes, MPI_BYTE, peer, tag, NULL));
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages && is_sent(me, peer); k++)
      check(tacit_graph_send(graph, place(mine, peer, k), bytes, MPI_BYTE, peer, tag, NULL));
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_compile", way);
  MPI_Barrier(MPI_COMM_WORLD);
  took = MPI_Wtime();
  check(tacit_compile(graph, info, &made));
  took = (MPI_Wtime() - took) * 1e6;
  MPI_Info_free(&info);
  check(tacit_graph_free(&graph));
  memset(got, 0, (size_t)ranks * (size_t)messages * (size_t)bytes);
  check(tacit_run(made));
  for (int peer = 0; peer < ranks; peer++)
    if (is_sent(peer, me) && *place(got, peer, messages - 1) != (char)(peer + 1))
      MPI_Abort(MPI_COMM_WORLD, 3);
  check(tacit_schedule_free(&made));
  MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  static const char* const ways[] = {"central", "distributed"};
  enum { most_rounds = 1000 };
  static double us[2][most_rounds];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  lacking = argc == 5 && strcmp(argv[4], "lacking") == 0;
  const int rounds = argc == 4 || lacking ? whole_int(argv[3]) : 0;
  if (rounds < 1 || rounds > most_rounds)
    MPI_Abort(MPI_COMM_WORLD, 2);
  messages = whole_int(argv[1]);
  bytes = whole_int(argv[2]);
  const size_t all = (size_t)ranks * (size_t)messages * (size_t)bytes;
  char* const mine = malloc(all);
  char* const got = malloc(all);
  memset(mine, me + 1, all);
  for (int round = -1; round < rounds; round++) /* the first warms up */
    for (int w = 0; w < 2; w++)
      us[w][round < 0 ? 0 : round] = compiling(ways[w], 2 * round + w + 2, mine, got);
  for (int w = 0; w < 2; w++) {
    qsort(us[w], (size_t)rounds, sizeof **us, ascending);
    if (me == 0)
      printf("%s %.1f\n", ways[w], us[w][rounds / 2]);
  }
  free(mine);
  free(got);
  MPI_Finalize();
  return 0;
}
