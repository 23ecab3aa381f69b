/* Random exchanges, as the program's own loop of nonblocking messages and as a compiled graph, alternating in one process.
 *
 * random_exchanges FIRST LAST: the exchanges of these seeds. Each has up to four messages for every rank, among any ranks, or all to the
 * next one, or all of one length. A line for each: its seed, messages, the bytes of all, microseconds of the loop and of the graph (of the slowest rank
 * the median of nine blocks), and what runs. Every message is compared in the end; ends with 1 if some byte is wrong. */
#include "whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

enum { most_messages = 64, blocks = 9, line = 64 };

typedef struct {
  int from, to, bytes;
  size_t sent_at, received_at;
} message;

static int me, ranks, count;
static message all[most_messages];
static char *mine, *got;
static size_t all_bytes;
static unsigned long long state;

static unsigned below(unsigned n) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % n;
}

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "random_exchanges: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* The same on all ranks. */
static void draw(unsigned long long seed) {
  static const unsigned lengths[] = {8, 512, 8192, 65536, 262144};
  size_t sent[most_messages / 4] = {0}, received[most_messages / 4] = {0};
  state = seed * 7919 + 13;
  for (int i = 0; i < 5; i++)
    below(2);
  count = 1 + (int)below(4 * (unsigned)ranks);
  const unsigned kind = below(4), length = lengths[below(5)];
  all_bytes = 0;
  for (int i = 0; i < count; i++) {
    message* const m = &all[i];
    m->from = (int)below((unsigned)ranks);
    m->to = (m->from + 1) % ranks;
    if (kind != 3)
      m->to = (m->from + 1 + (int)below((unsigned)ranks - 1)) % ranks;
    m->bytes = (int)(kind == 0 ? length : 1 + below(2 * length));
    m->sent_at = sent[m->from];
    m->received_at = received[m->to];
    const size_t room = ((size_t)m->bytes + line - 1) / line * line;
    sent[m->from] += room;
    received[m->to] += room;
    all_bytes += (size_t)m->bytes;
  }
  mine = malloc(sent[me] + line);
  got = calloc(received[me] + line, 1);
  memset(mine, me + 1, sent[me] + line);
}

static void loop(void) {
  MPI_Request requests[2 * most_messages];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (all[i].to == me)
      MPI_Irecv(got + all[i].received_at, all[i].bytes, MPI_BYTE, all[i].from, i, MPI_COMM_WORLD,
                &requests[n++]);
  for (int i = 0; i < count; i++)
    if (all[i].from == me)
      MPI_Isend(mine + all[i].sent_at, all[i].bytes, MPI_BYTE, all[i].to, i, MPI_COMM_WORLD, &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static tacit_schedule schedule;

static void graph(void) {
  check(tacit_run(schedule));
}

static void compile(void) {
  tacit_graph made;
  check(tacit_graph_create(MPI_COMM_WORLD, &made));
  for (int i = 0; i < count; i++) {
    if (all[i].to == me)
      check(tacit_graph_recv(made, got + all[i].received_at, all[i].bytes, MPI_BYTE, all[i].from, i, NULL));
    if (all[i].from == me)
      check(tacit_graph_send(made, mine + all[i].sent_at, all[i].bytes, MPI_BYTE, all[i].to, i, NULL));
  }
  check(tacit_compile(made, MPI_INFO_NULL, &schedule));
  check(tacit_graph_free(&made));
}

static double block(void (*run)(void), int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  for (int k = 0; k < times; k++)
    run();
  return (MPI_Wtime() - begun) / times;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Seconds of the slowest rank. */
static double median(double* seconds) {
  MPI_Allreduce(MPI_IN_PLACE, seconds, blocks, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  qsort(seconds, blocks, sizeof *seconds, ascending);
  return seconds[blocks / 2];
}

static int right(void) {
  for (int i = 0; i < count; i++)
    for (int b = 0; all[i].to == me && b < all[i].bytes; b++)
      if (got[all[i].received_at + (size_t)b] != (char)(all[i].from + 1))
        return 0;
  return 1;
}

static int is_measured(void) {
  char text[16384] = "";
  check(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, NULL));
  return !strstr(text, "feedback: "); /* no trial, or one that is over */
}

/* "driver shm", or what the trial has led to, up to the first comma. */
static void tell(unsigned long long seed, double by_loop, double by_graph) {
  char text[16384] = "";
  check(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, NULL));
  const char* what = strstr(text, "feedback after");
  if (!what)
    what = strstr(text, "driver ");
  if (!what)
    what = text;
  printf("%llu %d %zu %.3f %.3f %.*s\n", seed, count, all_bytes, 1e6 * by_loop, 1e6 * by_graph,
         (int)strcspn(what, ";\n"), what);
  fflush(stdout);
}

static int compare(unsigned long long seed) {
  double seconds[2][blocks];
  draw(seed);
  compile();
  block(loop, 5);
  double once = block(loop, 20);
  MPI_Allreduce(MPI_IN_PLACE, &once, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int times = once > 1e-3 ? 4 : once < 1e-6 ? 4000 : (int)(4e-3 / once) + 1;
  int measured;
  do { /* until the ranks have decided */
    block(graph, 200);
    measured = is_measured();
    MPI_Allreduce(MPI_IN_PLACE, &measured, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  } while (!measured);
  memset(got, 0, 1);
  for (int k = 0; k < blocks; k++) {
    seconds[0][k] = block(loop, times);
    seconds[1][k] = block(graph, times);
  }
  const double by_loop = median(seconds[0]), by_graph = median(seconds[1]);
  for (int i = 0; i < count; i++)
    if (all[i].to == me)
      memset(got + all[i].received_at, 0, (size_t)all[i].bytes);
  graph();
  int good = right();
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (me == 0)
    tell(seed, by_loop, by_graph);
  if (me == 0 && !good)
    fprintf(stderr, "random_exchanges: seed %llu: wrong bytes\n", seed);
  check(tacit_schedule_free(&schedule));
  free(mine);
  free(got);
  return good;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks < 2 || 4 * ranks > most_messages) {
    fprintf(stderr, "random_exchanges FIRST LAST, on 2 to %d ranks\n", most_messages / 4);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int good = 1;
  for (long long seed = whole_int(argv[1]), last = whole_int(argv[2]); seed <= last; seed++)
    good = compare((unsigned long long)seed) && good;
  MPI_Finalize();
  return !good;
}
