// MPI's collectives that end in a request, as tables of functions with the same arguments: the nonblocking ones, which are called in each
// run, and the persistent ones, which are called once and then started.
#pragma once

#include "runtime/mpi/mpi_error.h"

#include <mpi.h>

namespace tacit::runtime {

/// Throws mpi_error.
template <typename... Arguments>
struct checked_call {
  int (*function)(Arguments..., MPI_Request*);
  const char* name;
  void operator()(Arguments... arguments, MPI_Request* made) const {
    check_mpi(function(arguments..., made), name);
  }
};

struct collective_calls {
  using list = const int*;
  using types = const MPI_Datatype*;
  checked_call<MPI_Comm> barrier;
  checked_call<void*, int, MPI_Datatype, int, MPI_Comm> bcast;
  checked_call<const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm> allgather;
  checked_call<const void*, int, MPI_Datatype, void*, list, list, MPI_Datatype, MPI_Comm> allgatherv;
  checked_call<const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm> alltoall;
  checked_call<const void*, list, list, types, void*, list, list, types, MPI_Comm> alltoallw;
  checked_call<const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm> scatter;
  checked_call<const void*, list, list, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm> scatterv;
  checked_call<const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm> gather;
  checked_call<const void*, int, MPI_Datatype, void*, list, list, MPI_Datatype, int, MPI_Comm> gatherv;
  checked_call<const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm> allreduce;
  checked_call<const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm> reduce;
  checked_call<const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm> reduce_scatter_block;
  checked_call<const void*, void*, list, MPI_Datatype, MPI_Op, MPI_Comm> reduce_scatter;
  checked_call<const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm> scan;
  checked_call<const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm> exscan;
};

const collective_calls& nonblocking_calls();

/// Without info. Null: the library has none that can be relied on. Lists of numbers and types must stay until the request is freed.
const collective_calls* persistent_calls();

} // namespace tacit::runtime
