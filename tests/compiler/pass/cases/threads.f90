! REQUIRES: flang
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %fc -O2 %s -o %t.ll 2>&1 | grep 'MPI_Irecv posted earlier'
! RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive %fc -O2 -fopenmp %s -o %t.ll 2>&1 | not grep 'posted earlier'
! A file that starts threads, however they are started, may tell them by messages: its posts stay.
module fields
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision :: in(n), pack(n), u(n)
end module

subroutine exchange()
  use fields
  integer :: request, ierror, i
  do i = 1, n
    pack(i) = u(i) * 1.5d0
  end do
  call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Send(pack, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
end subroutine

subroutine scale(some)
  use fields
  integer :: some, i
  !$omp parallel do if(some > 1000)
  do i = 1, n
    u(i) = u(i) * 2
  end do
end subroutine
