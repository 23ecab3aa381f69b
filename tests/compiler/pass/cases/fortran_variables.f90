! REQUIRES: flang
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: %check --input-file=%t.ll
! RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %fc -O2 %s -o %t.ll 2>&1 | %remarks
! RUN: not grep __tacit_ %t.ll
! Which variables are different memory: allocatables and dummy arguments are, unless TARGET or POINTER.
module fields
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision, allocatable :: u(:), v(:)
  double precision, allocatable, target :: t(:)
  double precision, pointer :: p(:)
  double precision :: fixed(n)
  integer :: request
end module

! CHECK-LABEL: define {{.*}}@two_allocatables_(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine two_allocatables(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{([^(]|\(in)*$}}
  do i = 1, n
    v(i) = v(i) * 2
    fixed(i) = fixed(i) * 2
    t(i) = t(i) * 2
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@same_allocatable_(
! CHECK: call {{.*}}@__tacit_note_f(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_wait_overlap(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine same_allocatable(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{.*}}if it is the same memory
  do i = 1, n
    u(i) = u(i) * 2
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@target_and_pointer_(
! CHECK: call {{.*}}@__tacit_note_f(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_wait_overlap(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine target_and_pointer(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(t, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{.*}}if it is the same memory
  do i = 1, n
    p(i) = p(i) * 2
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@allocatable_ends_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine allocatable_ends(peer)
  use fields
  integer :: peer, ierr
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait not moved: buffer is written
  deallocate (u)
end subroutine

! CHECK-LABEL: define {{.*}}@allocatable_is_given_away_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine allocatable_is_given_away(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait not moved: unknown effect
  call move_alloc(u, v)
  do i = 1, n
    v(i) = v(i) * 2
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@dummy_arguments_(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine dummy_arguments(x, y, z, peer)
  use fields
  integer :: peer, ierr, i
  double precision :: x(n), y(n), z(n)
  call mpi_isend(x, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{([^(]|\(in)*$}}
  do i = 1, n
    y(i) = y(i) * 2
    v(i) = v(i) * 2
  end do
  z(1) = x(1)
end subroutine

! CHECK-LABEL: define {{.*}}@dummy_and_target_(
! CHECK: call {{.*}}@__tacit_note_f(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_wait_overlap(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine dummy_and_target(x, y, z, peer)
  use fields
  integer :: peer, ierr, i
  double precision :: x(n), z(n)
  double precision, target :: y(n)
  call mpi_isend(x, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{.*}}if it is the same memory
  do i = 1, n
    y(i) = y(i) * 2
  end do
  z(1) = x(1)
end subroutine

! CHECK-LABEL: define {{.*}}@one_of_two_equivalent_(
! CHECK-NOT: call {{.*}}@__tacit_
! CHECK: {{^[}]}}
subroutine one_of_two_equivalent(peer)
  use fields
  integer :: peer, ierr, i
  double precision :: first(n), second(n)
  equivalence(first(1), second(1))
  common /shared/ first
  call mpi_isend(first, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait not moved: buffer is written
  do i = 1, n
    second(i) = second(i) * 2
  end do
  v(1) = first(1)
end subroutine

! The subscript is counted in a default integer, which may not overflow.
! CHECK-LABEL: define {{.*}}@counted_subscripts_(
! CHECK: call {{.*}}@__tacit_note_f(
! CHECK: call {{.*}}@__tacit_defer_f(
! CHECK: call {{.*}}@__tacit_wait_overlap(
! CHECK: call {{.*}}@__tacit_poke(
! CHECK: call {{.*}}@__tacit_wait(
subroutine counted_subscripts(peer, lines)
  use fields
  integer :: peer, lines, ierr, i, j, at
  double precision :: buffer(2 * n, 2)
  common /buffers/ buffer
  call mpi_isend(buffer(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  ! REMARK-NEXT: [[#@LINE-1]]:{{.*}} MPI_Wait moved;{{.*}}if it is the same memory
  at = 0
  do j = 1, lines
    do i = 1, n
      at = at + 1
      buffer(at, 2) = fixed(i) * j
    end do
  end do
end subroutine
