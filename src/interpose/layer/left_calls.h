// Calls that a client leaves to the library for a while: passed on without being described.
//
// Problem. Who does collectives in the library's place may find the library to be faster (takeover/blocking_trial.h). To
// describe such a call, to show it to the clients and to look up what is known of its communicator takes a quarter
// of the time of the shortest exchanges.
//
// Idea. The client allows a number of calls of one function on one communicator, and keeps that number with what it
// knows of the communicator. A wrapper takes one from it and passes the call on. When none is left the client is shown
// the next call, and knows how many have passed. So the number alone says who does a call, which is the same on all
// ranks. What a thread has found of the communicator that it used last counts until anything changes that is
// known of communicators: handles of freed ones come again.
//
// Only where nobody else wants the call: a recording is shown every one.
//
// Threads. Calls on one communicator are ordered by the program, so that its numbers need no atomic access.
#pragma once

#include "interpose/layer/interests.h"
#include "vocabulary/calls/mpi_calls.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace tacit::interpose {

inline constexpr auto first_leavable = static_cast<std::size_t>(mpi_call::Neighbor_allgather);
inline constexpr std::size_t leavable_calls = 5; ///< the blocking neighborhood collectives

/// How many calls of each function may pass on one communicator.
using allowances = std::array<std::uint64_t, leavable_calls>;

/// What this thread has found last.
struct left_calls {
  MPI_Comm comm{};
  allowances* allowed = nullptr; ///< of a client, valid while `version` is the current one
  std::uint64_t version = 0;
  interest_bits client = 0;
};
extern constinit thread_local left_calls left_by_thread;

/// Changes whenever the allowances of some communicator are made or go.
extern std::atomic<std::uint64_t> left_calls_version;

/// Uses up one allowed call.
inline bool is_left(mpi_call call, MPI_Comm comm) {
  const left_calls& known = left_by_thread;
  if (known.comm != comm || known.allowed == nullptr ||
      known.version != left_calls_version.load(std::memory_order_acquire) || who_wants(call) != known.client)
    return false;
  std::uint64_t& left = (*known.allowed)[static_cast<std::size_t>(call) - first_leavable];
  if (left == 0)
    return false;
  --left;
  return true;
}

} // namespace tacit::interpose
