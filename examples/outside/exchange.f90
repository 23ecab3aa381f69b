! exchange.c in Fortran: every rank sends one number to every other one, and tacit sees an allgather. Then each rank gives
! its neighbors on a ring a number, with datatypes per neighbor. Prints what was found and checks the numbers.
program exchange
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

  if (rank == 0) print '(i0, a, i0, a)', ranks, ' ranks, ', wrong, ' wrong numbers'
  call MPI_Finalize(ierror)
  if (wrong /= 0) error stop 1

contains
  subroutine expect(code)
    integer(c_int), intent(in) :: code
    if (code /= TACIT_SUCCESS) error stop 'tacit reports an error'
  end subroutine
end program
