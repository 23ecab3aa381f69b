! Every neighborhood collective from Fortran, blocking, nonblocking and persistent, on a ring, in a program that knows
! nothing of tacit. What has to arrive is arithmetic on ranks. Macros as in twin.F90.
#ifdef USE_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define ERR
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define ERR , ierr
#endif

#ifdef IS_EXTENSION
#define mpi_neighbor_allgather_init mpix_neighbor_allgather_init
#define mpi_neighbor_allgatherv_init mpix_neighbor_allgatherv_init
#define mpi_neighbor_alltoall_init mpix_neighbor_alltoall_init
#define mpi_neighbor_alltoallv_init mpix_neighbor_alltoallv_init
#define mpi_neighbor_alltoallw_init mpix_neighbor_alltoallw_init
#endif

program applied
#ifdef USE_F08
  use mpi_f08
#ifdef IS_EXTENSION
  use mpi_f08_ext
#endif
  implicit none
#elif defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: forms = 3, kinds = 6
  COMM :: ring
  REQUEST :: r(2)
  DATATYPE :: types(2)
  integer :: ierr, rank, ranks, left, right, form, kind, times, round, dims(1), i
  integer, save, target :: mine(8), theirs(8) ! changed while nothing names them
  integer :: scounts(2), sdispls(2), rcounts(2), rdispls(2)
  integer(MPI_ADDRESS_KIND) :: sbytes(2), rbytes(2), at_mine, at_theirs, spread_s(2), spread_r(2)
  logical :: periods(1), flag
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank ERR)
  call mpi_comm_size(MPI_COMM_WORLD, ranks ERR)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  dims = ranks
  periods = .true.
  call mpi_cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring ERR)
  types = MPI_INTEGER
#if !defined(USE_F08) && !defined(USE_MPI)
  call use_removed_constructors()
#endif
  scounts = (/ 2, 3 /)
  sdispls = (/ 5, 1 /)
  rcounts = (/ 3, 2 /) ! what the left neighbor sends to its right, and so on
  rdispls = (/ 0, 4 /)
  sbytes = 4 * sdispls
  rbytes = 4 * rdispls
  call mpi_get_address(mine, at_mine ERR)
  call mpi_get_address(theirs, at_theirs ERR)
  spread_s = at_mine + sbytes
  spread_r = at_theirs + rbytes
  round = 0
  do form = 1, forms
#ifndef HAS_PERSISTENT
    if (form == 3) exit
#endif
    do kind = 1, kinds
      r = MPI_REQUEST_NULL
      if (form == 3) call make(kind)
      do times = 1, 3
        round = round + 1
        do i = 1, 8
          mine(i) = word(rank, i)
        end do
        theirs = -1
        if (form == 1) call exchange(kind)
        if (form == 2) call begin(kind)
        if (form == 3) call mpi_start(r(1) ERR)
        if (form > 1 .and. modulo(times, 3) == 0) call mpi_wait(r(1), MPI_STATUS_IGNORE ERR)
        if (form > 1 .and. modulo(times, 3) == 1) call mpi_waitall(2, r, MPI_STATUSES_IGNORE ERR)
        if (form > 1 .and. modulo(times, 3) == 2) then
          flag = .false.
          do while (.not. flag)
            call mpi_testall(2, r, flag, MPI_STATUSES_IGNORE ERR)
          end do
        end if
        call check_arrived(kind)
      end do
      if (form == 3) call mpi_request_free(r(1) ERR)
    end do
  end do
  call sections
  call mpi_comm_free(ring ERR)
  call mpi_finalize(ierr)
  if (rank == 0) write (*, '(a)') 'done'
contains
  integer function word(from, i)
    integer, intent(in) :: from, i
    word = 1000 * from + i + 100000 * round
  end function

