! Implicit steps as in NPB SP and BT: tridiagonal systems along the lines of a cube, one direction after the other. A
! square number of ranks shares the cube by multipartitioning: each has a cell in every slice of every direction, so that
! all work at every stage. The wait for a send stands where NPB has it, before the message of the next stage is unpacked.
!
! sp POINTS STEPS: points per side of the cube, a multiple of the square root of the ranks.
module sp_data
  implicit none
  include "mpif.h"
  integer, parameter :: longest = 2 * 162 * 162
  integer :: me, ranks, side, m, place(2)
  integer :: successor(3), predecessor(3)
  double precision, allocatable :: u(:, :, :, :)
  double precision :: in_buffer(longest), out_buffer(longest)
end module

program sp
  use sp_data
  implicit none
  integer :: ierr, points, steps, step, direction
  character(len=32) :: word
  double precision :: start, mine, seconds, total
  double precision, allocatable :: upper(:, :, :), right(:, :, :)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, word)
  read (word, *) points
  call get_command_argument(2, word)
  read (word, *) steps
  call lay_out(points)
  allocate (u(m, m, m, side), upper(m, m * m, side), right(m, m * m, side))
  call initialise()
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  start = mpi_wtime()
  do step = 1, steps
    do direction = 1, 3
      call forward(direction, upper, right)
      call backward(direction, upper, right)
    end do
  end do
  mine = mpi_wtime() - start
  call norm(total)
  call mpi_reduce(mine, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) then
    print '(a,es22.13)', 'checksum ', total
    print '(a,es25.16)', 'seconds ', seconds
    flush (6)
  end if
  call mpi_finalize(ierr)
end program

! Cell k of rank (a, b) lies at x = a + k, y = b + k, z = k, each modulo the side.
subroutine lay_out(points)
  use sp_data
  implicit none
  integer, intent(in) :: points
  side = nint(sqrt(dble(ranks)))
  m = points / side
  place = [mod(me, side), me / side]
  successor(1) = modulo(place(1) + 1, side) + side * place(2)
  predecessor(1) = modulo(place(1) - 1, side) + side * place(2)
  successor(2) = place(1) + side * modulo(place(2) + 1, side)
  predecessor(2) = place(1) + side * modulo(place(2) - 1, side)
  successor(3) = modulo(place(1) - 1, side) + side * modulo(place(2) - 1, side)
  predecessor(3) = modulo(place(1) + 1, side) + side * modulo(place(2) + 1, side)
end subroutine

! The cell of this rank in slice `stage` of a direction.
integer function cell_of(direction, stage)
  use sp_data
  implicit none
  integer, intent(in) :: direction, stage
  if (direction == 3) then
    cell_of = stage
  else
    cell_of = modulo(stage - 1 - place(direction), side) + 1
  end if
end function

subroutine initialise()
  use sp_data
  implicit none
  integer :: i, j, k, cell
  do cell = 1, side
    do k = 1, m
      do j = 1, m
        do i = 1, m
          u(i, j, k, cell) = sin(dble(modulo(place(1) + cell - 1, side) * m + i) * 0.7d0) &
            + cos(dble(modulo(place(2) + cell - 1, side) * m + j) * 0.4d0) + sin(dble((cell - 1) * m + k) * 0.9d0)
        end do
      end do
    end do
  end do
end subroutine

! The system of each line of a cell: its coefficients and its right-hand side, with the lines in the second dimension.
subroutine set_up(direction, field, lower, upper, right)
  use sp_data
  implicit none
  integer, intent(in) :: direction
  double precision, intent(in) :: field(m, m, m)
  double precision, intent(out) :: lower(m, m * m), upper(m, m * m), right(m, m * m)
  integer :: i, j, k
  double precision :: value, speed
  do k = 1, m
    do j = 1, m
      do i = 1, m
        if (direction == 1) then
          value = field(i, j, k)
        else if (direction == 2) then
          value = field(j, i, k)
        else
          value = field(j, k, i)
        end if
        speed = 1d0 / (1d0 + value * value)
        lower(i, j + m * (k - 1)) = -0.3d0 * speed * (1d0 + 0.1d0 * speed * (1d0 - 0.2d0 * speed))
        upper(i, j + m * (k - 1)) = -0.3d0 * speed * (1d0 - 0.1d0 * speed * (1d0 + 0.2d0 * speed))
        right(i, j + m * (k - 1)) = value
      end do
    end do
  end do
end subroutine

! Forward elimination of a cell, from the last point of the cell before.
subroutine eliminate(lower, upper, right, before)
  use sp_data
  implicit none
  double precision, intent(in) :: lower(m, m * m), before(2, m * m)
  double precision, intent(inout) :: upper(m, m * m), right(m, m * m)
  integer :: i, line
  double precision :: factor, last_upper, last_right
  do line = 1, m * m
    last_upper = before(1, line)
    last_right = before(2, line)
    do i = 1, m
      factor = 1d0 / (1.7d0 - lower(i, line) * last_upper)
      last_upper = upper(i, line) * factor
      last_right = (right(i, line) - lower(i, line) * last_right) * factor
      upper(i, line) = last_upper
      right(i, line) = last_right
    end do
  end do
end subroutine

