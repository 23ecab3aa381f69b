// options: mode=aggressive
/* Posts that move up over what is computed before them. */
#include <mpi.h>
#include <stdio.h>

enum { n = 4096 };
static double work[n];
double result(int i) {
  return work[i];
}
extern int flag;
void unknown(void);

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

void receive_over_packing(double* restrict in, double* restrict pack, double* restrict u, int peer) {
  MPI_Request r[2];
  for (int i = 0; i < n; i++)
    pack[i] = u[2 * i];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]); // moved
  MPI_Isend(pack, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE); // stays TACIT-111
}
/* First earlier, then its completion later. */
void both_ends(double* restrict in, int peer) {
  MPI_Request r;
  COMPUTE;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r); // moved
  MPI_Wait(&r, MPI_STATUS_IGNORE);                           // moved
  COMPUTE;
  in[0] += 1;
}
void over_branches(double* restrict in, int peer, int how) {
  MPI_Request r;
  if (how)
    COMPUTE;
  else
    work[0] = 1;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r); // moved
  MPI_Wait(&r, MPI_STATUS_IGNORE);                           // stays TACIT-111
}
void send_over_computing(double* restrict out, int peer) {
  MPI_Request r;
  out[0] = 3;
  COMPUTE;
  MPI_Isend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r); // moved
  MPI_Wait(&r, MPI_STATUS_IGNORE);                            // stays TACIT-111
}
/* Both, the first as far as it may, the second up to the first. */
void in_their_order(double* restrict a, double* restrict b, int peer) {
  MPI_Request r[2];
  COMPUTE;
  MPI_Irecv(a, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r[0]); // moved
  MPI_Irecv(b, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);           // moved
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);                                // stays TACIT-111
}
void within_an_iteration(double* restrict in, int peer) {
  MPI_Request r;
  for (int k = 0; k < 100; k++) {
    COMPUTE;
    MPI_Irecv(in, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &r); // moved
    MPI_Wait(&r, MPI_STATUS_IGNORE);                           // stays TACIT-111
  }
}
/* Its operands move along. */
void operands(double* restrict in, const int* restrict peers, int k, int rows) {
  MPI_Request r;
  COMPUTE;
  MPI_Irecv(&in[k * n], rows * 2, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &r); // moved
  MPI_Wait(&r, MPI_STATUS_IGNORE);                                              // stays TACIT-111
}
void persistent(double* restrict in, int peer) {
  MPI_Request r;
  MPI_Recv_init(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  COMPUTE;
  MPI_Start(&r);                   // moved
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-101
  MPI_Request_free(&r);
}

/* Nothing below is posted earlier; the remarks are about the waits. */
void buffer_read_before(double* restrict in, int peer) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    work[i] = in[i];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
void buffer_written_before(double* restrict out, int peer) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    out[i] = i;
  MPI_Isend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* A receive before it may match the same message. */
void behind_a_receive(double* restrict in, double* restrict first, int peer) {
  MPI_Request r;
  MPI_Recv(first, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-111
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
void behind_a_probe(double* restrict in, int peer, MPI_Status* status) {
  MPI_Request r;
  MPI_Probe(peer, 0, MPI_COMM_WORLD, status);
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* That the receive has started may tell that the line is out. */
void behind_output(double* restrict in, int peer) {
  MPI_Request r;
  puts("ready");
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
void behind_the_unknown(double* restrict in, int peer) {
  MPI_Request r;
  unknown();
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* Not on every way. */
void conditional(double* restrict in, int peer) {
  MPI_Request r = MPI_REQUEST_NULL;
  COMPUTE;
  if (flag)
    MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* A ready send relies on the receive being posted elsewhere. */
void ready(double* restrict out, int peer) {
  MPI_Request r;
  COMPUTE;
  MPI_Irsend(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* The rank to receive from is computed. */
void argument_computed(double* restrict in) {
  MPI_Request r;
  int peer = 0;
  for (int i = 0; i < n; i++)
    peer += work[i] > 1;
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
}
/* A datatype that is committed in between, in a routine. */
static __attribute__((noinline)) double commit(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return work[3];
}
double type_committed(double* restrict in, int peer, MPI_Datatype type) {
  MPI_Request r;
  for (int i = 0; i < n; i++)
    work[i] += 1;
  const double sum = commit(type);
  MPI_Irecv(in, 1, type, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE); // stays TACIT-111
  return sum;
}
