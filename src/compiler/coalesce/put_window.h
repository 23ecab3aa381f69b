// The window through which an exchange travels in rows of one-sided puts (seed 003, Figure 15 (b), as its authors did by hand): made once
// for each kind of exchange, and kept.
//
// It is memory of ours and not the program's receive buffer, which may be another one each time, or be freed; so what has arrived is
// copied once, at the end. It has two halves, taken in turns. Nobody waits in front of a loop:
//
//     MPI_Put                 into the half of this turn, whenever a row is complete
//     MPI_Win_flush_all       all rows are at their targets
//     numbers, least of all   everybody hears that all have done that, or that one could not
//     copy                    out of this half
//
// Who puts into a half again has heard in between, at the end of the turn of the other half, from all processes, and each had copied
// before it began that turn. One epoch of passive target lasts from making to freeing.
//
// If a put fails on one process for good, or the flush does, that one says so where all tell each other that they are done. All of them still
// have their data and call MPI_Alltoall; the window is never used again, because what failed may still arrive in it.
#pragma once

#include "compiler/coalesce/own_communicator.h"

#include <cstddef>

namespace tacit::compiler {

class put_window {
public:
  /// Collective over `own`, with the same number of bytes: a block's, up to which this window serves. Null on all processes, or on none;
  /// then `why` says why, in words of this process or of whoever could not.
  static put_window* make(const own_communicator& own, std::ptrdiff_t block, const char*& why);
  /// Collective, and so is MPI_Finalize, which does it for those that are left.
  static void free(put_window* window);

  bool holds(std::ptrdiff_t block) const { return block <= block_; }
  /// Bytes of each other process's block, of blocks as long as the exchange has them. Local.
  void put(const char* origin, std::ptrdiff_t block, std::ptrdiff_t from, std::ptrdiff_t bytes);
  /// Lets MPI go on with what is under way. Local.
  void poke() const;
  /// Collective: all rows have been put. Copies what has come, and this process's own block. False, on all processes: it has not come.
  /// `told` is false if this process could not even tell the others.
  bool complete(const char* origin, char* target, std::ptrdiff_t block, bool& told);

private:
  put_window() = default;
  std::ptrdiff_t half() const { return turn_ % 2 * own_.processes * block_; }

  own_communicator own_; ///< lent
  MPI_Win handle_ = MPI_WIN_NULL;
  char* memory_ = nullptr;
  std::ptrdiff_t block_ = 0;
  long turn_ = 0;
  bool failed_ = false; ///< a put of this turn
};

} // namespace tacit::compiler
