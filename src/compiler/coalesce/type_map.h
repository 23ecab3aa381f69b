// Which bytes of memory some elements of a datatype are.
#pragma once

#include <cstdlib>
#include <mpi.h>

namespace tacit::compiler {

struct type_map {
  MPI_Aint low = 0;              ///< the first byte, counted from the buffer's address
  MPI_Aint bytes = 0;            ///< from the first to the last
  unsigned char* mask = nullptr; ///< nonzero where a byte belongs to the elements; null: all do
  bool known = false;            ///< false: there are none, too many, or no memory

  bool has(MPI_Aint byte) const { return !mask || mask[byte]; }
  void release() {
    std::free(mask);
    mask = nullptr;
  }
};

/// Calls MPI, but raises no error for what MPI takes. The caller releases it.
type_map map_of(MPI_Count count, MPI_Datatype type);

} // namespace tacit::compiler
