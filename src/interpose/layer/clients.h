// One interposer, several clients: who is shown which calls, who does calls in the library's place, and how
// the interposer comes to life and steps aside. Nothing here knows what clients there are: all_clients() is
// defined by whoever links them.
//
// Clients are shown the calls that their interests name (interests.h), before and after the library does
// them. One of them may do a call instead (`instead`): then the library never hears of it, the others are
// shown the call as if it had, and the wrapper gives the results back in the caller's language. What goes
// wrong inside a client never reaches the program: the client is switched off, this is reported once, and
// calls pass on unchanged.
//
// A client that answers a call which makes a request has to answer whatever later meets that request: Wait,
// Test and their forms (whose arrays may mix its requests with the library's: it answers for all, and asks
// the library for the others itself, by PMPI_X), Start, Startall, Cancel, Request_free, Request_get_status.
// So it makes handles that the library knows too (of generalized requests, say), and it is asked only where
// every call is seen (coverage_check.h).
#pragma once

#include "interpose/layer/interests.h"
#include "interpose/layer/invocation.h"

#include <atomic>
#include <optional>
#include <span>

namespace tacit::interpose {

class client {
public:
  virtual ~client() = default;
  /// Asked when the interposer is loaded, long before MPI is there: is anything to be done in this process?
  virtual bool wanted() const = 0;
  /// What it does with calls, as a participle for messages: "recorded".
  virtual const char* does() const = 0;
  /// The bits of its interests, which it switches on itself, when it starts or later.
  virtual interest_bits interests() const = 0;
  /// The interposer has been loaded, and the client is wanted.
  virtual void loaded() {}
  /// MPI is initialized now (`v` is the initializing call). False: nothing to do in this run.
  virtual bool start(const invocation& v) = 0;
  virtual void before(invocation&) {}
  virtual void after(invocation&, int) {}
  /// A call begins that an interest of the client only glances at.
  virtual void glance() {}

  /// Whether `instead` is worth asking.
  virtual bool takes_over() const { return false; }
  /// MPI is initialized and coverage has been checked: `allowed` says whether this process may take calls
  /// over; the client answers whether it will, for good. It may communicate: all ranks that run the same
  /// clients come here before any other call of theirs.
  virtual bool agree(bool allowed) { return allowed; }
  /// Whether it can begin without MPI_COMM_WORLD, in programs that call MPI_Session_init before MPI_Init, or
  /// without it.
  virtual bool can_begin_alone() const { return false; }
  /// It begins so: nobody can be asked yet. The client answers whether it may be asked to do calls; whom it
  /// has to ask for that it asks later, in a call that all of them make, which it is shown whatever it
  /// answers. Local.
  virtual bool begin_alone(bool allowed) { return allowed; }
  /// Does the call in the library's place, writes its results where `v` says (handles, statuses, flags,
  /// indices counted from 0, in C's terms whatever the caller speaks) and returns MPI's result code; or
  /// leaves it to the library. A type that ends with the call (data_part::type_ends) is to be duplicated for
  /// what outlives it.
  virtual std::optional<int> instead(invocation&) { return std::nullopt; }

  /// MPI_Finalize has returned: whether it is still to be shown calls, of sessions that go on.
  virtual bool outlives_world() const { return false; }
  /// It is shown no calls any more: MPI has ended, it has been retired, or there is nothing to do after all.
  virtual void stopped() {}
  /// The process ends without MPI_Finalize, but orderly.
  virtual void end() = 0;
  /// This is a forked child of a process in which it had started.
  virtual void forked() = 0;
};

/// False: no client is asked to do a call.
extern std::atomic<bool> takers_active;

void before(invocation& v);
void after(invocation& v, int result);
std::optional<int> ask_takers(invocation& v);
/// Wakes the clients of these interests.
void glance(interest_bits who);

inline std::optional<int> instead(invocation& v) {
  return takers_active.load(std::memory_order_relaxed) ? ask_takers(v) : std::nullopt;
}

/// The client is not shown calls any more (it may say so itself, from inside a call).
void retire(client& who);

/// All there are, in the order in which they are shown calls and asked to do them.
std::span<client* const> all_clients();

} // namespace tacit::interpose
