program exchange
  implicit none
  include "mpif.h"
  integer, parameter :: n = 4096
  double precision, save :: in(n), out(n), work(n)
  integer :: rank, ranks, request, error, i
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  out = rank
  work = 0
  call mpi_irecv(in, n, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, request, error)
  call mpi_send(out, n, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 0, MPI_COMM_WORLD, error)
  call mpi_wait(request, MPI_STATUS_IGNORE, error)
  do i = 1, n
    work(i) = work(i) * 1.5d0 + i
  end do
  if (in(1) == mod(rank + ranks - 1, ranks) .and. work(1) == 1) then
    print *, "right"
  else
    print *, "wrong"
  end if
  call mpi_finalize(error)
end program
