// How the interposer finds the program's MPI library, wakes its clients and steps aside. See slots.h and
// clients.h.
#include "interpose/clients.h"

#include "interpose/agreement.h"
#include "interpose/environment.h"
#include "interpose/gate.h"
#include "interpose/memory.h"
#include "interpose/mpi_library.h"
#include "interpose/polls.h"
#include "interpose/slots.h"

#include <algorithm>
#include <exception>
#include <pthread.h>

namespace tacit::interpose {

bool clients_active = false;
bool takers_active = false;

namespace {

constexpr std::size_t max_clients = 8;

/// Those that are shown calls, in order; null where one has been retired.
client* active[max_clients];
bool agreed[max_clients]; ///< they take calls over
bool met_mpi = false;     ///< the program has called MPI_Init
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

void start_clients(invocation& v) {
  for (client* const c : all_clients()) {
    if (!c->wanted())
      continue;
    bool ready = false;
    guarded(*c, [&](client& who) { ready = who.start(v); });
    if (ready)
      active[active_count++] = c;
  }
  int rank = 0;
  TACIT_PMPI(Comm_rank)(handles().world, &rank);
  open_gate(rank == 0);
  for (std::size_t i = 0; i < active_count; ++i) {
    agreed[i] = false;
    if (client* const c = active[i]; c && c->takes_over())
      guarded(*c, [i](client& who) {
        auto* const asks = dynamic_cast<agreeing_client*>(&who);
        agreed[i] = asks ? asks->agree(takeover_allowed()) : takeover_allowed();
      });
  }
  count_clients();
}

/// Ranks that use MPI Sessions only do not come by a call in which they could agree on anything.
void explain_sessions() {
  if (met_mpi || !settings().apply || launched_as_other_rank())
    return;
  open_gate(false);
  if (program_has_sessions())
    say(reason::applied, "nothing is taken over in a program that does not call MPI_Init: ranks that use MPI "
                         "Sessions only have not agreed to it");
}

__attribute__((destructor)) void unloaded() {
  explain_sessions();
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
    met_mpi = true;
    bear_witness(witnessed::mpi);
    return before_init(v, reject_library);
  }
  for_each_active([&](client& c) { c.before(v); });
}

void after(invocation& v, int result) {
  if (v.kind == call_class::init) {
    if (result != MPI_SUCCESS || clients_active || !wanted() || !library_fits())
      return;
    v.notes.end = ticks_now();
    return start_clients(v);
  }
  for_each_active([&](client& c) { c.after(v, result); });
  if (v.kind == call_class::finalize) {
    active_count = 0;
    count_clients();
  }
}

} // namespace tacit::interpose
