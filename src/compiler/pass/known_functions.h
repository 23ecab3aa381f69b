// Functions of the C and Fortran run times of which more is known than their declarations say.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tacit::compiler {

/// Touches no memory of the program (mathematics; errno aside) and neither waits nor communicates.
bool is_pure_function(llvm::StringRef name);
/// Touches only memory that its pointer arguments point into, and neither waits nor communicates.
bool is_argument_function(llvm::StringRef name);
/// Operator new: changes no memory that existed before, but may throw.
bool is_operator_new(llvm::StringRef name);
/// Writes to a file or terminal: reads its arguments and orders what others may observe.
bool is_output_function(llvm::StringRef name);

} // namespace tacit::compiler
