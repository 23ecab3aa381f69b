/* What it is worth to find out what a graph means while it runs as written (tacit_background): the time of tacit_compile, and of all from there
 * to the end of so many runs, with and without, on communicators that know nothing, in turns.
 *
 * background MESSAGES PIECES ROUNDS: an alltoall of that many messages for each pair, each of so many pieces of 8 bytes; a line "what runs
 * microseconds" for each of
 *     compile   tacit_compile alone (runs is 0)
 *     total     tacit_compile and the runs
 * each "at-once-" or "background-": the median of the rounds, each of its slowest rank; and "over": the first run of the new form, the
 * median, 0 if there was none. */
#include "whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

enum { most_rounds = 99, lengths = 4 };
static const int runs[lengths] = {1, 10, 100, 1000};
enum { bytes = 8 };
static int me, ranks, messages, pieces;
static MPI_Datatype column;
static char *mine, *got;

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "background: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static tacit_graph built(MPI_Comm comm) {
  tacit_graph graph;
  check(tacit_graph_create(comm, &graph));
  for (int peer = 0; peer < ranks; peer++)
    for (int k = 0; k < messages && peer != me; k++) {
      const size_t at = ((size_t)peer * (size_t)messages + (size_t)k) * (size_t)pieces * 2 * bytes;
      check(tacit_graph_recv(graph, got + at, 1, column, peer, k, NULL));
      check(tacit_graph_send(graph, mine + at, 1, column, peer, k, NULL));
    }
  return graph;
}

static int run_of_new_form(tacit_schedule made) {
  size_t needed = 0;
  int run = 0;
  check(tacit_explain(made, TACIT_EXPLAIN_TEXT, NULL, 0, &needed));
  char* const text = malloc(needed);
  check(tacit_explain(made, TACIT_EXPLAIN_TEXT, text, needed, &needed));
  const char* const says = strstr(text, "runs from run ");
  if (says)
    run = whole_int_before(says + strlen("runs from run "), " ");
  free(text);
  return run;
}

static void once(int in_background, int many, double* compile, double* total, double* over) {
  MPI_Comm fresh;
  MPI_Info info;
  tacit_schedule made;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_background", in_background ? "on" : "off");
  tacit_graph graph = built(fresh);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  check(tacit_compile(graph, info, &made));
  *compile = MPI_Wtime() - start;
  for (int i = 0; i < many; i++) {
    check(tacit_start(made));
    check(tacit_wait(made));
  }
  *total = MPI_Wtime() - start;
  *over = run_of_new_form(made);
  check(tacit_schedule_free(&made));
  check(tacit_graph_free(&graph));
  MPI_Info_free(&info);
  MPI_Comm_free(&fresh);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int rounds) {
  qsort(values, (size_t)rounds, sizeof *values, ascending);
  return values[rounds / 2];
}

int main(int argc, char** argv) {
  static double compile[2][most_rounds], total[2][most_rounds], over[most_rounds];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  messages = argc > 1 ? whole_int(argv[1]) : 64;
  pieces = argc > 2 ? whole_int(argv[2]) : 1;
  const int rounds = argc > 3 ? whole_int(argv[3]) : 9;
  if (messages < 1 || pieces < 1 || rounds < 1 || rounds > most_rounds)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const size_t all = (size_t)ranks * (size_t)messages * (size_t)pieces * 2 * bytes;
  MPI_Type_vector(pieces, bytes, 2 * bytes, MPI_BYTE, &column);
  MPI_Type_commit(&column);
  mine = malloc(all);
  got = malloc(all);
  memset(mine, me + 1, all);
  memset(got, 0, all);
  for (int l = 0; l < lengths; l++) {
    for (int round = -1; round < rounds; round++) /* the first warms up */
      for (int way = 0; way < 2; way++) {
        double us[3], slowest[3];
        once(way, runs[l], &us[0], &us[1], &us[2]);
        MPI_Allreduce(us, slowest, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (round < 0)
          continue;
        compile[way][round] = slowest[0];
        total[way][round] = slowest[1];
        if (way == 1)
          over[round] = slowest[2];
      }
    for (int way = 0; way < 2; way++) {
      const char* const name = way ? "background" : "at-once";
      const double c = median(compile[way], rounds) * 1e6, t = median(total[way], rounds) * 1e6;
      if (me == 0)
        printf("%s-compile %d %.1f\n%s-total %d %.1f\n", name, runs[l], c, name, runs[l], t);
    }
    const double first = median(over, rounds);
    if (me == 0)
      printf("over %d %.0f\n", runs[l], first);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  free(mine);
  free(got);
  return 0;
}
