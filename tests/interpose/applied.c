/* Neighborhood collectives of a program that knows nothing of tacit, among everything else that a program may
   do with requests and communicators. Each part is one argument; what has to arrive is told by plain
   arithmetic on ranks. It must work alike with and without TACIT_APPLY=1. */
#include "ring_of_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 17 };

/* New in MPI-4.1. Where the library has none of them, tacit has. */
#if MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1)
int MPI_Request_get_status_all(int, const MPI_Request*, int*, MPI_Status*) __attribute__((weak));
int MPI_Request_get_status_any(int, const MPI_Request*, int*, int*, MPI_Status*) __attribute__((weak));
int MPI_Request_get_status_some(int, const MPI_Request*, int*, int*, MPI_Status*) __attribute__((weak));
#define HAS_QUERIES (MPI_Request_get_status_all != NULL)
#else
#define HAS_QUERIES 1
#endif

/* An exchange with both neighbors: `count` ints to each. */
struct halo {
  int *out, *in, count, round;
};

static struct halo make_halo(int count) {
  struct halo h = {malloc(2 * sizeof(int) * (size_t)count), malloc(2 * sizeof(int) * (size_t)count), count,
                   0};
  return h;
}

static void free_halo(struct halo* h) {
  free(h->out);
  free(h->in);
}

/* Of requests that were freed while they were active: nobody learns before MPI_Finalize when they are complete. */
static struct halo in_use[4];
static int in_use_count = 0;

static void free_after_finalize(const struct halo* h) {
  in_use[in_use_count++] = *h;
}

static int value(int from, int slot, int i, int round) {
  return 1000003 * from + 7919 * slot + i + 31 * round;
}

static void fill(struct halo* h) {
  ++h->round;
  for (int slot = 0; slot < 2; ++slot)
    for (int i = 0; i < h->count; ++i) {
      h->out[slot * h->count + i] = value(rank, slot, i, h->round);
      h->in[slot * h->count + i] = -1;
    }
}

/* What I sent to the left (slot 0) arrives at the left neighbor as coming from the right (slot 1). */
static void check_halo_at(const struct halo* h, int line) {
  for (int slot = 0; slot < 2; ++slot)
    for (int i = 0; i < h->count; ++i)
      check(h->in[slot * h->count + i] == value(slot == 0 ? left : right, 1 - slot, i, h->round), line);
}
#define CHECK_HALO(h) check_halo_at(h, __LINE__)

static void start_halo(struct halo* h, MPI_Request* r) {
  fill(h);
  MPI_Ineighbor_alltoall(h->out, h->count, MPI_INT, h->in, h->count, MPI_INT, ring, r);
}

static int is_empty(const MPI_Status* s) {
  int count = -1, cancelled = -1;
  MPI_Get_count(s, MPI_INT, &count);
  MPI_Test_cancelled(s, &cancelled);
  return count == 0 && cancelled == 0;
}

/* --- completion in all its forms, with requests of the library in the same array */

static void receive_from_left(int* into, int tag, MPI_Request* r) {
  *into = -1;
  MPI_Irecv(into, 1, MPI_INT, left, tag, MPI_COMM_WORLD, r);
}
static void send_to_right(int tag) {
  MPI_Send(&rank, 1, MPI_INT, right, tag, MPI_COMM_WORLD);
}

