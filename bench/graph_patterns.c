/* Patterns written by hand as a program has them (a loop of Isend and Irecv), as MPI's blocking collective, and as a compiled
 * graph. One way per process, because what one way leaves behind in the library (Open MPI's progress loop gets longer with the
 * first nonblocking collective) would count against the others.
 *
 * graph_patterns loop|mpi|graph|written|tuned [fresh]: a line per case, "pattern bytes microseconds": the lowest tenth of the blocks.
 * `fresh`: every rank writes what it sends before each run and reads what it got behind it, as programs do; that counts, too, and is
 * the same for all ways. Without it buffers that nobody touches stay in caches, which flatters single copies. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

enum { blocks = 30, most = 1 << 22 };
static int me, ranks, fresh;
static char *mine, *got;

static int wanted(const char* pattern, int from, int to) {
  if (from == to)
    return 0;
  if (!strcmp(pattern, "bcast") || !strcmp(pattern, "scatter"))
    return from == 0;
  return !strcmp(pattern, "gather") ? to == 0 : 1;
}

/* Where the block for `to` lies at its source, and the block of `from` at its destination. */
static char* source_of(const char* pattern, int to, int bytes) {
  const int apart = !strcmp(pattern, "scatter") || !strcmp(pattern, "alltoall");
  return mine + (apart ? (size_t)to * bytes : 0);
}
static char* target_of(const char* pattern, int from, int bytes) {
  const int one = !strcmp(pattern, "bcast") || !strcmp(pattern, "scatter");
  return got + (one ? 0 : (size_t)from * bytes);
}

static void by_loop(const char* pattern, int bytes) {
  MPI_Request requests[128];
  int n = 0;
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, peer, me))
      MPI_Irecv(target_of(pattern, peer, bytes), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[n++]);
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, me, peer))
      MPI_Isend(source_of(pattern, peer, bytes), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void by_mpi(const char* pattern, int n) {
  if (!strcmp(pattern, "bcast"))
    MPI_Bcast(me == 0 ? mine : got, n, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (!strcmp(pattern, "scatter"))
    MPI_Scatter(mine, n, MPI_BYTE, got, n, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (!strcmp(pattern, "gather"))
    MPI_Gather(mine, n, MPI_BYTE, got, n, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (!strcmp(pattern, "allgather"))
    MPI_Allgather(mine, n, MPI_BYTE, got, n, MPI_BYTE, MPI_COMM_WORLD);
  else
    MPI_Alltoall(mine, n, MPI_BYTE, got, n, MPI_BYTE, MPI_COMM_WORLD);
}

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "graph_patterns: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static tacit_schedule compiled(const char* pattern, int bytes, const char* way) {
  tacit_graph graph;
  tacit_schedule made;
  MPI_Info info;
  check(tacit_graph_create(MPI_COMM_WORLD, &graph));
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, peer, me))
      check(tacit_graph_recv(graph, target_of(pattern, peer, bytes), bytes, MPI_BYTE, peer, 0, NULL));
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, me, peer))
      check(tacit_graph_send(graph, source_of(pattern, peer, bytes), bytes, MPI_BYTE, peer, 0, NULL));
  MPI_Info_create(&info);
  if (!strcmp(way, "written"))
    MPI_Info_set(info, "tacit_replace", "false");
  if (!strcmp(way, "tuned"))
    MPI_Info_set(info, "tacit_tune", "again");
  check(tacit_compile(graph, info, &made));
  MPI_Info_free(&info);
  check(tacit_graph_free(&graph));
  return made;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* A word of each cache line that the pattern moves here. */
static void produce(const char* pattern, int bytes, int run) {
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, me, peer))
      for (int i = 0; i < bytes; i += 64)
        source_of(pattern, peer, bytes)[i] = (char)(run + me + i / 64);
}
static void consume(const char* pattern, int bytes) {
  static volatile char sum;
  for (int peer = 0; peer < ranks; peer++)
    if (wanted(pattern, peer, me))
      for (int i = 0; i < bytes; i += 64)
        sum = (char)(sum + target_of(pattern, peer, bytes)[i]);
}

static double microseconds(const char* pattern, int bytes, const char* way) {
  const int is_loop = !strcmp(way, "loop"), is_mpi = !strcmp(way, "mpi");
  const int runs = bytes >= 1 << 22 ? 5 : bytes >= 1 << 20 ? 20 : bytes >= 1 << 16 ? 50 : 400;
  tacit_schedule schedule = NULL;
  double times[blocks];
  if (!is_loop && !is_mpi)
    schedule = compiled(pattern, bytes, way);
  /* The first blocks warm up, and decide where up to 6 candidates are measured: in 5 turns each, of 4 runs at least. */
  const int before = 130 / runs > 8 ? 130 / runs : 8;
  for (int block = -before; block < blocks; block++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < runs; i++) {
      if (fresh)
        produce(pattern, bytes, i);
      if (is_loop)
        by_loop(pattern, bytes);
      else if (is_mpi)
        by_mpi(pattern, bytes);
      else {
        check(tacit_start(schedule));
        check(tacit_wait(schedule));
      }
      if (fresh)
        consume(pattern, bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* who only sends has not done more than the others */
    if (block >= 0)
      times[block] = (MPI_Wtime() - start) / runs * 1e6;
  }
  if (schedule) {
    char text[4000] = "";
    size_t needed = 0;
    if (me == 0 && getenv("GRAPH_PATTERNS_EXPLAIN") &&
        tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, &needed) == MPI_SUCCESS)
      fprintf(stderr, "%s %d B\n%s", pattern, bytes, text);
    check(tacit_schedule_free(&schedule));
  }
  qsort(times, blocks, sizeof *times, ascending);
  return times[blocks / 10];
}

int main(int argc, char** argv) {
  static const char* const patterns[] = {"bcast", "scatter", "gather", "allgather", "alltoall"};
  static const int sizes[] = {64, 4096, 65536, 1 << 18, 1 << 20, most};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fresh = argc == 3 && !strcmp(argv[2], "fresh");
  if ((argc != 2 && !fresh) || ranks > 64)
    MPI_Abort(MPI_COMM_WORLD, 2);
  mine = malloc((size_t)ranks * most);
  got = malloc((size_t)ranks * most);
  memset(mine, me + 1, (size_t)ranks * most);
  memset(got, 0, (size_t)ranks * most);
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      double all, here = microseconds(patterns[p], sizes[s], argv[1]);
      MPI_Reduce(&here, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (me == 0)
        printf("%s %d %.3f\n", patterns[p], sizes[s], all);
    }
  MPI_Finalize();
  free(mine);
  free(got);
  return 0;
}
