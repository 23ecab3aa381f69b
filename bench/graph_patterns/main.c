/* Patterns written by hand as a program has them (a loop of Isend and Irecv), by hand as well as can be, as MPI's blocking
 * collective, and as a compiled graph. The ways of one process are measured in turn, block by block, so that whatever disturbs the
 * machine disturbs all of them. What one way leaves behind in the library (Open MPI's progress loop gets longer with the first
 * nonblocking collective) counts against the others, too: who calls the program decides which ways share a process.
 *
 * graph_patterns WAYS PATTERNS SIZES MILLISECONDS [fresh]: a line per case and way, "pattern bytes way microseconds" with tabs
 * between, the lowest tenth of its blocks; and "# pattern bytes explanation", of what is chosen, as JSON.
 *   WAYS      with commas between: loop, again (the same loop as another way), best, mpi; graphs: graph (what is chosen), written,
 *             tuned, or by a driver: shm, p2p, coll, pcoll; candidates (the graph as written, and each plan that is predicted to take
 *             at most three times what is chosen) and collectives (plans by MPI's collectives): "plan (driver)" each
 *   PATTERNS  and SIZES: with commas between; "all" patterns
 *   MILLISECONDS of measuring a case, about
 *   fresh     every rank writes what it sends before each run and reads what it got behind it, as programs do; that counts, too, and
 *             is the same for all ways. Without it buffers that nobody touches stay in caches, which flatters single copies.
 *
 * bytes is the size of a block, a multiple of 8; in the vector forms of the largest one. halo: both neighbors of a ring. transpose: an
 * alltoall of blocks of a matrix of doubles, rows apart in memory. barrier: messages of no bytes from everybody to everybody. reduce,
 * allreduce, reduce_scatter: sums of 64-bit integers, everything sent to whom it is combined at; with _double: of doubles, in that order. */
#include "../whole_number.h"
#include "by_hand.h"
#include "compiled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ways = 40, least_blocks = 20, most_blocks = 64 };

struct way {
  char label[2 * most_label];
  tacit_schedule schedule; /* null: by hand */
  int runs;                /* in a block */
  double times[most_blocks];
};

static struct pattern_case now;
static struct way ways[most_ways];
static int way_count, fresh;

/* A word of each cache line that the pattern moves here. */
static void produce(int run) {
  for (int k = 0; k < now.outs; k++)
    for (int i = 0; i < now.out[k].bytes; i += 64)
      now.out[k].at[i] = (char)(run + now.me + i / 64);
}
static void consume(void) {
  static volatile char sum;
  for (int k = 0; k < now.ins; k++)
    for (int i = 0; i < now.in[k].bytes; i += 64)
      sum = (char)(sum + (combines(now.pattern) ? now.got[i] : now.in[k].at[i]));
}

static void run_once(const struct way* w) {
  if (w->schedule)
    check(tacit_run(w->schedule));
  else if (is(w->label, "loop") || is(w->label, "again"))
    by_loop(&now);
  else if (is(w->label, "best"))
    by_best(&now);
  else
    by_mpi(&now);
}

