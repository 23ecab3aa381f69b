! options: mode=aggressive rename=off
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

subroutine two_allocatables(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! proved
  do i = 1, n
    v(i) = v(i) * 2
    fixed(i) = fixed(i) * 2
    t(i) = t(i) * 2
  end do
end subroutine

subroutine same_allocatable(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! guarded
  do i = 1, n
    u(i) = u(i) * 2
  end do
end subroutine

subroutine target_and_pointer(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(t, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! guarded
  do i = 1, n
    p(i) = p(i) * 2
  end do
end subroutine

subroutine allocatable_ends(peer)
  use fields
  integer :: peer, ierr
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! stays TACIT-104
  deallocate (u)
end subroutine

subroutine allocatable_is_given_away(peer)
  use fields
  integer :: peer, ierr, i
  call mpi_isend(u, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! stays TACIT-109
  call move_alloc(u, v)
  do i = 1, n
    v(i) = v(i) * 2
  end do
end subroutine

subroutine dummy_arguments(x, y, z, peer)
  use fields
  integer :: peer, ierr, i
  double precision :: x(n), y(n), z(n)
  call mpi_isend(x, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! proved
  do i = 1, n
    y(i) = y(i) * 2
    v(i) = v(i) * 2
  end do
  z(1) = x(1)
end subroutine

subroutine dummy_and_target(x, y, z, peer)
  use fields
  integer :: peer, ierr, i
  double precision :: x(n), z(n)
  double precision, target :: y(n)
  call mpi_isend(x, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! guarded
  do i = 1, n
    y(i) = y(i) * 2
  end do
  z(1) = x(1)
end subroutine

subroutine one_of_two_equivalent(peer)
  use fields
  integer :: peer, ierr, i
  double precision :: first(n), second(n)
  equivalence(first(1), second(1))
  common /shared/ first
  call mpi_isend(first, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! stays TACIT-104
  do i = 1, n
    second(i) = second(i) * 2
  end do
  v(1) = first(1)
end subroutine

! The subscript is counted in a default integer, which may not overflow.
subroutine counted_subscripts(peer, lines)
  use fields
  integer :: peer, lines, ierr, i, j, at
  double precision :: buffer(2 * n, 2)
  common /buffers/ buffer
  call mpi_isend(buffer(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr) ! guarded
  at = 0
  do j = 1, lines
    do i = 1, n
      at = at + 1
      buffer(at, 2) = fixed(i) * j
    end do
  end do
end subroutine
