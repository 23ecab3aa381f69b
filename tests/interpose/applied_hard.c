/* Neighborhood collectives of a program that knows nothing of tacit, where something goes wrong or ends
   early: sizes that do not fit, error handlers, a rank that dies, cancelling, communicators freed under their
   requests, copies of communicators, many requests at once, threads that share a communicator. One argument
   is one part. */
#include "ring_of_all.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* One int to each neighbor, and what has to arrive. */
static void exchange_on(MPI_Comm comm) {
  const int out[2] = {10 * rank, 10 * rank + 1};
  int in[2] = {-1, -1};
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  CHECK(in[0] == 10 * left + 1 && in[1] == 10 * right);
}

/* --- rank 0 sends more than the others expect (or less) */

struct misfit {
  int out[8], in[8], sends[2], expects[2], places[2];
};

static struct misfit make_misfit(int surplus) {
  struct misfit m = {.places = {0, 4}};
  for (int i = 0; i < 2; ++i) {
    m.sends[i] = rank == 0 ? 2 + surplus : 2;
    m.expects[i] = 2;
  }
  return m;
}

static void misfit_blocking(int surplus) {
  struct misfit m = make_misfit(surplus);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  const int code =
      MPI_Neighbor_alltoallv(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT, ring);
  /* The right neighbor of rank 0 is rank 1. */
  CHECK(rank != 1 || code != MPI_SUCCESS);
}

static void misfit_nonblocking(int surplus) {
  struct misfit m = make_misfit(surplus);
  MPI_Request r;
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  int code = MPI_Ineighbor_alltoallv(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT,
                                     ring, &r);
  if (code == MPI_SUCCESS)
    code = MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(rank != 1 || code != MPI_SUCCESS);
  CHECK(r == MPI_REQUEST_NULL || code == MPI_SUCCESS);
}

/* Several at once: MPI_ERR_IN_STATUS, and which. */
static void misfit_several(int surplus) {
  struct misfit m = make_misfit(surplus);
  MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[3];
  int token = -1;
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  MPI_Irecv(&token, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &r[0]);
  MPI_Ineighbor_alltoallv(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT, ring, &r[2]);
  MPI_Send(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
  const int code = MPI_Waitall(3, r, s);
  CHECK(token == left);
  if (code == MPI_SUCCESS)
    CHECK(rank != 1);
  else
    CHECK(code == MPI_ERR_IN_STATUS && s[0].MPI_ERROR == MPI_SUCCESS && s[2].MPI_ERROR != MPI_SUCCESS &&
          s[0].MPI_SOURCE == left);
}

static int handled = 0;
static void on_error(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == ring && *code != MPI_SUCCESS);
  ++handled;
}

static void misfit_handler(int surplus) {
  struct misfit m = make_misfit(surplus);
  MPI_Errhandler handler;
  MPI_Request r;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(ring, handler);
  int code = MPI_Ineighbor_alltoallv(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT,
                                     ring, &r);
  if (code == MPI_SUCCESS)
    code = MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(handled == (code != MPI_SUCCESS));
  CHECK(rank != 1 || handled == 1);
  MPI_Errhandler_free(&handler);
}

/* Errors are fatal, as by default: the job ends and says why. */
static void misfit_fatal(int surplus) {
  struct misfit m = make_misfit(surplus);
  MPI_Neighbor_alltoallv(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT, ring);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void misfit_init(int surplus) {
#ifdef HAS_PERSISTENT
  struct misfit m = make_misfit(surplus);
  MPI_Request r;
  MPI_Neighbor_alltoallv_init(m.out, m.sends, m.places, MPI_INT, m.in, m.expects, m.places, MPI_INT, ring,
                              MPI_INFO_NULL, &r);
  MPI_Request_free(&r);
#endif
  (void)surplus;
}

/* --- a rank dies while others wait for it */

static void death(const char* how) {
  int out[2] = {0, 0}, in[2];
  for (int i = 0; i < 5; ++i)
    exchange_on(ring);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    fprintf(stderr, "rank %d dies\n", rank);
    raise(SIGKILL);
  }
  MPI_Request r = MPI_REQUEST_NULL;
  if (strcmp(how, "blocking") == 0) {
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  } else if (strcmp(how, "nonblocking") == 0) {
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
#ifdef HAS_PERSISTENT
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
#endif
  }
}

/* --- cancelling: an error, and the operation goes on */

static void cancelled(void) {
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  const int out[2] = {10 * rank, 10 * rank + 1};
  int in[2] = {-1, -1};
  MPI_Request r;
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &r);
  CHECK(MPI_Cancel(&r) != MPI_SUCCESS && r != MPI_REQUEST_NULL);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in[0] == 10 * left + 1 && in[1] == 10 * right);
}

