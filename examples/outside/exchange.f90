! exchange.c in Fortran: every rank sends one number to every other one, and tacit sees an allgather. Then each rank gives
! its neighbors on a ring a number, with datatypes per neighbor. Last, messages are put together from several arrays, and a
! computation of the program is part of the graph. Prints what was found and checks the numbers.
module computations
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: operands
    integer(c_int) :: some(3), others(2), added(2), copied(5)
  end type
contains
  subroutine add_up(context) bind(C)
    type(c_ptr), value :: context
    type(operands), pointer :: here
    call c_f_pointer(context, here)
    here%added = [sum(here%some), sum(here%others)]
  end subroutine
end module

program exchange
  use computations
  use tacit
  implicit none
  include 'mpif.h'
  integer, parameter :: most = 256
  type(c_ptr) :: graph, schedule, topology
  integer, target :: mine, all(most), given(2), taken(2)
  integer :: rank, ranks, i, round, wrong, ierror, ring, left, right, types(2)
  integer(c_int) :: op
  integer(c_int) :: counts(2)
  integer(c_intptr_t) :: displacements(2)
  character(len=4096) :: text

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

  call expect(tacit_graph_create(MPI_COMM_WORLD, graph))
  do i = 1, min(ranks, most)
    call expect(tacit_graph_send(graph, c_loc(mine), 1_c_int64_t, MPI_INTEGER, i - 1, 0))
    call expect(tacit_graph_recv(graph, c_loc(all(i)), 1_c_int64_t, MPI_INTEGER, i - 1, 0, op))
    if (op /= 2 * i - 1) error stop 'the operations are counted otherwise'
  end do
  call expect(tacit_compile(graph, MPI_INFO_NULL, schedule))
  call expect(tacit_graph_free(graph))
  call expect(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, len(text, c_size_t)))
  if (rank == 0) write (0, '(a)') text(1:index(text, c_null_char) - 1)

  wrong = 0
  do round = 0, 2
    mine = 100 * round + rank
    call expect(tacit_run(schedule))
    do i = 1, min(ranks, most)
      if (all(i) /= 100 * round + i - 1) wrong = wrong + 1
    end do
  end do
  call expect(tacit_schedule_free(schedule))

  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call expect(tacit_topology_graph(2, [left, right], outdegree=2, destinations=[left, right], topology=topology))
  call expect(tacit_topology_comm(topology, MPI_COMM_WORLD, ring))
  call expect(tacit_topology_free(topology))
  counts = 1
  displacements = [0_c_intptr_t, c_sizeof(given(1))]
  types = MPI_INTEGER
  call expect(tacit_neighbor_alltoallw_init(c_loc(given), counts, displacements, types, c_loc(taken), counts, displacements, &
                                            types, ring, MPI_INFO_NULL, schedule))
  do round = 0, 2
    given = [1000 * round + 10 * rank, 1000 * round + 10 * rank + 1] ! to the left, to the right
    call expect(tacit_run(schedule))
    ! Two ranks are joined by two edges, which belong together in the order in which both list them.
    if (ranks > 2) then
      if (taken(1) /= 1000 * round + 10 * left + 1) wrong = wrong + 1
      if (taken(2) /= 1000 * round + 10 * right) wrong = wrong + 1
    else
      if (any(taken /= 1000 * round + 10 * left + [0, 1])) wrong = wrong + 1
    end if
  end do
  call expect(tacit_schedule_free(schedule))
  call MPI_Comm_free(ring, ierror)

  call several_arrays()

  if (rank == 0) print '(i0, a, i0, a)', ranks, ' ranks, ', wrong, ' wrong numbers'
  call MPI_Finalize(ierror)
  if (wrong /= 0) error stop 1

contains
  ! Five numbers travel around the ring, from an array of four and one of one into one of three and one of two. They are copied
  ! into one array, and what they add up to is computed, when they have come.
  subroutine several_arrays()
    integer, target :: four(4), one(1)
    type(operands), target :: got
    integer :: k
    integer(c_int) :: arrival, copied, added
    integer(c_int) :: numbers(2)
    integer(c_int64_t) :: counts(2)

    numbers = MPI_INTEGER
    call expect(tacit_graph_create(MPI_COMM_WORLD, graph))
    counts = [4, 1]
    call expect(tacit_graph_sendw(graph, TACIT_COMM_GRAPH, 2, [address(c_loc(four)), address(c_loc(one))], counts, &
                                  numbers, modulo(rank + 1, ranks), 0))
    counts = [3, 2]
    call expect(tacit_graph_recvw(graph, TACIT_COMM_GRAPH, 2, [address(c_loc(got%some)), address(c_loc(got%others))], counts, &
                                  numbers, modulo(rank - 1, ranks), 0, arrival))
    call expect(tacit_graph_copyw(graph, 2, [address(c_loc(got%some)), address(c_loc(got%others))], counts, numbers, &
                                  1, [address(c_loc(got%copied))], [5_c_int64_t], [MPI_INTEGER], copied))
    call expect(tacit_graph_computew(graph, c_funloc(add_up), c_loc(got), &
                                     2, [address(c_loc(got%some)), address(c_loc(got%others))], counts, numbers, &
                                     1, [address(c_loc(got%added))], [2_c_int64_t], [MPI_INTEGER], added))
    call expect(tacit_graph_depend(graph, arrival, copied))
    call expect(tacit_graph_depend(graph, arrival, added))
    call expect(tacit_compile(graph, MPI_INFO_NULL, schedule))
    call expect(tacit_graph_free(graph))
    do round = 0, 2
      four = [(100 * rank + 10 * round + k, k = 1, 4)]
      one = 100 * rank + 10 * round + 5
      call expect(tacit_run(schedule))
      k = 100 * modulo(rank - 1, ranks) + 10 * round
      if (any(got%some /= k + [1, 2, 3]) .or. any(got%others /= k + [4, 5])) wrong = wrong + 1
      if (any(got%copied /= k + [1, 2, 3, 4, 5]) .or. any(got%added /= [3 * k + 6, 2 * k + 9])) wrong = wrong + 1
    end do
    call expect(tacit_schedule_free(schedule))
  end subroutine
  function address(of)
    type(c_ptr), intent(in) :: of
    integer(c_intptr_t) :: address
    address = transfer(of, address)
  end function
  subroutine expect(code)
    integer(c_int), intent(in) :: code
    if (code /= TACIT_SUCCESS) error stop 'tacit reports an error'
  end subroutine
end program
