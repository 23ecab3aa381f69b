// RUN: env TACIT_OVERLAP=report %cc -O2 %verify %s -o %t.ll
// RUN: env TACIT_OVERLAP=report %cc -O2 -Rpass-analysis=mpi-overlap -Rpass-missed=mpi-overlap -c %s -o %t.o 2>&1 | grep -c "remark:.*MPI_Recv" | grep -x 2
/* Calls that LLVM makes of one line before the pass sees it, by inlining and unrolling, are one in what is said. */
#include <mpi.h>

enum { n = 4096, steps = 3000 };
extern double inbox[n], work[steps];
void look_at(double*);

static inline __attribute__((always_inline)) void receive(int peer) {
  // expected-remark@+1 {{possible: MPI_Recv split}}
  MPI_Recv(inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void used_at_once(int peer) {
  receive(peer);
  look_at(inbox);
}

void used_later(int peer) {
  receive(peer);
  for (int i = 0; i < steps; i++)
    work[i] = work[i] * 1.5 + i;
  look_at(inbox);
}

void unrolled(int peer) {
  for (int i = 0; i < 2; i++) {
    // expected-remark@+1 {{MPI_Recv not moved}}
    MPI_Recv(inbox, n, MPI_DOUBLE, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    look_at(inbox);
  }
}
