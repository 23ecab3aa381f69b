#include "interpose/takeover/taken_comms.h"

#include "interpose/layer/environment.h"
#include "interpose/takeover/agreed_groups.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/attributes.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/mpi_error.h"

#include <mutex>
#include <new>
#include <vector>

namespace tacit::interpose {

namespace {

struct comm_registry {
  std::mutex guard;
  std::vector<std::weak_ptr<taken_comm>> made; ///< in the order of making, equal on the ranks of each
};

comm_registry& all() {
  static comm_registry* const r = new comm_registry; // communicators are freed until the very end
  return *r;
}

extern "C" int forget_taken_comm(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<comm_handle> held(static_cast<comm_handle*>(value));
  (*held)->user = MPI_COMM_NULL;
  if ((*held)->home)
    (*held)->home->let_go();
  return MPI_SUCCESS;
}

constinit runtime::comm_attribute<comm_handle> decided(nullptr, forget_taken_comm);

void attach(MPI_Comm comm, const comm_handle& c) {
  {
    const std::lock_guard lock(all().guard);
    std::erase_if(all().made, [](const auto& old) { return old.expired(); });
    all().made.push_back(c);
  }
  decided.set(comm, std::make_unique<comm_handle>(c));
}

/// What all ranks find out alike without asking each other.
outcome first_look(MPI_Comm comm) {
  int between = 0, kind = MPI_UNDEFINED;
  runtime::check_mpi(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  if (between)
    return outcome::intercommunicator;
  runtime::check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind == MPI_UNDEFINED)
    return outcome::no_topology;
  switch (standing_of(comm)) {
  case standing::agreed:
    return outcome::taken;
  case standing::refused:
    return outcome::refused;
  default:
    return outcome::outside_world;
  }
}

/// Runs `body` on all ranks; what has happened to the first of those to which something has, which is said.
template <typename Body>
outcome attempt(MPI_Comm comm, Body&& body) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  runtime::agreement all(comm, rank, size, "taking over neighborhood collectives");
  all.here(body);
  try {
    all.agree();
    return outcome::taken;
  } catch (const runtime::call_error& e) {
    if (rank == 0)
      say_if_possible(reason::applied, [&] {
        return std::string("neighborhood collectives of a communicator are left to the MPI library: ") +
               e.what();
      });
    return outcome_of(e);
  }
}

/// Set up on all ranks, or null on all; then *why says why.
std::shared_ptr<runtime::neighbor_communicator> make_home(MPI_Comm comm, outcome* why) {
  std::shared_ptr<runtime::neighbor_communicator> home;
  *why = attempt(comm, [&] {
    runtime::neighbor_options options = runtime::options_of(comm);
    options.unattended = !runtime::mpi_progresses();
    if (options.driver == "dry")
      throw runtime::neighbor_error(runtime::neighbor_error::kind::environment,
                                    "TACIT_DRIVER=dry: nothing would arrive");
    home = std::make_shared<runtime::neighbor_communicator>(comm, options);
  });
  if (*why == outcome::taken)
    *why = attempt(comm, [&] { home->set_up(); });
  if (*why != outcome::taken)
    home.reset();
  return home;
}

} // namespace

outcome outcome_of(const runtime::neighbor_error& e) {
  switch (e.why) {
  case runtime::call_error::kind::argument:
    return outcome::wrong_argument;
  case runtime::call_error::kind::pieces:
    return outcome::pieces;
  case runtime::call_error::kind::device:
    return outcome::device;
  case runtime::call_error::kind::environment:
    return outcome::settings;
  case runtime::call_error::kind::memory:
  case runtime::call_error::kind::mpi:
  case runtime::call_error::kind::internal:
    return outcome::trouble;
  default:
    return outcome::contradiction;
  }
}

comm_handle known_comm(MPI_Comm comm) {
  const comm_handle* const known = decided.of(comm);
  return known ? *known : nullptr;
}

comm_handle decided_comm(MPI_Comm comm) {
  if (comm_handle known = known_comm(comm))
    return known;
  comm_handle made;
  const outcome why = first_look(comm);
  const auto note = [&] {
    made = std::make_shared<taken_comm>();
    made->user = comm;
    made->why = why;
    attach(comm, made);
  };
  if (why != outcome::taken) {
    try {
      note();
    } catch (const std::bad_alloc&) { // the next call looks again
    }
    return made;
  }
  if (attempt(comm, note) != outcome::taken) { // what some rank does not know, the others may not either
    decided.remove(comm);
    return nullptr;
  }
  made->home = make_home(comm, &made->why);
  return made;
}

void renew_if_worn_out(taken_comm& c) {
  if (!c.home->worn_out() || !c.renewable)
    return;
  outcome why = outcome::taken;
  if (auto fresh = make_home(c.user, &why))
    c.home = std::move(fresh);
  else
    c.renewable = false;
}

void release_comms() {
  std::vector<std::weak_ptr<taken_comm>> left;
  {
    const std::lock_guard lock(all().guard);
    left.swap(all().made);
  }
  for (const auto& each : left)
    if (const comm_handle c = each.lock())
      c->home.reset();
}

int raise_error(const taken_comm& comm, int code) {
  if (comm.user != MPI_COMM_NULL)
    MPI_Comm_call_errhandler(comm.user, code);
  else if (world_may_be_used()) // sessions have none
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return code;
}

} // namespace tacit::interpose
