! options: collectives=on
! Strings as messages: flang appends their lengths to the arguments of MPI.
program characters
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, i
  character(len=20000) :: text, got
  integer :: numbers(1000)
  double precision :: work(100000)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  text = 'nothing'
  numbers = 0
  work = 1
  if (rank == 0) then
    text = repeat('x', 20000)
    numbers = 7
  end if
  call mpi_bcast(text, 20000, mpi_character, 0, mpi_comm_world, ierr)
  do i = 1, 100000
    work(i) = work(i)*0.5d0 + i
  end do
  call mpi_bcast(numbers, 1000, mpi_integer, 0, mpi_comm_world, ierr)
  do i = 1, 100000
    work(i) = work(i)*0.5d0 + 1
  end do
  if (rank == 0) then
    call mpi_send(text, 20000, mpi_character, 1, 0, mpi_comm_world, ierr)
    text = 'y'
  else
    call mpi_recv(got, 20000, mpi_character, 0, 0, mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, 100000
      work(i) = work(i)*0.5d0 + 1
    end do
    print *, got(20000:20000), text(77:77), numbers(1000), work(100000)
  end if
  call mpi_finalize(ierr)
end program