#if !defined(USE_F08) && !defined(USE_MPI)
  ! Removed in MPI-3.0, and still in every library. Their displacements are default integers.
  subroutine use_removed_constructors()
    integer :: made, one(1), at(1), kind_of(1), bytes
    one = 1
    at = 0
    kind_of = MPI_INTEGER
    call mpi_type_struct(1, one, at, kind_of, made, ierr)
    call mpi_type_size(made, bytes, ierr)
    if (bytes /= 4) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
    call mpi_type_free(made, ierr)
    call mpi_type_hindexed(1, one, at, MPI_INTEGER, made, ierr)
    call mpi_type_free(made, ierr)
    call mpi_type_hvector(1, 1, 0, MPI_INTEGER, made, ierr)
    call mpi_type_free(made, ierr)
  end subroutine
#endif

  subroutine exchange(kind)
    integer, intent(in) :: kind
    select case (kind)
    case (1)
      call mpi_neighbor_allgather(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring ERR)
    case (2)
      call mpi_neighbor_allgatherv(mine, 3, MPI_INTEGER, theirs, (/ 3, 3 /), (/ 0, 4 /), MPI_INTEGER, ring ERR)
    case (3)
      call mpi_neighbor_alltoall(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring ERR)
    case (4)
      call mpi_neighbor_alltoallv(mine, scounts, sdispls, MPI_INTEGER, theirs, rcounts, rdispls, MPI_INTEGER, ring ERR)
    case (5)
      call mpi_neighbor_alltoallw(mine, scounts, sbytes, types, theirs, rcounts, rbytes, types, ring ERR)
    case (6)
      call mpi_neighbor_alltoallw(MPI_BOTTOM, scounts, spread_s, types, MPI_BOTTOM, rcounts, spread_r, types, ring ERR)
    end select
  end subroutine

  subroutine begin(kind)
    integer, intent(in) :: kind
    integer, save :: three(2) = (/ 3, 3 /), places(2) = (/ 0, 4 /)
    select case (kind)
    case (1)
      call mpi_ineighbor_allgather(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring, r(1) ERR)
    case (2)
      call mpi_ineighbor_allgatherv(mine, 3, MPI_INTEGER, theirs, three, places, MPI_INTEGER, ring, r(1) ERR)
    case (3)
      call mpi_ineighbor_alltoall(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring, r(1) ERR)
    case (4)
      call mpi_ineighbor_alltoallv(mine, scounts, sdispls, MPI_INTEGER, theirs, rcounts, rdispls, MPI_INTEGER, ring, &
                                   r(1) ERR)
    case (5)
      call mpi_ineighbor_alltoallw(mine, scounts, sbytes, types, theirs, rcounts, rbytes, types, ring, r(1) ERR)
    case (6)
      call mpi_ineighbor_alltoallw(MPI_BOTTOM, scounts, spread_s, types, MPI_BOTTOM, rcounts, spread_r, types, ring, &
                                   r(1) ERR)
    end select
  end subroutine

  subroutine make(kind)
    integer, intent(in) :: kind
#ifdef HAS_PERSISTENT
    integer, save :: three(2) = (/ 3, 3 /), places(2) = (/ 0, 4 /)
    select case (kind)
    case (1)
      call mpi_neighbor_allgather_init(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring, MPI_INFO_NULL, r(1) ERR)
    case (2)
      call mpi_neighbor_allgatherv_init(mine, 3, MPI_INTEGER, theirs, three, places, MPI_INTEGER, ring, MPI_INFO_NULL, &
                                        r(1) ERR)
    case (3)
      call mpi_neighbor_alltoall_init(mine, 2, MPI_INTEGER, theirs, 2, MPI_INTEGER, ring, MPI_INFO_NULL, r(1) ERR)
    case (4)
      call mpi_neighbor_alltoallv_init(mine, scounts, sdispls, MPI_INTEGER, theirs, rcounts, rdispls, MPI_INTEGER, ring, &
                                       MPI_INFO_NULL, r(1) ERR)
    case (5)
      call mpi_neighbor_alltoallw_init(mine, scounts, sbytes, types, theirs, rcounts, rbytes, types, ring, &
                                       MPI_INFO_NULL, r(1) ERR)
    case (6)
      call mpi_neighbor_alltoallw_init(MPI_BOTTOM, scounts, spread_s, types, MPI_BOTTOM, rcounts, spread_r, types, ring, &
                                       MPI_INFO_NULL, r(1) ERR)
    end select
