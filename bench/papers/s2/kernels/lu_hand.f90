! The wavefront kernel as an expert would write it: both receives posted at once, and sends from a ring of buffers, each
! complete when its turn comes again.
!
! Arguments as for lu.
include "lu_numerics.inc"

module lu_exchange
  use lu_data
  implicit none
  integer, parameter :: ring = 8
  double precision :: taken_rows(unknowns, longest), taken_columns(unknowns, longest)
  double precision :: rows(unknowns, longest, ring), columns(unknowns, longest, ring)
  integer :: sent(2, ring) = MPI_REQUEST_NULL, turn = 1
end module

subroutine receive_first(from_row, from_column, i, j, k)
  use lu_exchange
  implicit none
  integer, intent(in) :: from_row, from_column, i, j, k
  integer :: request(2), status(MPI_STATUS_SIZE), ierr, at
  if (from_row >= 0) &
    call mpi_irecv(taken_rows, unknowns * ny, MPI_DOUBLE_PRECISION, from_row, 1, MPI_COMM_WORLD, request(1), ierr)
  if (from_column >= 0) &
    call mpi_irecv(taken_columns, unknowns * nx, MPI_DOUBLE_PRECISION, from_column, 2, MPI_COMM_WORLD, request(2), ierr)
  if (from_row >= 0) then
    call mpi_wait(request(1), status, ierr)
    do at = 1, ny
      field(:, i, at, k) = taken_rows(:, at)
    end do
  end if
  if (from_column >= 0) then
    call mpi_wait(request(2), status, ierr)
    do at = 1, nx
      field(:, at, j, k) = taken_columns(:, at)
    end do
  end if
end subroutine

subroutine send_last(to_row, to_column, i, j, k)
  use lu_exchange
  implicit none
  integer, intent(in) :: to_row, to_column, i, j, k
  integer :: ierr, at
  turn = mod(turn, ring) + 1
  call mpi_waitall(2, sent(1, turn), MPI_STATUSES_IGNORE, ierr)
  if (to_row >= 0) then
    do at = 1, ny
      rows(:, at, turn) = field(:, i, at, k)
    end do
    call mpi_isend(rows(1, 1, turn), unknowns * ny, MPI_DOUBLE_PRECISION, to_row, 1, MPI_COMM_WORLD, sent(1, turn), ierr)
  end if
  if (to_column >= 0) then
    do at = 1, nx
      columns(:, at, turn) = field(:, at, j, k)
    end do
    call mpi_isend(columns(1, 1, turn), unknowns * nx, MPI_DOUBLE_PRECISION, to_column, 2, MPI_COMM_WORLD, &
                   sent(2, turn), ierr)
  end if
end subroutine

subroutine finish_sends()
  use lu_exchange
  implicit none
  integer :: ierr
  call mpi_waitall(2 * ring, sent, MPI_STATUSES_IGNORE, ierr)
end subroutine
