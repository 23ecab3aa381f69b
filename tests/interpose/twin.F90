! The same calls as twin.c, through mpif.h (neither macro), `use mpi` (USE_MPI) or `use mpi_f08` (USE_F08, where ierror is
! left out). Each result is checked: an interposer must not disturb them. For two ranks.
#ifdef USE_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define MESSAGE type(MPI_Message)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#define SOURCES(s, i) s(i)%MPI_SOURCE
#define TAGS(s, i) s(i)%MPI_TAG
#define ERR
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define MESSAGE integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#define SOURCES(s, i) s(MPI_SOURCE, i)
#define TAGS(s, i) s(MPI_TAG, i)
#define ERR , ierr
#endif
#ifdef USE_F08
#define WITH_MPI use mpi_f08
#define OR_INCLUDE
#else
#ifdef USE_MPI
#define WITH_MPI use mpi
#define OR_INCLUDE
#else
#define WITH_MPI
#define OR_INCLUDE include 'mpif.h'
#endif
#endif

module checks
  implicit none
  integer :: rank = -1, other = -1, ierr = 0
  integer :: first = 1 ! what the library calls the first of several requests
  integer, target :: a(64), b(64)
contains
  subroutine expect(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    if (condition) return
    write (0, '(a,i0,a,i0)') 'wrong result on rank ', rank, ' at line ', line
    stop 1
  end subroutine
  subroutine fill(seed)
    integer, intent(in) :: seed
    integer :: i
    do i = 1, 64
      a(i) = 1000 * seed + 100 * rank + i
    end do
    b = -1
  end subroutine
end module

subroutine blocking()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  STATUS(s)
  integer :: n
  call fill(1)
  if (rank == 0) then
    call mpi_send(a, 64, MPI_INTEGER, 1, 5, MPI_COMM_WORLD ERR)
    call mpi_ssend(a(3), 10, MPI_INTEGER, 1, 6, MPI_COMM_WORLD ERR)
    call mpi_send(a, 0, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD ERR)
  else
    call mpi_recv(b, 64, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call expect(b(64) == 1064, __LINE__)
    call mpi_recv(b, 64, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s ERR)
    call expect(SOURCE(s) == 0 .and. TAG(s) == 6, __LINE__)
    call mpi_get_count(s, MPI_INTEGER, n ERR)
    call expect(n == 10 .and. b(10) == 1012, __LINE__)
  end if
  call mpi_sendrecv(a, 8, MPI_INTEGER, other, 1, b, 8, MPI_INTEGER, other, 1, MPI_COMM_WORLD, s ERR)
  call expect(SOURCE(s) == other .and. b(8) == 1008 + 100 * other, __LINE__)
  call mpi_sendrecv_replace(a, 8, MPI_INTEGER, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
  call expect(a(1) == 1001 + 100 * other, __LINE__)
end subroutine

subroutine requests()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  REQUEST :: r(4)
  STATUS(s)
  STATUSES(ss, 4)
  integer :: i, n, done, indices(4)
  logical :: flag, cancelled
  call fill(2)
  ! Waitall with and without statuses.
  do n = 1, 2
    do i = 1, 2
      call mpi_irecv(b(8 * i), 8, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(i) ERR)
    end do
    do i = 1, 2
      call mpi_isend(a(8 * i), 8, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(i + 2) ERR)
    end do
    if (n == 1) then
      call mpi_waitall(4, r, ss ERR)
      call expect(SOURCES(ss, 2) == other .and. TAGS(ss, 2) == 2 .and. TAGS(ss, 1) == 1, __LINE__)
    else
      call mpi_waitall(4, r, MPI_STATUSES_IGNORE ERR)
    end if
    call expect(r(1) == MPI_REQUEST_NULL .and. r(4) == MPI_REQUEST_NULL, __LINE__)
    call expect(b(16) == 2016 + 100 * other, __LINE__)
  end do
  call expect(r(2) == MPI_REQUEST_NULL, __LINE__)
  ! Waitany and Wait, one at a time.
  r(1) = MPI_REQUEST_NULL
  call mpi_irecv(b, 8, MPI_INTEGER, other, 3, MPI_COMM_WORLD, r(2) ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 3, MPI_COMM_WORLD ERR)
  call mpi_waitany(2, r, i, s ERR)
  call expect(i == first + 1 .and. SOURCE(s) == other .and. TAG(s) == 3, __LINE__)
  call mpi_waitany(2, r, i, MPI_STATUS_IGNORE ERR)
  call expect(i < 0, __LINE__) ! MPI_UNDEFINED; to which MPICH 4.0 adds 1 in mpif.h
  call mpi_irecv(b, 8, MPI_INTEGER, other, 4, MPI_COMM_WORLD, r(1) ERR)
  call mpi_isend(a, 8, MPI_INTEGER, other, 4, MPI_COMM_WORLD, r(2) ERR)
  call mpi_wait(r(1), s ERR)
  call expect(TAG(s) == 4, __LINE__)
  call mpi_wait(r(2), MPI_STATUS_IGNORE ERR)
  ! The same by polling.
  call mpi_irecv(b, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, r(1) ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD ERR)
  flag = .false.
  do while (.not. flag)
    call mpi_test(r(1), flag, s ERR)
  end do
  call expect(TAG(s) == 5 .and. r(1) == MPI_REQUEST_NULL, __LINE__)
  call mpi_irecv(b, 8, MPI_INTEGER, other, 6, MPI_COMM_WORLD, r(2) ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 6, MPI_COMM_WORLD ERR)
  flag = .false.
  do while (.not. flag)
    call mpi_testany(2, r, i, flag, s ERR)
  end do
  call expect(i == first + 1 .and. TAG(s) == 6, __LINE__)
  call mpi_irecv(b, 8, MPI_INTEGER, other, 7, MPI_COMM_WORLD, r(1) ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 7, MPI_COMM_WORLD ERR)
  flag = .false.
  do while (.not. flag)
    call mpi_testall(1, r, flag, MPI_STATUSES_IGNORE ERR)
  end do
  call expect(r(1) == MPI_REQUEST_NULL, __LINE__)
  ! Some.
  do i = 1, 3
    call mpi_irecv(b(8 * i), 8, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(i) ERR)
  end do
  call mpi_send(a, 8, MPI_INTEGER, other, 2, MPI_COMM_WORLD ERR)
  call mpi_waitsome(3, r, done, indices, ss ERR)
  call expect(done == 1 .and. indices(1) == first + 1 .and. TAGS(ss, 1) == 2, __LINE__)
  call mpi_barrier(MPI_COMM_WORLD ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 3, MPI_COMM_WORLD ERR)
  done = 0
  do while (done == 0)
    call mpi_testsome(3, r, done, indices, ss ERR)
  end do
  call expect(done == 1 .and. indices(1) == first + 2 .and. TAGS(ss, 1) == 3, __LINE__)
  call mpi_barrier(MPI_COMM_WORLD ERR)
  call mpi_send(a, 8, MPI_INTEGER, other, 1, MPI_COMM_WORLD ERR)
  call mpi_waitsome(3, r, done, indices, MPI_STATUSES_IGNORE ERR)
  call expect(done == 1 .and. indices(1) == first, __LINE__)
  call mpi_waitsome(3, r, done, indices, MPI_STATUSES_IGNORE ERR)
  call expect(done == MPI_UNDEFINED, __LINE__)
  ! Cancelled.
  call mpi_irecv(b, 8, MPI_INTEGER, other, 9, MPI_COMM_WORLD, r(1) ERR)
  call mpi_cancel(r(1) ERR)
  call mpi_wait(r(1), s ERR)
  call mpi_test_cancelled(s, cancelled ERR)
  call expect(cancelled, __LINE__)
end subroutine

subroutine persistent()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  REQUEST :: r(2)
  STATUSES(ss, 2)
  integer :: i
  logical :: flag
  call fill(3)
  call mpi_send_init(a, 16, MPI_INTEGER, other, 1, MPI_COMM_WORLD, r(1) ERR)
  call mpi_recv_init(b, 16, MPI_INTEGER, other, 1, MPI_COMM_WORLD, r(2) ERR)
  do i = 1, 2
    a(1) = i
    call mpi_startall(2, r ERR)
    call mpi_waitall(2, r, ss ERR)
    call expect(TAGS(ss, 2) == 1 .and. b(1) == i, __LINE__)
  end do
  call mpi_start(r(2) ERR)
  call mpi_start(r(1) ERR)
  call mpi_wait(r(1), MPI_STATUS_IGNORE ERR)
  call mpi_wait(r(2), MPI_STATUS_IGNORE ERR)
  call mpi_request_get_status(r(2), flag, MPI_STATUS_IGNORE ERR)
  call mpi_request_free(r(1) ERR)
  call mpi_request_free(r(2) ERR)
  call expect(r(1) == MPI_REQUEST_NULL, __LINE__)
end subroutine

subroutine probes()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  STATUS(s)
  MESSAGE :: m
  REQUEST :: r
  integer :: i
  logical :: flag
  call fill(4)
  if (rank == 0) then
    do i = 1, 4
      call mpi_send(a, 4 * i, MPI_INTEGER, 1, i, MPI_COMM_WORLD ERR)
    end do
  else
    call mpi_probe(0, 1, MPI_COMM_WORLD, s ERR)
    call expect(SOURCE(s) == 0 .and. TAG(s) == 1, __LINE__)
    call mpi_recv(b, 64, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    flag = .false.
    do while (.not. flag)
      call mpi_iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, flag, s ERR)
    end do
    call expect(SOURCE(s) == 0, __LINE__)
    call mpi_recv(b, 64, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call mpi_mprobe(0, 3, MPI_COMM_WORLD, m, s ERR)
    call mpi_mrecv(b, 64, MPI_INTEGER, m, s ERR)
    call expect(TAG(s) == 3 .and. m == MPI_MESSAGE_NULL, __LINE__)
    flag = .false.
    do while (.not. flag)
      call mpi_improbe(0, 4, MPI_COMM_WORLD, flag, m, MPI_STATUS_IGNORE ERR)
    end do
    call mpi_imrecv(b, 64, MPI_INTEGER, m, r ERR)
    call mpi_wait(r, s ERR)
    call expect(TAG(s) == 4 .and. b(16) == 4016, __LINE__)
  end if
end subroutine

subroutine collectives()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  REQUEST :: r
  DATATYPE :: t, types(2)
  integer :: counts(2), displs(2), lengths(1)
  integer(MPI_ADDRESS_KIND) :: places(1)
  call fill(5)
  call mpi_barrier(MPI_COMM_WORLD ERR)
  call mpi_bcast(a, 10, MPI_INTEGER, 0, MPI_COMM_WORLD ERR)
  call expect(a(10) == 5010, __LINE__)
  call mpi_allreduce(MPI_IN_PLACE, a, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD ERR)
  call expect(a(4) == 10008, __LINE__)
  call mpi_reduce(a, b, 4, MPI_INTEGER, MPI_MAX, 1, MPI_COMM_WORLD ERR)
  if (rank == 1) then
    call mpi_gather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 8, MPI_INTEGER, 1, MPI_COMM_WORLD ERR)
  else
    call mpi_gather(a, 8, MPI_INTEGER, b, 8, MPI_INTEGER, 1, MPI_COMM_WORLD ERR)
  end if
  if (rank == 1) call expect(b(8) == 5008, __LINE__)
  counts = (/ 3, 5 /)
  displs = (/ 0, 10 /)
  call mpi_allgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, displs, MPI_INTEGER, MPI_COMM_WORLD ERR)
  counts = 6
  displs = (/ 0, 32 /)
  call mpi_alltoallv(a, counts, displs, MPI_INTEGER, b, counts, displs, MPI_INTEGER, MPI_COMM_WORLD ERR)
  types(1) = MPI_INTEGER
  types(2) = MPI_REAL
  call mpi_alltoallw(a, counts, displs, types, b, counts, displs, types, MPI_COMM_WORLD ERR)
  call mpi_ibarrier(MPI_COMM_WORLD, r ERR)
  call mpi_wait(r, MPI_STATUS_IGNORE ERR)
  call mpi_iallreduce(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r ERR)
  call mpi_wait(r, MPI_STATUS_IGNORE ERR)
  ! Absolute addresses.
  lengths = 12
  call mpi_get_address(a(5), places(1) ERR)
  call mpi_type_create_hindexed(1, lengths, places, MPI_INTEGER, t ERR)
  call mpi_type_commit(t ERR)
  call mpi_bcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD ERR)
  call mpi_type_free(t ERR)
end subroutine

subroutine communicators()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  COMM :: copy, half, ring, later
  REQUEST :: r
  integer :: dims(1), size
  logical :: periods(1)
  call fill(6)
  call mpi_comm_dup(MPI_COMM_WORLD, copy ERR)
  call mpi_comm_split(copy, 0, 1 - rank, half ERR)
  call mpi_sendrecv(a, 4, MPI_INTEGER, rank, 1, b, 4, MPI_INTEGER, rank, 1, half, MPI_STATUS_IGNORE ERR)
  call expect(b(1) == 6001 + 100 * other, __LINE__) ! ranks run backwards
  call mpi_comm_idup(half, later, r ERR)
  call mpi_wait(r, MPI_STATUS_IGNORE ERR)
  call mpi_barrier(later ERR)
  dims = 2
  periods = .true.
  call mpi_cart_create(copy, 1, dims, periods, .false., ring ERR)
  call mpi_comm_size(ring, size ERR)
  call expect(size == 2, __LINE__)
  call mpi_neighbor_alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring ERR)
  call mpi_comm_free(ring ERR)
  call mpi_comm_free(half ERR)
  call mpi_comm_free(later ERR)
  call mpi_comm_free(copy ERR)
