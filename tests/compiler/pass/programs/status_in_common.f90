! options: rename=off
! A status in a common block whose name is like one of MPICH's: it is not MPI_STATUS_IGNORE.
program status_in_common
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 200000, steps = 3000
  integer :: status(MPI_STATUS_SIZE), rank, ierr, i
  double precision :: a(n), work(steps)
  common /mpiprivate/ status
  common /data/ a, work
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  status = -1
  if (rank == 0) then
    call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 1, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    do i = 1, steps
      work(i) = work(i) * 1.5d0 + i
    end do
    print *, status(MPI_TAG), a(n)
  else
    a = 3
    call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 42, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
