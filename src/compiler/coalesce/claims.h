// Check mode: whether the operations of a region with `no_overlap` touch no common byte between two synchronizations.
#pragma once

#include "compiler/coalesce/batch.h"

namespace tacit::compiler {

/// Where operations of this process went.
class claims {
public:
  void note(int target, const piece& p);
  /// At a synchronization with this target (TACIT_ALL_TARGETS: with all): says which places were touched twice (TACIT-150; one
  /// of them), and forgets what is synchronized.
  void verify(int target, const char* file, int line);
  void release();

private:
  struct place {
    MPI_Aint from, to;
    int target;
  };
  growable<place> places_;
  bool lost_ = false; ///< there was no memory for all
};

/// TACIT_COALESCE_CHECK=1 or TACIT_CHECK=1.
bool checks_claims();
/// "rank 3" of MPI_COMM_WORLD.
int world_rank();

} // namespace tacit::compiler