/* Queries of several requests: they say what is complete and leave it as it is. */
static void queries(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  int message, index, flag, done, indices[4];
  MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[4];
  MPI_Request_get_status_any(4, r, &index, &flag, &s[0]);
  CHECK(flag && index == MPI_UNDEFINED && is_empty(&s[0]));
  MPI_Request_get_status_some(4, r, &done, indices, s);
  CHECK(done == MPI_UNDEFINED);
  MPI_Request_get_status_all(4, r, &flag, s);
  CHECK(flag && is_empty(&s[3]));

  start_halo(&a, &r[0]);
  receive_from_left(&message, 1, &r[1]);
  start_halo(&b, &r[3]);
  do
    MPI_Request_get_status_any(4, r, &index, &flag, &s[0]);
  while (!flag);
  CHECK((index == 0 || index == 3) && is_empty(&s[0]));
  do
    MPI_Request_get_status_some(4, r, &done, indices, s);
  while (done < 2);
  CHECK(done == 2 && indices[0] == 0 && indices[1] == 3 && is_empty(&s[0]) && is_empty(&s[1]));
  CHECK_HALO(&a);
  CHECK_HALO(&b);
  MPI_Request_get_status_all(4, r, &flag, MPI_STATUSES_IGNORE);
  CHECK(!flag); /* nobody has sent the message */
  MPI_Barrier(MPI_COMM_WORLD);
  send_to_right(1);
  do
    MPI_Request_get_status_all(4, r, &flag, s);
  while (!flag);
  CHECK(message == left && s[1].MPI_SOURCE == left && s[1].MPI_TAG == 1 && is_empty(&s[0]) &&
        is_empty(&s[2]));
  CHECK(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL && r[3] != MPI_REQUEST_NULL);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  free_halo(&a);
  free_halo(&b);
}

#define NO_REQUESTS {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}

