/* The patterns that are measured, as lists of messages. */
#ifndef TACIT_BENCH_PATTERNS_H
#define TACIT_BENCH_PATTERNS_H

#include <mpi.h>
#include <stddef.h>

enum { most_ranks = 64, most_patterns = 17 };

struct message {
  int peer, tag, bytes; /* bytes of data */
  char* at;             /* what is combined arrives beside `got` */
  MPI_Datatype type;    /* of one element; null: bytes */
};

/* What this rank does in one case. Reductions are sums of 64-bit integers, which no order changes, or
 * of doubles, whose order a replacement has to keep; their values here are whole, so that MPI's calls give the same. */
struct pattern_case {
  const char* pattern;
  int bytes, me, ranks;
  char *mine, *got, *beside; /* `room` bytes each; `beside` is for packing, and for what is combined */
  size_t room;
  struct message in[2 * most_ranks], out[2 * most_ranks];
  int ins, outs;
};

extern const char* const pattern_names[most_patterns];

int is(const char* pattern, const char* name);
/* Whether what arrives is combined with this rank's own block. */
int combines(const char* pattern);
/* What it combines. */
MPI_Datatype numbers_of(const char* pattern);
/* Of a message. */
int bytes_of(const struct pattern_case* c, int from, int to);
/* Distance from the beginning of the source's, or the target's, buffer. */
size_t source_of(const struct pattern_case* c, int to);
size_t target_of(const struct pattern_case* c, int from);
/* A block of a transpose: so many rows of so many doubles. */
int columns_of(int bytes);

int count_of(const struct message* m);
MPI_Datatype type_of(const struct message* m);

/* Lists the messages of this rank; `free_messages` gives their types up. */
void list_messages(struct pattern_case* c);
void free_messages(struct pattern_case* c);

/* Known bytes into `mine`, nothing into `got`; and whether what is in `got` is right: 0, or where it is not + 1. */
void fill(struct pattern_case* c);
size_t wrong_byte(const struct pattern_case* c);

#endif
