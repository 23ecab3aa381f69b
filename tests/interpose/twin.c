/* The same calls as twin.F90, in C: what is recorded of one must be what is recorded of the others. With
   LARGE_COUNTS through the large-count functions, where there are any. For two ranks. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef LARGE_COUNTS
typedef MPI_Count number;
typedef MPI_Aint place;
#define MPI_Send MPI_Send_c
#define MPI_Ssend MPI_Ssend_c
#define MPI_Recv MPI_Recv_c
#define MPI_Sendrecv MPI_Sendrecv_c
#define MPI_Sendrecv_replace MPI_Sendrecv_replace_c
#define MPI_Isend MPI_Isend_c
#define MPI_Irecv MPI_Irecv_c
#define MPI_Send_init MPI_Send_init_c
#define MPI_Recv_init MPI_Recv_init_c
#define MPI_Mrecv MPI_Mrecv_c
#define MPI_Imrecv MPI_Imrecv_c
#define MPI_Bcast MPI_Bcast_c
#define MPI_Allreduce MPI_Allreduce_c
#define MPI_Iallreduce MPI_Iallreduce_c
#define MPI_Reduce MPI_Reduce_c
#define MPI_Gather MPI_Gather_c
#define MPI_Allgatherv MPI_Allgatherv_c
#define MPI_Alltoallv MPI_Alltoallv_c
#define MPI_Alltoallw MPI_Alltoallw_c
#define MPI_Neighbor_alltoall MPI_Neighbor_alltoall_c
#else
typedef int number;
typedef int place;
#endif

#define W MPI_COMM_WORLD

static int rank, other;
static int a[64], b[64];

static void expect(int condition, int line) {
  if (condition)
    return;
  fprintf(stderr, "wrong result on rank %d at line %d\n", rank, line);
  exit(1);
}

static void fill(int seed) {
  for (int i = 0; i < 64; ++i) {
    a[i] = 1000 * seed + 100 * rank + i + 1;
    b[i] = -1;
  }
}

static void blocking(void) {
  MPI_Status s;
  fill(1);
  if (rank == 0) {
    MPI_Send(a, 64, MPI_INT, 1, 5, W);
    MPI_Ssend(a + 2, 10, MPI_INT, 1, 6, W);
    MPI_Send(a, 0, MPI_INT, MPI_PROC_NULL, 7, W);
  } else {
    MPI_Recv(b, 64, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
    MPI_Recv(b, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
    expect(s.MPI_SOURCE == 0 && s.MPI_TAG == 6 && b[9] == 1012, __LINE__);
  }
  MPI_Sendrecv(a, 8, MPI_INT, other, 1, b, 8, MPI_INT, other, 1, W, &s);
  MPI_Sendrecv_replace(a, 8, MPI_INT, other, 2, other, 2, W, MPI_STATUS_IGNORE);
}

static void requests(void) {
  MPI_Request r[4];
  MPI_Status s, ss[4];
  int i, done, indices[4], flag;
  fill(2);
  for (int n = 1; n <= 2; ++n) {
    for (i = 1; i <= 2; ++i)
      MPI_Irecv(b + 8 * i - 1, 8, MPI_INT, other, i, W, &r[i - 1]);
    for (i = 1; i <= 2; ++i)
      MPI_Isend(a + 8 * i - 1, 8, MPI_INT, other, i, W, &r[i + 1]);
    MPI_Waitall(4, r, n == 1 ? ss : MPI_STATUSES_IGNORE);
  }
  r[0] = MPI_REQUEST_NULL;
  MPI_Irecv(b, 8, MPI_INT, other, 3, W, &r[1]);
  MPI_Send(a, 8, MPI_INT, other, 3, W);
  MPI_Waitany(2, r, &i, &s);
  expect(i == 1, __LINE__);
  MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
  MPI_Irecv(b, 8, MPI_INT, other, 4, W, &r[0]);
  MPI_Isend(a, 8, MPI_INT, other, 4, W, &r[1]);
  MPI_Wait(&r[0], &s);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  MPI_Irecv(b, 8, MPI_INT, other, 5, W, &r[0]);
  MPI_Send(a, 8, MPI_INT, other, 5, W);
  for (flag = 0; !flag;)
    MPI_Test(&r[0], &flag, &s);
  MPI_Irecv(b, 8, MPI_INT, other, 6, W, &r[1]);
  MPI_Send(a, 8, MPI_INT, other, 6, W);
  for (flag = 0; !flag;)
    MPI_Testany(2, r, &i, &flag, &s);
  MPI_Irecv(b, 8, MPI_INT, other, 7, W, &r[0]);
  MPI_Send(a, 8, MPI_INT, other, 7, W);
  for (flag = 0; !flag;)
    MPI_Testall(1, r, &flag, MPI_STATUSES_IGNORE);
  for (i = 1; i <= 3; ++i)
    MPI_Irecv(b + 8 * i - 1, 8, MPI_INT, other, i, W, &r[i - 1]);
  MPI_Send(a, 8, MPI_INT, other, 2, W);
  MPI_Waitsome(3, r, &done, indices, ss);
  MPI_Barrier(W);
  MPI_Send(a, 8, MPI_INT, other, 3, W);
  for (done = 0; done == 0;)
    MPI_Testsome(3, r, &done, indices, ss);
  expect(done == 1 && indices[0] == 2, __LINE__);
  MPI_Barrier(W);
  MPI_Send(a, 8, MPI_INT, other, 1, W);
  MPI_Waitsome(3, r, &done, indices, MPI_STATUSES_IGNORE);
  MPI_Waitsome(3, r, &done, indices, MPI_STATUSES_IGNORE);
  MPI_Irecv(b, 8, MPI_INT, other, 9, W, &r[0]);
  MPI_Cancel(&r[0]);
  MPI_Wait(&r[0], &s);
}

static void persistent(void) {
  MPI_Request r[2];
  MPI_Status ss[2];
  int flag;
  fill(3);
  MPI_Send_init(a, 16, MPI_INT, other, 1, W, &r[0]);
  MPI_Recv_init(b, 16, MPI_INT, other, 1, W, &r[1]);
  for (int i = 1; i <= 2; ++i) {
    a[0] = i;
    MPI_Startall(2, r);
    MPI_Waitall(2, r, ss);
  }
  MPI_Start(&r[1]);
  MPI_Start(&r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  MPI_Request_get_status(r[1], &flag, MPI_STATUS_IGNORE);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

static void probes(void) {
  MPI_Status s;
  MPI_Message m;
  MPI_Request r;
  int flag;
  fill(4);
  if (rank == 0) {
    for (int i = 1; i <= 4; ++i)
      MPI_Send(a, 4 * i, MPI_INT, 1, i, W);
    return;
  }
  MPI_Probe(0, 1, W, &s);
  MPI_Recv(b, 64, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;)
    MPI_Iprobe(MPI_ANY_SOURCE, 2, W, &flag, &s);
  MPI_Recv(b, 64, MPI_INT, 0, 2, W, MPI_STATUS_IGNORE);
  MPI_Mprobe(0, 3, W, &m, &s);
  MPI_Mrecv(b, 64, MPI_INT, &m, &s);
  for (flag = 0; !flag;)
    MPI_Improbe(0, 4, W, &flag, &m, MPI_STATUS_IGNORE);
  MPI_Imrecv(b, 64, MPI_INT, &m, &r);
  MPI_Wait(&r, &s);
}

static void collectives(void) {
  MPI_Request r;
  fill(5);
  MPI_Barrier(W);
  MPI_Bcast(a, 10, MPI_INT, 0, W);
  MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_INT, MPI_SUM, W);
  MPI_Reduce(a, b, 4, MPI_INT, MPI_MAX, 1, W);
  if (rank == 1)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, b, 8, MPI_INT, 1, W);
  else
    MPI_Gather(a, 8, MPI_INT, b, 8, MPI_INT, 1, W);
  const number several[2] = {3, 5}, six[2] = {6, 6};
  const place places[2] = {0, 10}, byte_places[2] = {0, 32};
  const MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};
  MPI_Allgatherv(a, several[rank], MPI_INT, b, several, places, MPI_INT, W);
  MPI_Alltoallv(a, six, byte_places, MPI_INT, b, six, byte_places, MPI_INT, W);
  MPI_Alltoallw(a, six, byte_places, types, b, six, byte_places, types, W);
  MPI_Ibarrier(W, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, W, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  const int length = 12;
  MPI_Aint at;
  MPI_Datatype t;
  MPI_Get_address(a + 4, &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &t);
  MPI_Type_commit(&t);
  MPI_Bcast(MPI_BOTTOM, 1, t, 0, W);
  MPI_Type_free(&t);
}

static void communicators(void) {
  MPI_Comm copy, half, ring, later;
  MPI_Request r;
  int two = 2, yes = 1;
  fill(6);
  MPI_Comm_dup(W, &copy);
  MPI_Comm_split(copy, 0, 1 - rank, &half);
  MPI_Sendrecv(a, 4, MPI_INT, rank, 1, b, 4, MPI_INT, rank, 1, half, MPI_STATUS_IGNORE);
  MPI_Comm_idup(half, &later, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(later);
  MPI_Cart_create(copy, 1, &two, &yes, 0, &ring);
  MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, ring);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&half);
  MPI_Comm_free(&later);
  MPI_Comm_free(&copy);
}

/* Fortran's m(i, j), counted from 1. */
#define M(i, j) m[((j) - 1) * 8 + (i) - 1]
#define N(i, j) n[((j) - 1) * 8 + (i) - 1]

