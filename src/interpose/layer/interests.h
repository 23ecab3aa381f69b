// Which calls somebody wants to see now: what every wrapper asks first.
//
// Problem. Programs make millions of calls that no client cares about, and describing a call takes ten times
// as long as the shortest calls themselves. What a client cares about changes while the program runs: whoever
// does collectives in the library's place has to see every wait, but only while one of its own requests is
// alive, and then only waits that may be given one of those.
//
// Idea. A client keeps a few *interests*: each names a set of calls and is switched on and off as a whole. An
// interest is one bit: in a byte for each call (which interests name it) and in one global byte (which are
// on). What the program calls tests these two and jumps, to the library if nobody wants the call (slots.h).
// An interest may be narrower:
//
//   described   the client is shown the call, as an invocation
//   glances     the client only wants to be woken, before the call; nothing is described
//   requests    shown if the call is given a request that may be the client's own. Those are entered in a
//               filter of 1024 bits, so that a request of somebody else's costs one look there. The
//               filter forgets nothing until it is cleared; requests that look alike cost time and
//               nothing else.
//
// Threads. A thread that holds a request has learned of it from the thread that made it, after the interest
// was switched on and the filter knew it; so relaxed loads are enough here.
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace tacit::interpose {

using interest_bits = std::uint8_t;

inline constexpr std::size_t call_numbers = 512;
#define TACIT_CALL(number, name, kind, twin, roles, users) static_assert((number) < call_numbers);
#include "vocabulary/calls/mpi_calls.def"
#undef TACIT_CALL

// Named for the assembler (slots.h).
extern "C" {
/// Which are on, and which name each call: in one cache line for the calls that programs make most, to which the table gives
/// the lowest numbers.
extern struct interest_table {
  std::atomic<interest_bits> on;
  interest_bits in_call[call_numbers];
} tacit_interests;
}
static_assert(offsetof(interest_table, in_call) == 1);

/// Those that are on and name this call.
inline interest_bits who_wants(mpi_call call) {
  return static_cast<interest_bits>(tacit_interests.on.load(std::memory_order_relaxed) &
                                    tacit_interests.in_call[static_cast<std::size_t>(call)]);
}

/// What an interest wants of its calls.
enum class attention : std::uint8_t { described, glances, requests };

/// Made once, for good: before MPI is initialized, by one thread.
class interest {
public:
  /// Off, with no calls. There are at most eight in a process.
  explicit interest(attention wants);
  interest(const interest&) = delete;
  interest& operator=(const interest&) = delete;

  interest& add(std::initializer_list<mpi_call> calls);
  interest& add(std::initializer_list<call_class> classes);
  interest& add_all();
  void switch_on() { tacit_interests.on.fetch_or(bit_, std::memory_order_release); }
  void switch_off() {
    tacit_interests.on.fetch_and(static_cast<interest_bits>(~bit_), std::memory_order_release);
  }
  interest_bits bit() const { return bit_; }

private:
  interest_bits bit_;
};

/// Requests that may be a client's own, as C's handles and as Fortran's numbers.
class request_filter {
public:
  void add(std::uint64_t key) { word(key).fetch_or(mask(key), std::memory_order_release); }
  bool may_have(std::uint64_t key) const {
    return (words_[bit_of(key) / 64].load(std::memory_order_relaxed) & mask(key)) != 0;
  }
  /// Once none of them is alive.
  void clear() {
    for (auto& w : words_)
      w.store(0, std::memory_order_relaxed);
  }

private:
  static std::size_t bit_of(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15u) >> 54; }
  static std::uint64_t mask(std::uint64_t key) { return std::uint64_t{1} << bit_of(key) % 64; }
  std::atomic<std::uint64_t>& word(std::uint64_t key) { return words_[bit_of(key) / 64]; }

  std::array<std::atomic<std::uint64_t>, 16> words_{};
};

extern request_filter own_requests, own_fortran_requests;

/// Those that only glance, or only want calls that are given requests of their own.
extern interest_bits narrow_interests;

/// What is left to do if one of them is among those who want a call: wakes who glances, and says whether the call needs
/// no description. `meets`: it may have been given a request of a client's own.
bool passes_after_glance(interest_bits who, bool meets);

/// The call goes to the library as it is.
inline bool passes(mpi_call call) {
  const interest_bits who = who_wants(call);
  return who == 0 || ((who & narrow_interests) != 0 && passes_after_glance(who, true));
}

/// The same for a call that is given requests: handles, or the numbers that Fortran has for them.
template <typename Request>
bool meets_own(const request_filter& filter, const Request* requests, int count) {
  for (int i = 0; i < count; ++i) {
    std::uint64_t key = 0;
    std::memcpy(&key, requests + i, sizeof *requests);
    if (filter.may_have(key))
      return true;
  }
  return false;
}

/// Out of line, so that wrappers stay short.
template <typename Request>
[[gnu::noinline]] bool passes_with(interest_bits who, const request_filter& filter, const Request* requests,
                                   int count) {
  return passes_after_glance(who, meets_own(filter, requests, count));
}

template <typename Request>
bool passes(mpi_call call, const request_filter& filter, const Request* requests, int count) {
  const interest_bits who = who_wants(call);
  return who == 0 || ((who & narrow_interests) != 0 && passes_with(who, filter, requests, count));
}

} // namespace tacit::interpose
