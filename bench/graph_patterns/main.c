/* Patterns written by hand as a program has them (a loop of Isend and Irecv), by hand as well as can be, as MPI's blocking
 * collective, and as a compiled graph. One way per process, because what one way leaves behind in the library (Open MPI's progress
 * loop gets longer with the first nonblocking collective) would count against the others.
 *
 * graph_patterns WAY PATTERNS SIZES BLOCKS [fresh]: a line per case, "pattern bytes microseconds", the lowest tenth of the blocks; of
 * graphs then "# pattern bytes " and the explanation as JSON.
 *   WAY       loop, best, mpi, or a graph: graph (what is chosen), written, tuned, or by a driver: shm, p2p, coll, pcoll
 *   PATTERNS  and SIZES: with commas between; "all" patterns
 *   fresh     every rank writes what it sends before each run and reads what it got behind it, as programs do; that counts, too, and
 *             is the same for all ways. Without it buffers that nobody touches stay in caches, which flatters single copies.
 *
 * bytes is the size of a block; in the vector forms of the largest one. halo: both neighbors of a ring. transpose: an alltoall of
 * blocks of a matrix of doubles, rows apart in memory. barrier: messages of no bytes from everybody to everybody. */
#include "whole_number.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

enum { most_ranks = 64, most_blocks = 200 };

struct message {
  int peer, tag, bytes; /* bytes of data */
  char* at;
  MPI_Datatype type; /* of one element; null: bytes */
};

static const char* const patterns[] = {"bcast",     "scatter",   "scatterv",   "gather",
                                       "gatherv",   "allgather", "allgatherv", "alltoall",
                                       "alltoallv", "barrier",   "halo",       "transpose"};
static int me, ranks, fresh;
static size_t room; /* of each of the two buffers */
static char *mine, *got, *packed;
static struct message in[2 * most_ranks], out[2 * most_ranks];
static int ins, outs;
static MPI_Request persistent[4 * most_ranks];
static MPI_Comm ring;

static int is(const char* pattern, const char* name) {
  return strcmp(pattern, name) == 0;
}
static int is_vector(const char* pattern) {
  return is(pattern, "scatterv") || pattern[strlen(pattern) - 1] == 'v';
}
static int is_of(const char* pattern, const char* name) {
  return strncmp(pattern, name, strlen(name)) == 0;
}

/* Where messages of the pattern go. */
static int wanted(const char* pattern, int from, int to) {
  if (from == to)
    return 0;
  if (is(pattern, "bcast") || is_of(pattern, "scatter"))
    return from == 0;
  return is_of(pattern, "gather") ? to == 0 : 1;
}

static int bytes_of(const char* pattern, int from, int to, int bytes) {
  if (is(pattern, "barrier"))
    return 0;
  if (!is_vector(pattern))
    return bytes;
  const int k = is(pattern, "alltoallv") ? (from + to) % ranks : is(pattern, "scatterv") ? to : from;
  const int part = (int)((long long)bytes * (k + 1) / ranks);
  return part > 0 ? part : 1;
}

/* A block of a transpose: so many rows of so many doubles. */
static int columns_of(int bytes) {
  int columns = 1;
  while (columns * columns * 2 * (int)sizeof(double) <= bytes)
    columns *= 2;
  return columns;
}

/* Distance from the beginning of the source's buffer. */
static size_t source_of(const char* pattern, int to, int bytes) {
  if (is(pattern, "transpose"))
    return (size_t)to * columns_of(bytes) * sizeof(double);
  return is_of(pattern, "scatter") || is_of(pattern, "alltoall") ? (size_t)to * bytes : 0;
}
static size_t target_of(const char* pattern, int from, int bytes) {
  return is(pattern, "bcast") || is_of(pattern, "scatter") ? 0 : (size_t)from * bytes;
}