static void sections(void) {
  static int m[64], n[64];
  for (int j = 1; j <= 8; ++j)
    for (int i = 1; i <= 8; ++i)
      M(i, j) = 100 * i + j + 10000 * rank;
  MPI_Datatype row, sparse, sparse_columns, corner, corner_columns, five;
  MPI_Type_vector(8, 1, 8, MPI_INT, &row);
  MPI_Type_vector(3, 1, 2, MPI_INT, &sparse);
  MPI_Type_create_hvector(3, 1, -3 * 8 * (MPI_Aint)sizeof(int), sparse, &sparse_columns);
  MPI_Type_contiguous(3, MPI_INT, &corner);
  MPI_Type_create_hvector(3, 1, 8 * (MPI_Aint)sizeof(int), corner, &corner_columns);
  MPI_Type_vector(2, 5, 8, MPI_INT, &five);
  MPI_Datatype* all[] = {&row, &sparse, &sparse_columns, &corner, &corner_columns, &five};
  for (int i = 0; i < 6; ++i)
    MPI_Type_commit(all[i]);
  if (rank == 0) {
    MPI_Send(&M(3, 1), 1, row, 1, 1, W);
    MPI_Send(&M(2, 8), 1, sparse_columns, 1, 2, W);
    MPI_Send(&M(1, 2), 1, five, 1, 3, W);
  } else {
    MPI_Recv(&N(4, 1), 1, row, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Recv(&N(1, 1), 1, corner_columns, 0, 2, W, MPI_STATUS_IGNORE);
    expect(N(3, 1) == 608 && N(1, 3) == 202, __LINE__);
    MPI_Recv(&N(1, 5), 10, MPI_INT, 0, 3, W, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 6; ++i)
    MPI_Type_free(all[i]);
}

int main(int argc, char** argv) {
  int level, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(W, &rank);
  MPI_Comm_size(W, &size);
  expect(size == 2, __LINE__);
  other = 1 - rank;
  blocking();
  requests();
  persistent();
  probes();
  collectives();
  communicators();
  sections();
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
