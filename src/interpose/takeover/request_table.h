#pragma once

#include "interpose/layer/handle_map.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/takeover/taken_requests.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace tacit::interpose {

/// An operation of ours that the program knows by a request.
struct taken_request {
  runtime::neighbor_operation operation; ///< released before `home`
  comm_handle home;
  call_staging staging;
  MPI_Request handle{};
  bool persistent = false;
  bool active = false;
  bool complete = false; ///< and not yet told
  bool broken = false;   ///< has failed, cannot be started again
  int error = MPI_SUCCESS;
};

/// Requests by handle. Threads look here at the same time; one request belongs to one thread at a time, as MPI demands.
class request_table {
public:
  taken_request* find(MPI_Request handle) {
    if (size_.load(std::memory_order_acquire) == 0)
      return nullptr;
    const std::lock_guard lock(guard_);
    taken_request** found = by_handle_.find(bits(handle));
    return found ? *found : nullptr;
  }
  bool empty() const { return size_.load(std::memory_order_acquire) == 0; }

  /// Gives the request its handle; what MPI says of making one.
  int add(taken_request& r);
  /// The handle means nothing any more.
  void remove(taken_request& r);

  /// Freed by the program while active.
  void keep_until_complete(taken_request* r);
  bool any_freed() const { return any_freed_.load(std::memory_order_relaxed); }
  std::vector<taken_request*> take_freed();

  std::vector<taken_request*> all();
  void free_handles();

private:
  /// Holding the lock: what can be seen without it.
  void count_requests();

  std::mutex guard_;
  handle_map<taken_request*> by_handle_;
  std::atomic<std::size_t> size_ = 0;
  std::vector<MPI_Request> unused_, all_;
  std::vector<taken_request*> freed_;
  std::atomic<bool> any_freed_ = false;
  bool watching_ = false;
};

request_table& table();

/// Starts the operation; MPI's code.
int start(taken_request& r);

/// Progresses everything; true if this one has completed.
bool is_complete(taken_request& r);
void wait_until_complete(taken_request& r);

/// The program is told that a request has completed: it becomes inactive, or null and `r` is gone. MPI's code of the operation.
int tell(taken_request& r, MPI_Request& handle);

} // namespace tacit::interpose
