#include <mpi.h>

void work(double* array, int n);

// 512 doubles are the 4096 bytes that this platform sends at once.
void halo(double* array, double* out, double* in, int left, int right, int n, MPI_Comm comm) {
  double small[512];
#pragma mpi cco MPI_SendRecv(comm)
  {
    MPI_Send(small, 512, MPI_DOUBLE, left, 0, comm);
    MPI_Send(out, 513, MPI_DOUBLE, left, 1, comm);
    MPI_Send(out + 600, n, MPI_DOUBLE, left, 2, comm);
    MPI_Recv(in, 512, MPI_DOUBLE, right, 0, comm, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv(comm)
    work(array, n);
  }
#pragma mpi cco MPI_Send(comm) always
  {
    MPI_Send(small, 512, MPI_DOUBLE, left, 0, comm);
#pragma mpi indep MPI_Send(comm)
    work(array, n);
  }
}
// RUN: %transform --platform %S/Inputs/one_node.json %s 2>/dev/null | %filecheck %s.check --check-prefix=EAGER
// RUN: %transform --diff --platform %S/Inputs/one_node.json %s 2>&1 >/dev/null | %said=SAID
// RUN: %transform --json --platform %S/Inputs/one_node.json %s | grep -c '"decided_by": "platform"' | grep -x 1
// RUN: %transform --platform %S/Inputs/one_node.json --eager-limit 0 %s 2>/dev/null | grep -c "MPI_Isend[(]" | grep -x 4
// RUN: %transform --eager-limit 5000 %s 2>/dev/null | grep -c "MPI_Isend[(]" | grep -x 2
// RUN: %transform %s 2>/dev/null | grep -c "MPI_Isend[(]" | grep -x 4
// Who has decided is who said it last, and the compiler with --annotations takes the same options.
// RUN: %transform --json --platform %S/Inputs/one_node.json --eager-limit 5000 %s | grep -c '"decided_by": "flag"' | grep -x 2
// RUN: %transform --json --platform %S/Inputs/one_node.json --eager-limit 5000 %s | not grep '"decided_by": "platform"'
// RUN: %cc --eager-limit=5000 -S -o - %s | grep -c "call.*MPI_Isend" | grep -x 2
// RUN: %cc --platform=%S/Inputs/one_node.json --eager-limit=0 -S -o - %s | grep -c "call.*MPI_Isend" | grep -x 4
// RUN: not %cc --eager-limit=-1 -S -o - %s 2>&1 | grep "expected a number of at least 0"
