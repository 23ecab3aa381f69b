// Polls that find nothing, as cheap as they can be for whoever counts them.
//
// Programs poll millions of times between two messages (RandomAccess in hpcc: 8 million times in a second of
// CPU time), often several things in turn. To describe each would cost more than the poll. So a client may
// leave the newest few unsuccessful polls open: a wrapper that is called with what an open poll had calls the
// library at once, and if nothing was found again it adds one to the client's number, without time stamps,
// clients or tables. Whatever else the client is shown closes them. Only when a poll succeeds is it shown,
// after the fact.
//
// A program that polls between two looks at memory (RandomAccess) has fewer of those under way for every instruction here. So
// what a wrapper asks first lies in one cache line at a fixed address: the open poll of its call that is the newest, if that
// is of one request or of messages. All else that may become of the call lies in functions of their own.
//
// Not where other threads may call MPI, and not where a client does calls in the library's place.
#pragma once

#include "interpose/layer/clock.h"
#include "vocabulary/calls/mpi_calls.h"

#include <algorithm>
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

/// A row of polls in the client's record.
struct poll_row {
  std::uint64_t* times = nullptr; ///< how often nothing was found
  std::uint64_t* end = nullptr;   ///< tick when the last one returned
  std::uint64_t stamp_at = 0;     ///< the number at which `end` is due

  /// Nothing was found once more. The end of a row is stamped now and then only, of a short one when it has doubled: who
  /// polls between two looks at memory waits for the counter instead of for the next one.
  [[gnu::always_inline]] void repeat() {
    if (++*times >= stamp_at) [[unlikely]]
      stamp();
  }
  [[gnu::noinline]] void stamp() {
    constexpr std::uint64_t at_the_latest = 256; // polls, which are some 10 µs
    stamp_at = *times + std::min(*times, at_the_latest);
    *end = ticks_now();
  }
};

/// What a wrapper looks at lies in one cache line, if there are up to three requests.
struct alignas(64) open_poll {
  bool quick = false;         ///< wrappers may use the open polls; the same in all of them, open or not
  const void* from = nullptr; ///< return address; null: closed
  poll_question asked;
  poll_row row;
};

/// The newest open poll of a call, if it is of one request or of messages and wrappers may use it.
struct alignas(64) newest_poll {
  const void* from = nullptr; ///< null: there is none
  MPI_Request request{};
  MPI_Comm comm{};
  int source = 0, tag = 0;
  poll_row row;

  [[gnu::always_inline]] bool is(const void* where, const MPI_Request* list, int n) const {
    return from == where && n == 1 && request == *list;
  }
  [[gnu::always_inline]] bool is(const void* where, MPI_Comm in, int whom, int with) const {
    return from == where && comm == in && source == whom && tag == with;
  }
};

/// The number of a call that polls, from 0; -1 of others.
constexpr int poll_number(mpi_call call) {
  switch (call) {
  case mpi_call::Test:
    return 0;
  case mpi_call::Testany:
    return 1;
  case mpi_call::Testall:
    return 2;
  case mpi_call::Testsome:
    return 3;
  case mpi_call::Iprobe:
    return 4;
  case mpi_call::Improbe:
    return 5;
  default:
    return -1;
  }
}
extern newest_poll newest_polls[6] __attribute__((visibility("hidden")));

/// The open ones come first. One more, which is closed, so that looking ends there.
extern open_poll open_polls[max_open_polls + 1] __attribute__((visibility("hidden")));

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
  for (open_poll* poll = open_polls; poll->from; ++poll) {
    poll->from = nullptr;
    if (const int number = poll_number(poll->asked.call); number >= 0)
      newest_polls[number].from = nullptr;
  }
}

/// Opens one more of at most `max_open_polls`.
inline void open_one(const void* from, const poll_question& asked, std::uint64_t& times, std::uint64_t& end) {
  open_poll& opened = open_polls[open_poll_count()];
  opened.from = from;
  opened.asked = asked;
  opened.row = {&times, &end, 2 * times};
  const int number = poll_number(asked.call);
  const bool of_messages = asked.call == mpi_call::Iprobe || asked.call == mpi_call::Improbe;
  if (opened.quick && number >= 0 && (of_messages || asked.count == 1))
    newest_polls[number] = {from, asked.requests[0], asked.comm, asked.source, asked.tag, opened.row};
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

/// What a successful poll changes, as it was before: handles, and statuses where the program wants none.
template <int most_requests>
struct poll_frame {
  poll_frame() = default;
  poll_frame(const MPI_Request* from, int count) {
    for (int i = 0; i < count; ++i) {
      requests[i] = from[i];
      // Else GCC makes `rep movs` of the loop, whose beginning takes half the time of a poll.
      if (count > 1)
        asm volatile("" ::: "memory");
    }
  }
  MPI_Request requests[most_requests];
  MPI_Status statuses[most_requests];
};

} // namespace tacit::interpose
