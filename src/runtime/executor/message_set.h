// The messages of one exchange on this rank: where their bytes lie, and, for an exchange that is repeated, persistent requests.
//
// What lies in one piece in the host's memory is sent from there and received there; the rest goes through memory of the set,
// which whoever uses it packs and unpacks. A set is used by one exchange at a time.
#pragma once

#include "runtime/executor/pending_requests.h"

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
  message_set(std::vector<message> sends, std::vector<message> receives);
  message_set(const message_set&) = delete;
  message_set& operator=(const message_set&) = delete;
  /// Nothing is under way, or an error has ended the run: then keep() was called.
  ~message_set();

  /// Makes requests persistent from now on, if no message travels in parts: the other end may not be persistent yet.
  void prepare(MPI_Comm comm, int tag);
  /// MPI may still use the memory, so that it is never freed.
  void keep() noexcept;

  const std::vector<message>& sends() const { return sends_; }
  const std::vector<message>& receives() const { return receives_; }
  using when_one_is_complete = std::function<void(std::size_t number)>;
  void start_receives(pending_requests& with, MPI_Comm comm, int tag, const when_one_is_complete& then);
  void start_sends(pending_requests& with, MPI_Comm comm, int tag, const when_one_is_complete& then);

private:
  std::vector<message> sends_, receives_;
  std::vector<std::byte> memory_;
  std::vector<MPI_Request> sending_, receiving_; ///< persistent, or none
};

} // namespace tacit::runtime
