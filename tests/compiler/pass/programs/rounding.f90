! options: ranks=2 environment: OMPI_MCA_btl_vader_single_copy_mechanism=none
! assume: calls
! How this thread rounds is part of what a reduction gives that is still to be done: it is complete before the mode changes.
program rounding
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  interface
    subroutine usleep(microseconds) bind(C)
      import :: c_int
      integer(c_int), value :: microseconds
    end subroutine
  end interface
  integer, parameter :: n = 50000, steps = 3000
  double precision :: in(n), total(n), work(steps), last
  integer :: rank, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  in = merge(1d0, 1.5d0 * 2d0**(-53), rank == 0) ! the sum is above the middle between two numbers
  work = 0
  if (rank == 0) call usleep(100000)
  call add_up(last)
  if (rank == 1) print '(z16)', transfer(last, 1_8)
  call MPI_Finalize(ierror)

contains

  subroutine add_up(last)
    double precision, intent(out) :: last
    type(ieee_round_type) :: before
    integer :: request, i
    call ieee_get_rounding_mode(before)
    call MPI_Iallreduce(in, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    do i = 1, steps
      work(i) = work(i) * 1.5d0 + i
    end do
    call ieee_set_rounding_mode(ieee_to_zero)
    do i = 1, steps
      work(i) = work(i) * 1.5d0 + i
    end do
    last = total(n)
    call ieee_set_rounding_mode(before)
  end subroutine
end program
