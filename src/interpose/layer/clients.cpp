// How the interposer finds the program's MPI library, wakes its clients and steps aside. See slots.h and
// clients.h.
#include "interpose/layer/clients.h"

#include "interpose/layer/coverage_check.h"
#include "interpose/layer/environment.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/polls.h"
#include "interpose/layer/slots.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace tacit::interpose {

std::atomic<bool> takers_active = false;

namespace {

constexpr std::size_t max_clients = 8;

/// Those that are shown calls, in order; null where one has been retired, by any thread and while others look: a place is
/// read once.
std::atomic<client*> active[max_clients];
interest_bits interests_of[max_clients];
std::atomic<bool> agreed[max_clients]; ///< they take calls over
bool met_world = false;                ///< clients have been started in MPI_Init
bool met_session = false;              ///< or, those that can, in MPI_Session_init before
std::atomic<std::size_t> active_count = 0;

/// The calls by which the interposer itself comes to life and ends.
interest& own_interest() {
  static interest& only = (new interest(attention::described))
                              ->add({call_class::init, call_class::finalize})
                              .add({mpi_call::Session_init, mpi_call::Comm_create_from_group});
  return only;
}

void count_takers() {
  bool any = false;
  for (std::size_t i = 0; i < active_count; ++i)
    any = any || (active[i] && agreed[i]);
  takers_active = any;
  if (any && quick_polls()) {
    allow_quick_polls(false); // a poll may be of a request that the library does not know
    close_polls();
  }
}

/// Shows it no calls any more.
void stop(std::atomic<client*>& who) {
  client* const stopped = who.exchange(nullptr);
  if (!stopped)
    return;
  tacit_interests.on.fetch_and(static_cast<interest_bits>(~stopped->interests()));
  stopped->stopped();
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
    if (client* const c = active[i])
      guarded(*c, part);
}

/// Those that want the call.
template <typename Part>
void for_each_interested(mpi_call call, Part part) {
  const interest_bits who = who_wants(call);
  for (std::size_t i = 0; i < active_count; ++i)
    if (client* const c = active[i]; c && (interests_of[i] & who))
      guarded(*c, part);
}

bool wanted() {
  const auto all = all_clients();
  return std::any_of(all.begin(), all.end(), [](const client* c) { return c->wanted(); });
}

/// The library found behind the initializing call has another binary interface: its handles cannot be understood.
void reject_library(const void* from) {
  const char* does = "";
  for (client* const c : all_clients())
    if (c->wanted()) {
      c->stopped();
      does = *does ? does : c->does();
    }
  const std::string version = library_version(from), interface(library_interface(from));
  step_aside(from);
  leave_mark(reached::refused);
  if (launched_as_other_rank())
    return;
  const std::string name = version.substr(0, version.find_first_of(",\n"));
  const bool has_own_name = name.find(interface) != std::string::npos;
  say(reason::wrong_mpi, std::string("nothing is ") + does + ": this interposer was built for " +
                             std::string(interface_name()) + ", the program uses " + name +
                             (has_own_name ? "" : " (binary interface: " + interface + ")") +
                             ". Use the interposer of a build for that.");
}

void say_problems() {
  for (const std::string& problem : settings().problems)
    say(reason::bad_environment, problem);
}

/// From now on every call passes.
void show_nothing() {
  for (std::size_t i = 0; i < active_count; ++i)
    stop(active[i]);
  active_count = 0;
  takers_active = false;
}

__attribute__((constructor)) void loaded() {
  if (!wanted())
    return step_aside(nullptr);
  leave_mark(reached::process);
  own_interest().switch_on();
  for (client* const c : all_clients())
    if (c->wanted())
      c->loaded();
  mark_first_moment();
  pthread_atfork(nullptr, nullptr, [] {
    for_each_active([](client& c) { c.forked(); });
    show_nothing();
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
  const std::size_t place = active_count;
  agreed[place] = false;
  interests_of[place] = c.interests();
  active[place] = &c;
  active_count = place + 1;
}

void start_clients(invocation& v) {
  met_world = true;
  for (client* const c : all_clients())
    if (c->wanted())
      add_client(*c, v);
  int rank = 0;
  TACIT_PMPI(Comm_rank)(handles().world, &rank);
  if (rank == 0 && !met_session)
    say_problems();
  check_coverage(rank == 0);
  for (std::size_t i = 0; i < active_count; ++i)
    if (client* const c = active[i]; c && c->takes_over())
      guarded(*c, [i](client& who) {
        const bool will = who.agree(takeover_allowed());
        agreed[i] = agreed[i] || will;
      });
  count_takers();
}

/// Only clients that can begin without MPI_COMM_WORLD: a recording names processes by it.
void start_in_session(invocation& v) {
  static std::mutex guard;
  const std::lock_guard lock(guard);
  if (met_world || std::exchange(met_session, true))
    return;
  const bool first = !launched_as_other_rank();
  if (first)
    say_problems();
  check_coverage(first);
  for (client* const c : all_clients())
    if (c->can_begin_alone() && c->wanted()) {
      add_client(*c, v);
      for (std::size_t i = 0; i < active_count; ++i)
        if (active[i] == c)
          guarded(*c, [&](client&) { agreed[i] = c->begin_alone(takeover_allowed()); });
    }
  count_takers();
}

/// After MPI_Finalize sessions may go on, and their ranks may ask this one.
void stop_clients() {
  for (std::size_t i = 0; i < active_count; ++i)
    if (client* const c = active[i]; c && !c->outlives_world())
      stop(active[i]);
  count_takers();
}

__attribute__((destructor)) void unloaded() {
  for_each_active([](client& c) { c.end(); });
  show_nothing();
}

} // namespace

void retire(client& who) {
  for (std::size_t i = 0; i < active_count; ++i)
    if (active[i] == &who)
      stop(active[i]);
  count_takers();
}

void glance(interest_bits who) {
  for (std::size_t i = 0; i < active_count; ++i)
    if (client* const c = active[i]; c && (interests_of[i] & who))
      guarded(*c, [](client& woken) { woken.glance(); });
}

std::optional<int> ask_takers(invocation& v) {
  const interest_bits who = who_wants(v.call);
  std::optional<int> answer;
  for (std::size_t i = 0; i < active_count && !answer; ++i)
    if (client* const c = active[i]; c && agreed[i] && (interests_of[i] & who))
      guarded(*c, [&](client& asked) { answer = asked.instead(v); });
  return answer;
}

void before(invocation& v) {
  if (v.kind == call_class::init) {
    leave_mark(reached::mpi);
    return before_init(v, reject_library);
  }
  if (begins_in_session(v) && !met_world && !met_session) {
    leave_mark(reached::mpi);
    before_init(v, reject_library);
  }
  for_each_interested(v.call, [&](client& c) { c.before(v); });
}

void after(invocation& v, int result) {
  if (v.kind == call_class::init) {
    if (result != MPI_SUCCESS || met_world || !wanted() || !library_fits())
      return;
    v.end = ticks_now();
    return start_clients(v);
  }
  if (begins_in_session(v) && result == MPI_SUCCESS && library_fits())
    start_in_session(v);
  for_each_interested(v.call, [&](client& c) { c.after(v, result); });
  if (v.kind == call_class::finalize)
    stop_clients();
}

} // namespace tacit::interpose
