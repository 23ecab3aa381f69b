// A call is shown once, however many entries of the library it passes through.
//
// The library's Fortran entries call its C ones (MPICH's mpi_isend_ calls MPI_Isend, so that the C wrapper
// would see the call again; its mpi_f08 entries call PMPI_ functions instead). So while a Fortran wrapper is
// in the library, this thread's calls belong to the one it passed on. MPI_Abort alone is shown wherever it
// comes from: an error handler of the program may call it, and nothing is shown after it.
#pragma once

#include "vocabulary/calls/mpi_calls.h"

namespace tacit::interpose {

/// What this thread has passed on through a Fortran entry; `none` outside of one.
extern constinit thread_local mpi_call passed_on;

inline bool is_inner_call(mpi_call call) {
  return passed_on != mpi_call::none && (call != mpi_call::Abort || passed_on == mpi_call::Abort);
}

class passing_on {
public:
  explicit passing_on(mpi_call call) : before_(passed_on) { passed_on = call; }
  ~passing_on() { passed_on = before_; }
  passing_on(const passing_on&) = delete;
  passing_on& operator=(const passing_on&) = delete;

private:
  mpi_call before_;
};

} // namespace tacit::interpose
