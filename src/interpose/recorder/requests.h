// The requests that are under way, by handle.
//
// Two traps. A library may give the same handle to several requests at once (MPICH: all sends that completed
// at once), so a handle names a queue of requests; which of them a completion means does not matter, as they
// are alike, and first in first out keeps the order. And with several threads a handle can be given out anew
// while the call that completed its former owner has not returned to us: a completion call therefore takes
// its requests out of the table before it asks the library, and puts back those that did not complete.
#pragma once

#include "interpose/layer/handle_map.h"
#include "interpose/recorder/content.h"
#include "interpose/recorder/forward.h"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace tacit::interpose {

enum class request_kind : std::uint8_t { send, recv, both, idup, other };

struct open_request {
  std::uint64_t id = 0;      ///< of the current start
  std::uint64_t init_id = 0; ///< persistent: id at creation
  request_kind kind = request_kind::other;
  bool persistent = false;
  bool active = false;
  bool cancel_asked = false;
  bool any_source = false;
  bool any_tag = false;
  // Data, for what is started again (persistent) or received.
  const void* buffer = nullptr;
  const data_layout* layout = nullptr;
  std::uint64_t count = 0;
  std::uint32_t comm = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  // What a start found out.
  bool hash_later = false; ///< after the library was called
  content_note content;    ///< of a send, at its last start
  std::vector<forwarded_part> forwards;
  // For counting (tally.h).
  std::uint16_t call = 0;        ///< that made it
  std::uint16_t started_by = 0;  ///< the call of the last start
  std::uint32_t path = 0;        ///< of that
  bool counted = false;          ///< the last start has no call record
  std::uint64_t contributed = 0; ///< bytes, by a persistent collective at each start
  std::uint64_t ticks = 0;       ///< spent on it and not in a row yet
  // The communicator being made (idup).
  MPI_Comm* new_comm = nullptr; ///< null: what it is was known at once
  MPI_Comm new_comm_value{};
  std::uint64_t new_key = 0;

  std::uint32_t next = ~0u; ///< in the queue of its handle
};

class open_request_table {
public:
  static constexpr std::uint32_t none = ~0u;

  open_request& operator[](std::uint32_t slot) { return slots_[slot]; }

  /// Hands out a free slot whose request is cleared.
  std::uint32_t make() {
    if (free_.empty()) {
      slots_.emplace_back();
      return newest_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    newest_ = free_.back();
    free_.pop_back();
    slots_[newest_] = open_request{};
    return newest_;
  }
  /// The slot handed out last.
  std::uint32_t newest() const { return newest_; }
  void release(std::uint32_t slot) { free_.push_back(slot); }

  /// Puts a request at the end of its handle's queue.
  void put(std::uint64_t handle, std::uint32_t slot) {
    queue& q = queues_[handle];
    slots_[slot].next = none;
    if (q.first == none)
      q.first = slot;
    else
      slots_[q.last].next = slot;
    q.last = slot;
  }
  /// Puts a request back at the front, where it was taken from.
  void put_back(std::uint64_t handle, std::uint32_t slot) {
    queue& q = queues_[handle];
    slots_[slot].next = q.first;
    if (q.first == none)
      q.last = slot;
    q.first = slot;
  }
  /// Takes the first request of a handle out; `none` if there is none.
  std::uint32_t take(std::uint64_t handle) {
    queue* q = queues_.find(handle);
    if (!q)
      return none;
    const std::uint32_t slot = q->first;
    q->first = slots_[slot].next;
    if (q->first == none)
      queues_.erase(handle);
    return slot;
  }
  /// The first request of a handle, left where it is; `none` if there is none.
  std::uint32_t look(std::uint64_t handle) {
    queue* q = queues_.find(handle);
    return q ? q->first : none;
  }

private:
  struct queue {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  handle_map<queue> queues_; ///< never holds an empty queue
  std::vector<open_request> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t newest_ = none;
};

} // namespace tacit::interpose
