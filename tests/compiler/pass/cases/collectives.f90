! options: mode=aggressive collectives=on
! Blocking collectives started as nonblocking ones, in Fortran.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision :: u(n), v(n), w(n)
  integer :: counts(64), places(64)
end module

subroutine broadcast()
  use state
  integer :: ierr
  call mpi_bcast(u, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
  v = v + u
end subroutine

subroutine sums()
  use state
  integer :: ierr
  call mpi_allreduce(u, w, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
  call mpi_reduce(MPI_IN_PLACE, w, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
end subroutine

subroutine exchange()
  use state
  integer :: ierr
  call mpi_alltoall(u, 8, MPI_DOUBLE_PRECISION, w, 8, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
  call mpi_allgatherv(u, 8, MPI_DOUBLE_PRECISION, w, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
  counts = 1
  v = v * 2
end subroutine

subroutine used_at_once()
  use state
  integer :: ierr
  call mpi_bcast(u, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr) ! stays TACIT-105
  v = v + u
end subroutine

subroutine barrier()
  use state
  integer :: ierr
  call mpi_barrier(MPI_COMM_WORLD, ierr) ! stays TACIT-110
  v = v * 2
end subroutine