/* --- a persistent request that outlives its communicator, and the types it was made with */

static void outlived(void) {
#ifdef HAS_PERSISTENT
  enum { count = 3 };
  int out[2 * count], in[2 * count];
  MPI_Request r;
  MPI_Datatype triple;
  MPI_Comm own = make_ring();
  MPI_Type_contiguous(count, MPI_INT, &triple);
  MPI_Type_commit(&triple);
  MPI_Neighbor_alltoall_init(out, 1, triple, in, 1, triple, own, MPI_INFO_NULL, &r);
  MPI_Type_free(&triple);
  MPI_Comm_free(&own);
  CHECK(own == MPI_COMM_NULL);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 2 * count; ++i) {
      out[i] = 1000 * rank + 10 * round + i;
      in[i] = -1;
    }
    MPI_Start(&r);
    if (round == 2) { /* another communicator takes the freed one's place in the library's tables */
      MPI_Comm other = make_ring();
      exchange_on(other);
      MPI_Comm_free(&other);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i)
      CHECK(in[i] == 1000 * left + 10 * round + count + i && in[count + i] == 1000 * right + 10 * round + i);
  }
  MPI_Request_free(&r);
#endif
}

/* --- communicators made from communicators */

static void copies(void) {
  MPI_Comm copy, again, line, graph, graph_copy, part;
  int remain = 1, status = 0;
  MPI_Comm_dup(ring, &copy);
  MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &again);
  exchange_on(copy);
  MPI_Comm_free(&copy);
  exchange_on(again);
  MPI_Cart_sub(again, &remain, &line);
  exchange_on(line);
  MPI_Comm_free(&again);
  exchange_on(line);
  MPI_Comm_free(&line);
  const int sources[2] = {left, right}, destinations[2] = {right, left};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Comm_dup(graph, &graph_copy);
  MPI_Comm_free(&graph);
  const int out[2] = {10 * rank, 10 * rank + 1};
  int in[2] = {-1, -1};
  MPI_Request r;
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph_copy, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(in[0] == 10 * left && in[1] == 10 * right + 1);
  MPI_Comm_free(&graph_copy);
  MPI_Comm_split(ring, 0, rank, &part); /* has no topology */
  MPI_Topo_test(part, &status);
  CHECK(status == MPI_UNDEFINED);
  MPI_Comm_free(&part);
  for (int i = 0; i < 50; ++i) { /* many, one after the other */
    MPI_Comm one = make_ring();
    exchange_on(one);
    MPI_Comm_free(&one);
  }
  const int both[2] = {1, size}, periods[2] = {1, 1}, lines[2] = {0, 1};
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, both, periods, 0, &grid);
  MPI_Cart_sub(grid, lines, &row);
  exchange_on(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
}

/* --- many at once, completed in another order on each rank; open boundaries keep what they hold */

enum { most = 64 };
struct crowd {
  int out[most][2], in[most][2];
  MPI_Request requests[most];
};

/* Every second operation is persistent, if there are such. */
static void make_crowd(struct crowd* c, MPI_Comm line) {
  for (int k = 0; k < most; ++k) {
    c->out[k][0] = 1000 * rank + k;
    c->out[k][1] = 1000 * rank + k + 500;
    c->in[k][0] = c->in[k][1] = -7;
#ifdef HAS_PERSISTENT
    if (k % 2 == 0)
      MPI_Neighbor_alltoall_init(c->out[k], 1, MPI_INT, c->in[k], 1, MPI_INT, line, MPI_INFO_NULL,
                                 &c->requests[k]);
    else
#endif
      MPI_Ineighbor_alltoall(c->out[k], 1, MPI_INT, c->in[k], 1, MPI_INT, line, &c->requests[k]);
  }
#ifdef HAS_PERSISTENT
  MPI_Request inactive[most / 2];
  int index, flag;
  for (int k = 0; k < most; k += 2)
    inactive[k / 2] = c->requests[k];
  MPI_Testany(most / 2, inactive, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
  for (int k = most - 2; k >= 0; k -= 2)
    MPI_Start(&c->requests[k]);
#endif
}

static void many(void) {
  struct crowd c;
  MPI_Comm line;
  const int no = 0, before = rank > 0, behind = rank < size - 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &no, 0, &line);
  make_crowd(&c, line);
  if (rank % 2)
    for (int k = most - 1; k >= 0; --k)
      MPI_Wait(&c.requests[k], MPI_STATUS_IGNORE);
  else
    for (int found = 0, some, indices[most]; found < most; found += some) {
      MPI_Waitsome(most, c.requests, &some, indices, MPI_STATUSES_IGNORE);
      CHECK(some > 0);
    }
  for (int k = 0; k < most; ++k) {
    CHECK(c.in[k][0] == (before ? 1000 * (rank - 1) + k + 500 : -7));
    CHECK(c.in[k][1] == (behind ? 1000 * (rank + 1) + k : -7));
    if (c.requests[k] != MPI_REQUEST_NULL)
      MPI_Request_free(&c.requests[k]);
  }
  /* A receive from anybody on the same communicator gets none of our messages. */
  int got = -1;
  MPI_Request any;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, line, &any);
  MPI_Neighbor_alltoall(c.out[0], 1, MPI_INT, c.in[0], 1, MPI_INT, line);
  MPI_Send(&rank, 1, MPI_INT, right, 9, line);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
  CHECK(got == left);
  MPI_Comm_free(&line);
}

