// What the name of a symbol says about the MPI function behind it: the interface it belongs to and the row of
// the call table. The names are those of Open MPI and MPICH and of the Fortran compilers on Linux.
#pragma once

#include "vocabulary/base/spoken.h"

#include "vocabulary/calls/mpi_calls.h"

namespace tacit::vocabulary {

enum class mpi_interface : std::uint8_t {
  none, ///< no MPI function
  c,    ///< MPI_Send, MPI_Send_c
  mpif, ///< mpi_send_ and other spellings: mpif.h, `use mpi`
  f08,  ///< mpi_send_f08_, mpi_send_f08ts_, mpi_send_f08ts_large_: `use mpi_f08`
};

struct mpi_symbol {
  mpi_interface interface = mpi_interface::none;
  bool profiling = false;         ///< PMPI_Send, pmpi_send_, …: passes tools by
  bool concerns_messages = false; ///< it may move or complete messages, as far as the name says
  const call_row* row = nullptr;  ///< null: a function that is not in the table
};

mpi_symbol understand_symbol(std::string_view name);

/// True for files (without folder) that are part of an MPI library, or of tacit: what they call is their own
/// affair.
bool belongs_to_mpi(std::string_view file);

} // namespace tacit::vocabulary
