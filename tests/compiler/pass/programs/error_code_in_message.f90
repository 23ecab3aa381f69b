! options: rename=off
! assume: data
! Error codes of completions that are elements of the message: the program writes them when the message is complete.
program error_code_in_message
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 200000, steps = 3000
  integer :: rank, ierr
  integer :: a(n), b(n)
  double precision :: work(steps)
  common /data/ a, b, work
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = 5
  b = 5
  if (rank == 0) then
    call wait_for_received
    call waitall_for_received
    call wait_for_sent
  else
    a = 7
    call MPI_Send(a, n, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierr)
    call MPI_Send(a, n, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, ierr)
    call MPI_Send(a, n, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, ierr)
    call MPI_Recv(b, n, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print *, 'sent', b(3), b(4)
  end if
  call MPI_Finalize(ierr)
contains
  subroutine compute
    integer :: i
    do i = 1, steps
      work(i) = work(i) * 1.5d0 + i
    end do
  end subroutine
  subroutine wait_for_received
    integer :: request
    call MPI_Irecv(a, n, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, a(3))
    call compute
    print *, 'received', a(3), a(4)
  end subroutine
  subroutine waitall_for_received
    integer :: requests(2)
    call MPI_Irecv(a, n, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(b, n, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, b(3))
    call compute
    print *, 'received both', a(3), a(4), b(3), b(4)
  end subroutine
  subroutine wait_for_sent
    integer :: request
    b(3) = 9
    call MPI_Isend(b, n, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, b(3))
    call compute
    print *, 'sent from', b(3), b(4)
  end subroutine
end program
