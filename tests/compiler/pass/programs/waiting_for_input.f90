! environment: OMPI_MCA_btl=self,tcp
! The same with Fortran's input and INQUIRE.
program main
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 400000
  double precision :: data(n), work(3000)
  character(64) :: folder, line
  integer :: rank, ierror, unit, status(MPI_STATUS_SIZE)
  logical :: there
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  data = 1; work = 0
  folder = '/tmp/tacit_waiting_fortran'
  if (rank == 0) call execute_command_line('rm -rf '//trim(folder)//'; mkdir '//trim(folder)//'; mkfifo ' &
                                           //trim(folder)//'/pipe')
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    data = 2
    call compute()
    do
      inquire (file=trim(folder)//'/file', exist=there)
      if (there) exit
    end do
    print *, 'a file'
    call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    data = 3
    call compute()
    open (newunit=unit, file=trim(folder)//'/pipe', action='read')
    read (unit, '(a)') line
    print *, trim(line)
    call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    data = 4
    call compute()
    read (unit, '(a)') line
    print *, trim(line)
    close (unit)
  else
    call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, ierror)
    open (newunit=unit, file=trim(folder)//'/file', status='new')
    close (unit)
    call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, ierror)
    open (newunit=unit, file=trim(folder)//'/pipe', action='write')
    write (unit, '(a)') 'thanks'
    flush (unit)
    call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, ierror)
    write (unit, '(a)') 'thanks again'
    close (unit)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 0) call execute_command_line('rm -rf '//trim(folder))
  call MPI_Finalize(ierror)
contains
  subroutine compute()
    integer :: i
    do i = 1, 3000
      work(i) = work(i)*1.0001d0 + i
    end do
  end subroutine
end program
