// One interposer, several clients: who is shown every call, who does calls in the library's place, and how
// the interposer comes to life and steps aside.
//
// Clients are shown a call before and after the library does it. One of them may do it instead (`instead`):
// then the library never hears of it, the others are shown the call as if it had, and the wrapper gives the
// results back in the caller's language. What goes wrong inside a client never reaches the program: the
// client is switched off, this is reported once, and calls pass on unchanged.
//
// A client that answers a call which makes a request has to answer whatever later meets that request: Wait,
// Test and their forms (whose arrays may mix its requests with the library's: it answers for all, and asks
// the library for the others itself, by PMPI_X), Start, Startall, Cancel, Request_free, Request_get_status.
// So it makes handles that the library knows too (of generalized requests, say), and it is asked only where
// every call is seen (gate.h).
#pragma once

#include "interpose/layer/invocation.h"

#include <optional>
#include <span>

namespace tacit::interpose {

class client {
public:
  virtual ~client() = default;
  /// Asked when the interposer is loaded, long before MPI is there: is anything to be done in this process?
  virtual bool wanted() const = 0;
  /// MPI is initialized now (`v` is the initializing call). False: nothing to do in this run.
  virtual bool start(const invocation& v) = 0;
  virtual void before(invocation& v) = 0;
  virtual void after(invocation& v, int result) = 0;
  /// Whether `instead` is worth asking.
  virtual bool takes_over() const { return false; }
  /// Does the call in the library's place, writes its results where `v` says (handles, statuses, flags,
  /// indices counted from 0, in C's terms whatever the caller speaks) and returns MPI's result code; or
  /// leaves it to the library. A type that ends with the call (data_part::type_ends) is to be duplicated for
  /// what outlives it.
  virtual std::optional<int> instead(invocation&) { return std::nullopt; }
  /// The process ends without MPI_Finalize, but orderly.
  virtual void end() = 0;
  /// This is a forked child.
  virtual void forked() = 0;
};

/// False: wrappers pass on directly.
extern bool clients_active;
/// False: no client is asked to do a call.
extern bool takers_active;

void before(invocation& v);
void after(invocation& v, int result);
std::optional<int> ask_takers(invocation& v);

inline std::optional<int> instead(invocation& v) {
  return takers_active ? ask_takers(v) : std::nullopt;
}

/// The client is not shown calls any more (it may say so itself, from inside a call).
void retire(client& who);

/// All there are, in the order in which they are shown calls and asked to do them.
std::span<client* const> all_clients();

client& recorder();

} // namespace tacit::interpose
