// What a datatype of MPI is made of, as far as elements are packed, compared and combined here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace tacit::compiler {

/// How values of a type can be combined before they are sent, so that the result has the same bits.
enum class arithmetic : std::uint8_t { none, sign, no_sign, real };

/// A predefined datatype whose elements lie `extent` bytes apart.
struct element_type {
  bool predefined = false;
  bool solid = false; ///< elements without gaps: bytes may be copied as one run
  arithmetic kind = arithmetic::none;
  std::size_t extent = 0;
};

/// Nothing predefined for a derived datatype and for MPI_DATATYPE_NULL. Calls MPI, but raises no error.
element_type element_of(MPI_Datatype type);

} // namespace tacit::compiler