/* --- threads that share a communicator: each has a persistent operation of its own; one more waits elsewhere
 */

#ifdef HAS_PERSISTENT
enum { threads = 3, rounds = 40, words = 100 };
struct worker {
  int number, out[2 * words], in[2 * words];
  MPI_Request request;
};

static void* work(void* argument) {
  struct worker* const w = argument;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 2 * words; ++i) {
      w->out[i] = 1000000 * w->number + 10000 * rank + 13 * round + i;
      w->in[i] = -1;
    }
    MPI_Start(&w->request);
    if (round % 2) {
      MPI_Wait(&w->request, MPI_STATUS_IGNORE);
    } else {
      int flag = 0;
      while (!flag)
        MPI_Request_get_status(w->request, &flag, MPI_STATUS_IGNORE);
      MPI_Test(&w->request, &flag, MPI_STATUS_IGNORE);
      CHECK(flag);
    }
    for (int i = 0; i < words; ++i)
      CHECK(w->in[i] == 1000000 * w->number + 10000 * left + 13 * round + words + i &&
            w->in[words + i] == 1000000 * w->number + 10000 * right + 13 * round + i);
  }
  return NULL;
}

static void* barriers(void* comm) {
  for (int i = 0; i < 20; ++i)
    MPI_Barrier(*(MPI_Comm*)comm);
  return NULL;
}
#endif

static void shared(void) {
#ifdef HAS_PERSISTENT
  struct worker workers[threads];
  pthread_t running[threads + 1];
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int i = 0; i < threads; ++i) {
    workers[i].number = i;
    MPI_Neighbor_alltoall_init(workers[i].out, words, MPI_INT, workers[i].in, words, MPI_INT, ring,
                               MPI_INFO_NULL, &workers[i].request);
  }
  for (int i = 0; i < threads; ++i)
    pthread_create(&running[i], NULL, work, &workers[i]);
  pthread_create(&running[threads], NULL, barriers, &other);
  for (int i = 0; i <= threads; ++i)
    pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i)
    MPI_Request_free(&workers[i].request);
  MPI_Comm_free(&other);
#endif
}

int main(int argc, char** argv) {
  const char* const part = argc > 1 ? argv[1] : "";
  const int surplus = argc > 2 ? atoi(argv[2]) : 1;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, strcmp(part, "shared") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  meet();
  if (strcmp(part, "misfit-fatal") != 0) /* MPICH asks its handler, too */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (strcmp(part, "misfit-blocking") == 0)
    misfit_blocking(surplus);
  if (strcmp(part, "misfit-nonblocking") == 0)
    misfit_nonblocking(surplus);
  if (strcmp(part, "misfit-several") == 0)
    misfit_several(surplus);
  if (strcmp(part, "misfit-handler") == 0)
    misfit_handler(surplus);
  if (strcmp(part, "misfit-fatal") == 0)
    misfit_fatal(surplus);
  if (strcmp(part, "misfit-init") == 0)
    misfit_init(surplus);
  if (strncmp(part, "death-", 6) == 0)
    death(part + 6);
  if (strcmp(part, "cancelled") == 0)
    cancelled();
  if (strcmp(part, "many") == 0)
    many();
  if (strcmp(part, "outlived") == 0)
    outlived();
  if (strcmp(part, "copies") == 0)
    copies();
  if (strcmp(part, "shared") == 0 && level == MPI_THREAD_MULTIPLE)
    shared();
  else if (strcmp(part, "shared") == 0 && rank == 0)
    printf("no threads\n");
  MPI_Finalize();
  if (rank == 0)
    printf("done\n");
  return 0;
}
