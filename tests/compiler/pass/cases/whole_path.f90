! REQUIRES: flang
! RUN: env TACIT_OVERLAP=report %fc -O2 %s -o %t.ll 2>&1 | grep "^%s:11:3: remark: .*MPI_Recv"
! RUN: cd %S && env TACIT_OVERLAP=report %fc -O2 whole_path.f90 -o %t.ll 2>&1 | grep "^%s:11:3: remark: .*MPI_Recv"
! Flang strips the first slash of a remark's path.
subroutine receive(inbox, n, work, last)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: inbox(n), work(1000), last

  call mpi_recv(inbox, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  do i = 1, 1000
    work(i) = work(i) * 1.5d0 + i
  end do
  last = inbox(n)
end subroutine
