/* Collective operations that programs spell out, as the cDAG paper (Hoefler and Schneider, PACT 2012) found them: by hand, as the
 * program has it; as a graph that tacit compiles; as MPI's own call. Run by patterns.py, on real and on simulated processes (SMPI).
 *
 *   patterns PATTERN WAYS BYTES BLOCKS RUNS [RUNS_BEFORE]
 *
 * PATTERN  broadcast           rank 0 sends to one after the other (Figure 7c)
 *          scatter             rank 0 sends each one a block of its own, one after the other
 *          gather              rank 0 receives from one after the other, as SPhot does (section 3.4)
 *          allgather           every rank sends its block to one after the other
 *          transpose           every rank posts a block for every other, as NAS FT does (section 1.2, Figure 8)
 *          allreduce-linear    rank 0 adds up what all have, and hands the sum out (Figure 7b, "reflin")
 *          allreduce-doubling  in log2 p steps of pairs; p is a power of two (Figure 7b, "reflog" and "caftut")
 *          allreduce-tree      up a binomial tree and down again
 * WAYS     hand, graph or mpi, or some of them with commas between: these take turns, block by block, so that what disturbs the
 *          machine for a while disturbs all of them
 * BYTES    of a block
 *
 * A line: "result <seconds of a run, for each way> <seconds of the first compilation> <of a later one> <wrong values>", then for
 * graphs what tacit_explain says, as text and as JSON. RUNS runs make a block, which ends when the last rank has; the median block
 * counts. With one run to a block all ranks start at the same time, as far as clocks tell. Values are compared after each block.
 * RUNS_BEFORE runs come before the first block of a graph, while it measures its variants. Each block begins with another way. */
#include "../../whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>
#include <time.h>

#ifdef SUMS_OF_DOUBLES /* which have to be added up in the order of the graph */
typedef double number;
#define numbers MPI_DOUBLE
#else
typedef int number;
#define numbers MPI_INT
#endif

enum { most_blocks = 1000, most_ways = 3, warm_up = 2 };
static int me, ranks, elements;
static number *mine, *got, *scratch; /* blocks of `elements` */

