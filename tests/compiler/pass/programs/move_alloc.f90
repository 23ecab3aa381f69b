! options: rename=off
! assume: calls
! Allocatables that change places between a post and its wait, and output that runs a routine of the user.
module boxes
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: n = 40000, steps = 3000
  real(real64), allocatable :: now(:), next(:), other(:)
  real(real64) :: work(steps) = 0
  type :: shown
    integer :: which = 0
  contains
    procedure :: show
    generic :: write (formatted) => show
  end type
  type(shown) :: it
contains
  ! Reads what was received, and writes what was sent.
  subroutine show(dtv, unit, iotype, v_list, iostat, iomsg)
    class(shown), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(a)', iostat=iostat, iomsg=iomsg) 'x'
    other(:) = other(:) + 1
  end subroutine
  subroutine rotate()
    real(real64), allocatable :: spare(:)
    call move_alloc(now, spare)
    call move_alloc(next, now)
    call move_alloc(spare, next)
  end subroutine
end module

module routines
  use boxes
  implicit none
  include 'mpif.h'
contains
  subroutine compute()
    integer :: i
    do i = 1, steps
      work(i) = work(i)*1.0001_real64 + i
    end do
  end subroutine
  ! What was `now` when the message was posted is `next` when it is waited for.
  subroutine receive_rotated(peer, total)
    integer, intent(in) :: peer
    real(real64), intent(out) :: total
    integer :: request, ierror, i
    call MPI_Irecv(now, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, request, ierror)
    call rotate()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    total = 0
    do i = 1, n
      total = total + next(i)
    end do
    call compute()
  end subroutine
  subroutine send_rotated(peer)
    integer, intent(in) :: peer
    integer :: request, ierror, i
    call MPI_Isend(now, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, request, ierror)
    call rotate()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    do i = 1, n
      next(i) = -next(i)
    end do
    call compute()
  end subroutine
  ! A base that was loaded before the arrays changed places.
  subroutine send_after_rotation(peer, which)
    integer, intent(in) :: peer
    integer, intent(in) :: which
    integer :: ierror, i
    next(which) = 3
    call rotate()
    call MPI_Send(now, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierror)
    do i = 1, n
      next(i) = -5
    end do
    do i = 1, n
      now(i) = -now(i)
    end do
    call compute()
  end subroutine
  subroutine send_and_show(peer)
    integer, intent(in) :: peer
    integer :: ierror
    open (newunit=ierror, file='/dev/null')
    write (ierror, *) it
    close (ierror)
    call MPI_Send(other, n, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierror)
    write (*, *) it
    call compute()
  end subroutine
end module

program main
  use routines
  implicit none
  integer :: rank, ierror, i
  real(real64) :: total, totals(4), sums(4)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  allocate (now(n), next(n), other(n))
  totals = 0
  now = 0; next = 0
  if (rank == 1) then
    call receive_rotated(0, totals(1))
    do i = 1, n
      now(i) = i; next(i) = 2; other(i) = mod(i, 5)
    end do
    call send_rotated(0)
    do i = 1, n
      now(i) = 7; next(i) = i
    end do
    call send_after_rotation(0, 2)
    call send_and_show(0)
  else
    now = 1
    do i = 1, 100
      call compute()
    end do
    call MPI_Send(now, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
    do i = 2, 4
      call late_receive(totals(i))
    end do
  end if
  call MPI_Reduce(totals, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print *, sums
  call MPI_Finalize(ierror)
contains
  subroutine late_receive(into)
    real(real64), intent(out) :: into
    integer :: round, status(MPI_STATUS_SIZE)
    do round = 1, 100
      call compute()
    end do
    call MPI_Recv(now, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, status, ierror)
    into = sum(now)
  end subroutine
end program
