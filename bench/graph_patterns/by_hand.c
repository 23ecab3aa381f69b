#include "by_hand.h"

#include <stdint.h>
#include <string.h>

static MPI_Request persistent[4 * most_ranks];
static MPI_Comm ring;

/* What arrived beside is added up in the order of ranks, as a program without collectives does it. */
static void add_doubles(double* sums, const double* more, int elements) {
  for (int i = 0; i < elements; i++)
    sums[i] += more[i];
}
static void add_integers(char* into, const char* from, int bytes) {
  int64_t* const sums = (int64_t*)into;
  const int64_t* const more = (const int64_t*)from;
  for (int i = 0; i < bytes / (int)sizeof(int64_t); i++)
    sums[i] = (int64_t)((uint64_t)sums[i] + (uint64_t)more[i]);
}
static void combine(struct pattern_case* c) {
  if (!combines(c->pattern) || c->ins == 0)
    return;
  memcpy(c->got, c->mine + source_of(c, c->me), (size_t)c->bytes);
  for (int i = 0; i < c->ins; i++)
    if (numbers_of(c->pattern) == MPI_DOUBLE)
      add_doubles((double*)c->got, (const double*)c->in[i].at, c->bytes / (int)sizeof(double));
    else
      add_integers(c->got, c->in[i].at, c->bytes);
}

/* By a pointer that GCC does not see through: MPICH's MPI_STATUSES_IGNORE is no array of statuses, of which it warns. */
static void wait_for_all(int count, MPI_Request* requests) {
  MPI_Status* volatile const ignored = MPI_STATUSES_IGNORE;
  MPI_Waitall(count, requests, ignored);
}

void by_loop(struct pattern_case* c) {
  MPI_Request requests[4 * most_ranks];
  int n = 0;
  for (int i = 0; i < c->ins; i++)
    MPI_Irecv(c->in[i].at, c->in[i].bytes, MPI_BYTE, c->in[i].peer, c->in[i].tag, MPI_COMM_WORLD,
              &requests[n++]);
  for (int i = 0; i < c->outs; i++)
    MPI_Isend(c->out[i].at, count_of(&c->out[i]), type_of(&c->out[i]), c->out[i].peer, c->out[i].tag,
              MPI_COMM_WORLD, &requests[n++]);
  wait_for_all(n, requests);
  combine(c);
}

/* In rounds, without messages that were made before. */
static int has_rounds(const struct pattern_case* c) {
  const int power_of_two = (c->ranks & (c->ranks - 1)) == 0;
  return is(c->pattern, "barrier") || is(c->pattern, "reduce") ||
         (is(c->pattern, "allreduce") && power_of_two);
}

void prepare_best(struct pattern_case* c) {
  if (has_rounds(c))
    return;
  for (int i = 0; i < c->ins; i++)
    MPI_Recv_init(c->in[i].at, c->in[i].bytes, MPI_BYTE, c->in[i].peer, c->in[i].tag, MPI_COMM_WORLD,
                  &persistent[i]);
  for (int i = 0; i < c->outs; i++) {
    char* const from =
        c->out[i].type == MPI_DATATYPE_NULL ? c->out[i].at : c->beside + (size_t)i * c->out[i].bytes;
    MPI_Send_init(from, c->out[i].bytes, MPI_BYTE, c->out[i].peer, c->out[i].tag, MPI_COMM_WORLD,
                  &persistent[c->ins + i]);
  }
}

static void pack_blocks(struct pattern_case* c) {
  const size_t row = (size_t)columns_of(c->bytes) * sizeof(double);
  for (int i = 0; i < c->outs; i++)
    for (size_t k = 0; k * row < (size_t)c->bytes; k++)
      memcpy(c->beside + (size_t)i * c->bytes + k * row, c->out[i].at + k * row * c->ranks, row);
}

