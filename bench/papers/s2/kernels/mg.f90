! V-cycles with the exchange of NPB MG: `ready` posts the receives, `give3` packs and sends (blocking, from one buffer per
! direction), `take3` waits and unpacks.
!
! mg POINTS CYCLES LEVELS: points per side of the cube, V-cycles, grids (each half as fine as the one before; the coarsest
! needs two points per side and rank). Ranks: a power of two. One rank copies its faces itself.
include "mg_numerics.inc"

module mg_exchange
  use mg_data
  implicit none
  integer :: request(3, -1:1)
  double precision :: buff(longest, 4)
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
      call give3(axis, 1, u, m1, m2, m3)
      call give3(axis, -1, u, m1, m2, m3)
      call take3(axis, -1, u, m1, m2, m3)
      call take3(axis, 1, u, m1, m2, m3)
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
  call mpi_irecv(buff(1, 3 + dir), longest, MPI_DOUBLE_PRECISION, neighbour(axis, -dir), 10 * axis + dir, &
                 MPI_COMM_WORLD, request(axis, dir), ierr)
end subroutine

subroutine give3(axis, dir, u, m1, m2, m3)
  use mg_exchange
  implicit none
  integer, intent(in) :: axis, dir, m1, m2, m3
  double precision :: u(m1, m2, m3)
  integer :: i, j, k, at, id, ierr
  id = 2 + dir
  at = 0
  if (axis == 1) then
    i = merge(2, m1 - 1, dir == -1)
    do k = 2, m3 - 1
      do j = 2, m2 - 1
        at = at + 1
        buff(at, id) = u(i, j, k)
      end do
    end do
    call mpi_send(buff(1, id), at, MPI_DOUBLE_PRECISION, neighbour(axis, dir), 10 * axis + dir, MPI_COMM_WORLD, ierr)
  end if
  if (axis == 2) then
    j = merge(2, m2 - 1, dir == -1)
    do k = 2, m3 - 1
      do i = 1, m1
        at = at + 1
        buff(at, id) = u(i, j, k)
      end do
    end do
    call mpi_send(buff(1, id), at, MPI_DOUBLE_PRECISION, neighbour(axis, dir), 10 * axis + dir, MPI_COMM_WORLD, ierr)
  end if
  if (axis == 3) then
    k = merge(2, m3 - 1, dir == -1)
    do j = 1, m2
      do i = 1, m1
        at = at + 1
        buff(at, id) = u(i, j, k)
      end do
    end do
    call mpi_send(buff(1, id), at, MPI_DOUBLE_PRECISION, neighbour(axis, dir), 10 * axis + dir, MPI_COMM_WORLD, ierr)
  end if
end subroutine

subroutine take3(axis, dir, u, m1, m2, m3)
  use mg_exchange
  implicit none
  integer, intent(in) :: axis, dir, m1, m2, m3
  double precision :: u(m1, m2, m3)
  integer :: i, j, k, at, id, ierr, status(MPI_STATUS_SIZE)
  call mpi_wait(request(axis, dir), status, ierr)
  id = 3 + dir
  at = 0
  if (axis == 1) then
    i = merge(m1, 1, dir == -1)
    do k = 2, m3 - 1
      do j = 2, m2 - 1
        at = at + 1
        u(i, j, k) = buff(at, id)
      end do
    end do
  end if
  if (axis == 2) then
    j = merge(m2, 1, dir == -1)
    do k = 2, m3 - 1
      do i = 1, m1
        at = at + 1
        u(i, j, k) = buff(at, id)
      end do
    end do
  end if
  if (axis == 3) then
    k = merge(m3, 1, dir == -1)
    do j = 1, m2
      do i = 1, m1
        at = at + 1
        u(i, j, k) = buff(at, id)
      end do
    end do
  end if
end subroutine

subroutine finish3()
end subroutine
