// Functions of the C and Fortran run times of which more is known than their declarations say: what they touch,
// and that they wait for nobody. Whatever is not here may wait for another rank (a pipe, a lock, a file that
// another rank writes when it has received a message), so that nothing may be pending when it is called. Input
// and output are not here for that reason: a pipe blocks whoever writes to it; and the memory of a stream may be
// a message (setvbuf, fmemopen), a conversion may run functions of the user (derived types in Fortran, and what
// glibc's printf can be taught).
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tacit::compiler {

/// Touches no memory of the program (mathematics; errno aside) and neither waits nor communicates.
bool is_pure_function(llvm::StringRef name);
/// Touches only memory that its pointer arguments point into, and neither waits nor communicates.
bool is_argument_function(llvm::StringRef name);
/// Asks for the time, which is how a loop may wait for what others do.
bool is_clock(llvm::StringRef name);
/// Operator new: changes no memory that existed before, but may throw.
bool is_operator_new(llvm::StringRef name);

} // namespace tacit::compiler
