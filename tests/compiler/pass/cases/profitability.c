// options: mode=aggressive
/* What could be moved, but would not gain anything. */
#include <mpi.h>

enum { n = 65536 };

/* Both partners send before they wait: a copy could not be complete any earlier. */
void exchange_in_stages(double* restrict y, double* restrict other, double* restrict work, int rank,
                        int stages) {
  for (int k = 0; k < stages; k++) {
    const int partner = rank ^ (1 << k);
    MPI_Request request;
    MPI_Irecv(other, n, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request);
    MPI_Send(y, n, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD); // stays TACIT-104
    MPI_Wait(&request, MPI_STATUS_IGNORE);                  // stays TACIT-105
    for (int i = 0; i < n; i++)
      y[i] += other[i];
  }
}

/* A wavefront: the partner of the send receives later, the buffer is filled again at once. */
void pass_on(double* restrict y, int below, int above, int stages) {
  for (int k = 0; k < stages; k++) {
    MPI_Recv(y, n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-105
    for (int i = 0; i < n; i++)
      y[i] = y[i] * 2 + k;
    MPI_Send(y, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD); // copied
  }
}

/* The loop that uses the message runs nearly always: what comes behind it does not count. */
void used_at_once(double* restrict in, double* restrict sum, double* restrict work, int peer, int count) {
  MPI_Recv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stays TACIT-105
  if (__builtin_expect(count > 0, 1))
    *sum += in[0];
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}
