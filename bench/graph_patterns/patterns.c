#include "patterns.h"

#include <stdint.h>
#include <string.h>

const char* const pattern_names[most_patterns] = {"bcast",
                                                  "scatter",
                                                  "scatterv",
                                                  "gather",
                                                  "gatherv",
                                                  "allgather",
                                                  "allgatherv",
                                                  "alltoall",
                                                  "alltoallv",
                                                  "reduce",
                                                  "allreduce",
                                                  "barrier",
                                                  "halo",
                                                  "transpose",
                                                  "reduce_scatter",
                                                  "reduce_double",
                                                  "reduce_scatter_double"};

int is(const char* pattern, const char* name) {
  return strcmp(pattern, name) == 0;
}
static int is_vector(const char* pattern) {
  return pattern[strlen(pattern) - 1] == 'v';
}
static int is_of(const char* pattern, const char* name) {
  return strncmp(pattern, name, strlen(name)) == 0;
}
int combines(const char* pattern) {
  return is_of(pattern, "reduce") || is(pattern, "allreduce");
}
MPI_Datatype numbers_of(const char* pattern) {
  return strstr(pattern, "_double") ? MPI_DOUBLE : MPI_INT64_T;
}
/* A block for each receiver lies at the sender. */
static int has_block_per_target(const char* pattern) {
  return is_of(pattern, "scatter") || is_of(pattern, "alltoall") || is_of(pattern, "reduce_scatter");
}
static int is_wanted(const char* pattern, int from, int to) {
  if (from == to)
    return 0;
  if (is(pattern, "bcast") || is_of(pattern, "scatter"))
    return from == 0;
  return is_of(pattern, "gather") || is(pattern, "reduce") || is(pattern, "reduce_double") ? to == 0 : 1;
}

int bytes_of(const struct pattern_case* c, int from, int to) {
  if (is(c->pattern, "barrier"))
    return 0;
  if (!is_vector(c->pattern))
    return c->bytes;
  const int k = is(c->pattern, "alltoallv") ? (from + to) % c->ranks : is(c->pattern, "scatterv") ? to : from;
  const int part = (int)((long long)c->bytes * (k + 1) / c->ranks);
  return part > 0 ? part : 1;
}

int columns_of(int bytes) {
  int columns = 1;
  while (columns * columns * 2 * (int)sizeof(double) <= bytes)
    columns *= 2;
  return columns;
}

size_t source_of(const struct pattern_case* c, int to) {
  if (is(c->pattern, "transpose"))
    return (size_t)to * columns_of(c->bytes) * sizeof(double);
  return has_block_per_target(c->pattern) ? (size_t)to * c->bytes : 0;
}
size_t target_of(const struct pattern_case* c, int from) {
  return is(c->pattern, "bcast") || is_of(c->pattern, "scatter") ? 0 : (size_t)from * c->bytes;
}

int count_of(const struct message* m) {
  return m->type == MPI_DATATYPE_NULL ? m->bytes : 1;
}
MPI_Datatype type_of(const struct message* m) {
  return m->type == MPI_DATATYPE_NULL ? MPI_BYTE : m->type;
}

static MPI_Datatype block_type(const struct pattern_case* c) {
  MPI_Datatype type;
  const int columns = columns_of(c->bytes), rows = c->bytes / (int)sizeof(double) / columns;
  MPI_Type_vector(rows, columns, c->ranks * columns, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void list_halo(struct pattern_case* c) {
  const int next = (c->me + 1) % c->ranks, before = (c->me + c->ranks - 1) % c->ranks;
  for (int side = 0; side < 2; side++) {
    const size_t at = (size_t)side * c->bytes;
    c->in[c->ins++] = (struct message){side ? next : before, side, c->bytes, c->got + at, MPI_DATATYPE_NULL};
    c->out[c->outs++] =
        (struct message){side ? before : next, side, c->bytes, c->mine + at, MPI_DATATYPE_NULL};
  }
}

void list_messages(struct pattern_case* c) {
  c->ins = c->outs = 0;
  if (is(c->pattern, "halo")) {
    list_halo(c);
    return;
  }
  char* const into = combines(c->pattern) ? c->beside : c->got;
  for (int peer = 0; peer < c->ranks; peer++) {
    if (is_wanted(c->pattern, peer, c->me))
      c->in[c->ins++] =
          (struct message){peer, 0, bytes_of(c, peer, c->me), into + target_of(c, peer), MPI_DATATYPE_NULL};
    if (is_wanted(c->pattern, c->me, peer))
      c->out[c->outs++] = (struct message){peer, 0, bytes_of(c, c->me, peer), c->mine + source_of(c, peer),
                                           is(c->pattern, "transpose") ? block_type(c) : MPI_DATATYPE_NULL};
  }
}

void free_messages(struct pattern_case* c) {
  for (int i = 0; i < c->outs; i++)
    if (c->out[i].type != MPI_DATATYPE_NULL)
      MPI_Type_free(&c->out[i].type);
}

static char value(int rank, size_t at) {
  return (char)(rank * 31 + at * 7 + at / 251);
}

void fill(struct pattern_case* c) {
  for (size_t i = 0; i < c->room; i++)
    c->mine[i] = value(c->me, i);
  for (size_t i = 0; i < c->room && numbers_of(c->pattern) == MPI_DOUBLE; i += sizeof(double)) {
    const double whole = value(c->me, i);
    memcpy(c->mine + i, &whole, sizeof whole);
  }
  memset(c->got, 0, c->room);
}

static int64_t element(int rank, size_t at) {
  char bytes[sizeof(int64_t)];
  int64_t out;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = value(rank, at + i);
  memcpy(&out, bytes, sizeof out);
  return out;
}

static size_t wrong_sum_of_doubles(const struct pattern_case* c) {
  for (size_t i = 0; i < (size_t)c->bytes; i += sizeof(double)) {
    double sum = 0, found;
    for (int rank = 0; rank < c->ranks; rank++)
      sum += value(rank, source_of(c, c->me) + i);
    memcpy(&found, c->got + i, sizeof found);
    if (found != sum)
      return i + 1;
  }
  return 0;
}

static size_t wrong_sum(const struct pattern_case* c) {
  if (c->ins == 0)
    return 0;
  if (numbers_of(c->pattern) == MPI_DOUBLE)
    return wrong_sum_of_doubles(c);
  for (size_t i = 0; i < (size_t)c->bytes; i += sizeof(int64_t)) {
    uint64_t sum = 0, found;
    for (int rank = 0; rank < c->ranks; rank++)
      sum += (uint64_t)element(rank, source_of(c, c->me) + i);
    memcpy(&found, c->got + i, sizeof found);
    if (found != sum)
      return i + 1;
  }
  return 0;
}

size_t wrong_byte(const struct pattern_case* c) {
  const size_t row = (size_t)columns_of(c->bytes) * sizeof(double);
  if (combines(c->pattern))
    return wrong_sum(c);
  for (int k = 0; k < c->ins; k++)
    for (size_t i = 0; i < (size_t)c->in[k].bytes; i++) {
      size_t from = is(c->pattern, "halo") ? (size_t)c->in[k].tag * c->bytes : source_of(c, c->me);
      from += is(c->pattern, "transpose") ? i / row * row * c->ranks + i % row : i;
      if (c->in[k].at[i] != value(c->in[k].peer, from))
        return i + 1;
    }
  return 0;
}
