// Fortran variable identity (COMPILER, "Stages that pay"): which Fortran variable a pointer belongs to, where
// flang's code tells. Two variables of which neither is a TARGET or a POINTER are different memory; LLVM does
// not see it, because allocatables are loaded pointers and because MPI's buffers carry no type information.
//
// Sources of knowledge:
// - the descriptor of a module allocatable is a global variable that says "allocatable": what is allocated for
//   one descriptor is at no time part of another one's memory, nor ever of any variable with a fixed address;
// - flang gives each access to a dummy argument or allocatable a TBAA tag with the name of the variable, except
//   to a TARGET or POINTER. The buffer of an operation borrows the tag of the accesses to the same variable.
//   Fortran 2018, 15.5.2.13 makes that right for a dummy argument: what one dummy argument changes is not to
//   be used through another one while the procedure runs. So only tags of the procedure itself count, not
//   those of routines that were inlined into it.
//
// Allocatables change places (move_alloc), get new memory (assignment, which allocates), and lose theirs. So
// identity holds at one time only: the memory of an operation is that of its variable as long as nothing may
// change the descriptor, from the load of its base address to the wait (`settle_variables`); behind the wait
// whatever may change a descriptor conflicts with the operation. A base of another allocatable that was loaded
// in that time is other memory; one that was loaded before may have moved here.
#pragma once

#include "compiler/pass/in_flight.h"

#include <llvm/IR/Instructions.h>

namespace tacit::compiler {

/// True if flang has compiled the function, or something that was inlined into it.
bool is_fortran(const llvm::Function& function);

class effects;

/// True if the underlying object is the memory of an allocatable of a module.
bool is_allocatable_memory(const llvm::Value* object);
/// True if both underlying objects are.
bool are_both_allocatable(const llvm::Value* one, const llvm::Value* other);
/// True if nothing that is executed on the way from one instruction to the other (without executing the first
/// one again) may change the descriptor from which the base address was loaded.
bool keeps_its_memory(const llvm::LoadInst& base, const llvm::Instruction& from, const llvm::Instruction& to,
                      effects& effects);
/// True if the store may be to the descriptor of the allocatable that has this memory.
bool changes_descriptor(const llvm::StoreInst& store, const llvm::Value* memory);
/// Finds out which operations use allocatables that keep their memory until the wait, and gives those the tag
/// of their variable.
void settle_variables(llvm::MutableArrayRef<in_flight> operations, const llvm::Instruction& wait,
                      effects& effects);

/// True if the two underlying objects are memory of different variables, whatever their types; of two
/// allocatables, if their bases were loaded at the same time.
bool are_different_variables(const llvm::Value* one, const llvm::Value* other);

/// The TBAA tag that accesses to the variable of this underlying object have in this function; nullptr if
/// there is none, or more than one.
llvm::MDNode* variable_tag(const llvm::Function& function, const llvm::Value* object);

} // namespace tacit::compiler
