// Layouts of datatypes, each flattened once and numbered by content.
//
// Reading a derived type means walking its constructors, which is far too slow for every call. So the layout
// is cached with the datatype, as an attribute that goes when the type is freed; equal layouts share one
// number, also if the program makes the same type anew for every call. Thread-safe.
#pragma once

#include "runtime/mpi/datatype.h"

#include <cstdint>
#include <memory>
#include <mpi.h>

namespace tacit::runtime {

struct numbered_layout {
  std::uint64_t number = 0; ///< equal for equal layouts as long as one of them is held; never reused
  layout element;
};

using layout_handle = std::shared_ptr<const numbered_layout>;

/// Local. Throws datatype_error.
layout_handle layout_of(MPI_Datatype type);

} // namespace tacit::runtime
