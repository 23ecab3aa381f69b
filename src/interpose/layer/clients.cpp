// How the interposer finds the program's MPI library, wakes its clients and steps aside. See slots.h and
// clients.h.
#include "interpose/layer/clients.h"

#include "interpose/layer/environment.h"
#include "interpose/layer/gate.h"
#include "interpose/layer/memory.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/polls.h"
#include "interpose/layer/slots.h"
#include "interpose/takeover/agreement.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace tacit::interpose {

bool clients_active = false;
bool takers_active = false;

namespace {

constexpr std::size_t max_clients = 8;

/// Those that are shown calls, in order; null where one has been retired.
client* active[max_clients];
bool agreed[max_clients]; ///< they take calls over
bool met_world = false;   ///< clients have been started in MPI_Init
bool met_session = false; ///< or, those that can, in MPI_Session_init before
std::size_t active_count = 0;

void count_clients() {
  clients_active = takers_active = false;
  for (std::size_t i = 0; i < active_count; ++i) {
    clients_active = clients_active || active[i];
    takers_active = takers_active || (active[i] && agreed[i]);
  }
  if (takers_active)
    quick_polls = false; // a poll may be of a request that the library does not know
  if (!clients_active)
    follow_memory(false);
}

void switch_off(client& who, const char* what) {
  retire(who);
  say(reason::recording_incomplete,
      std::string(who.takes_over() ? "no more is taken over" : "recording stopped") +
          ", the program continues unchanged: " + what);
}

/// Does something with a client; nothing escapes.
template <typename Part>
void guarded(client& who, Part part) {
  try {
    part(who);
  } catch (const std::exception& e) {
    switch_off(who, e.what());
  } catch (...) {
    switch_off(who, "unknown exception");
  }
}

template <typename Part>
void for_each_active(Part part) {
  for (std::size_t i = 0; i < active_count; ++i)
    if (active[i])
      guarded(*active[i], part);
}

/// The library found behind the initializing call is of another family: its handles cannot be understood.
void reject_library(const std::string& version, const void* from) {
  follow_memory(false);
  step_aside(from);
  if (launched_as_other_rank())
    return;
  say(reason::wrong_mpi, std::string("nothing is ") + (recorder().wanted() ? "recorded" : "taken over") +
                             ": this interposer was built for " + std::string(family_name()) +
                             ", the program uses " + version.substr(0, version.find_first_of(",\n")) +
                             ". Use the interposer of a build for that MPI library.");
}

bool wanted() {
  const auto all = all_clients();
  return std::any_of(all.begin(), all.end(), [](const client* c) { return c->wanted(); });
}

__attribute__((constructor)) void loaded() {
  if (!wanted())
    return step_aside(nullptr);
  bear_witness(witnessed::process);
  follow_memory(recorder().wanted());
  mark_first_moment();
  pthread_atfork(nullptr, nullptr, [] {
    memory_after_fork();
    for_each_active([](client& c) { c.forked(); });
    active_count = 0;
    clients_active = takers_active = false;
  });
}

/// A rank without MPI_Init meets others in the second call; the first one may be hidden in a library.
bool begins_in_session(const invocation& v) {
  return settings().apply && (v.call == mpi_call::Session_init || v.call == mpi_call::Comm_create_from_group);
}

void add_client(client& c, const invocation& v) {
  if (std::find(active, active + active_count, &c) != active + active_count)
    return;
  bool ready = false;
  guarded(c, [&](client& who) { ready = who.start(v); });
  if (!ready)
    return;
  agreed[active_count] = false;
  active[active_count++] = &c;
}

void start_clients(invocation& v) {
  met_world = true;
  for (client* const c : all_clients())
    if (c->wanted())
      add_client(*c, v);
  int rank = 0;
  TACIT_PMPI(Comm_rank)(handles().world, &rank);
  open_gate(rank == 0);
  for (std::size_t i = 0; i < active_count; ++i)
    if (client* const c = active[i]; c && c->takes_over())
      guarded(*c, [i](client& who) {
        auto* const asks = dynamic_cast<agreeing_client*>(&who);
        const bool will = asks ? asks->agree(takeover_allowed()) : takeover_allowed();
        agreed[i] = agreed[i] || will;
      });
  count_clients();
}

/// Only clients that can begin without MPI_COMM_WORLD: a recording names processes by it.
void start_in_session(invocation& v) {
  static std::mutex guard;
  const std::lock_guard lock(guard);
  if (met_world || std::exchange(met_session, true))
    return;
  open_gate(!launched_as_other_rank());
  for (client* const c : all_clients())
    if (auto* const asks = dynamic_cast<agreeing_client*>(c); asks && c->wanted()) {
      add_client(*c, v);
      for (std::size_t i = 0; i < active_count; ++i)
        if (active[i] == c)
          guarded(*c, [&](client&) { agreed[i] = asks->begin_alone(takeover_allowed()); });
    }
  count_clients();
}

/// After MPI_Finalize sessions may go on, and their ranks may ask this one.
void stop_clients() {
  for (std::size_t i = 0; i < active_count; ++i)
    if (!program_has_sessions() || !dynamic_cast<agreeing_client*>(active[i]))
      active[i] = nullptr;
  count_clients();
}

__attribute__((destructor)) void unloaded() {
  for_each_active([](client& c) { c.end(); });
  clients_active = takers_active = false;
}

} // namespace

void retire(client& who) {
  std::replace(active, active + active_count, &who, static_cast<client*>(nullptr));
  count_clients();
}

std::optional<int> ask_takers(invocation& v) {
  std::optional<int> answer;
  for (std::size_t i = 0; i < active_count && !answer; ++i)
    if (active[i] && agreed[i])
      guarded(*active[i], [&](client& c) { answer = c.instead(v); });
  return answer;
}

void before(invocation& v) {
  if (v.kind == call_class::init) {
    bear_witness(witnessed::mpi);
    return before_init(v, reject_library);
  }
  if (begins_in_session(v) && !met_world && !met_session) {
    bear_witness(witnessed::mpi);
    before_init(v, reject_library);
  }
  for_each_active([&](client& c) { c.before(v); });
}

void after(invocation& v, int result) {
  if (v.kind == call_class::init) {
    if (result != MPI_SUCCESS || met_world || !wanted() || !library_fits())
      return;
    v.notes.end = ticks_now();
    return start_clients(v);
  }
  if (begins_in_session(v) && result == MPI_SUCCESS && library_fits())
    start_in_session(v);
  for_each_active([&](client& c) { c.after(v, result); });
  if (v.kind == call_class::finalize)
    stop_clients();
}

} // namespace tacit::interpose
