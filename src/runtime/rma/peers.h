// The window through which a program's messages travel by one-sided communication, and where in it each one
// goes.
//
// Made once per schedule:
//   1. announce  to every destination: tag and size of each message, and where in this rank's part of the
//                window its acknowledgements are wanted;
//   2. offset    to every source: where in this rank's part of the window each of its messages goes;
//   3. agree     that all ranks could do this, and only then, collectively, make the window.
// All memory for 1 and 2 is had before (offer), and a rank that finds an error goes on to the end of 2, so
// nobody waits for a message that is never sent. While a rank waits in 1 to 3 it progresses other schedules.
// MPI_Win_allocate may block without doing so; after 3 all ranks are about to enter it. A window that some
// rank could not get is an error on all ranks: each says it, and none uses it.
#pragma once

#include "runtime/channel/protocol.h"
#include "runtime/rma/windows.h"
#include "runtime/run/driver.h"
#include "runtime/run/message_survey.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tacit::runtime {

/// Where one message goes, as one of its ends sees it. Distances are in bytes from the start of a window
/// part.
struct message_location {
  channel_shape shape;
  int peer = 0;
  MPI_Aint here = 0;  ///< at the destination its slots, at the source its acknowledgements; in the own part
  MPI_Aint there = 0; ///< the other of the two, in the peer's part
};

class rma_peers : public connection {
public:
  /// Finds the messages and has memory for what `create` needs. Local.
  rma_peers(const program& p, MPI_Comm comm);
  ~rma_peers() override;
  rma_peers(const rma_peers&) = delete;
  rma_peers& operator=(const rma_peers&) = delete;
  void create() override;
  void end() override;
  std::string describe() const override;

  /// The message to or from a peer. Throws std::out_of_range if the program has none.
  const message_location& outgoing(int to, int tag) const { return out_.at({to, tag}); }
  const message_location& incoming(int from, int tag) const { return in_.at({from, tag}); }
  MPI_Win window() const { return window_->handle; }
  std::byte* memory() const { return memory_; }
  int rank() const { return rank_; }
  MPI_Comm comm() const { return comm_; }
  /// MPI_WIN_UNIFIED, and the user has not said otherwise.
  bool unified() const { return unified_; }

private:
  /// What the two ends of a pair tell each other.
  struct announced {
    std::int64_t tag = -1, bytes = 0, offset = 0;
  };
  struct conversation {
    std::vector<announced> to_destination, from_source, to_source, from_destination;
  };
  using locations = std::map<std::pair<int, int>, message_location>;

  void place_acknowledgements();
  void place_slots();
  void talk(std::vector<announced> conversation::* said, std::vector<announced> conversation::* heard);
  void await(std::vector<MPI_Request>& requests);
  void check_sizes(int from, const conversation& with);
  void note(int code, const char* call);
  template <typename Text>
  void note_fault(Text&& text);
  void keep(int code, const char* text);
  bool agreed();
  std::uint64_t agree_on(std::uint64_t bits);
  void make_window();
  void prepare_window(MPI_Win window);

  MPI_Comm comm_;
  int rank_, tag_;
  locations out_, in_; ///< by peer and tag
  std::map<int, conversation> with_;
  std::vector<MPI_Request> requests_;
  MPI_Aint size_ = 0;                    ///< of this rank's part
  std::shared_ptr<rma_windows> windows_; ///< of the communicator
  std::shared_ptr<rma_window> room_;     ///< for the window
  std::shared_ptr<rma_window> window_;   ///< null until all ranks have it
  std::byte* memory_ = nullptr;
  bool unified_ = false;
  int code_ = MPI_SUCCESS; ///< of the first error
  std::string error_;
};

} // namespace tacit::runtime
