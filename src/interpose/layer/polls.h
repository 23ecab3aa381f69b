// Polls that find nothing, as cheap as they can be for whoever counts them.
//
// Programs poll millions of times between two messages (RandomAccess in hpcc: 8 million times in a second of
// CPU time), often several things in turn. To describe each would cost more than the poll. So a client may
// leave the newest few unsuccessful polls open: a wrapper that is called with what an open poll had calls the
// library at once, and if nothing was found again it adds one to the client's number, without time stamps,
// clients or tables. Whatever else the client is shown closes them. Only when a poll succeeds is it shown,
// after the fact. The wrapper asks that first, and what else may become of the call lies in a function of its own: a
// program that polls between two looks at memory (RandomAccess) has fewer of those under way for every instruction here.
//
// Not where other threads may call MPI, and not where a client does calls in the library's place.
#pragma once

#include "interpose/layer/clock.h"
#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>
#include <cstring>
#include <mpi.h>

namespace tacit::interpose {

inline constexpr std::size_t max_open_polls = 4;
inline constexpr int quick_poll_requests = 8; ///< polls of more requests are described

/// What a poll looks for: requests, or messages.
struct poll_question {
  poll_question() = default;
  poll_question(mpi_call which, const MPI_Request* list, int n) : call(which), count(n) {
    for (int i = 0; i < n; ++i)
      if (i < quick_poll_requests)
        requests[i] = list[i];
      else
        add_to_rest(list[i]);
  }
  poll_question(mpi_call which, MPI_Comm where, int from, int with)
      : call(which), comm(where), source(from), tag(with) {}
  bool operator==(const poll_question&) const = default;

  mpi_call call = mpi_call::none;
  int count = 0; ///< of requests
  MPI_Request requests[quick_poll_requests]{};
  MPI_Comm comm{};
  int source = 0, tag = 0;
  std::uint64_t rest = 0; ///< hash of more requests

  /// The same as would be made of these, for a wrapper: of requests that have room, compared one by one (to hash them took
  /// longer than all else of a poll).
  [[gnu::always_inline]] bool is(mpi_call which, const MPI_Request* list, int n) const {
    if (call != which || count != n)
      return false;
    for (int i = 0; i < n; ++i)
      if (requests[i] != list[i])
        return false;
    return true;
  }
  [[gnu::always_inline]] bool is(mpi_call which, MPI_Comm where, int from, int with) const {
    return call == which && comm == where && source == from && tag == with;
  }

private:
  void add_to_rest(const MPI_Request& request) {
    std::uint64_t word = 0;
    std::memcpy(&word, &request, sizeof request);
    rest = (rest ^ word) * 0x9e3779b97f4a7c15u + (rest >> 29);
  }
};

/// What a wrapper looks at lies in one cache line, if there are up to four requests: whoever polls between two looks at a
/// large table (RandomAccess) finds little in the cache.
struct alignas(64) open_poll {
  bool quick = false;             ///< wrappers may use the open polls; the same in all of them, open or not
  const void* from = nullptr;     ///< return address; null: closed
  std::uint64_t* times = nullptr; ///< how often nothing was found
  poll_question asked;
  std::uint64_t* end = nullptr; ///< tick when the last one returned
};

/// The open ones come first. One more, which is closed, so that looking ends there.
extern open_poll open_polls[max_open_polls + 1];

inline bool quick_polls() {
  return open_polls[0].quick;
}

inline std::size_t open_poll_count() {
  std::size_t n = 0;
  while (open_polls[n].from)
    ++n;
  return n;
}

inline void allow_quick_polls(bool allowed) {
  for (open_poll& poll : open_polls)
    poll.quick = allowed;
}

inline void close_polls() {
  for (std::size_t i = 0; open_polls[i].from; ++i)
    open_polls[i].from = nullptr;
}

/// `asked`: as poll_question::is has it.
template <typename... Asked>
[[gnu::always_inline]] inline open_poll* find_open_poll(const void* from, Asked... asked) {
  for (open_poll* poll = open_polls; poll->from; ++poll)
    if (poll->from == from && poll->asked.is(asked...))
      return poll;
  return nullptr;
}

inline open_poll* find_open_poll(const void* from, const poll_question& asked) {
  for (open_poll* poll = open_polls; poll->from; ++poll)
    if (poll->from == from && poll->asked == asked)
      return poll;
  return nullptr;
}

/// False if the client was shown something else since (by a callback of the program, while the library was polling).
[[gnu::always_inline]] inline bool still_open(const open_poll* poll, const void* from) {
  return poll->from == from;
}

/// The poll found nothing once more. The end of a row is stamped now and then only, of a short one when it has doubled: who
/// polls between two looks at memory (RandomAccess) waits for the counter instead of for the next one.
[[gnu::always_inline]] inline void repeat_poll(const open_poll& poll) {
  const std::uint64_t times = ++*poll.times;
  if ((times & (times - 1)) == 0 || times % 32 == 0)
    *poll.end = ticks_now();
}

/// What a successful poll changes, as it was before: handles, and statuses where the program wants none.
struct poll_frame {
  poll_frame() = default;
  poll_frame(const MPI_Request* from, int count) {
    for (int i = 0; i < count; ++i) {
      requests[i] = from[i];
      asm volatile(
          "" ::
              : "memory"); // else GCC makes `rep movs` of the loop, whose beginning took half the time of a poll
    }
  }
  MPI_Request requests[quick_poll_requests];
  MPI_Status statuses[quick_poll_requests];
};

} // namespace tacit::interpose
