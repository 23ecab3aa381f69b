// Local variables whose address nobody but MPI gets to know: no pointer from elsewhere can lead to them.
#pragma once

#include <llvm/IR/Value.h>

namespace tacit::compiler {

/// True for a variable in the frame, or memory allocated here, whose address only MPI calls receive. MPI
/// forgets the address when the operation is complete, so that other calls cannot reach the object.
bool known_to_mpi_only(llvm::Value* object);
/// True if the pointer may be based on the object, given that `known_to_mpi_only(object)`.
bool may_be_into(const llvm::Value* pointer, const llvm::Value* object);

} // namespace tacit::compiler
