// What a message may tell that no access shows: that another operation, whose request has been freed, is complete
// (MPI-4.1, 3.7.3: "the completion is known by other means", such as an answer), or that another thread of this process has
// written plain variables. Where that may be, calls are left as written: while the program runs (hooks/program.h), by what is
// announced here, and for posts that would move up, and for calls that cannot be announced, in the whole file.
#pragma once

#include <llvm/IR/Module.h>

namespace tacit::compiler {

/// Calls a hook in front of each MPI_Request_free, but of generalized requests, and behind each MPI_Grequest_start. True if there is one.
bool announce_freed_requests(llvm::Module& module);
/// True if the module mentions MPI_Request_free otherwise than in a plain call (a pointer to it, `mpi_f08`).
bool frees_requests_unseen(const llvm::Module& module);
/// True if the module starts threads, or asks MPI for several that may call it at once.
bool may_run_threads(const llvm::Module& module);

} // namespace tacit::compiler
