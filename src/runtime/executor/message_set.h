// The messages of one exchange on this rank: where their bytes lie, and, for an exchange that is repeated, persistent requests and
// channels through the memory of the node (node_channels.h).
//
// What lies in one piece in the host's memory is sent from there and received there; the rest goes through memory of the set,
// which whoever uses it packs and unpacks. A set is used by one exchange at a time.
#pragma once

#include "runtime/executor/node_channels.h"
#include "runtime/executor/pending_requests.h"

#include <algorithm>
#include <vector>

namespace tacit::runtime {

class message_set {
public:
  struct message {
    int rank = 0; ///< the other one
    std::size_t bytes = 0;
    std::byte* in_place = nullptr; ///< null: packed
    std::byte* at = nullptr;       ///< where the bytes lie; set by the constructor
  };
  using when_one_is_complete = std::function<void(std::size_t number)>;
  message_set(std::vector<message> sends, std::vector<message> receives);
  message_set(const message_set&) = delete;
  message_set& operator=(const message_set&) = delete;
  /// Nothing is under way, or an error has ended the run: then keep() was called.
  ~message_set();

  /// Makes requests persistent from now on, if no message travels in parts: the other end may not be persistent yet. Not for what goes
  /// through channels.
  void prepare(MPI_Comm comm, int tag);
  /// Whether some message may go through the memory of the node. Then connect() has to be called, on both sides of it alike.
  /// A rank that is not `willing` says so to the others.
  bool may_share(const node_channels::process_of& near, bool willing);
  void connect(pending_requests& with, MPI_Comm comm, int number, std::function<void()> then) {
    channels_->connect(with, comm, number, std::move(then));
  }
  bool connected() const { return channels_->connected(); }
  /// MPI may still use the memory, so that it is never freed.
  void keep() noexcept;

  const std::vector<message>& sends() const { return sends_; }
  const std::vector<message>& receives() const { return receives_; }
  /// Of a length that MPI announces to the receiver before it is copied (within a node).
  bool sends_long_ones() const {
    constexpr std::size_t announced = 32 * 1024;
    return std::ranges::any_of(sends_, [](const message& m) { return m.bytes > announced; });
  }
  /// Those of MPI.
  void start_receives(pending_requests& with, MPI_Comm comm, int tag, const when_one_is_complete& then);
  void start_sends(pending_requests& with, MPI_Comm comm, int tag, const when_one_is_complete& then);
  /// Those through memory, both ways, if there are some; `then` is called when all of them are complete.
  void start_channels(pending_requests& with, std::function<void()> then) {
    channels_->start(with, std::move(then));
  }
  bool shares() const { return channels_ && channels_->carried() > 0; }
  bool receives_by_channel(std::size_t number) const { return by_channel(&node_channels::receives, number); }
  /// How many are complete one by one.
  std::size_t by_mpi() const {
    return sends_.size() + receives_.size() - (channels_ ? channels_->carried() : 0);
  }

private:
  bool by_channel(bool (node_channels::*in)(std::size_t) const, std::size_t number) const {
    return channels_ && ((*channels_).*in)(number);
  }
  std::vector<message> sends_, receives_;
  std::vector<std::byte> memory_;
  std::vector<MPI_Request> sending_, receiving_; ///< persistent, of those by MPI, or none
  std::unique_ptr<node_channels> channels_;      ///< null: there are none
};

} // namespace tacit::runtime
