// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on %cc -O0 -c %s -o %t.o && nm -u %t.o | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on %cc -O1 -c %s -o %t.o && nm -u %t.o | %check
// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_COLLECTIVES=on %cc -O2 -c %s -o %t.o && nm -u %t.o | %check
/* With TACIT_OVERLAP_COLLECTIVES=on no blocking collective may be left in an object, however it was called. (One that is left
 * would hang the program: nonblocking collectives do not match blocking ones.) */
// CHECK-NOT: {{PI_(Bcast|Allreduce|Alltoall|Gather|Scatter)$}}
// CHECK: U __tacit_allreduce
// CHECK-NEXT: U __tacit_alltoall
// CHECK-NEXT: U __tacit_bcast
// CHECK-NEXT: U __tacit_gather
// CHECK-NEXT: U __tacit_scatter
// CHECK-NOT: {{PI_(Bcast|Allreduce|Alltoall|Gather|Scatter)$}}
#include <mpi.h>
#include <setjmp.h>
int (*by_pointer)(void*, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
jmp_buf point;
__attribute__((optnone, noinline)) void not_optimized(int* a) {
  MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
void returns_twice(int* a) {
  if (setjmp(point) == 0)
    PMPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
int result(int* a, int* b) {
  return MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS;
}
void chosen(int* a, int* b, int which) {
  (which ? MPI_Gather : MPI_Scatter)(a, 1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
