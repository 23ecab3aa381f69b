/* Neighborhood exchanges that taking_client.cpp does in the library's place, seen from C. Arguments: "taken"
   if they are expected to be, "library", or "retired" if the client is made to fail while other threads call. With PROFILING_NAME it calls MPI by a profiling name, too. */
#include <mpi.h>
#ifdef IS_EXTENSION
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void check(int condition, int line) {
  if (condition)
    return;
  fprintf(stderr, "wrong result on rank %d at line %d\n", rank, line);
  exit(1);
}

/* Exchanges of a process with itself until the library does them; the first of the threads ends the client's work. */
enum { threads = 4, exchanges_before = 1000 };

struct caller {
  pthread_t thread;
  MPI_Comm self;
  int fails;
};

static void* exchange_with_itself(void* of_caller) {
  const struct caller* const c = of_caller;
  int mine[2] = {1, 2}, theirs[2] = {7000, 0};
  for (int i = 0; theirs[0] == 7000; ++i) {
    if (c->fails && i == exchanges_before)
      MPI_Neighbor_alltoall(mine, 0, MPI_INT, theirs, 0, MPI_INT, c->self);
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, c->self);
  }
  check(theirs[0] + theirs[1] == 3, __LINE__);
  return NULL;
}

static void call_while_it_is_retired(void) {
  struct caller callers[threads];
  int one = 1, yes = 1;
  for (int i = 0; i < threads; ++i) {
    callers[i].fails = i == 0;
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &yes, 0, &callers[i].self);
    pthread_create(&callers[i].thread, NULL, exchange_with_itself, &callers[i]);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(callers[i].thread, NULL);
    MPI_Comm_free(&callers[i].self);
  }
}

int main(int argc, char** argv) {
  int two = 2, yes = 1, flag, index;
  MPI_Comm ring;
  MPI_Request r[3];
  MPI_Status ss[3];
  const int retired = strcmp(argv[1], "retired") == 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, retired ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (retired && level == MPI_THREAD_MULTIPLE)
    call_while_it_is_retired();
  const int other = 1 - rank, is_taken = strcmp(argv[1], "taken") == 0,
            wanted = is_taken ? 7000 : 100 + other;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &yes, 0, &ring);
  int mine[2] = {100 + rank, 100 + rank}, theirs[2] = {0, 0}, message = -1;
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
  check(theirs[0] == wanted, __LINE__);
  theirs[0] = 0;
  MPI_Irecv(&message, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &r[0]);
  r[1] = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[2]);
  MPI_Send(&rank, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
  MPI_Waitall(3, r, ss);
  check(theirs[0] == wanted && message == other && r[2] == MPI_REQUEST_NULL && ss[0].MPI_TAG == 5, __LINE__);
  check(!is_taken || ss[2].MPI_TAG == 77, __LINE__);
  theirs[0] = 0;
  r[0] = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[1]);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  check(index == 1 && theirs[0] == wanted && r[1] == MPI_REQUEST_NULL, __LINE__);
  theirs[0] = 0;
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, &r[0]);
  for (flag = 0; !flag;)
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  check(theirs[0] == wanted && r[0] == MPI_REQUEST_NULL, __LINE__);
#ifdef PROFILING_NAME
  PMPI_Barrier(MPI_COMM_WORLD);
#endif
#ifdef HAS_PERSISTENT
  MPI_Neighbor_alltoall_init(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring, MPI_INFO_NULL, &r[0]);
  for (int i = 0; i < 2; ++i) {
    theirs[0] = 0;
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    check(theirs[0] == wanted && r[0] != MPI_REQUEST_NULL, __LINE__);
  }
  MPI_Request_free(&r[0]);
  check(r[0] == MPI_REQUEST_NULL, __LINE__);
#endif
  MPI_Comm_free(&ring);
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
