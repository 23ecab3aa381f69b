! options: mode=aggressive rename=off
! Fortran through mpif.h: arguments by reference, module and COMMON variables, requests in arrays.
module state
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4096
  double precision :: u(n), v(n), packed(n, 2), received(n, 2)
  integer :: requests(4)
end module

subroutine unknown_routine_between(peer)
  use state
  integer :: peer, ierr
  call mpi_send(packed(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr) ! stays TACIT-109
  call somewhere_else()
  v = v * 2
end subroutine

subroutine split_send(peer)
  use state
  integer :: peer, ierr
  call mpi_send(packed(1, 1), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr) ! moved
  v = v * 2
end subroutine

subroutine split_receive(peer)
  use state
  integer :: peer, ierr, status(MPI_STATUS_SIZE)
  call mpi_recv(received, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, status, ierr) ! moved
  v = v * 2
  u = u + received(:, 1)
end subroutine

subroutine status_is_read(peer, source)
  use state
  integer :: peer, source, ierr, status(MPI_STATUS_SIZE)
  call mpi_recv(received, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, status, ierr) ! stays TACIT-102
  v = v * 2
  source = status(MPI_SOURCE)
end subroutine

subroutine section_of_an_array(peer, chosen)
  use state
  integer :: peer, ierr, chosen(n)
  ! The compiler packs the elements into a temporary, which is freed behind the call.
  call mpi_send(u(chosen), n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierr) ! stays TACIT-104
  v = v * 2
end subroutine

subroutine halo(left, right)
  use state
  integer :: left, right, ierr, i
  do i = 1, n
    packed(i, 1) = u(i)
    packed(i, 2) = u(n - i + 1)
  end do
  call mpi_irecv(received(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
  call mpi_irecv(received(1, 2), n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
  call mpi_isend(packed(1, 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3), ierr)
  call mpi_isend(packed(1, 2), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(4), ierr)
  call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierr) ! moved
  do i = 1, n
    v(i) = v(i) + i
  end do
  do i = 1, n
    u(i) = u(i) + received(i, 1) + received(i, 2)
  end do
end subroutine
