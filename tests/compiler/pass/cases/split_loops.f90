! options: mode=aggressive
! Fortran: completion inside the loop that uses the data, and posts that move up.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 512
  double precision :: packed(n), halo(n), field(n, n)
  integer :: left, right
end module

subroutine last_column(u, in, peer)
  use state
  double precision :: u(n, n), in(n, n + 1)
  integer :: peer, ierr, i, j, r
  call mpi_irecv(in(1, n + 1), n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, r, ierr)
  call mpi_wait(r, MPI_STATUS_IGNORE, ierr) ! moved
  do j = 1, n
    do i = 2, n - 1
      u(i, j) = in(i, j) + in(i - 1, j) + in(i, j + 1)
    end do
  end do
end subroutine

subroutine first_column(u, in, peer)
  use state
  double precision :: u(n, n), in(n, n + 1)
  integer :: peer, ierr, i, j
  call mpi_recv(in, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! stays TACIT-105
  do j = 1, n
    do i = 1, n
      u(i, j) = in(i, j) * 2
    end do
  end do
end subroutine

subroutine receive_over_packing()
  use state
  integer :: ierr, i, requests(2)
  do i = 1, n
    packed(i) = field(i, 3) * 2
  end do
  call mpi_irecv(halo, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr) ! moved
  call mpi_isend(packed, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(2), ierr)
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr) ! stays TACIT-111
end subroutine
