// The messages of a repeated exchange that stay within the node, through shared memory (channel/protocol.h).
//
// Where the ends of a message share a node, a persistent message of MPI is copied twice and matched each time; a channel copies
// twice and looks at a flag. Who receives lends the memory, and both ends have to begin with the same use of the exchange. So:
//
//   offer    in the use that begins the connection, who receives tells each sender where its messages go, or that there is no memory
//   answer   who sends says whether it could open that
//
// Both are messages of MPI that nobody blocks for, as a rank that waits while it leads may keep the others from coming. A use after
// this one begins when both have come. That needs nothing that comes later: the other rank sends them when it begins the use that
// this rank has begun already. Two ranks use channels for all of their messages or for none, so that they may rely on what
// comes back instead of acknowledgements (reciprocal channels): a use begins here when the one before it is complete.
#pragma once

#include "runtime/channel/channel.h"
#include "runtime/channel/memory_pool.h"
#include "runtime/executor/pending_requests.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace tacit::runtime {

class node_channels {
public:
  struct message {
    int rank = 0; ///< the other one
    std::size_t bytes = 0;
    std::byte* at = nullptr; ///< stays there
  };
  /// Null: on another node.
  using process_of = std::function<const process_identity*(int rank)>;

  /// Local. At most one message each way for each rank.
  node_channels(std::vector<message> sends, std::vector<message> receives, const process_of& near,
                bool willing = true);
  node_channels(const node_channels&) = delete;
  node_channels& operator=(const node_channels&) = delete;

  /// Some message may stay within the node.
  bool any() const { return !peers_.empty(); }
  /// `number`: of this exchange alone, the same on all ranks. `then` is called when it is known what goes through memory.
  void connect(pending_requests& with, MPI_Comm comm, int number, std::function<void()> then);
  bool connected() const { return left_ == 0; }
  /// Nobody may free what others look at: after an error.
  void keep() noexcept;

  /// Once connected: whether it goes through memory.
  bool sends(std::size_t number) const { return out_.contains(number); }
  bool receives(std::size_t number) const { return in_.contains(number); }
  std::size_t carried() const { return out_.size() + in_.size(); }
  /// `then` is called when all that goes through memory has been handed over and has arrived. Nothing of it is under way.
  void start(pending_requests& with, std::function<void()> then);

private:
  struct offer {
    part_address where;
    std::uint64_t offset = 0;
    bool made = false;
  };
  struct peer {
    process_identity process;
    int send = -1, receive = -1; ///< numbers of the messages, or none
    offer mine, theirs;
    bool opened = false, answered = false; ///< by this rank; by the other one
    bool answer = false;
    shown_part memory;
    bool usable() const { return (send < 0 || opened) && (receive < 0 || answered); }
  };
  bool may_share_memory() const;
  void lend();
  void take_offer(pending_requests& with, MPI_Comm comm, int tag, int rank, peer& of);
  void one_is_there();
  void make_channels();
  bool poll();

  bool willing_;
  std::vector<message> sends_, receives_;
  std::map<int, std::unique_ptr<peer>> peers_;
  lent_part mine_;
  std::map<std::size_t, source_channel> out_;
  std::map<std::size_t, destination_channel> in_;
  std::size_t left_ = 1; ///< messages to come before it is connected
  std::function<void()> when_connected_;

  std::vector<source_channel*> sending_; ///< under way
  std::vector<destination_channel*> receiving_;
};

} // namespace tacit::runtime
