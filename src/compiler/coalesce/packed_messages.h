// The messages of a fence: what each process has packed for each other one. A message travels in parts of some 100 KiB, cut between two
// records, and whoever gets it carries each part out when it is there. All room for that is taken once, so that a process to which much
// comes, or which has no memory any more, still takes everything in: the others wait until it has.
#pragma once

#include "compiler/coalesce/packed_batch.h"
#include "compiler/coalesce/window_store.h"

namespace tacit::compiler {

/// What a process tells another one at each fence.
struct notice {
  std::uint64_t bytes;
  std::uint32_t parts;
  under_way busy;
};

/// Plain: zeros are one without room.
class packed_messages {
public:
  /// False: there is no memory. Whatever the answer was, release() comes at the end.
  bool make_room(int processes);
  void release();

  /// Appends the batch to the message for the process. False, and nothing has changed, if there is no memory.
  bool pack(int target, batch& b);
  std::uint64_t bytes(int target) const { return out_[target].size; }
  std::uint32_t parts(int target) const;
  /// Collective: all that was packed is sent, and what `heard` says, of each process, carried out on `base`. The order is the same in each
  /// run, and so is rounding. Needs no memory. Codes of MPI.
  int exchange(MPI_Comm comm, int rank, const notice* heard, char* base);
  /// Without sending it.
  void forget();

private:
  struct arrivals;
  struct position;
  void post(arrivals& half, position& next, const notice* heard);
  void take_in(arrivals& half);
  void send(int target);
  void note(int error) { error_ = first_of(error_, error); }
  std::size_t most_parts() const;

  int processes_;
  growable<char>* out_;         ///< for each process
  growable<MPI_Request> sends_; ///< room for one for each part of all that is packed
  std::size_t packed_;          ///< bytes of all of it
  char* in_;                    ///< two halves
  // While it exchanges:
  MPI_Comm comm_;
  int rank_;
  char* base_;
  int error_;
};

} // namespace tacit::compiler
