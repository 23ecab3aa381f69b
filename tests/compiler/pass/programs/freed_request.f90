! options: rename=off
! That a request has been freed leaves it to the answer to tell that the message has gone: then the buffer is used again.
module things
  use mpi
  implicit none
  integer, parameter :: n = 200000
  double precision :: a(n), work(3000)
  integer :: answer(1)
contains
  subroutine tell()
    integer :: request, error, i
    a(n) = 5
    call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, request, error)
    call MPI_Request_free(request, error)
    call MPI_Recv(answer, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    do i = 1, 3000
      work(i) = work(i) * 1.5 + i
    end do
    a = -1
  end subroutine
end module
program freed_request
  use things
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) then
    call tell()
    print *, 'answer', answer(1)
  else
    error = usleep(300000)
    call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    print *, 'received', a(n)
    answer(1) = 7
    call MPI_Send(answer, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, error)
  end if
  call MPI_Finalize(error)
end program
