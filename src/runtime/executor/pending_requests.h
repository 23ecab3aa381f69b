// Requests of MPI that are under way, and what has to be done when each completes; also what is looked at without MPI.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <mpi.h>
#include <utility>
#include <vector>

namespace tacit::runtime {

class pending_requests {
public:
  using when_complete = std::function<void(const MPI_Status&)>;
  /// Starts an operation, which `start` returns; a persistent request stays its owner's. `then` may own what MPI reads and writes: where
  /// memory is refused, nothing is started, since MPI would go on with what is freed.
  template <std::invocable Start>
  void add(const Start& start, when_complete then) {
    make_room();
    requests_.push_back(start());
    then_.push_back(std::move(then));
  }
  /// Something that is complete when `poll` says so, which is not called again then. What it looks at stays until `then` is called.
  void add_polled(std::function<bool()> poll, std::function<void()> then);
  bool empty() const { return requests_.empty() && polled_.empty(); }
  /// Calls what waits for those that have completed; true if there were any. Throws mpi_error. `then` may add some.
  bool test();
  /// Forgets all of them, where an error has made them pointless; those of receives are cancelled.
  void abandon() noexcept;

private:
  struct polled {
    std::function<bool()> poll;
    std::function<void()> then;
  };
  void make_room();
  bool test_requests();
  bool poll();

  std::vector<polled> polled_, complete_;
  std::vector<MPI_Request> requests_;
  std::vector<when_complete> then_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

/// Longer ones travel in parts; both ends cut alike.
inline constexpr std::size_t longest_message = std::size_t{1} << 30;

/// Sends or receives any number of bytes as messages of at most that length with one tag; `then` is called when all are complete.
/// Throws mpi_error; also later, from test(), if a message has another length than expected.
void send_bytes_to(pending_requests& with, const std::byte* bytes, std::size_t size, int to, int tag,
                   MPI_Comm comm, std::function<void()> then);
void receive_bytes_from(pending_requests& with, std::byte* bytes, std::size_t size, int from, int tag,
                        MPI_Comm comm, std::function<void()> then);

/// Throws mpi_error if a message that has been received has another length than expected.
void check_length(const MPI_Status& status, int from, std::size_t bytes);

} // namespace tacit::runtime
