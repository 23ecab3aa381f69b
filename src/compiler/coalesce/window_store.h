// What is known of a window in all regions, kept as an attribute of it: it goes with the window, and a handle that MPI gives out
// again starts anew.
#pragma once

#include "compiler/coalesce/memory.h"

#include <mpi.h>

struct tacit_coalesce;

namespace tacit::compiler {

/// Bytes on their way to a target, which MPI may read until the operation is complete.
struct chunk {
  chunk* next;
  int target;
  std::size_t counted; ///< bytes that count against the region's limit
  char* data;
};

/// Of two error codes of MPI the one that tells why.
inline int first_of(int error, int later) {
  return error != MPI_SUCCESS ? error : later;
}

struct region_window;
struct exchange_ground;

/// What has been MPI's since the fence that opened this epoch, as far as regions know. Of several the least tells of all.
enum class under_way : std::uint32_t { anything, gets, nothing };

struct window_store {
  int processes = 0;
  MPI_Aint unit = 1;
  bool collects = false; ///< not in dynamic windows, where one datatype could span several attached parts
  chunk* left = nullptr; ///< on their way when their region ended
  region_window* users = nullptr; ///< of all regions that live
  under_way busy = under_way::anything;
  bool asked = false;                ///< the processes have agreed on `ground`
  exchange_ground* ground = nullptr; ///< for packed messages at fences; null: there are none
};

/// Made at the first call for this window; null without memory. Local.
window_store* store_of(MPI_Win win);

/// Of the regions of this thread one that has collected something for the target (TACIT_ALL_TARGETS: for any); null: none has. Local.
const tacit_coalesce* region_with_waiting(MPI_Win win, int target);

/// Check mode, behind a synchronization of this thread: what regions of the thread have done before it comes in front of all that follows.
void synchronized(MPI_Win win, int target);

void begin_use(window_store& store, region_window& user);
/// Chunks that the user leaves behind belong to the store from now on.
void end_use(window_store& store, region_window& user);
/// Takes the chunks of this target (TACIT_ALL_TARGETS: of all) from a list.
chunk* take_chunks(chunk*& list, int target);
chunk* take_left(window_store& store, int target);
/// Frees them; what they count goes back to `memory`, if it is not null.
void free_chunks(chunk* list, budget* memory);

} // namespace tacit::compiler
