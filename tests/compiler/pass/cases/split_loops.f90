! REQUIRES: flang
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: %check --input-file=%t.ll
! RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: not grep __tacit_ %t.ll
! Fortran: completion inside the loop that uses the data, and posts that move up.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 512
  double precision :: packed(n), halo(n), field(n, n)
  integer :: left, right
end module

! CHECK-LABEL: define {{.*}}@last_column_(
! CHECK: call {{.*}}@__tacit_note_f(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_until(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine last_column(u, in, peer)
  use state
  double precision :: u(n, n), in(n, n + 1)
  integer :: peer, ierr, i, j, r
  call mpi_irecv(in(1, n + 1), n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, r, ierr)
  call mpi_wait(r, MPI_STATUS_IGNORE, ierr)
  ! REMARK: [[#@LINE-1]]:{{.*}} MPI_Wait moved
  do j = 1, n
    do i = 2, n - 1
      u(i, j) = in(i, j) + in(i - 1, j) + in(i, j + 1)
    end do
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@first_column_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine first_column(u, in, peer)
  use state
  double precision :: u(n, n), in(n, n + 1)
  integer :: peer, ierr, i, j
  call mpi_recv(in, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Recv not moved: received data are read
  do j = 1, n
    do i = 1, n
      u(i, j) = in(i, j) * 2
    end do
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@receive_over_packing_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine receive_over_packing()
  use state
  integer :: ierr, i, requests(2)
  do i = 1, n
    packed(i) = field(i, 3) * 2
  end do
  call mpi_irecv(halo, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Irecv posted earlier
  call mpi_isend(packed, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(2), ierr)
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Waitall not moved: function returns
end subroutine
