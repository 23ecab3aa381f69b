! REQUIRES: flang
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_COLLECTIVES=on %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: %check --input-file=%t.ll
! RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_COLLECTIVES=on %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: not grep __tacit_ %t.ll
! Blocking collectives started as nonblocking ones, in Fortran.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision :: u(n), v(n), w(n)
  integer :: counts(64), places(64)
end module

! CHECK-LABEL: define {{.*}}@broadcast_(
! CHECK: call {{.*}}@__tacit_bcast_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine broadcast()
  use state
  integer :: ierr
  call mpi_bcast(u, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  ! REMARK: [[#@LINE-1]]:{{.*}} MPI_Bcast started
  v = v * 2
  v = v + u
end subroutine

! CHECK-LABEL: define {{.*}}@sums_(
! CHECK: call {{.*}}@__tacit_allreduce_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
! CHECK: call {{.*}}@__tacit_reduce_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine sums()
  use state
  integer :: ierr
  call mpi_allreduce(u, w, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Allreduce started
  v = v * 2
  call mpi_reduce(MPI_IN_PLACE, w, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Reduce started
  v = v * 2
end subroutine

! CHECK-LABEL: define {{.*}}@exchange_(
! CHECK: call {{.*}}@__tacit_alltoall_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
! CHECK: call {{.*}}@__tacit_allgatherv_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine exchange()
  use state
  integer :: ierr
  call mpi_alltoall(u, 8, MPI_DOUBLE_PRECISION, w, 8, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Alltoall started
  v = v * 2
  call mpi_allgatherv(u, 8, MPI_DOUBLE_PRECISION, w, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Allgatherv started
  v = v * 2
  counts = 1
  v = v * 2
end subroutine

subroutine used_at_once()
  use state
  integer :: ierr
  call mpi_bcast(u, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Bcast not moved: received data are read
  v = v + u
end subroutine

! CHECK-LABEL: define {{.*}}@barrier_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine barrier()
  use state
  integer :: ierr
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Barrier not moved: order is observable
  v = v * 2
end subroutine
