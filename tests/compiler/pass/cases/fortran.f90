! REQUIRES: flang
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: %check --input-file=%t.ll
! RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: not grep __tacit_ %t.ll
! Fortran through mpif.h: arguments by reference, module and COMMON variables, requests in arrays.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision :: u(n), v(n), packed(n, 2), received(n, 2)
  integer :: requests(4)
end module

! CHECK-LABEL: define {{.*}}@unknown_routine_between_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine unknown_routine_between(peer)
  use state
  integer :: peer, ierr
  call mpi_send(packed(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr)
  ! REMARK: [[#@LINE-1]]:{{.*}} MPI_Send not moved: unknown effect
  call somewhere_else()
  v = v * 2
end subroutine

! CHECK-LABEL: define {{.*}}@split_send_(
! CHECK: call {{.*}}@__tacit_send_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine split_send(peer)
  use state
  integer :: peer, ierr
  call mpi_send(packed(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Send split
  v = v * 2
end subroutine

! CHECK-LABEL: define {{.*}}@split_receive_(
! CHECK: call {{.*}}@__tacit_recv_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine split_receive(peer)
  use state
  integer :: peer, ierr, status(MPI_STATUS_SIZE)
  call mpi_recv(received, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, status, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Recv split
  v = v * 2
  u = u + received(:, 1)
end subroutine

! CHECK-LABEL: define {{.*}}@status_is_read_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine status_is_read(peer, source)
  use state
  integer :: peer, source, ierr, status(MPI_STATUS_SIZE)
  call mpi_recv(received, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, status, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Recv not moved: status is read
  v = v * 2
  source = status(MPI_SOURCE)
end subroutine

! CHECK-LABEL: define {{.*}}@section_of_an_array_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine section_of_an_array(peer, chosen)
  use state
  integer :: peer, ierr, chosen(n)
  ! The compiler packs the elements into a temporary, which is freed behind the call.
  call mpi_send(u(chosen), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Send not moved: buffer is written
  v = v * 2
end subroutine

! CHECK-LABEL: define {{.*}}@halo_(
! CHECK: call {{.*}}@__tacit_defer_element_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine halo(left, right)
  use state
  integer :: left, right, ierr, i
  do i = 1, n
    packed(i, 1) = u(i)
    packed(i, 2) = u(n - i + 1)
  end do
  call mpi_irecv(received(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
  call mpi_irecv(received(1, 2), n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
  call mpi_isend(packed(1, 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3), ierr)
  call mpi_isend(packed(1, 2), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(4), ierr)
  call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Waitall: 4 of 4 moved
  do i = 1, n
    v(i) = v(i) + i
  end do
  do i = 1, n
    u(i) = u(i) + received(i, 1) + received(i, 2)
  end do
end subroutine
