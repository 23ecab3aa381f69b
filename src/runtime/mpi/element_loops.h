// A few elements are combined sooner by a loop than MPI_Reduce_local is entered, under MPICH 4.0 above all, whose own loops are slower than these
// at any length.
#pragma once

#include <cstddef>
#include <string_view>

namespace tacit::runtime {

/// `into` = `from` ⊕ `into` of so many elements one behind the other, anywhere in memory; both are the same, or have no byte in common.
using element_loop = void (*)(const std::byte* from, std::byte* into, std::size_t count);

/// Of an operator as operators.h names it, and elements of so many bytes; null: there is none, as for sums of 8 and 16 bits,
/// which libraries saturate or wrap around; those of other integers wrap around. No minimum and maximum: Open MPI 4.1 compares MPI_OFFSET as if it had no sign, and others compare zeros and numbers without sign in ways of their own.
element_loop loop_over_elements(std::string_view operation, bool floating, std::size_t bytes);

} // namespace tacit::runtime
