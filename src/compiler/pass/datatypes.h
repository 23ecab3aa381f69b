// Datatypes that lead from one variable to another.
//
// Problem: the pass takes the bytes of a message for bytes of the variable that the buffer points into. MPI
// demands that (MPI-4.1, 5.1.12: other communication buffers start at MPI_BOTTOM), but programs send a
// structure together with what its pointers lead to, by displacements that are differences of addresses, and
// every MPI does what they mean.
//
// Idea: such a datatype needs the addresses of two variables where it is made. A routine that asks for the
// addresses of two variables (MPI_Get_address), or that makes a datatype with displacements in bytes and
// subtracts addresses of two variables, makes all datatypes of the module suspect. Addresses of members of
// one structure have the structure in common. Cost: linear in the routines that make datatypes.
#pragma once

#include <llvm/IR/Module.h>

namespace tacit::compiler {

bool joins_variables(const llvm::Module& module);

} // namespace tacit::compiler