static void complete_all(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  int message, flag;
  MPI_Request r[5] = NO_REQUESTS;
  MPI_Status s[5];

  start_halo(&a, &r[0]);
  receive_from_left(&message, 1, &r[2]);
  start_halo(&b, &r[4]);
  send_to_right(1);
  MPI_Waitall(5, r, s);
  CHECK_HALO(&a);
  CHECK_HALO(&b);
  CHECK(message == left && s[2].MPI_SOURCE == left && s[2].MPI_TAG == 1);
  for (int i = 0; i < 5; ++i)
    CHECK(r[i] == MPI_REQUEST_NULL && (i == 2 || is_empty(&s[i])));

  start_halo(&a, &r[1]);
  receive_from_left(&message, 2, &r[3]);
  send_to_right(2);
  do
    MPI_Testall(5, r, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  CHECK_HALO(&a);
  CHECK(message == left && r[1] == MPI_REQUEST_NULL && r[3] == MPI_REQUEST_NULL);
  free_halo(&a);
  free_halo(&b);
}

static void wait_for_any(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  int message, index, seen = 0;
  MPI_Request r[5] = NO_REQUESTS;
  MPI_Status s[5];

  start_halo(&a, &r[1]);
  receive_from_left(&message, 3, &r[2]);
  start_halo(&b, &r[3]);
  send_to_right(3);
  for (int i = 0; i < 3; ++i) {
    MPI_Waitany(5, r, &index, &s[0]);
    CHECK(index >= 1 && index <= 3 && !(seen & 1 << index) && r[index] == MPI_REQUEST_NULL);
    seen |= 1 << index;
    if (index == 1)
      CHECK_HALO(&a);
    if (index == 2)
      CHECK(message == left && s[0].MPI_TAG == 3);
    if (index == 3)
      CHECK_HALO(&b);
  }
  MPI_Waitany(5, r, &index, &s[0]);
  CHECK(index == MPI_UNDEFINED && is_empty(&s[0]));
  free_halo(&a);
  free_halo(&b);
}

static void complete_some(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  int message, done, indices[5], seen = 0;
  MPI_Request r[5] = NO_REQUESTS;
  MPI_Status s[5];

  start_halo(&a, &r[0]);
  receive_from_left(&message, 4, &r[2]);
  start_halo(&b, &r[3]);
  send_to_right(4);
  for (int total = 0; total < 3;) {
    if (total % 2)
      MPI_Waitsome(5, r, &done, indices, s);
    else
      MPI_Testsome(5, r, &done, indices, s);
    CHECK(done != MPI_UNDEFINED && (total % 2 == 0 || done > 0));
    for (int i = 0; i < done; ++i) {
      CHECK(!(seen & 1 << indices[i]) && r[indices[i]] == MPI_REQUEST_NULL);
      seen |= 1 << indices[i];
      if (indices[i] == 2)
        CHECK(message == left && s[i].MPI_TAG == 4);
    }
    total += done;
  }
  CHECK(seen == (1 | 4 | 8));
  CHECK_HALO(&a);
  CHECK_HALO(&b);
  MPI_Waitsome(5, r, &done, indices, MPI_STATUSES_IGNORE);
  CHECK(done == MPI_UNDEFINED);
  MPI_Testsome(5, r, &done, indices, MPI_STATUSES_IGNORE);
  CHECK(done == MPI_UNDEFINED);
  free_halo(&a);
  free_halo(&b);
}

static void test_any(int count) {
  struct halo a = make_halo(count);
  int message, index, flag;
  MPI_Request r[5] = NO_REQUESTS;
  MPI_Status s[5];

  start_halo(&a, &r[2]);
  receive_from_left(&message, 5, &r[0]);
  send_to_right(5);
  for (int found = 0; found < 2;) {
    MPI_Testany(5, r, &index, &flag, &s[0]);
    if (!flag)
      continue;
    CHECK(index == 0 || index == 2);
    ++found;
  }
  CHECK_HALO(&a);
  MPI_Testany(5, r, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
  free_halo(&a);
}

static void complete_one(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  int flag;
  MPI_Request r[5] = NO_REQUESTS;
  MPI_Status s[5];

  start_halo(&a, &r[0]);
  do
    MPI_Request_get_status(r[0], &flag, &s[0]);
  while (!flag);
  CHECK(r[0] != MPI_REQUEST_NULL && is_empty(&s[0]));
  CHECK_HALO(&a);
  MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
#ifdef MPI_ABI_VERSION
  CHECK(MPI_Request_fromint(MPI_Request_toint(r[0])) == r[0]);
#else
  MPI_Fint number = MPI_Request_c2f(r[0]);
  CHECK(MPI_Request_f2c(number) == r[0]);
#endif
  MPI_Test(&r[0], &flag, &s[0]);
  CHECK(flag && r[0] == MPI_REQUEST_NULL && is_empty(&s[0]));

  start_halo(&a, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK_HALO(&a);
  fill(&b);
  MPI_Neighbor_alltoall(b.out, b.count, MPI_INT, b.in, b.count, MPI_INT, ring);
  CHECK_HALO(&b);
  free_halo(&a);
  free_halo(&b);
}

static void mixed(int count) {
  complete_all(count);
  wait_for_any(count);
  complete_some(count);
  test_any(count);
  complete_one(count);
}

static void once(int count) {
  struct halo a = make_halo(count);
  fill(&a);
  MPI_Neighbor_alltoall(a.out, a.count, MPI_INT, a.in, a.count, MPI_INT, ring);
  CHECK_HALO(&a);
  free_halo(&a);
}

/* --- persistent ones, inactive and active, beside persistent receives of the library */

static void persistent(int count) {
#ifdef HAS_PERSISTENT
  struct halo a = make_halo(count), b = make_halo(count);
  int message, flag, index, done, indices[4];
  MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[4];
  MPI_Neighbor_alltoall_init(a.out, count, MPI_INT, a.in, count, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
  MPI_Recv_init(&message, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &r[1]);
  MPI_Neighbor_alltoall_init(b.out, count, MPI_INT, b.in, count, MPI_INT, ring, MPI_INFO_NULL, &r[2]);
  MPI_Request both[2] = {r[0], r[2]}, first = r[0];

  MPI_Waitall(4, r, s); /* all are inactive */
  for (int i = 0; i < 4; ++i)
    CHECK(is_empty(&s[i]) && (r[i] == MPI_REQUEST_NULL) == (i == 3));
  MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
  MPI_Testsome(4, r, &done, indices, MPI_STATUSES_IGNORE);
  CHECK(done == MPI_UNDEFINED);
  MPI_Wait(&r[0], &s[0]);
  CHECK(is_empty(&s[0]) && r[0] == first);
  MPI_Request_get_status(r[0], &flag, &s[0]);
  CHECK(flag && is_empty(&s[0]));

  for (int round = 0; round < 20; ++round) {
    fill(&a);
    fill(&b);
    message = -1;
    MPI_Startall(3, r);
    send_to_right(9);
    if (round % 4 == 0) {
      MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    } else if (round % 4 == 1) {
      for (int total = 0; total < 3; total += done)
        MPI_Waitsome(4, r, &done, indices, s);
    } else if (round % 4 == 2) {
      for (int total = 0; total < 3; ++total)
        MPI_Waitany(4, r, &index, s);
    } else {
      do
        MPI_Testall(4, r, &flag, s);
      while (!flag);
    }
    CHECK_HALO(&a);
    CHECK_HALO(&b);
    CHECK(message == left && r[0] == both[0] && r[2] == both[1]);
  }
  /* Ranks start two operations in different order. */
  fill(&a);
  fill(&b);
  MPI_Start(&r[rank % 2 ? 0 : 2]);
  MPI_Start(&r[rank % 2 ? 2 : 0]);
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  CHECK_HALO(&a);
  CHECK_HALO(&b);
  MPI_Request_free(&r[0]);
  CHECK(r[0] == MPI_REQUEST_NULL);
  /* Freed while it is active. */
  fill(&b);
  MPI_Start(&r[2]);
  MPI_Request_free(&r[2]);
  CHECK(r[2] == MPI_REQUEST_NULL);
  MPI_Request_free(&r[1]);
  /* One that is never freed. */
  MPI_Neighbor_alltoall_init(a.out, count, MPI_INT, a.in, count, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  free_halo(&a);
  free_after_finalize(&b);
#endif
  (void)count;
}

/* --- requests and communicators that end early */

static void ended(int count) {
  struct halo a = make_halo(count), b = make_halo(count);
  MPI_Request r;
  MPI_Comm copy;
  MPI_Comm_dup(ring, &copy);
  fill(&a);
  MPI_Ineighbor_alltoall(a.out, count, MPI_INT, a.in, count, MPI_INT, copy, &r);
  MPI_Comm_free(&copy);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK_HALO(&a);
  start_halo(&b, &r);
  MPI_Request_free(&r);
  CHECK(r == MPI_REQUEST_NULL);
  start_halo(&a, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK_HALO(&a);
  for (int i = 0; i < 200; ++i) { /* many at a time, and handles used again */
    MPI_Request many[8];
    struct halo small[8];
    for (int k = 0; k < 8; ++k) {
      small[k] = make_halo(1 + k);
      start_halo(&small[k], &many[k]);
    }
    MPI_Waitall(8, many, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 8; ++k) {
      CHECK_HALO(&small[k]);
      free_halo(&small[k]);
    }
  }
  MPI_Comm again;
  MPI_Request making;
  MPI_Comm_idup(ring, &again, &making); /* not prepared: the library's */
  MPI_Wait(&making, MPI_STATUS_IGNORE);
  fill(&a);
  MPI_Ineighbor_alltoall(a.out, count, MPI_INT, a.in, count, MPI_INT, again, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  fill(&b);
  MPI_Neighbor_alltoall(b.out, count, MPI_INT, b.in, count, MPI_INT, again);
  CHECK_HALO(&b);
  MPI_Comm_free(&again);
  start_halo(&b, &r); /* never freed communicator, freed request, then MPI_Finalize */
  MPI_Request_free(&r);
  free_halo(&a);
  free_after_finalize(&b);
}

/* So many blocking calls that they are tried both ways: what arrives is right in all of them. */
static void tried(void) {
  struct halo h = make_halo(2);
  int counts[2] = {2, 2}, places[2] = {0, 2};
  for (int i = 0; i < 1400; ++i) {
    fill(&h);
    MPI_Neighbor_alltoall(h.out, 2, MPI_INT, h.in, 2, MPI_INT, ring);
    CHECK_HALO(&h);
    if (i % 2)
      continue;
    fill(&h);
    MPI_Neighbor_alltoallv(h.out, counts, places, MPI_INT, h.in, counts, places, MPI_INT, ring);
    CHECK_HALO(&h);
  }
  free_halo(&h);
}

/* Communicators that nobody uses, with edges that contradict each other. And one whose first use is nonblocking, while
   another rank does something else before it comes. */
static void unused(void) {
  for (int i = 0; i < 5; ++i) {
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, rank == 0, &right, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    if (i % 2)
      MPI_Comm_free(&graph);
  }
  struct halo h = make_halo(3);
  MPI_Comm first = make_ring();
  MPI_Request r;
  int token = 0;
  if (rank > 0) /* rank 0 sends it when its exchange is under way, and only then the others come */
    MPI_Recv(&token, 1, MPI_INT, rank - 1, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  fill(&h);
  MPI_Ineighbor_alltoall(h.out, 3, MPI_INT, h.in, 3, MPI_INT, first, &r);
  if (rank + 1 < size)
    MPI_Send(&rank, 1, MPI_INT, rank + 1, 40, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK_HALO(&h);
  MPI_Comm_free(&first);
  free_halo(&h);
}

/* --- blocked elsewhere: rank 1 waits in `blocker` for what rank 0 does only after its exchange is complete
 */

static void blocked(const char* where, int count) {
  struct halo h = make_halo(count);
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int token = 0, more = 0, memory = -1, *exposed = &memory;
  MPI_Win win = MPI_WIN_NULL;
#ifdef OPEN_MPI /* 4.1 has no windows on memory at hand everywhere */
  MPI_Win_allocate(sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &win);
#else /* MPICH 4.0.2: fences do not always complete what was put into an allocated window */
  MPI_Win_create(exposed, sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
#endif
  for (int pass = 0; pass < 4; ++pass) {
#ifdef HAS_PERSISTENT
    if (pass % 2) {
      fill(&h);
      MPI_Neighbor_alltoall_init(h.out, count, MPI_INT, h.in, count, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
      MPI_Start(&r[0]);
    } else
#endif
      start_halo(&h, &r[0]);
    if (rank % 2 == 0) /* completes first, then does what the others wait for */
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    if (strcmp(where, "recv") == 0) {
      if (rank % 2 == 0 && rank + 1 < size)
        MPI_Send(&rank, 1, MPI_INT, rank + 1, 20, MPI_COMM_WORLD);
      else if (rank % 2)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(where, "probe") == 0) {
      if (rank % 2 == 0 && rank + 1 < size)
        MPI_Send(&rank, 1, MPI_INT, rank + 1, 21, MPI_COMM_WORLD);
      else if (rank % 2) {
        MPI_Probe(rank - 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    } else if (strcmp(where, "ssend") == 0) {
      if (rank % 2)
        MPI_Ssend(&rank, 1, MPI_INT, rank - 1, 22, MPI_COMM_WORLD);
      else if (rank + 1 < size)
        MPI_Recv(&token, 1, MPI_INT, rank + 1, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(where, "wait") == 0) {
      if (rank % 2 == 0 && rank + 1 < size)
        MPI_Send(&rank, 1, MPI_INT, rank + 1, 23, MPI_COMM_WORLD);
      else if (rank % 2) {
        MPI_Irecv(&more, 1, MPI_INT, rank - 1, 23, MPI_COMM_WORLD, &r[1]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
      }
    } else if (strcmp(where, "barrier") == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(where, "allreduce") == 0) {
      MPI_Allreduce(&rank, &more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK(more == size * (size - 1) / 2);
    } else if (strcmp(where, "fence") == 0) {
      MPI_Win_fence(0, win);
      MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
      MPI_Win_fence(0, win);
      CHECK(*exposed == left);
    } else if (strcmp(where, "split") == 0) {
      MPI_Comm part;
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
      MPI_Comm_free(&part);
    } else if (strcmp(where, "dup") == 0) {
      MPI_Comm copy;
      MPI_Comm_dup(ring, &copy);
      MPI_Comm_free(&copy);
    } else {
      CHECK(0);
    }
    if (rank % 2)
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    CHECK_HALO(&h);
    if (r[0] != MPI_REQUEST_NULL)
      MPI_Request_free(&r[0]);
  }
  MPI_Win_free(&win);
  free_halo(&h);
}

/* --- left to the library, and errors */

static void others(void) {
  MPI_Comm half, between;
  int mine[2] = {rank, rank}, theirs[2] = {-1, -1}, code;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  code = MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD); /* no topology */
  CHECK(code != MPI_SUCCESS);
  code = MPI_Neighbor_alltoall(mine, -1, MPI_INT, theirs, 1, MPI_INT, ring);
  CHECK(code != MPI_SUCCESS);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &between);
    MPI_Comm_free(&between);
  }
  MPI_Comm_free(&half);
}

/* --- several threads, each with a communicator of its own */

static void* one_thread(void* where) {
  MPI_Comm comm = *(MPI_Comm*)where;
  struct halo a = make_halo(300);
  for (int i = 0; i < 200; ++i) {
    fill(&a);
    if (i % 2) {
      MPI_Request r;
      MPI_Ineighbor_alltoall(a.out, a.count, MPI_INT, a.in, a.count, MPI_INT, comm, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
      MPI_Neighbor_alltoall(a.out, a.count, MPI_INT, a.in, a.count, MPI_INT, comm);
    }
    CHECK_HALO(&a);
  }
  free_halo(&a);
  return NULL;
}

static void threads(void) {
  MPI_Comm comms[3];
  pthread_t running[3];
  for (int i = 0; i < 3; ++i)
    MPI_Comm_dup(ring, &comms[i]);
  for (int i = 0; i < 3; ++i)
    pthread_create(&running[i], NULL, one_thread, &comms[i]);
  for (int i = 0; i < 3; ++i) {
    pthread_join(running[i], NULL);
    MPI_Comm_free(&comms[i]);
  }
}

int main(int argc, char** argv) {
  const char* const part = argc > 1 ? argv[1] : "";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, strcmp(part, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  meet();
  const int counts[] = {1, 1000, most};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(part, "mixed") == 0)
      mixed(counts[i]);
    if (strcmp(part, "queries") == 0 && HAS_QUERIES)
      queries(counts[i]);
    if (strcmp(part, "once") == 0)
      once(counts[i]);
    if (strcmp(part, "persistent") == 0)
      persistent(counts[i]);
    if (strncmp(part, "blocked-", 8) == 0)
      blocked(part + 8, counts[i]);
  }
  if (strcmp(part, "ended") == 0)
    ended(most);
  if (strcmp(part, "tried") == 0)
    tried();
  if (strcmp(part, "unused") == 0)
    unused();
  if (strcmp(part, "others") == 0)
    others();
  if (strcmp(part, "threads") == 0 && level == MPI_THREAD_MULTIPLE)
    threads();
  else if (strcmp(part, "threads") == 0 && rank == 0)
    printf("no threads\n");
#ifdef PROFILING_NAME
  PMPI_Barrier(MPI_COMM_SELF);
#endif
  MPI_Finalize();
  for (int i = 0; i < in_use_count; ++i)
    free_halo(&in_use[i]);
  if (rank == 0)
    printf("done\n");
  return 0;
}
