// MPI return codes as exceptions; the C API turns them back into codes.
#pragma once

#include <mpi.h>
#include <stdexcept>
#include <string>

namespace tacit::runtime {

struct mpi_error : std::runtime_error {
  mpi_error(int code_, const std::string& what) : std::runtime_error(what), code(code_) {}
  int code;
};

/// Out of memory, and for what.
struct memory_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws if `code` is not MPI_SUCCESS; `call` names the MPI function.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw mpi_error(code, std::string(call) + " failed: " + text);
}

} // namespace tacit::runtime