/* One run from known bytes: every byte that arrives is compared. MPI's blocking halo has its own order of neighbors. */
static void check_bytes(const struct way* w) {
  fill(&now);
  MPI_Barrier(MPI_COMM_WORLD);
  run_once(w);
  if (is(w->label, "mpi") && is(now.pattern, "halo"))
    return;
  const size_t wrong = wrong_byte(&now);
  if (wrong) {
    fprintf(stderr, "graph_patterns: %s %s %d B: rank %d: wrong byte %zu\n", w->label, now.pattern, now.bytes,
            now.me, wrong - 1);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static double slowest(double here) {
  double all;
  MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* Microseconds of a run. The first runs bring buffers and slots to where this way leaves them. */
static double time_block(const struct way* w, int warm_up, int runs) {
  double start = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = -warm_up; i < runs; i++) {
    if (i == 0)
      start = MPI_Wtime();
    if (fresh)
      produce(i);
    run_once(w);
    if (fresh)
      consume();
  }
  return slowest((MPI_Wtime() - start) / runs * 1e6);
}

static struct way* add_way(const char* label, tacit_schedule schedule) {
  if (way_count == most_ways)
    MPI_Abort(MPI_COMM_WORLD, 4);
  struct way* const w = &ways[way_count++];
  snprintf(w->label, sizeof w->label, "%s", label);
  w->schedule = schedule;
  return w;
}

static void add_candidates(int collectives) {
  tacit_schedule chosen = compiled(&now, "graph", NULL, NULL);
  char* const text = explanation_of(chosen);
  check(tacit_schedule_free(&chosen));
  const struct candidate_list list = candidates_of(text, collectives, 3);
  free(text);
  for (int i = 0; i < list.count; i++) {
    char label[2 * most_label];
    snprintf(label, sizeof label, "%s (%s)", list.plan[i], list.driver[i]);
    add_way(label, compiled(&now, "", list.plan[i], list.driver[i]));
  }
}

static void add_named(const char* name) {
  if (is(name, "loop") || is(name, "again") || is(name, "best") || is(name, "mpi"))
    add_way(name, NULL);
  else if (is(name, "candidates") || is(name, "collectives"))
    add_candidates(is(name, "collectives"));
  else {
    const tacit_schedule made = compiled(&now, name, NULL, NULL);
    if (made)
      add_way(name, made);
  }
  if (is(name, "best"))
    prepare_best(&now);
  else if (is(name, "mpi"))
    prepare_mpi(&now);
}

/* What measures its variants in its first runs is timed when it has decided, which it does at the same run on all ranks. */
static void let_decide(const struct way* w) {
  const int turn = 20, most = 250; /* up to 8 candidates, in 5 turns each, of up to 100 runs */
  int decided = w->schedule == NULL;
  for (int i = 0; i < most && !decided; i++) {
    char* const text = explanation_of(w->schedule);
    decided = strstr(text, "feedback: ") == NULL;
    free(text);
    if (!decided)
      time_block(w, 0, turn);
  }
}

/* How often a way runs in a block, and how many blocks there are; alike on all ranks. */
static int plan_blocks(double milliseconds) {
  double all = 0;
  const double block = now.ranks > 2 ? 1000 : 200, least_runs = 2, most_runs = 400;
  for (int i = 0; i < way_count; i++) {
    let_decide(&ways[i]);
    const double once = time_block(&ways[i], 1, 2);
    const double runs = block / (once > 0.01 ? once : 0.01);
    ways[i].runs = (int)(runs < least_runs ? least_runs : runs > most_runs ? most_runs : runs);
    all += (ways[i].runs + 2) * once * 1e-3;
  }
  const double blocks = milliseconds / (all > 1e-3 ? all : 1e-3);
  return blocks < least_blocks ? least_blocks : blocks > most_blocks ? most_blocks : (int)blocks;
}

/* Another order each time, as a way finds caches and cores as the one before it leaves them. */
static void shuffle(int* order) {
  static unsigned state = 1; /* alike on all ranks */
  for (int i = 0; i < way_count; i++) {
    state = state * 1664525u + 1013904223u;
    const int at = (int)((state >> 8) % (unsigned)(i + 1));
    order[i] = order[at];
    order[at] = i;
  }
}

static void time_all(int blocks) {
  int order[most_ways];
  for (int block = 0; block < blocks; block++) {
    shuffle(order);
    for (int i = 0; i < way_count; i++) {
      struct way* const w = &ways[order[i]];
      w->times[block] = time_block(w, 2, w->runs);
    }
  }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print_case(int blocks) {
  for (int i = 0; i < way_count; i++) {
    struct way* const w = &ways[i];
    qsort(w->times, (size_t)blocks, sizeof *w->times, ascending);
    printf("%s\t%d\t%s\t%.3f\n", now.pattern, now.bytes, w->label, w->times[blocks / 10]);
    if (is(w->label, "graph") || is(w->label, "tuned")) {
      char* const text = explanation_of(w->schedule);
      printf("# %s %d %s %s\n", now.pattern, now.bytes, w->label, text);
      free(text);
    }
  }
}

static void run_case(const char* names, double milliseconds) {
  list_messages(&now);
  way_count = 0;
  for (const char* at = names; *at;) {
    char name[most_label];
    const size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    add_named(name);
    at += length + (at[length] == ',');
  }
  for (int i = 0; i < way_count; i++)
    check_bytes(&ways[i]);
  const int blocks = plan_blocks(milliseconds);
  time_all(blocks);
  for (int i = 0; i < way_count; i++)
    check_bytes(&ways[i]);
  if (now.me == 0)
    print_case(blocks);
  for (int i = 0; i < way_count; i++) {
    if (is(ways[i].label, "best"))
      end_best(&now);
    if (ways[i].schedule)
      check(tacit_schedule_free(&ways[i].schedule));
  }
  free_messages(&now);
}

static int listed(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
      return 1;
  return is(list, "all");
}

/* Of whole cache lines, and memory of this process before anything is timed. */
static char* buffer(size_t room) {
  char* const made = aligned_alloc(4096, (room + 4095) / 4096 * 4096);
  if (!made)
    MPI_Abort(MPI_COMM_WORLD, 2);
  memset(made, 0, room);
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &now.me);
  MPI_Comm_size(MPI_COMM_WORLD, &now.ranks);
  fresh = argc == 6 && is(argv[5], "fresh");
  const int milliseconds = argc >= 5 ? whole_int(argv[4]) : 0;
  if (argc < 5 || now.ranks > most_ranks || now.ranks < 2 || milliseconds < 1)
    MPI_Abort(MPI_COMM_WORLD, 2);
  make_ring(now.ranks);
  for (const char* at = argv[3]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    now.bytes = whole_int_before(at, ",");
    if (now.bytes < 8 || now.bytes % 8 != 0)
      MPI_Abort(MPI_COMM_WORLD, 2);
    now.room = (size_t)now.ranks * (size_t)now.bytes;
    now.mine = buffer(now.room);
    now.got = buffer(now.room);
    now.beside = buffer(now.room);
    for (size_t p = 0; p < most_patterns; p++)
      if (listed(argv[2], pattern_names[p]) &&
          (!is(pattern_names[p], "barrier") || at == argv[3])) { /* once: it has no size */
        now.pattern = pattern_names[p];
        run_case(argv[1], milliseconds);
      }
    free(now.mine);
    free(now.got);
    free(now.beside);
  }
  free_ring();
  MPI_Finalize();
  return 0;
}
