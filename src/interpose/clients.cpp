// How the interposer finds the program's MPI library, wakes its clients and steps aside. See slots.h and
// clients.h.
#include "interpose/clients.h"

#include "interpose/environment.h"
#include "interpose/memory.h"
#include "interpose/mpi_library.h"
#include "interpose/slots.h"

#include <dlfcn.h>
#include <exception>
#include <pthread.h>

namespace tacit::interpose {

bool clients_active = false;

namespace {

void switch_off(const char* what) {
  clients_active = false;
  follow_memory(false);
  say(reason::recording_incomplete,
      std::string("recording stopped, the program continues unchanged: ") + what);
}

/// Runs a part of a client; nothing escapes.
template <typename Part>
void guarded(Part part) {
  try {
    part();
  } catch (const std::exception& e) {
    switch_off(e.what());
  } catch (...) {
    switch_off("unknown exception");
  }
}

/// The library found behind the initializing call is of another family: its handles cannot be understood.
void reject_library(const std::string& version, const void* from) {
  follow_memory(false);
  step_aside(from);
  if (launched_as_other_rank())
    return;
  say(reason::wrong_mpi, "nothing is recorded: this interposer was built for " + std::string(family_name()) +
                             ", the program uses " + version.substr(0, version.find_first_of(",\n")) +
                             ". Use the interposer of a build for that MPI library.");
}

bool wanted() {
  return !settings().record.empty();
}

__attribute__((constructor)) void loaded() {
  if (!wanted())
    return step_aside(nullptr);
  follow_memory(true);
  mark_first_moment();
  pthread_atfork(nullptr, nullptr, [] {
    memory_after_fork();
    if (!clients_active)
      return;
    clients_active = false;
    recorder().forked();
  });
}

__attribute__((destructor)) void unloaded() {
  if (clients_active)
    guarded([] { recorder().end(); });
  clients_active = false;
}

} // namespace

void before(invocation& v) {
  if (v.kind == call_class::init)
    return before_init(v, reject_library);
  guarded([&] { recorder().before(v); });
}

void after(invocation& v, int result) {
  if (v.kind == call_class::init) {
    if (result != MPI_SUCCESS || clients_active || !wanted() || !library_fits())
      return;
    v.notes.end = ticks_now();
    guarded([&] { clients_active = recorder().start(v); });
    if (!clients_active)
      follow_memory(false);
    return;
  }
  guarded([&] { recorder().after(v, result); });
  if (v.kind == call_class::finalize) {
    clients_active = false;
    follow_memory(false);
  }
}

} // namespace tacit::interpose
