// Matching waits to the posts whose requests they complete (seed 001, section 3.1; COMPILER, condition 1).
//
// The request of a wait is a location in memory. Going back from the wait along every path, the first post
// that writes this very location is a match; one that may write it (an element of an array whose index is not
// known) is a match too, and the search goes on behind it. Anything else that may write the location, and the
// beginning of the function if the location is not a local variable, makes the request unknown. So the set
// found contains every post that the wait may complete.
//
// Behind the back edge of a loop in which the location is another one in each iteration (requests[i]), only
// the array that it is in counts: every post into the array may match then.
//
// Cost: one backward walk per wait, each block visited at most twice.
#pragma once

#include "compiler/pass/effects.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>

namespace tacit::compiler {

struct matched_post {
  mpi_site site;
  bool earlier_iteration = false; ///< perhaps executed before a loop around it came to its present iteration
};

struct matched_posts {
  llvm::SmallVector<matched_post, 4> posts;
  reason why = reason::none; ///< why the match is not complete; none if it is
  std::string detail;
  llvm::Instruction* blocker = nullptr;
};

/// True if the value, as it was at the post, may not be what it is now, at the wait: a loop around the post
/// has come to another iteration since, or has ended.
bool varies_since(const llvm::LoopInfo& loops, const llvm::Value* value, const llvm::Instruction& post,
                  const llvm::Instruction& wait, bool earlier_iteration);

/// Bytes of an MPI_Request, told from how this module passes communicators; 0 if it passes none.
unsigned request_bytes(const llvm::Module& module, binding language);

/// The posts that may have written the request(s) at `location` when control is at `wait`.
matched_posts match_request(llvm::Instruction& wait, const llvm::MemoryLocation& location,
                            llvm::AAResults& aliases, effects& effects, const llvm::LoopInfo& loops);

/// True if no path from `after` reads the status at `status` before MPI writes it again. Only local variables
/// whose address nobody but MPI knows are followed.
bool status_is_dead(llvm::Instruction& after, llvm::Value* status, llvm::AAResults& aliases);

} // namespace tacit::compiler