static MPI_Datatype block_type(int bytes) {
  MPI_Datatype type;
  const int columns = columns_of(bytes), rows = bytes / (int)sizeof(double) / columns;
  MPI_Type_vector(rows, columns, ranks * columns, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void list_messages(const char* pattern, int bytes) {
  ins = outs = 0;
  if (is(pattern, "halo")) {
    for (int side = 0; side < 2; side++) {
      const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
      in[ins++] =
          (struct message){side ? next : before, side, bytes, got + (size_t)side * bytes, MPI_DATATYPE_NULL};
      out[outs++] =
          (struct message){side ? before : next, side, bytes, mine + (size_t)side * bytes, MPI_DATATYPE_NULL};
    }
    return;
  }
  for (int peer = 0; peer < ranks; peer++) {
    if (wanted(pattern, peer, me))
      in[ins++] = (struct message){peer, 0, bytes_of(pattern, peer, me, bytes),
                                   got + target_of(pattern, peer, bytes), MPI_DATATYPE_NULL};
    if (wanted(pattern, me, peer))
      out[outs++] = (struct message){peer, 0, bytes_of(pattern, me, peer, bytes),
                                     mine + source_of(pattern, peer, bytes),
                                     is(pattern, "transpose") ? block_type(bytes) : MPI_DATATYPE_NULL};
  }
}

static int count_of(const struct message* m) {
  return m->type == MPI_DATATYPE_NULL ? m->bytes : 1;
}
static MPI_Datatype type_of(const struct message* m) {
  return m->type == MPI_DATATYPE_NULL ? MPI_BYTE : m->type;
}

static void free_messages(void) {
  for (int i = 0; i < outs; i++)
    if (out[i].type != MPI_DATATYPE_NULL)
      MPI_Type_free(&out[i].type);
}

static void by_loop(void) {
  MPI_Request requests[4 * most_ranks];
  int n = 0;
  for (int i = 0; i < ins; i++)
    MPI_Irecv(in[i].at, in[i].bytes, MPI_BYTE, in[i].peer, in[i].tag, MPI_COMM_WORLD, &requests[n++]);
  for (int i = 0; i < outs; i++)
    MPI_Isend(out[i].at, count_of(&out[i]), type_of(&out[i]), out[i].peer, out[i].tag, MPI_COMM_WORLD,
              &requests[n++]);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* What a good programmer writes: persistent messages, blocks packed, a barrier in log2 p rounds. */
static void prepare_best(const char* pattern) {
  if (is(pattern, "barrier"))
    return;
  for (int i = 0; i < ins; i++)
    MPI_Recv_init(in[i].at, in[i].bytes, MPI_BYTE, in[i].peer, in[i].tag, MPI_COMM_WORLD, &persistent[i]);
  for (int i = 0; i < outs; i++) {
    char* const from = out[i].type == MPI_DATATYPE_NULL ? out[i].at : packed + (size_t)i * out[i].bytes;
    MPI_Send_init(from, out[i].bytes, MPI_BYTE, out[i].peer, out[i].tag, MPI_COMM_WORLD,
                  &persistent[ins + i]);
  }
}
static void pack_blocks(int bytes) {
  const size_t row = (size_t)columns_of(bytes) * sizeof(double);
  for (int i = 0; i < outs; i++)
    for (size_t k = 0; k * row < (size_t)bytes; k++)
      memcpy(packed + (size_t)i * bytes + k * row, out[i].at + k * row * ranks, row);
}
static void by_best(const char* pattern, int bytes) {
  if (is(pattern, "barrier")) {
    for (int far = 1; far < ranks; far *= 2)
      MPI_Sendrecv(NULL, 0, MPI_BYTE, (me + far) % ranks, 1, NULL, 0, MPI_BYTE, (me + ranks - far) % ranks, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  if (is(pattern, "transpose"))
    pack_blocks(bytes);
  MPI_Startall(ins + outs, persistent);
  MPI_Waitall(ins + outs, persistent, MPI_STATUSES_IGNORE);
}
static void end_best(const char* pattern) {
  for (int i = 0; i < ins + outs && !is(pattern, "barrier"); i++)
    MPI_Request_free(&persistent[i]);
}

/* The arguments of vector forms, by peer. */
static int out_counts[most_ranks], out_at[most_ranks], in_counts[most_ranks], in_at[most_ranks];
static MPI_Datatype out_types[most_ranks], in_types[most_ranks];

static void prepare_mpi(const char* pattern, int bytes) {
  for (int r = 0; r < ranks; r++) {
    out_counts[r] = in_counts[r] = 0;
    out_at[r] = (int)source_of(pattern, r, bytes);
    in_at[r] = (int)target_of(pattern, r, bytes);
    out_types[r] = in_types[r] = MPI_BYTE;
  }
  for (int i = 0; i < outs; i++) {
    out_counts[out[i].peer] = count_of(&out[i]);
    out_types[out[i].peer] = type_of(&out[i]);
  }
  for (int i = 0; i < ins; i++)
    in_counts[in[i].peer] = in[i].bytes;
}

static void by_mpi(const char* pattern, int n) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int own = bytes_of(pattern, me, 0, n), other = bytes_of(pattern, 0, me, n);
  if (is(pattern, "bcast"))
    MPI_Bcast(me == 0 ? mine : got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "scatter"))
    MPI_Scatter(mine, n, MPI_BYTE, me == 0 ? MPI_IN_PLACE : got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "scatterv"))
    MPI_Scatterv(mine, out_counts, out_at, MPI_BYTE, me == 0 ? MPI_IN_PLACE : got, other, MPI_BYTE, 0, all);
  else if (is(pattern, "gather"))
    MPI_Gather(me == 0 ? MPI_IN_PLACE : mine, n, MPI_BYTE, got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "gatherv"))
    MPI_Gatherv(me == 0 ? MPI_IN_PLACE : mine, own, MPI_BYTE, got, in_counts, in_at, MPI_BYTE, 0, all);
  else if (is(pattern, "allgather"))
    MPI_Allgather(mine, n, MPI_BYTE, got, n, MPI_BYTE, all);
  else if (is(pattern, "allgatherv")) {
    in_counts[me] = own;
    MPI_Allgatherv(mine, own, MPI_BYTE, got, in_counts, in_at, MPI_BYTE, all);
  } else if (is(pattern, "alltoall"))
    MPI_Alltoall(mine, n, MPI_BYTE, got, n, MPI_BYTE, all);
  else if (is(pattern, "alltoallv"))
    MPI_Alltoallv(mine, out_counts, out_at, MPI_BYTE, got, in_counts, in_at, MPI_BYTE, all);
  else if (is(pattern, "barrier"))
    MPI_Barrier(all);
  else if (is(pattern, "transpose"))
    MPI_Alltoallw(mine, out_counts, out_at, out_types, got, in_counts, in_at, in_types, all);
  else /* to the one before first, as neighbors of a ring stand */
    MPI_Neighbor_alltoall(mine, n, MPI_BYTE, got, n, MPI_BYTE, ring);
}

static void check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "graph_patterns: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Null: this library has no such driver. */
static tacit_schedule compiled(const char* way) {
  tacit_graph graph;
  tacit_schedule made = NULL;
  MPI_Info info;
  check(tacit_graph_create(MPI_COMM_WORLD, &graph));
  for (int i = 0; i < ins; i++)
    check(tacit_graph_recv(graph, in[i].at, in[i].bytes, MPI_BYTE, in[i].peer, in[i].tag, NULL));
  for (int i = 0; i < outs; i++)
    check(tacit_graph_send(graph, out[i].at, count_of(&out[i]), type_of(&out[i]), out[i].peer, out[i].tag,
                           NULL));
  MPI_Info_create(&info);
  if (is(way, "written"))
    MPI_Info_set(info, "tacit_replace", "false");
  else if (is(way, "tuned"))
    MPI_Info_set(info, "tacit_tune", "again");
  else if (!is(way, "graph"))
    MPI_Info_set(info, "tacit_driver", way);
  if (is(way, "pcoll")) /* which may not be there */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = tacit_compile(graph, info, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (!is(way, "pcoll"))
    check(code);
  MPI_Info_free(&info);
  check(tacit_graph_free(&graph));
  return code == MPI_SUCCESS ? made : NULL;
}

/* A word of each cache line that the pattern moves here. */
static void produce(int run) {
  for (int k = 0; k < outs; k++)
    for (int i = 0; i < out[k].bytes; i += 64)
      out[k].at[i] = (char)(run + me + i / 64);
}
static void consume(void) {
  static volatile char sum;
  for (int k = 0; k < ins; k++)
    for (int i = 0; i < in[k].bytes; i += 64)
      sum = (char)(sum + in[k].at[i]);
}

static void run_once(const char* way, const char* pattern, int bytes, tacit_schedule schedule) {
  if (is(way, "loop"))
    by_loop();
  else if (is(way, "best"))
    by_best(pattern, bytes);
  else if (is(way, "mpi"))
    by_mpi(pattern, bytes);
  else {
    check(tacit_start(schedule));
    check(tacit_wait(schedule));
  }
}

static char value(int rank, size_t at) {
  return (char)(rank * 31 + at * 7 + at / 251);
}

/* One run from known bytes: every byte that arrives is compared. MPI's blocking halo has its own order of neighbors. */
static void check_bytes(const char* way, const char* pattern, int bytes, tacit_schedule schedule) {
  const size_t row = (size_t)columns_of(bytes) * sizeof(double);
  for (size_t i = 0; i < room; i++)
    mine[i] = value(me, i);
  memset(got, 0, room);
  run_once(way, pattern, bytes, schedule);
  if (is(way, "mpi") && is(pattern, "halo"))
    return;
  for (int k = 0; k < ins; k++)
    for (size_t i = 0; i < (size_t)in[k].bytes; i++) {
      size_t from = is(pattern, "halo") ? (size_t)in[k].tag * bytes : source_of(pattern, me, bytes);
      from += is(pattern, "transpose") ? i / row * row * ranks + i % row : i;
      if (in[k].at[i] != value(in[k].peer, from)) {
        fprintf(stderr, "graph_patterns: %s %s %d B: wrong byte %zu from rank %d\n", way, pattern, bytes, i,
                in[k].peer);
        MPI_Abort(MPI_COMM_WORLD, 3);
      }
    }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double measured(const char* way, const char* pattern, int bytes, int blocks, tacit_schedule schedule) {
  const int runs = bytes >= 1 << 22 ? 5 : bytes >= 1 << 20 ? 20 : bytes >= 1 << 16 ? 50 : 400;
  /* The first blocks warm up, and decide where candidates are measured: up to 8, in 5 turns each, of up to 50 runs. */
  const int decide = is(way, "tuned") ? 2000 / runs : 0, warm = blocks < 8 ? 2 : 8;
  const int before = decide > warm ? decide : warm;
  double times[most_blocks];
  for (int block = -before; block < blocks; block++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < runs; i++) {
      if (fresh)
        produce(i);
      run_once(way, pattern, bytes, schedule);
      if (fresh)
        consume();
    }
    MPI_Barrier(MPI_COMM_WORLD); /* who only sends has not done more than the others */
    if (block >= 0)
      times[block] = (MPI_Wtime() - start) / runs * 1e6;
  }
  qsort(times, (size_t)blocks, sizeof *times, ascending);
  return times[blocks / 10];
}

static void explain(tacit_schedule schedule, const char* pattern, int bytes) {
  size_t needed = 0;
  check(tacit_explain(schedule, TACIT_EXPLAIN_JSON, NULL, 0, &needed));
  char* const text = malloc(needed + 1);
  check(tacit_explain(schedule, TACIT_EXPLAIN_JSON, text, needed + 1, &needed));
  printf("# %s %d %s\n", pattern, bytes, text);
  free(text);
}

static void run_case(const char* way, const char* pattern, int bytes, int blocks) {
  tacit_schedule schedule = NULL;
  const int by_hand = is(way, "loop") || is(way, "best") || is(way, "mpi");
  double here, all;
  list_messages(pattern, bytes);
  if (is(way, "best"))
    prepare_best(pattern);
  else if (is(way, "mpi"))
    prepare_mpi(pattern, bytes);
  else if (!by_hand)
    schedule = compiled(way);
  if (by_hand || schedule) {
    check_bytes(way, pattern, bytes, schedule);
    here = measured(way, pattern, bytes, blocks, schedule);
    check_bytes(way, pattern, bytes, schedule);
    MPI_Reduce(&here, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0)
      printf("%s %d %.3f\n", pattern, bytes, all);
    if (me == 0 && schedule)
      explain(schedule, pattern, bytes);
  }
  if (is(way, "best"))
    end_best(pattern);
  if (schedule)
    check(tacit_schedule_free(&schedule));
  free_messages();
}

static int listed(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
      return 1;
  return is(list, "all");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fresh = argc == 6 && is(argv[5], "fresh");
  const int blocks = argc >= 5 ? whole_int(argv[4]) : 0;
  if (argc < 5 || ranks > most_ranks || ranks < 2 || blocks < 1 || blocks > most_blocks)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  for (const char* at = argv[3]; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const int bytes = whole_int_before(at, ",");
    room = (size_t)(ranks > 2 ? ranks : 2) * (size_t)bytes;
    mine = malloc(room);
    got = malloc(room);
    packed = malloc(room);
    if (!mine || !got || !packed || bytes < 8)
      MPI_Abort(MPI_COMM_WORLD, 2);
    memset(packed, 0, room);
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
      if (listed(argv[2], patterns[p]) &&
          (!is(patterns[p], "barrier") || at == argv[3])) /* once: it has no size */
        run_case(argv[1], patterns[p], bytes, blocks);
    free(mine);
    free(got);
    free(packed);
  }
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