end subroutine

! A row and a block of a matrix: compilers may pass them as copies (without descriptors), or the library as they are.
subroutine sections()
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  integer, target, save :: m(8, 8), n(8, 8)
  integer :: i, j
  do j = 1, 8
    do i = 1, 8
      m(i, j) = 100 * i + j + 10000 * rank
    end do
  end do
  n = 0
  if (rank == 0) then
    call mpi_send(m(3, 1:8), 8, MPI_INTEGER, 1, 1, MPI_COMM_WORLD ERR)
    call mpi_send(m(2:7:2, 8:1:-3), 9, MPI_INTEGER, 1, 2, MPI_COMM_WORLD ERR)
    call mpi_send(m(1:5, 2:3), 10, MPI_INTEGER, 1, 3, MPI_COMM_WORLD ERR)
  else
    call mpi_recv(n(4, :), 8, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call expect(n(4, 8) == 308 .and. n(3, 8) == 0, __LINE__)
    call mpi_recv(n(1:3, 1:3), 9, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call expect(n(3, 1) == 608 .and. n(1, 3) == 202, __LINE__)
    call mpi_recv(n(:, 5:6), 10, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call expect(n(5, 5) == 502 .and. n(2, 6) == 503, __LINE__)
  end if
end subroutine

program twin
  use checks
  WITH_MPI
  implicit none
  OR_INCLUDE
  integer :: level, size, length
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  call mpi_init_thread(MPI_THREAD_SINGLE, level ERR)
  call mpi_comm_rank(MPI_COMM_WORLD, rank ERR)
  call mpi_comm_size(MPI_COMM_WORLD, size ERR)
  call expect(size == 2, __LINE__)
  other = 1 - rank
  call mpi_get_library_version(version, length ERR)
#ifdef USE_F08
  ! MPICH 4.0's mpi_f08 forgets that Fortran counts from 1.
  if (index(version(1:length), 'MPICH') > 0 .and. index(version(1:length), '4.0.') > 0) first = 0
#endif
  call blocking()
  call requests()
  call persistent()
  call probes()
  call collectives()
  call communicators()
  call sections()
  call mpi_finalize(ierr)
  call expect(ierr == MPI_SUCCESS, __LINE__)
  write (*, '(a,i0,a)') 'rank ', rank, ' done'
end program