subroutine forward(direction, upper, right)
  use sp_data
  implicit none
  integer, intent(in) :: direction
  double precision :: upper(m, m * m, side), right(m, m * m, side)
  double precision, allocatable :: lower(:, :), before(:, :)
  integer :: stage, cell, line, ierr, status(MPI_STATUS_SIZE), send_request, recv_request, cell_of
  allocate (lower(m, m * m), before(2, m * m))
  do stage = 1, side
    cell = cell_of(direction, stage)
    if (stage == 1) then
      call set_up(direction, u(1, 1, 1, cell), lower, upper(1, 1, cell), right(1, 1, cell))
      do line = 1, m * m
        before(1, line) = 0d0
        before(2, line) = 0d0
      end do
    else
      call mpi_irecv(in_buffer, 2 * m * m, MPI_DOUBLE_PRECISION, predecessor(direction), direction, MPI_COMM_WORLD, &
                     recv_request, ierr)
      call set_up(direction, u(1, 1, 1, cell), lower, upper(1, 1, cell), right(1, 1, cell))
      call mpi_wait(send_request, status, ierr)
      call mpi_wait(recv_request, status, ierr)
      do line = 1, m * m
        before(1, line) = in_buffer(2 * line - 1)
        before(2, line) = in_buffer(2 * line)
      end do
    end if
    call eliminate(lower, upper(1, 1, cell), right(1, 1, cell), before)
    if (stage < side) then
      do line = 1, m * m
        out_buffer(2 * line - 1) = upper(m, line, cell)
        out_buffer(2 * line) = right(m, line, cell)
      end do
      call mpi_isend(out_buffer, 2 * m * m, MPI_DOUBLE_PRECISION, successor(direction), direction, MPI_COMM_WORLD, &
                     send_request, ierr)
    end if
  end do
end subroutine

! Needs nothing of the neighbour, so that it can be computed while the message travels.
subroutine limit(right)
  use sp_data
  implicit none
  double precision, intent(inout) :: right(m, m * m)
  integer :: i, line
  do line = 1, m * m
    do i = 1, m
      right(i, line) = right(i, line) * (1d0 + 1d-3 * right(i, line))
    end do
  end do
end subroutine

! Back substitution, and the solution back into its place.
subroutine substitute(direction, upper, right, after, field)
  use sp_data
  implicit none
  integer, intent(in) :: direction
  double precision, intent(in) :: upper(m, m * m), right(m, m * m), after(m * m)
  double precision, intent(inout) :: field(m, m, m)
  integer :: i, j, k
  double precision :: next
  do k = 1, m
    do j = 1, m
      next = after(j + m * (k - 1))
      do i = m, 1, -1
        next = right(i, j + m * (k - 1)) - upper(i, j + m * (k - 1)) * next
        if (direction == 1) then
          field(i, j, k) = next
        else if (direction == 2) then
          field(j, i, k) = next
        else
          field(j, k, i) = next
        end if
      end do
    end do
  end do
end subroutine

subroutine backward(direction, upper, right)
  use sp_data
  implicit none
  integer, intent(in) :: direction
  double precision :: upper(m, m * m, side), right(m, m * m, side)
  double precision, allocatable :: after(:)
  integer :: stage, cell, line, ierr, status(MPI_STATUS_SIZE), send_request, recv_request, cell_of
  allocate (after(m * m))
  do stage = side, 1, -1
    cell = cell_of(direction, stage)
    if (stage == side) then
      call limit(right(1, 1, cell))
      do line = 1, m * m
        after(line) = 0d0
      end do
    else
      call mpi_irecv(in_buffer, m * m, MPI_DOUBLE_PRECISION, successor(direction), 10 + direction, MPI_COMM_WORLD, &
                     recv_request, ierr)
      call limit(right(1, 1, cell))
      call mpi_wait(send_request, status, ierr)
      call mpi_wait(recv_request, status, ierr)
      do line = 1, m * m
        after(line) = in_buffer(line)
      end do
    end if
    call substitute(direction, upper(1, 1, cell), right(1, 1, cell), after, u(1, 1, 1, cell))
    if (stage > 1) then
      call first_points(direction, u(1, 1, 1, cell))
      call mpi_isend(out_buffer, m * m, MPI_DOUBLE_PRECISION, predecessor(direction), 10 + direction, MPI_COMM_WORLD, &
                     send_request, ierr)
    end if
  end do
end subroutine

subroutine first_points(direction, field)
  use sp_data
  implicit none
  integer, intent(in) :: direction
  double precision, intent(in) :: field(m, m, m)
  integer :: j, k
  do k = 1, m
    do j = 1, m
      if (direction == 1) then
        out_buffer(j + m * (k - 1)) = field(1, j, k)
      else if (direction == 2) then
        out_buffer(j + m * (k - 1)) = field(j, 1, k)
      else
        out_buffer(j + m * (k - 1)) = field(j, k, 1)
      end if
    end do
  end do
end subroutine

subroutine norm(total)
  use sp_data
  implicit none
  double precision, intent(out) :: total
  double precision :: part
  integer :: i, j, k, cell, ierr
  part = 0d0
  do cell = 1, side
    do k = 1, m
      do j = 1, m
        do i = 1, m
          part = part + u(i, j, k, cell)**2
        end do
      end do
    end do
  end do
  call mpi_reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
end subroutine
