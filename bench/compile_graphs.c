/* What compiling a graph costs, and after how many executions it has paid: the program's own loop of messages and the same messages as a
 * graph, in one process, in turns, so that what disturbs the machine disturbs all.
 *
 * compile_graphs: a line per case, "pattern bytes what microseconds": the lowest tenth of the rounds, each of its slowest rank, of
 *     loop     one execution of the loop
 *     run      one of the compiled graph
 *     build    making the graph, alone
 *     first    building and compiling, on a communicator that knows nothing
 *     new      the same of another graph of this kind (another tag), where something has been compiled before
 *     moved    of one that was compiled before, with its buffers elsewhere
 *     again    of one that was compiled before
 * Patterns: alltoall, bcast, gather; ring and "pairs": 64 messages to each other rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

enum { rounds = 60, runs = 20, most_messages = 64, most_bytes = 4096, most_ranks = 64 };
static int me, ranks;
static char *mine, *got;

static int messages(const char* pattern, int from, int to) {
  if (from == to)
    return 0;
  if (!strcmp(pattern, "bcast"))
    return from == 0;
  if (!strcmp(pattern, "gather"))
    return to == 0;
  if (!strcmp(pattern, "ring"))
    return to == (from + 1) % ranks;
  return !strcmp(pattern, "pairs") ? most_messages : 1;
}
static char* place(char* in, int peer, int k, int bytes) {
  return in + ((size_t)peer * most_messages + (size_t)k) * (size_t)bytes;
}
/* A broadcast sends one block to all. */
static char* source(const char* pattern, char* in, int peer, int k, int bytes) {
  return strcmp(pattern, "bcast") ? place(in, peer, k, bytes) : in;
}

static void by_loop(const char* pattern, int bytes) {
  static MPI_Request requests[2 * most_ranks * most_messages];
  int n = 0;
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages(pattern, peer, me); k++)
      MPI_Irecv(place(got, peer, k, bytes), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[n++]);
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages(pattern, me, peer); k++)
      MPI_Isend(source(pattern, mine, peer, k, bytes), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "compile_graphs: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static tacit_graph built(const char* pattern, int bytes, int tag, MPI_Comm comm, size_t moved) {
  tacit_graph graph;
  check(tacit_graph_create(comm, &graph));
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages(pattern, peer, me); k++)
      check(tacit_graph_recv(graph, place(got + moved, peer, k, bytes), bytes, MPI_BYTE, peer, tag, NULL));
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages(pattern, me, peer); k++)
      check(tacit_graph_send(graph, source(pattern, mine + moved, peer, k, bytes), bytes, MPI_BYTE, peer, tag,
                             NULL));
  return graph;
}

static double since(double start) {
  return (MPI_Wtime() - start) * 1e6;
}

/* Microseconds here of building and compiling; the schedule is run once, or returned in `keep`. */
static double compiling(const char* pattern, int bytes, int tag, MPI_Comm comm, size_t moved,
                        tacit_schedule* keep) {
  tacit_schedule made;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  tacit_graph graph = built(pattern, bytes, tag, comm, moved);
  check(tacit_compile(graph, MPI_INFO_NULL, &made));
  const double took = since(start);
  check(tacit_graph_free(&graph));
  if (keep) {
    *keep = made;
    return took;
  }
  check(tacit_run(made));
  check(tacit_schedule_free(&made));
  return took;
}

enum { loop, run, build, first, new, moved, again, ways };
static const char* const names[] = {"loop", "run", "build", "first", "new", "moved", "again"};

static void one_round(const char* pattern, int bytes, int round, MPI_Comm comm, double* us) {
  tacit_schedule made;
  MPI_Comm fresh;
  double start;
  us[again] = compiling(pattern, bytes, 0, comm, 0, &made);
  for (int turn = 0; turn < 2; turn++) { /* the first warms up */
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < runs; i++) {
      check(tacit_start(made));
      check(tacit_wait(made));
    }
    us[run] = since(start) / runs;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < runs; i++)
      by_loop(pattern, bytes);
    us[loop] = since(start) / runs;
  }
  check(tacit_schedule_free(&made));
  us[new] = compiling(pattern, bytes, round + 10, comm, 0, NULL);
  us[moved] = compiling(pattern, bytes, round + 10, comm, most_bytes, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  us[first] = compiling(pattern, bytes, 0, fresh, 0, NULL);
  MPI_Comm_free(&fresh);
  start = MPI_Wtime();
  tacit_graph graph = built(pattern, bytes, 0, comm, 0);
  us[build] = since(start);
  check(tacit_graph_free(&graph));
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  static const char* const patterns[] = {"alltoall", "bcast", "gather", "ring", "pairs"};
  static const int sizes[] = {64, 4096};
  static double times[ways][rounds];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most_ranks)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const size_t all = (size_t)ranks * most_messages * most_bytes + most_bytes;
  mine = malloc(all);
  got = malloc(all);
  memset(mine, me + 1, all);
  memset(got, 0, all);
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      MPI_Comm comm;
      double us[ways], slowest[ways];
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      compiling(patterns[p], sizes[s], 0, comm, 0, NULL);
      for (int round = 0; round < rounds; round++) {
        one_round(patterns[p], sizes[s], round, comm, us);
        MPI_Allreduce(us, slowest, ways, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        for (int w = 0; w < ways; w++)
          times[w][round] = slowest[w];
      }
      for (int w = 0; w < ways; w++) {
        qsort(times[w], rounds, sizeof **times, ascending);
        if (me == 0)
          printf("%s %d %s %.3f\n", patterns[p], sizes[s], names[w], times[w][rounds / 10]);
      }
      MPI_Comm_free(&comm);
    }
  MPI_Finalize();
  free(mine);
  free(got);
  return 0;
}