#endif
    if (kind < 0) stop 2
  end subroutine

  ! Sections of arrays: every other element, forwards and backwards. Without MPI_SUBARRAYS_SUPPORTED the compiler copies
  ! them, which is good for blocking calls only.
  subroutine sections
    integer, save, target :: wide(16), got(16)
    integer :: way
    do way = 1, 3
      if (way > 1 .and. .not. MPI_SUBARRAYS_SUPPORTED) exit
#ifdef HAS_PERSISTENT
      if (way == 3) call mpi_neighbor_alltoall_init(wide(1:7:2), 2, MPI_INTEGER, got(12:6:-2), 2, MPI_INTEGER, ring, &
                                                    MPI_INFO_NULL, r(1) ERR)
#else
      if (way == 3) exit
#endif
      do times = 1, 3
        wide = (/ (100 * rank + 1000 * times + i, i=1, 16) /)
        got = -1
        if (way == 1) call mpi_neighbor_alltoall(wide(1:7:2), 2, MPI_INTEGER, got(12:6:-2), 2, MPI_INTEGER, ring ERR)
        if (way == 2) call mpi_ineighbor_alltoall(wide(1:7:2), 2, MPI_INTEGER, got(12:6:-2), 2, MPI_INTEGER, ring, r(1) ERR)
        if (way == 3) call mpi_start(r(1) ERR)
        if (way > 1) call mpi_wait(r(1), MPI_STATUS_IGNORE ERR)
        if (any(got(12:6:-2) - 1000 * times /= (/ 100 * left + 5, 100 * left + 7, 100 * right + 1, 100 * right + 3 /)) .or. &
            any(got(1:15:2) /= -1) .or. any(got(2:4:2) /= -1) .or. any(got(14:16:2) /= -1)) then
          write (0, '(2(a,i0))') 'wrong section on rank ', rank, ', way ', way
          write (0, *) got
          call mpi_abort(MPI_COMM_WORLD, 1 ERR)
        end if
      end do
      if (way == 3) call mpi_request_free(r(1) ERR)
    end do
  end subroutine

  ! `count` words from `from`, which start at its word `first`, have arrived behind `place`; the others are as before.
  subroutine expect(wanted, from, first, place, count)
    integer, intent(inout) :: wanted(8)
    integer, intent(in) :: from, first, place, count
    integer :: k
    do k = 1, count
      wanted(place + k) = word(from, first + k - 1)
    end do
  end subroutine

  subroutine check_arrived(kind)
    integer, intent(in) :: kind
    integer :: wanted(8)
    wanted = -1
    select case (kind)
    case (1)
      call expect(wanted, left, 1, 0, 2)
      call expect(wanted, right, 1, 2, 2)
    case (2)
      call expect(wanted, left, 1, 0, 3)
      call expect(wanted, right, 1, 4, 3)
    case (3)
      call expect(wanted, left, 3, 0, 2)
      call expect(wanted, right, 1, 2, 2)
    case default
      call expect(wanted, left, 2, 0, 3)
      call expect(wanted, right, 6, 4, 2)
    end select
    if (all(wanted == theirs)) return
    write (0, '(3(a,i0))') 'wrong result on rank ', rank, ', form ', form, ', kind ', kind
    write (0, *) wanted
    write (0, *) theirs
    call mpi_abort(MPI_COMM_WORLD, 1 ERR)
  end subroutine
end program
