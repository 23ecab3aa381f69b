// options: mode=aggressive
/* The program's own nonblocking collectives: their waits move like those of messages, past what uses none of
 * their memory. */
#include <mpi.h>
#include <stdio.h>

enum { n = 4096 };
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  w[i] = w[i] * 1.5 + i

void broadcast(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // proved
  COMPUTE;
  b[0] += 1;
}
void sum(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // proved
  COMPUTE;
}
double sent_data_read(double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // proved
  double all = 0;
  for (int i = 0; i < n; i++)
    all += a[i];
  return all;
}
void in_place(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Iscan(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // proved
  COMPUTE;
}
void with_counts(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                 int* restrict displs) {
  MPI_Request r[2];
  MPI_Ialltoallv(a, counts, displs, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r[0]);
  MPI_Ireduce_scatter(a, b + 10 * n, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE); // proved
  COMPUTE;
  counts[0] = 1;
}
void in_a_loop(double* restrict w, double* restrict a, double* restrict b, int steps) {
  for (int k = 0; k < steps; k++) {
    MPI_Request r;
    MPI_Ialltoall(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE); // proved
    COMPUTE;
    a[k] += b[k];
  }
}

void used_at_once(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Iallgather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-105
  w[0] = b[0];
  COMPUTE;
}
void sent_data_written(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  MPI_Igather(a, 8, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-104
  a[0] = 0;
  COMPUTE;
}
void counts_written(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                    int* restrict displs) {
  MPI_Request r;
  MPI_Iscatterv(a, counts, displs, MPI_DOUBLE, b, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-104
  displs[0] = 1;
  COMPUTE;
}
/* Displacements may lead below the pointer. */
void below_the_pointer(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                       int* restrict displs) {
  MPI_Request r;
  MPI_Iallgatherv(a, 8, MPI_DOUBLE, b + n, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-105
  a[8] = b[0];
  COMPUTE;
}
void local_counts(double* restrict w, double* restrict a, double* restrict b) {
  MPI_Request r;
  {
    int counts[64], displs[64];
    for (int i = 0; i < 64; i++)
      counts[i] = i, displs[i] = (int)w[i];
    MPI_Iallgatherv(a, 8, MPI_DOUBLE, b, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-106
  }
  COMPUTE;
}
/* Which bytes belong to a collective is not compared when the program runs. */
void perhaps_the_same(double* a, double* b, double* c) {
  MPI_Request r;
  MPI_Iallreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-105
  for (int i = 0; i < n; i++)
    c[i] = c[i] * 1.5 + i;
}
/* A message of the same slot whose bytes could be compared does not lend them to the collective. */
void together_with_a_message(double* a, double* b, double* c, int peer) {
  MPI_Request r[2];
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE); // moved
  for (int i = 0; i < n; i++)
    c[i] = c[i] * 1.5 + i;
}
void then_output(double* restrict w, double* restrict b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-110
  puts("all are here");
  COMPUTE;
}
void then_unknown(double* restrict w, double* b) {
  MPI_Request r;
  MPI_Ibcast(b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-109
  unknown();
  COMPUTE;
}
void own_operation(double* restrict w, double* restrict a, double* restrict b, MPI_Op op) {
  MPI_Request r;
  MPI_Ireduce(a, b, n, MPI_DOUBLE, op, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-108
  COMPUTE;
}
void arrays_of_types(double* restrict w, double* restrict a, double* restrict b, int* restrict counts,
                     int* restrict displs, MPI_Datatype* restrict types) {
  MPI_Request r;
  MPI_Ialltoallw(a, counts, displs, types, b, counts, displs, types, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-108
  COMPUTE;
}
void barrier(double* restrict w) {
  MPI_Request r;
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-108
  COMPUTE;
}
