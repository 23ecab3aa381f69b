// Check mode: whether the operations of a region with `no_overlap` touch no common byte between two synchronizations, and whether claims
// are checked at all.
#pragma once

#include "compiler/coalesce/memory.h"

#include <mpi.h>

namespace tacit::compiler {

/// Where operations of this process went.
class claims {
public:
  void note(int target, MPI_Aint from, MPI_Aint to);
  /// At a synchronization with this target (TACIT_ALL_TARGETS: with all): says which bytes were touched twice (TACIT-150; one
  /// of them), and forgets what is synchronized.
  void verify(int target, const char* file, int line);
  void release();

private:
  struct touched_range {
    MPI_Aint from, to;
    int target;
  };
  growable<touched_range> ranges_;
  bool lost_ = false; ///< there was no memory for all
};

/// TACIT_COALESCE_CHECK=1 or TACIT_CHECK=1; in programs of `tacit cc --annotations=check`, unless TACIT_COALESCE_CHECK=0.
bool checks_claims();
/// Such a program was linked.
void compiled_to_check();

/// What the accesses of this thread to windows are claimed to be.
struct claim {
  enum kind : unsigned char { none, no_overlap, locks, collective };
  kind says = none;
  const char* file = nullptr;
  int line = 0;
  int region = 0; ///< its number; 0: none
};
claim& current_claim();
/// Of the next fence of this thread.
claim& claim_of_fence();

/// Told of accesses to windows that are no calls of MPI; null unless the program was compiled to check.
using copy_observer = void (*)(MPI_Win win, int target, MPI_Aint from, std::size_t bytes, bool stores);
extern copy_observer told_of_copies;
/// Each synchronization of the program tells regions of it (window_store.h); not unless the program was compiled to check.
extern bool sees_synchronizations;
/// Once in a program that does not see them, by one process: what is not found therefore.
void say_what_is_seen();
/// Whether the processes of a window have different displacement units; likewise null.
extern bool (*units_differ)(MPI_Win win);
/// "rank 3" of MPI_COMM_WORLD.
int world_rank();
/// What a finding says of one place.
struct place_found {
  const char* kind = "";
  const char* file = nullptr;
  int line = 0;
};
/// True for the first few findings of a kind at a place, or between two places; behind the last of them it says that others will not be
/// said: loops find the same again and again.
bool is_worth_saying(const place_found& at, const place_found& other = {});

} // namespace tacit::compiler
