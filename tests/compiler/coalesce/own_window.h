// A window as each library can make it: Open MPI 4.1 makes no windows of given memory on a node without cross-memory attach; MPICH 4.0
// loses puts into windows that it allocates itself unless their bytes are a multiple of 16.
#pragma once

#include <mpi.h>

/// Collective; returns its memory here, null if that has no bytes.
template <typename T>
T* make_window(MPI_Aint bytes, int unit, MPI_Comm comm, MPI_Win* win) {
  T* memory = nullptr;
#ifdef OPEN_MPI
  MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, &memory, win);
#else
  if (bytes > 0)
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
  MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, comm, win);
#endif
  return memory;
}

/// Collective.
inline void free_window([[maybe_unused]] void* memory, MPI_Win* win) {
  MPI_Win_free(win);
#ifndef OPEN_MPI
  if (memory)
    MPI_Free_mem(memory);
#endif
}
