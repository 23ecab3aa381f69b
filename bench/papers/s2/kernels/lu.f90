! Wavefronts as in NPB LU: a lower sweep from the north-west and an upper sweep from the south-east over the planes of a
! field of five unknowns, on a square grid of ranks. Each plane needs the borders of two neighbours first and feeds two
! others afterwards, all with blocking calls from one scratch buffer per direction.
!
! lu POINTS STEPS: points per side of the cube (a multiple of the side of the grid of ranks).
include "lu_numerics.inc"

module lu_exchange
  use lu_data
  implicit none
  double precision :: rows(unknowns, longest), columns(unknowns, longest)
end module

subroutine receive_first(from_row, from_column, i, j, k)
  use lu_exchange
  implicit none
  integer, intent(in) :: from_row, from_column, i, j, k
  integer :: status(MPI_STATUS_SIZE), ierr, at
  if (from_row >= 0) then
    call mpi_recv(rows, unknowns * ny, MPI_DOUBLE_PRECISION, from_row, 1, MPI_COMM_WORLD, status, ierr)
    do at = 1, ny
      field(:, i, at, k) = rows(:, at)
    end do
  end if
  if (from_column >= 0) then
    call mpi_recv(columns, unknowns * nx, MPI_DOUBLE_PRECISION, from_column, 2, MPI_COMM_WORLD, status, ierr)
    do at = 1, nx
      field(:, at, j, k) = columns(:, at)
    end do
  end if
end subroutine

subroutine send_last(to_row, to_column, i, j, k)
  use lu_exchange
  implicit none
  integer, intent(in) :: to_row, to_column, i, j, k
  integer :: ierr, at
  if (to_row >= 0) then
    do at = 1, ny
      rows(:, at) = field(:, i, at, k)
    end do
    call mpi_send(rows, unknowns * ny, MPI_DOUBLE_PRECISION, to_row, 1, MPI_COMM_WORLD, ierr)
  end if
  if (to_column >= 0) then
    do at = 1, nx
      columns(:, at) = field(:, at, j, k)
    end do
    call mpi_send(columns, unknowns * nx, MPI_DOUBLE_PRECISION, to_column, 2, MPI_COMM_WORLD, ierr)
  end if
end subroutine

subroutine finish_sends()
end subroutine
