// Fortran variable identity (COMPILER, "Stages that pay"): which Fortran variable a pointer belongs to, where
// flang's code tells. Two variables of which neither is a TARGET or a POINTER are different memory; LLVM does
// not see it, because allocatables are loaded pointers and because MPI's buffers carry no type information.
//
// Sources of knowledge:
// - the descriptor of a module allocatable is a global variable that says "allocatable": what is allocated
// for
//   one descriptor is no part of another one's memory, nor of any variable with a fixed address;
// - flang gives each access to a dummy argument or allocatable a TBAA tag with the name of the variable,
// except
//   to a TARGET or POINTER. The buffer of an operation borrows the tag of the accesses to the same variable.
//   Fortran 2018, 15.5.2.13 makes that right for a dummy argument: what one dummy argument changes is not to
//   be used through another one while the procedure runs. So only tags of the procedure itself count, not
//   those of routines that were inlined into it.
#pragma once

#include <llvm/IR/Instructions.h>

namespace tacit::compiler {

/// True if flang has compiled the function, or something that was inlined into it.
bool is_fortran(const llvm::Function& function);

/// True if the two underlying objects are memory of different variables, whatever their types.
bool are_different_variables(const llvm::Value* one, const llvm::Value* other);

/// The TBAA tag that accesses to the variable of this underlying object have in this function; nullptr if
/// there is none, or more than one.
llvm::MDNode* variable_tag(const llvm::Function& function, const llvm::Value* object);

} // namespace tacit::compiler
