// The messages of a fence. Each process sends each other one a first message: a header, and behind it what it has packed for that process,
// if it is short. Else that follows in segments of at most 256 KiB, cut between two records. So processes need no collective call, which
// could fail on one of them while the others wait in it, and where little is sent nothing waits for an answer.
//
// Whoever gets a message carries it out when it is there. All room for that is taken once, so that a process to which much comes, or which
// has no memory any more, still takes everything in: the others wait until it has.
#pragma once

#include "compiler/coalesce/packed_batch.h"
#include "compiler/coalesce/window_store.h"

namespace tacit::compiler {

/// The beginning of a first message.
struct message_header {
  std::uint64_t bytes;    ///< of records
  std::uint32_t segments; ///< in which they follow; 0: they are right behind the header
  under_way busy;         ///< what the process has had under way in this epoch
};

/// Plain: zeros are one without room.
class packed_messages {
public:
  /// False: there is no memory. Whatever the answer was, release() comes at the end.
  bool make_room(int processes);
  void release();

  /// Appends the batch to the message for the process. False, and nothing has changed, if there is no memory.
  bool pack(int target, batch& b);
  /// Collective; needs no memory. Begins to send all that was packed, and returns, when the first messages of all have come, the least of
  /// what they have under way.
  under_way begin(MPI_Comm comm, int rank, under_way busy);
  /// Behind begin(): carries out on `base` what the others have packed. The order is the same in each run, and so is rounding. Needs
  /// no memory. The first code of MPI since begin().
  int complete(char* base);

private:
  struct arrivals;
  struct position;
  void send_first(int target, under_way busy);
  void send_segments(int target);
  void carry_out_short(int from, char* base);
  void post(arrivals& half, position& next);
  void take_in(arrivals& half, char* base);
  void note(int error) { error_ = first_of(error_, error); }
  int below(int distance) const { return (rank_ + processes_ - distance) % processes_; }
  char* first_of_process(int from) const;
  message_header header_of(int from) const;
  std::uint32_t segments(int target) const;
  std::size_t most_requests() const;

  int processes_;
  growable<char>* out_;         ///< for each process: a header and records
  growable<MPI_Request> sends_; ///< room for one for each message that what is packed makes
  std::size_t packed_;          ///< bytes of all records
  char* firsts_;                ///< room for the first message of each process
  MPI_Request* first_requests_; ///< one for each process
  char* in_;                    ///< room for segments: two halves
  // Between begin() and complete():
  MPI_Comm comm_;
  int rank_;
  int error_;
};

} // namespace tacit::compiler
