! Programs with known truth, in Fortran: what each one means is in truth_table.py. Without arguments all of them run, else
! those that are named. Each is a subroutine of its own outside of any module, so that its name is its symbol's.
module truth_data
  implicit none
  integer, parameter :: times = 12, block = 64, most = 16
  integer, save :: send_buffer(block * most), receive_buffer(block * most), work(block * most)
  integer(8), save :: state = 88172645463325252_8
contains
  subroutine fresh(values, rank)
    integer, intent(out) :: values(:)
    integer, intent(in) :: rank
    integer :: i
    do i = 1, size(values)
      state = ieor(state, ishft(state, 13))
      state = ieor(state, ishft(state, -7))
      state = ieor(state, ishft(state, 17))
      values(i) = ieor(int(iand(ishft(state, -33), 2147483647_8)), rank * 40503)
    end do
  end subroutine
end module

subroutine program_f_bcast_linear(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, to, ierr
  do t = 1, times
    if (rank == 0) then
      call fresh(work(1:block), rank)
      do to = 1, ranks - 1
        call MPI_Send(work, block, MPI_INTEGER, to, 1, comm, ierr)
      end do
    else
      call MPI_Recv(work, block, MPI_INTEGER, 0, 1, comm, MPI_STATUS_IGNORE, ierr)
    end if
  end do
end subroutine

subroutine program_f_bcast_tree(comm, rank, ranks) ! each rank sends on to 2r+1 and 2r+2
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, child, ierr
  do t = 1, times
    if (rank == 0) then
      call fresh(work(1:block), rank)
    else
      call MPI_Recv(work, block, MPI_INTEGER, (rank - 1) / 2, 1, comm, MPI_STATUS_IGNORE, ierr)
    end if
    do child = 2 * rank + 1, min(2 * rank + 2, ranks - 1)
      call MPI_Send(work, block, MPI_INTEGER, child, 1, comm, ierr)
    end do
  end do
end subroutine

subroutine program_f_scatter(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, to, ierr
  do t = 1, times
    if (rank == 0) then
      call fresh(work(1:block * ranks), rank)
      do to = 1, ranks - 1
        call MPI_Send(work(block * to + 1), block, MPI_INTEGER, to, 3, comm, ierr)
      end do
    else
      call MPI_Recv(work, block, MPI_INTEGER, 0, 3, comm, MPI_STATUS_IGNORE, ierr)
    end if
  end do
end subroutine

subroutine program_f_gather(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, from, ierr, requests(most)
  do t = 1, times
    call fresh(send_buffer(1:block), rank)
    if (rank == 0) then
      do from = 1, ranks - 1
        call MPI_Irecv(receive_buffer(block * from + 1), block, MPI_INTEGER, from, 4, comm, requests(from), ierr)
      end do
      call MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE, ierr)
    else
      call MPI_Send(send_buffer, block, MPI_INTEGER, 0, 4, comm, ierr)
    end if
  end do
end subroutine

subroutine program_f_allgather_ring(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, step, out, in, ierr
  do t = 1, times
    call fresh(work(block * rank + 1:block * (rank + 1)), rank)
    do step = 0, ranks - 2
      out = mod(rank + ranks - step, ranks)
      in = mod(rank + 2 * ranks - step - 1, ranks)
      call MPI_Sendrecv(work(block * out + 1), block, MPI_INTEGER, mod(rank + 1, ranks), 6, work(block * in + 1), block, &
                        MPI_INTEGER, mod(rank + ranks - 1, ranks), 6, comm, MPI_STATUS_IGNORE, ierr)
    end do
  end do
end subroutine

subroutine program_f_allgather_ring_tiny(comm, rank, ranks) ! one number of each rank
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, step, out, in, ierr
  do t = 1, times
    call fresh(work(rank + 1:rank + 1), rank)
    do step = 0, ranks - 2
      out = mod(rank + ranks - step, ranks) + 1
      in = mod(rank + 2 * ranks - step - 1, ranks) + 1
      call MPI_Sendrecv(work(out), 1, MPI_INTEGER, mod(rank + 1, ranks), 6, work(in), 1, MPI_INTEGER, &
                        mod(rank + ranks - 1, ranks), 6, comm, MPI_STATUS_IGNORE, ierr)
    end do
  end do
end subroutine

subroutine program_f_near_allgather_flags(comm, rank, ranks) ! a flag is set by the step on all ranks, and or-ed around the ring
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, step, mine, ierr
  do t = 1, times
    work(1) = merge(1, 0, mod(t, 3) == 0)
    do step = 0, ranks - 2
      mine = work(1)
      call MPI_Sendrecv_replace(work, 1, MPI_INTEGER, mod(rank + 1, ranks), 6, mod(rank + ranks - 1, ranks), 6, comm, &
                                MPI_STATUS_IGNORE, ierr)
      work(1) = ior(work(1), mine)
    end do
  end do
end subroutine

subroutine program_f_reduce_scatter(comm, rank, ranks) ! each block to its rank, which adds what comes
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, step, to, from, ierr
  do t = 1, times
    call fresh(work(1:block * ranks), rank)
    do step = 1, ranks - 1
      to = mod(rank + step, ranks)
      from = mod(rank + ranks - step, ranks)
      call MPI_Sendrecv(work(block * to + 1), block, MPI_INTEGER, to, 11, receive_buffer, block, MPI_INTEGER, from, 11, &
                        comm, MPI_STATUS_IGNORE, ierr)
      work(block * rank + 1:block * (rank + 1)) = work(block * rank + 1:block * (rank + 1)) + receive_buffer(1:block)
    end do
  end do
end subroutine

subroutine program_f_alltoall_shifts(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, step, to, from, ierr
  do t = 1, times
    call fresh(send_buffer(1:block * ranks), rank)
    do step = 1, ranks - 1
      to = mod(rank + step, ranks)
      from = mod(rank + ranks - step, ranks)
      call MPI_Sendrecv(send_buffer(block * to + 1), block, MPI_INTEGER, to, 7, receive_buffer(block * from + 1), block, &
                        MPI_INTEGER, from, 7, comm, MPI_STATUS_IGNORE, ierr)
    end do
  end do
end subroutine

subroutine program_f_barrier_dissemination(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, by, ierr
  do t = 1, times
    by = 1
    do while (by < ranks)
      call MPI_Sendrecv(work, 0, MPI_INTEGER, mod(rank + by, ranks), 8, work, 0, MPI_INTEGER, mod(rank + ranks - by, ranks), 8, &
                        comm, MPI_STATUS_IGNORE, ierr)
      by = 2 * by
    end do
  end do
end subroutine

subroutine program_f_reduce_tree(comm, rank, ranks) ! each rank hears from 2r+1 and 2r+2
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, child, ierr
  do t = 1, times
    call fresh(work(1:block), rank)
    do child = 2 * rank + 1, min(2 * rank + 2, ranks - 1)
      call MPI_Recv(receive_buffer, block, MPI_INTEGER, child, 9, comm, MPI_STATUS_IGNORE, ierr)
      work(1:block) = max(work(1:block), receive_buffer(1:block))
    end do
    if (rank > 0) call MPI_Send(work, block, MPI_INTEGER, (rank - 1) / 2, 9, comm, ierr)
  end do
end subroutine

subroutine program_f_allreduce_doubling(comm, rank, ranks)
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, mask, ierr
  if (iand(ranks, ranks - 1) /= 0) return
  do t = 1, times
    call fresh(work(1:block), rank)
    mask = 1
    do while (mask < ranks)
      call MPI_Sendrecv(work, block, MPI_INTEGER, ieor(rank, mask), 10, receive_buffer, block, MPI_INTEGER, ieor(rank, mask), &
                        10, comm, MPI_STATUS_IGNORE, ierr)
      work(1:block) = max(work(1:block), receive_buffer(1:block))
      mask = 2 * mask
    end do
  end do
end subroutine

subroutine program_f_exscan_chain(comm, rank, ranks) ! what came is the result; with the own operand it goes on
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, ierr
  do t = 1, times
    call fresh(work(1:block), rank)
    if (rank > 0) then
      call MPI_Recv(receive_buffer, block, MPI_INTEGER, rank - 1, 12, comm, MPI_STATUS_IGNORE, ierr)
      work(1:block) = max(work(1:block), receive_buffer(1:block))
    end if
    if (rank + 1 < ranks) call MPI_Send(work, block, MPI_INTEGER, rank + 1, 12, comm, ierr)
  end do
end subroutine

subroutine program_f_exscan_shifted(comm, rank, ranks) ! everybody's operand goes to the next rank; from there on an inclusive scan
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, by, to, from, ierr
  do t = 1, times
    call fresh(send_buffer(1:block), rank)
    to = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    from = merge(rank - 1, MPI_PROC_NULL, rank >= 1)
    call MPI_Sendrecv(send_buffer, block, MPI_INTEGER, to, 12, work, block, MPI_INTEGER, from, 12, comm, MPI_STATUS_IGNORE, ierr)
    if (rank == 0) cycle
    by = 1
    do while (by < ranks - 1)
      to = merge(rank + by, MPI_PROC_NULL, rank + by < ranks)
      from = merge(rank - by, MPI_PROC_NULL, rank - by >= 1)
      call MPI_Sendrecv(work, block, MPI_INTEGER, to, 12, receive_buffer, block, MPI_INTEGER, from, 12, comm, &
                        MPI_STATUS_IGNORE, ierr)
      if (from /= MPI_PROC_NULL) work(1:block) = max(work(1:block), receive_buffer(1:block))
      by = 2 * by
    end do
  end do
end subroutine

subroutine program_f_halo_columns(comm, rank, ranks) ! columns of a field on a ring of ranks
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer, parameter :: rows = 32, columns = 8
  integer, save :: field(rows, 0:columns + 1)
  integer :: t, left, right, ierr
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  do t = 1, times
    call fresh(field(:, 1), rank)
    call fresh(field(:, columns), rank)
    call MPI_Sendrecv(field(1, 1), rows, MPI_INTEGER, left, 13, field(1, columns + 1), rows, MPI_INTEGER, right, 13, comm, &
                      MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(field(1, columns), rows, MPI_INTEGER, right, 14, field(1, 0), rows, MPI_INTEGER, left, 14, comm, &
                      MPI_STATUS_IGNORE, ierr)
  end do
end subroutine

subroutine program_f_near_butterfly(comm, rank, ranks) ! exchanges as in an allreduce, but of different blocks
  use mpi
  use truth_data
  implicit none
  integer, intent(in) :: comm, rank, ranks
  integer :: t, mask, ierr
  if (iand(ranks, ranks - 1) /= 0) return
  do t = 1, times
    mask = 1
    do while (mask < ranks)
      call fresh(work(1:block), rank)
      call MPI_Sendrecv(work, block, MPI_INTEGER, ieor(rank, mask), 10, receive_buffer, block, MPI_INTEGER, ieor(rank, mask), &
                        10, comm, MPI_STATUS_IGNORE, ierr)
      mask = 2 * mask
    end do
  end do
end subroutine

program truth
  use mpi
  use truth_data
  implicit none
  integer :: rank, ranks, ierr
  external :: program_f_bcast_linear, program_f_bcast_tree, program_f_scatter, program_f_gather, program_f_allgather_ring, &
              program_f_alltoall_shifts, program_f_barrier_dissemination, program_f_reduce_tree, &
              program_f_allreduce_doubling, program_f_exscan_chain, program_f_exscan_shifted, program_f_halo_columns, &
              program_f_near_butterfly, program_f_allgather_ring_tiny, program_f_near_allgather_flags, program_f_reduce_scatter
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  state = state + 7919_8 * rank
  call run('f_bcast_linear', program_f_bcast_linear)
  call run('f_bcast_tree', program_f_bcast_tree)
  call run('f_scatter', program_f_scatter)
  call run('f_gather', program_f_gather)
  call run('f_allgather_ring', program_f_allgather_ring)
  call run('f_allgather_ring_tiny', program_f_allgather_ring_tiny)
  call run('f_near_allgather_flags', program_f_near_allgather_flags)
  call run('f_reduce_scatter', program_f_reduce_scatter)
  call run('f_alltoall_shifts', program_f_alltoall_shifts)
  call run('f_barrier_dissemination', program_f_barrier_dissemination)
  call run('f_reduce_tree', program_f_reduce_tree)
  call run('f_allreduce_doubling', program_f_allreduce_doubling)
  call run('f_exscan_chain', program_f_exscan_chain)
  call run('f_exscan_shifted', program_f_exscan_shifted)
  call run('f_halo_columns', program_f_halo_columns)
  call run('f_near_butterfly', program_f_near_butterfly)
  call MPI_Finalize(ierr)
contains
  subroutine run(name, what)
    character(len=*), intent(in) :: name
    external :: what
    character(len=64) :: argument
    integer :: i, own
    logical :: wanted
    wanted = command_argument_count() == 0
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      wanted = wanted .or. argument == name
    end do
    if (.not. wanted) return
    call MPI_Comm_dup(MPI_COMM_WORLD, own, ierr)
    call what(own, rank, ranks)
    call MPI_Barrier(own, ierr)
    call MPI_Comm_free(own, ierr)
  end subroutine
end program
