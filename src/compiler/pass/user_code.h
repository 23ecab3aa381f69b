// Functions of the user that MPI runs: copy and delete functions of attributes, functions of generalized
// requests, reduction operations, error handlers. They may touch any buffer that others than MPI can reach, send
// messages, and tell others how far this rank is (COMPILER, conditions 2 and 4).
//
// Problem: which calls of MPI may run one? The standard says so for each call (user_function in the call table).
// What a call runs on its own behalf (MPI_Comm_delete_attr runs the delete function) it may run whatever this
// file contains. What it may run because of other operations (progress runs the operation of a nonblocking
// reduction that another line has started; an error handler; the delete function of a datatype that a message
// was the last to use) it may run if this file hands MPI such functions; if another file does, the compiler
// cannot know (docs/overlap.md, "Limits").
//
// Whether a wait completes a generalized request is answered by where the request comes from: if it is in a
// variable that only MPI calls of this file fill, and this file starts no generalized request, it is none.
#pragma once

#include "compiler/pass/mpi_site.h"

namespace tacit::compiler {

/// What a module hands to MPI.
struct user_code {
  bool error_handlers = false; ///< it decides what errors do
  bool requests = false;       ///< it starts generalized requests
  bool anywhere = false;       ///< it hands MPI functions that any of MPI's calls may run
};

user_code user_code_of(const llvm::Module& module);

/// True if the call may run functions of the user, given what its module hands to MPI.
bool runs_user_code(const mpi_site& site, const user_code& known);
/// The same, unless a test takes to hold that none does.
bool may_run_user_code(const mpi_site& site, const user_code& known);

} // namespace tacit::compiler
