! Neighborhood exchanges that taking_client.cpp does in the library's place, seen from Fortran. Macros as in twin.F90. What
! arrives is 7000 and 7001 if it was done so, else the neighbors' own data; the first argument says which is expected.
#ifdef USE_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define TAGS(s, i) s(i)%MPI_TAG
#define ERR
#else
#define COMM integer
#define REQUEST integer
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define TAGS(s, i) s(MPI_TAG, i)
#define ERR , ierr
#endif

#ifdef IS_EXTENSION
#define mpi_neighbor_alltoall_init mpix_neighbor_alltoall_init
#endif

program taken
#ifdef USE_F08
  use mpi_f08
#ifdef IS_EXTENSION
  use mpi_f08_ext
#endif
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  COMM :: ring
  REQUEST :: r(3)
  STATUSES(ss, 3)
  integer :: ierr, rank, other, i, dims(1), wanted, first
  integer, target, save :: mine(2), theirs(2), message ! changed while nothing names them
  logical :: periods(1), flag
  character(len=16) :: what
  call get_command_argument(1, what)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank ERR)
  other = 1 - rank
  dims = 2
  periods = .true.
  call mpi_cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring ERR)
  mine = 100 + rank
  wanted = 100 + other
  if (what == 'taken') wanted = 7000
  ! Blocking.
  theirs = 0
  call mpi_neighbor_alltoall(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring ERR)
  call check(theirs(1) == wanted, __LINE__)
  ! Nonblocking, in an array with requests of the library and a null one.
  theirs = 0
  message = -1
  call mpi_irecv(message, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, r(1) ERR)
  r(2) = MPI_REQUEST_NULL
  call mpi_ineighbor_alltoall(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, r(3) ERR)
  call check(r(3) /= MPI_REQUEST_NULL, __LINE__)
  call mpi_send(rank, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD ERR)
  call mpi_waitall(3, r, ss ERR)
  call check(theirs(1) == wanted .and. message == other, __LINE__)
  call check(r(3) == MPI_REQUEST_NULL .and. r(1) == MPI_REQUEST_NULL, __LINE__)
  call check(TAGS(ss, 1) == 5 .and. (what /= 'taken' .or. TAGS(ss, 3) == 77), __LINE__)
  ! Which one is done: told in Fortran's numbers.
  theirs = 0
  r(1) = MPI_REQUEST_NULL
  call mpi_ineighbor_alltoall(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, r(2) ERR)
  call mpi_waitany(2, r, i, MPI_STATUS_IGNORE ERR)
  first = 1
#ifdef ZERO_BASED
  first = 0
#endif
  call check(i == first + 1 .and. theirs(1) == wanted .and. r(2) == MPI_REQUEST_NULL, __LINE__)
  ! Tested.
  theirs = 0
  call mpi_ineighbor_alltoall(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, r(1) ERR)
  flag = .false.
  do while (.not. flag)
    call mpi_test(r(1), flag, MPI_STATUS_IGNORE ERR)
  end do
  call check(theirs(1) == wanted .and. r(1) == MPI_REQUEST_NULL, __LINE__)
#ifdef HAS_PERSISTENT
  call mpi_neighbor_alltoall_init(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, MPI_INFO_NULL, r(1) ERR)
  do i = 1, 2
    theirs = 0
    call mpi_start(r(1) ERR)
    call mpi_wait(r(1), MPI_STATUS_IGNORE ERR)
    call check(theirs(1) == wanted .and. r(1) /= MPI_REQUEST_NULL, __LINE__)
  end do
  call mpi_request_free(r(1) ERR)
  call check(r(1) == MPI_REQUEST_NULL, __LINE__)
#endif
  call mpi_comm_free(ring ERR)
  call mpi_finalize(ierr)
  write (*, '(a,i0,a)') 'rank ', rank, ' done'
contains
  subroutine check(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    if (condition) return
    write (0, '(a,i0,a,i0)') 'wrong result on rank ', rank, ' at line ', line
    stop 1
  end subroutine
end program