static void check(int code) {
  if (code == TACIT_SUCCESS)
    return;
  fprintf(stderr, "patterns: %s\n", tacit_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is(const char* a, const char* b) {
  return strcmp(a, b) == 0;
}
static number* block_of(number* blocks, int rank) {
  return blocks + (size_t)rank * elements;
}

/* --- by hand */

static void add(number* into, const number* from) {
  for (int i = 0; i < elements; i++)
    into[i] += from[i];
}

static void broadcast_by_hand(void) {
  if (me != 0)
    MPI_Recv(got, elements, numbers, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    for (int peer = 1; peer < ranks; peer++)
      MPI_Send(mine, elements, numbers, peer, 0, MPI_COMM_WORLD);
}

static void scatter_by_hand(void) {
  if (me != 0)
    MPI_Recv(got, elements, numbers, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    for (int peer = 1; peer < ranks; peer++)
      MPI_Send(block_of(mine, peer), elements, numbers, peer, 0, MPI_COMM_WORLD);
}

static void gather_by_hand(void) {
  if (me != 0)
    MPI_Send(mine, elements, numbers, 0, 0, MPI_COMM_WORLD);
  else
    for (int peer = 1; peer < ranks; peer++)
      MPI_Recv(block_of(got, peer), elements, numbers, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All ranks at once: each has a block for every other one, or the same for all. */
static void exchange_by_hand(int same) {
  static MPI_Request* requests;
  int n = 0;
  if (!requests)
    requests = malloc(sizeof *requests * 2 * (size_t)ranks);
  for (int peer = 0; peer < ranks; peer++)
    if (peer != me)
      MPI_Irecv(block_of(got, peer), elements, numbers, peer, 0, MPI_COMM_WORLD, &requests[n++]);
  for (int peer = 0; peer < ranks; peer++)
    if (peer != me)
      MPI_Isend(same ? mine : block_of(mine, peer), elements, numbers, peer, 0, MPI_COMM_WORLD,
                &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* Where a rank stands in a binomial tree: the distance to its parent (for rank 0 the first power of two that is not below p). */
static int reach(void) {
  int distance = 1;
  while (distance < ranks && !(me & distance))
    distance *= 2;
  return distance;
}

static void sum_up_by_hand(const char* form) {
  memcpy(got, mine, sizeof *got * (size_t)elements);
  if (is(form, "doubling")) {
    for (int distance = 1; distance < ranks; distance *= 2) {
      MPI_Sendrecv(got, elements, numbers, me ^ distance, 0, scratch, elements, numbers, me ^ distance, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      add(got, scratch);
    }
    return;
  }
  const int linear = is(form, "linear");
  const int parent = linear ? 0 : me - reach(), below = linear ? (me == 0 ? ranks : 1) : reach();
  for (int distance = 1; distance < below; distance = linear ? distance + 1 : distance * 2)
    if (me + distance < ranks) {
      MPI_Recv(scratch, elements, numbers, me + distance, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      add(got, scratch);
    }
  if (me != 0) {
    MPI_Send(got, elements, numbers, parent, 0, MPI_COMM_WORLD);
    MPI_Recv(got, elements, numbers, parent, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int distance = 1; distance < below; distance = linear ? distance + 1 : distance * 2)
    if (me + distance < ranks)
      MPI_Send(got, elements, numbers, me + distance, 0, MPI_COMM_WORLD);
}

/* --- as a graph */

static tacit_op after; /* what the next operation waits for */
static int has_before;

static void in_turn(tacit_graph graph, tacit_op op) {
  if (has_before)
    check(tacit_graph_depend(graph, after, op));
  after = op;
  has_before = 1;
}

static void write_sum_up(tacit_graph graph, const char* form) {
  tacit_op op;
  has_before = 0;
  check(tacit_graph_copy(graph, mine, elements, numbers, got, elements, numbers, &op));
  in_turn(graph, op);
  if (is(form, "doubling")) {
    for (int distance = 1; distance < ranks; distance *= 2) {
      check(tacit_graph_send(graph, got, elements, numbers, me ^ distance, 0, &op));
      in_turn(graph, op);
      check(tacit_graph_recv_reduce(graph, got, elements, numbers, MPI_SUM, me ^ distance, 0, &op));
      in_turn(graph, op);
    }
    return;
  }
  const int linear = is(form, "linear");
  const int parent = linear ? 0 : me - reach(), below = linear ? (me == 0 ? ranks : 1) : reach();
  for (int distance = 1; distance < below; distance = linear ? distance + 1 : distance * 2)
    if (me + distance < ranks) {
      check(tacit_graph_recv_reduce(graph, got, elements, numbers, MPI_SUM, me + distance, 0, &op));
      in_turn(graph, op);
    }
  if (me != 0) {
    check(tacit_graph_send(graph, got, elements, numbers, parent, 0, &op));
    in_turn(graph, op);
    check(tacit_graph_recv(graph, got, elements, numbers, parent, 0, &op));
    in_turn(graph, op);
  }
  const tacit_op complete = after;
  for (int distance = 1; distance < below; distance = linear ? distance + 1 : distance * 2)
    if (me + distance < ranks) {
      check(tacit_graph_send(graph, got, elements, numbers, me + distance, 0, &op));
      check(tacit_graph_depend(graph, complete, op));
    }
}

static tacit_schedule compiled(const char* pattern) {
  tacit_graph graph;
  tacit_schedule schedule;
  check(tacit_graph_create(MPI_COMM_WORLD, &graph));
  if (!strncmp(pattern, "allreduce-", 10))
    write_sum_up(graph, pattern + 10);
  const int scatter = is(pattern, "scatter"), apart = scatter || is(pattern, "transpose");
  const int down = scatter || is(pattern, "broadcast"),
            all = is(pattern, "transpose") || is(pattern, "allgather");
  for (int peer = 0; peer < ranks; peer++) {
    if (peer == me)
      continue;
    if ((down && peer == 0) || (is(pattern, "gather") && me == 0) || all)
      check(tacit_graph_recv(graph, down ? got : block_of(got, peer), elements, numbers, peer, 0, NULL));
    if ((down && me == 0) || (is(pattern, "gather") && peer == 0) || all)
      check(tacit_graph_send(graph, apart ? block_of(mine, peer) : mine, elements, numbers, peer, 0, NULL));
  }
  check(tacit_compile(graph, MPI_INFO_NULL, &schedule));
  check(tacit_graph_free(&graph));
  return schedule;
}

/* --- MPI's call */

static void by_mpi(const char* pattern) {
  if (is(pattern, "broadcast"))
    MPI_Bcast(me == 0 ? mine : got, elements, numbers, 0, MPI_COMM_WORLD);
  else if (is(pattern, "scatter")) /* its own block stays where it is */
    MPI_Scatter(mine, elements, numbers, me == 0 ? MPI_IN_PLACE : (void*)got, elements, numbers, 0,
                MPI_COMM_WORLD);
  else if (is(pattern, "gather"))
    MPI_Gather(mine, elements, numbers, got, elements, numbers, 0, MPI_COMM_WORLD);
  else if (is(pattern, "allgather"))
    MPI_Allgather(mine, elements, numbers, got, elements, numbers, MPI_COMM_WORLD);
  else if (is(pattern, "transpose"))
    MPI_Alltoall(mine, elements, numbers, got, elements, numbers, MPI_COMM_WORLD);
  else
    MPI_Allreduce(mine, got, elements, numbers, MPI_SUM, MPI_COMM_WORLD);
}

static void by_hand(const char* pattern) {
  if (is(pattern, "broadcast"))
    broadcast_by_hand();
  else if (is(pattern, "scatter"))
    scatter_by_hand();
  else if (is(pattern, "gather"))
    gather_by_hand();
  else if (is(pattern, "transpose") || is(pattern, "allgather"))
    exchange_by_hand(is(pattern, "allgather"));
  else
    sum_up_by_hand(pattern + strlen("allreduce-"));
}

/* --- values: what rank r has for rank `to` in a block */

static number value(int r, int to, int i, int block) {
  return r * 7 + to * 3 + i % 11 + block;
}

static void fill(int blocks, int block) {
  for (int to = 0; to < blocks; to++)
    for (int i = 0; i < elements; i++)
      block_of(mine, to)[i] = value(me, to, i, block);
  memset(got, 0xee, sizeof *got * (size_t)elements * (size_t)ranks);
}

static long wrong(const char* pattern, int block) {
  long n = 0;
  for (int peer = 0; peer < ranks; peer++)
    for (int i = 0; i < elements; i++)
      if (is(pattern, "broadcast"))
        n += me != 0 && got[i] != value(0, 0, i, block);
      else if (is(pattern, "scatter"))
        n += me != 0 && got[i] != value(0, me, i, block);
      else if (is(pattern, "gather"))
        n += me == 0 && peer != 0 && block_of(got, peer)[i] != value(peer, 0, i, block);
      else if (is(pattern, "allgather"))
        n += peer != me && block_of(got, peer)[i] != value(peer, 0, i, block);
      else if (is(pattern, "transpose"))
        n += peer != me && block_of(got, peer)[i] != value(peer, me, i, block);
      else if (peer == 0)
        n += got[i] != 7 * (ranks * (ranks - 1) / 2) + ranks * (i % 11 + block);
  return n;
}

/* --- time */

static void run_once(const char* pattern, const char* way, tacit_schedule schedule) {
  if (is(way, "graph"))
    check(tacit_run(schedule));
  else if (is(way, "mpi"))
    by_mpi(pattern);
  else
    by_hand(pattern);
}

static double together(int runs) {
  if (runs > 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
  }
  double now = MPI_Wtime(), latest = 0;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double at = latest + 0.05, left = at - MPI_Wtime();
  const struct timespec pause = {0, left > 0 ? (long)(left * 1e9) : 0};
  nanosleep(&pause, NULL);
  return at;
}

/* What the last rank needed since `start`. */
static double since(double start) {
  double own = MPI_Wtime() - start, longest = 0;
  MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* times, int n) {
  qsort(times, (size_t)n, sizeof *times, ascending);
  return times[n / 2];
}

/* `list` is taken apart. */
static int split(char* list, const char* ways[most_ways]) {
  int n = 0;
  for (char* way = strtok(list, ","); way; way = strtok(NULL, ",")) {
    if (n == most_ways || !(is(way, "hand") || is(way, "graph") || is(way, "mpi")))
      return 0;
    ways[n++] = way;
  }
  return n;
}

static void explain(tacit_schedule schedule) {
  static char said[1 << 16];
  for (int json = 0; json < 2; json++) {
    size_t needed;
    check(
        tacit_explain(schedule, json ? TACIT_EXPLAIN_JSON : TACIT_EXPLAIN_TEXT, said, sizeof said, &needed));
    if (me == 0)
      printf("%s\n", said);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* tacit says more than MPI does */
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* ways[most_ways];
  const int n_ways = argc == 6 || argc == 7 ? split(argv[2], ways) : 0;
  if (n_ways == 0) {
    fprintf(stderr, "usage: %s PATTERN hand|graph|mpi[,...] BYTES BLOCKS RUNS [RUNS_BEFORE]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* pattern = argv[1];
  const int blocks = whole_int(argv[4]), runs = whole_int(argv[5]),
            before = argc > 6 ? whole_int(argv[6]) : 0,
            sent = is(pattern, "transpose") || is(pattern, "scatter") ? ranks : 1;
  elements = whole_int(argv[3]) / (int)sizeof(number);
  if (blocks < 1 || blocks > most_blocks || runs < 1 || elements < 1) {
    fprintf(stderr, "patterns: BYTES is at least 4, BLOCKS 1 to %d, RUNS at least 1\n", most_blocks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  mine = malloc(sizeof *mine * (size_t)elements * (size_t)ranks);
  got = malloc(sizeof *got * (size_t)elements * (size_t)ranks);
  scratch = malloc(sizeof *scratch * (size_t)elements);
  if (!mine || !got || !scratch)
    MPI_Abort(MPI_COMM_WORLD, 3);
  fill(sent, 0);

  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  double first = 0, later = 0;
  for (int way = 0; way < n_ways; way++)
    if (is(ways[way], "graph") && schedule == TACIT_SCHEDULE_NULL) {
      double start = together(1);
      schedule = compiled(pattern);
      first = since(start);
      check(tacit_schedule_free(&schedule));
      start = together(1);
      schedule = compiled(pattern);
      later = since(start);
      for (int run = 0; run < before; run++)
        run_once(pattern, ways[way], schedule);
    }
  static double times[most_ways][most_blocks];
  long bad = 0, all_bad = 0;
  for (int block = -warm_up; block < blocks; block++)
    for (int turn = 0; turn < n_ways; turn++) {
      const int way = (block + warm_up + turn) % n_ways;
      fill(sent, block);
      const double start = together(runs);
      for (int run = 0; run < runs; run++)
        run_once(pattern, ways[way], schedule);
      const double taken = since(start) / runs;
      bad += wrong(pattern, block);
      if (block >= 0)
        times[way][block] = taken;
    }
  MPI_Allreduce(&bad, &all_bad, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) {
    for (int way = 0; way < n_ways; way++)
      printf("%s%.9f", way == 0 ? "result " : ",", median(times[way], blocks));
    printf(" %.9f %.9f %ld\n", first, later, all_bad);
  }
  if (schedule != TACIT_SCHEDULE_NULL) {
    explain(schedule);
    check(tacit_schedule_free(&schedule));
  }
  MPI_Finalize();
  return 0;
}
