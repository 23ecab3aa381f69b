! The multigrid kernel with the best placement an expert would write: a buffer for each face, all receives posted first,
! sends complete when their buffer is packed again, which is at the next exchange.
!
! Arguments as for mg.
include "mg_numerics.inc"

module mg_exchange
  use mg_data
  implicit none
  integer :: request(3, -1:1), sent(3, -1:1) = MPI_REQUEST_NULL
  double precision :: given(longest, 3, -1:1), taken(longest, 3, -1:1)
end module

subroutine comm3(u, m1, m2, m3)
  use mg_data
  implicit none
  integer, intent(in) :: m1, m2, m3
  double precision :: u(m1, m2, m3)
  integer :: axis
  do axis = 1, 3
    if (grid(axis) > 1) then
      call ready(axis, -1)
      call ready(axis, 1)
    end if
  end do
  do axis = 1, 3
    if (grid(axis) > 1) then
      call give3(axis, 1, u, m1, m2, m3)
      call give3(axis, -1, u, m1, m2, m3)
      call take3(axis, 1, u, m1, m2, m3)
      call take3(axis, -1, u, m1, m2, m3)
    else
      call wrap(axis, u, m1, m2, m3)
    end if
  end do
end subroutine

! Faces that travel in direction dir come from the neighbour on the other side.
subroutine ready(axis, dir)
  use mg_exchange
  implicit none
  integer, intent(in) :: axis, dir
  integer :: ierr
  call mpi_irecv(taken(1, axis, dir), longest, MPI_DOUBLE_PRECISION, neighbour(axis, -dir), 10 * axis + dir, &
                 MPI_COMM_WORLD, request(axis, dir), ierr)
end subroutine

subroutine give3(axis, dir, u, m1, m2, m3)
  use mg_exchange
  implicit none
  integer, intent(in) :: axis, dir, m1, m2, m3
  double precision :: u(m1, m2, m3)
  integer :: i, j, k, at, ierr, status(MPI_STATUS_SIZE)
  call mpi_wait(sent(axis, dir), status, ierr)
  at = 0
  if (axis == 1) then
    i = merge(2, m1 - 1, dir == -1)
    do k = 2, m3 - 1
      do j = 2, m2 - 1
        at = at + 1
        given(at, axis, dir) = u(i, j, k)
      end do
    end do
  end if
  if (axis == 2) then
    j = merge(2, m2 - 1, dir == -1)
    do k = 2, m3 - 1
      do i = 1, m1
        at = at + 1
        given(at, axis, dir) = u(i, j, k)
      end do
    end do
  end if
  if (axis == 3) then
    k = merge(2, m3 - 1, dir == -1)
    do j = 1, m2
      do i = 1, m1
        at = at + 1
        given(at, axis, dir) = u(i, j, k)
      end do
    end do
  end if
  call mpi_isend(given(1, axis, dir), at, MPI_DOUBLE_PRECISION, neighbour(axis, dir), 10 * axis + dir, MPI_COMM_WORLD, &
                 sent(axis, dir), ierr)
end subroutine

subroutine take3(axis, dir, u, m1, m2, m3)
  use mg_exchange
  implicit none
  integer, intent(in) :: axis, dir, m1, m2, m3
  double precision :: u(m1, m2, m3)
  integer :: i, j, k, at, ierr, status(MPI_STATUS_SIZE)
  call mpi_wait(request(axis, dir), status, ierr)
  at = 0
  if (axis == 1) then
    i = merge(m1, 1, dir == -1)
    do k = 2, m3 - 1
      do j = 2, m2 - 1
        at = at + 1
        u(i, j, k) = taken(at, axis, dir)
      end do
    end do
  end if
  if (axis == 2) then
    j = merge(m2, 1, dir == -1)
    do k = 2, m3 - 1
      do i = 1, m1
        at = at + 1
        u(i, j, k) = taken(at, axis, dir)
      end do
    end do
  end if
  if (axis == 3) then
    k = merge(m3, 1, dir == -1)
    do j = 1, m2
      do i = 1, m1
        at = at + 1
        u(i, j, k) = taken(at, axis, dir)
      end do
    end do
  end if
end subroutine

subroutine finish3()
  use mg_exchange
  implicit none
  integer :: ierr
  call mpi_waitall(6, sent, MPI_STATUSES_IGNORE, ierr)
end subroutine