static void best_barrier(const struct pattern_case* c) {
  for (int far = 1; far < c->ranks; far *= 2)
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (c->me + far) % c->ranks, 1, NULL, 0, MPI_BYTE,
                 (c->me + c->ranks - far) % c->ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Up a binomial tree. Ranks that pass a sum on have room for it behind what arrives. */
static void best_reduce(struct pattern_case* c) {
  char* const sum = c->me == 0 ? c->got : c->beside + c->bytes;
  int has_sum = 0;
  for (int far = 1; far < c->ranks; far *= 2) {
    if (c->me & far) {
      MPI_Send(has_sum ? sum : c->mine, c->bytes, MPI_BYTE, c->me - far, 1, MPI_COMM_WORLD);
      return;
    }
    if (c->me + far >= c->ranks)
      continue;
    if (!has_sum)
      memcpy(sum, c->mine, (size_t)c->bytes);
    has_sum = 1;
    MPI_Recv(c->beside, c->bytes, MPI_BYTE, c->me + far, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_integers(sum, c->beside, c->bytes);
  }
}

/* Short ones by recursive doubling; long ones by halves (Rabenseifner): what is sent halves from round to round, and back. */
static void best_allreduce(struct pattern_case* c) {
  enum { is_long = 16384 };
  memcpy(c->got, c->mine, (size_t)c->bytes);
  int begin = 0, length = c->bytes;
  const int halves = c->bytes >= is_long;
  for (int far = 1; far < c->ranks; far *= 2) {
    const int peer = c->me ^ far, half = halves ? length / 2 : 0;
    const int keep = c->me & far ? begin + half : begin, give = c->me & far ? begin : begin + half;
    if (halves)
      length = half;
    begin = halves ? keep : 0;
    MPI_Sendrecv(c->got + (halves ? give : 0), length, MPI_BYTE, peer, 1, c->beside, length, MPI_BYTE, peer,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_integers(c->got + begin, c->beside, length);
  }
  for (int far = c->ranks / 2; halves && far > 0; far /= 2) {
    const int peer = c->me ^ far, other = c->me & far ? begin - length : begin + length;
    MPI_Sendrecv(c->got + begin, length, MPI_BYTE, peer, 1, c->got + other, length, MPI_BYTE, peer, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    begin = other < begin ? other : begin;
    length *= 2;
  }
}

void by_best(struct pattern_case* c) {
  if (has_rounds(c)) {
    if (is(c->pattern, "barrier"))
      best_barrier(c);
    else if (is(c->pattern, "reduce"))
      best_reduce(c);
    else
      best_allreduce(c);
    return;
  }
  if (is(c->pattern, "transpose"))
    pack_blocks(c);
  MPI_Startall(c->ins + c->outs, persistent);
  wait_for_all(c->ins + c->outs, persistent);
  combine(c);
}

void end_best(struct pattern_case* c) {
  for (int i = 0; i < c->ins + c->outs && !has_rounds(c); i++)
    MPI_Request_free(&persistent[i]);
}

void make_ring(int ranks) {
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
}
void free_ring(void) {
  MPI_Comm_free(&ring);
}

/* The arguments of vector forms, by peer. */
static int out_counts[most_ranks], out_at[most_ranks], in_counts[most_ranks], in_at[most_ranks];
static MPI_Datatype out_types[most_ranks], in_types[most_ranks];

void prepare_mpi(struct pattern_case* c) {
  for (int r = 0; r < c->ranks; r++) {
    out_counts[r] = in_counts[r] = 0;
    out_at[r] = (int)source_of(c, r);
    in_at[r] = (int)target_of(c, r);
    out_types[r] = in_types[r] = MPI_BYTE;
  }
  for (int i = 0; i < c->outs; i++) {
    out_counts[c->out[i].peer] = count_of(&c->out[i]);
    out_types[c->out[i].peer] = type_of(&c->out[i]);
  }
  for (int i = 0; i < c->ins; i++)
    in_counts[c->in[i].peer] = c->in[i].bytes;
  if (is(c->pattern, "allgatherv"))
    in_counts[c->me] = bytes_of(c, c->me, c->me);
}

static void rooted(struct pattern_case* c) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int n = c->bytes, root = c->me == 0;
  const char* const pattern = c->pattern;
  if (is(pattern, "bcast"))
    MPI_Bcast(root ? c->mine : c->got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "scatter"))
    MPI_Scatter(c->mine, n, MPI_BYTE, root ? MPI_IN_PLACE : c->got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "scatterv"))
    MPI_Scatterv(c->mine, out_counts, out_at, MPI_BYTE, root ? MPI_IN_PLACE : c->got, bytes_of(c, 0, c->me),
                 MPI_BYTE, 0, all);
  else if (is(pattern, "gather"))
    MPI_Gather(root ? MPI_IN_PLACE : c->mine, n, MPI_BYTE, c->got, n, MPI_BYTE, 0, all);
  else if (is(pattern, "gatherv"))
    MPI_Gatherv(root ? MPI_IN_PLACE : c->mine, bytes_of(c, c->me, 0), MPI_BYTE, c->got, in_counts, in_at,
                MPI_BYTE, 0, all);
  else
    MPI_Reduce(c->mine, c->got, n / (int)sizeof(int64_t), numbers_of(pattern), MPI_SUM, 0, all);
}

static void of_all(struct pattern_case* c) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int n = c->bytes, elements = n / (int)sizeof(int64_t);
  const char* const pattern = c->pattern;
  if (is(pattern, "allgather"))
    MPI_Allgather(c->mine, n, MPI_BYTE, c->got, n, MPI_BYTE, all);
  else if (is(pattern, "allgatherv"))
    MPI_Allgatherv(c->mine, in_counts[c->me], MPI_BYTE, c->got, in_counts, in_at, MPI_BYTE, all);
  else if (is(pattern, "alltoall"))
    MPI_Alltoall(c->mine, n, MPI_BYTE, c->got, n, MPI_BYTE, all);
  else if (is(pattern, "alltoallv"))
    MPI_Alltoallv(c->mine, out_counts, out_at, MPI_BYTE, c->got, in_counts, in_at, MPI_BYTE, all);
  else if (is(pattern, "allreduce"))
    MPI_Allreduce(c->mine, c->got, elements, MPI_INT64_T, MPI_SUM, all);
  else if (is(pattern, "reduce_scatter") || is(pattern, "reduce_scatter_double"))
    MPI_Reduce_scatter_block(c->mine, c->got, elements, numbers_of(pattern), MPI_SUM, all);
  else if (is(pattern, "barrier"))
    MPI_Barrier(all);
  else if (is(pattern, "transpose"))
    MPI_Alltoallw(c->mine, out_counts, out_at, out_types, c->got, in_counts, in_at, in_types, all);
  else /* to the one before first, as neighbors of a ring stand */
    MPI_Neighbor_alltoall(c->mine, n, MPI_BYTE, c->got, n, MPI_BYTE, ring);
}

void by_mpi(struct pattern_case* c) {
  static const char* const of_a_root[] = {"bcast",   "scatter", "scatterv",     "gather",
                                          "gatherv", "reduce",  "reduce_double"};
  for (size_t i = 0; i < sizeof of_a_root / sizeof *of_a_root; i++)
    if (is(c->pattern, of_a_root[i])) {
      rooted(c);
      return;
    }
  of_all(c);
}
