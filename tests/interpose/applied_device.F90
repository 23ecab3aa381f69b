! Sections of Fortran arrays in device memory (guarded_device.c), in neighborhood collectives on a ring, in a program that
! knows nothing of tacit. Without MPI_SUBARRAYS_SUPPORTED the compiler itself copies sections into the processor's memory.
program applied_device
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function guarded_device_memory(bytes) bind(c) result(at)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr) :: at
    end function
  end interface
  type(c_ptr) :: memory
  type(MPI_Comm) :: ring
  type(MPI_Request) :: r
  integer, pointer, asynchronous :: device(:)
  integer :: rank, ranks, left, right, kind, times, i
  integer :: wanted(16)
  call mpi_init()
  memory = guarded_device_memory(65536_c_size_t)
  if (.not. c_associated(memory)) call mpi_abort(MPI_COMM_WORLD, 2)
  call c_f_pointer(memory, device, (/ 32 /))
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call mpi_cart_create(MPI_COMM_WORLD, 1, (/ ranks /), (/ .true. /), .false., ring)
  do kind = 1, 2
    if (kind == 2 .and. .not. MPI_SUBARRAYS_SUPPORTED) exit
    do times = 1, 3
      do i = 1, 16
        device(i) = 100 * rank + 1000 * times + i
        device(16 + i) = -1
      end do
      if (kind == 1) then
        call mpi_neighbor_alltoall(device(1:7:2), 2, MPI_INTEGER, device(28:22:-2), 2, MPI_INTEGER, ring)
      else
        call mpi_ineighbor_alltoall(device(1:7:2), 2, MPI_INTEGER, device(28:22:-2), 2, MPI_INTEGER, ring, r)
        call mpi_wait(r, MPI_STATUS_IGNORE)
      end if
      wanted = -1
      wanted(12:6:-2) = (/ 100 * left + 5, 100 * left + 7, 100 * right + 1, 100 * right + 3 /) + 1000 * times
      if (any(device(17:32) /= wanted)) then
        write (0, '(2(a,i0))') 'wrong section on rank ', rank, ', kind ', kind
        write (0, *) device(17:32)
        call mpi_abort(MPI_COMM_WORLD, 1)
      end if
    end do
  end do
  call mpi_comm_free(ring)
  call mpi_finalize()
  if (rank == 0 .and. MPI_SUBARRAYS_SUPPORTED) write (*, '(a)') 'sections reach MPI'
  if (rank == 0) write (*, '(a)') 'done'
end program
