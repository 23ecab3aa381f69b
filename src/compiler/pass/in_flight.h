// An operation whose completion may be moved: which bytes it uses, how, and what its completion orders.
#pragma once

#include "compiler/pass/mpi_site.h"

#include <llvm/ADT/SmallVector.h>

namespace tacit::compiler {

struct in_flight {
  mpi_site post;                 ///< the call that starts it (a blocking call starts and completes it)
  llvm::Value* buffer = nullptr; ///< the pointer, as it is at the post
  llvm::Value* object =
      nullptr; ///< what the pointer is into; the same in every iteration of loops it is invariant in
  bool writes_buffer = false; ///< a receive: nobody may read or write; else a send: nobody may write
  bool orders = false;     ///< completion tells that another rank has got somewhere (COMPILER 4: an acquire)
  std::uint64_t bytes = 0; ///< from the pointer on, if the type and the count are constants; 0: not known
  bool starts_at_buffer = false; ///< no byte below the pointer is used
  bool varies = false; ///< the pointer may since have the value of another iteration: only the object counts
  bool comparable = true;  ///< its bytes can be compared with others when the program runs
  bool persistent = false; ///< its request stays with the program, which must not use it meanwhile
  /// The object is the memory of a Fortran allocatable, and still was where the wait stood: no other variable
  /// has it. Without this, `tag` is not set either. See fortran_variables.h.
  bool same_variable = false;
  bool from_copy = false;       ///< sent from memory of the hooks: no access of the program disturbs it
  bool may_be_absolute = false; ///< the buffer may be MPI_BOTTOM: its bytes may be anywhere
  llvm::MDNode* tag = nullptr;  ///< TBAA tag of the Fortran variable the buffer belongs to, if known
  bool local_object = false; ///< the object is a local of this function whose address only MPI gets to know
};

/// How a point of the region where an operation is pending is reached from the point where its wait stood.
enum class reach : std::uint8_t {
  none,
  same_iteration, ///< values of the current iteration are those of the post
  next_iteration, ///< a loop around the post has started another iteration since
};

/// The operations that a post starts: one, two for a combined send and receive, or one for each piece of
/// memory that a collective uses. Empty if a buffer cannot
/// be told (MPI_BOTTOM, a persistent or collective form that is not modelled).
llvm::SmallVector<in_flight, 2> operations_of(const mpi_site& post);

/// The operation that a send from a copy is. It only has to be complete before this rank may wait for others
/// outside MPI.
in_flight copy_of(const mpi_site& send);

} // namespace tacit::compiler
