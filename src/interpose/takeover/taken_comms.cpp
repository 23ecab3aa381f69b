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

/// Counts the calls that have not been shown to us since we were asked last.
void settle(taken_comm& c, std::size_t function) {
  if (const std::uint64_t passed = c.trials[function].settle(c.left[function]); passed > 0)
    count_outcome(static_cast<mpi_call>(first_leavable + function), outcome::native, passed);
}

void settle_all(taken_comm& c) {
  for (std::size_t function = 0; function < leavable_calls; ++function)
    settle(c, function);
}

extern "C" int forget_taken_comm(MPI_Comm, int, void* value, void*) {
  left_calls_version.fetch_add(1, std::memory_order_release);
  const std::unique_ptr<comm_handle> held(static_cast<comm_handle*>(value));
  settle_all(**held);
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
  left_calls_version.fetch_add(1, std::memory_order_release);
  decided.set(comm, std::make_unique<comm_handle>(c));
}

/// What this thread asked for last: programs mostly use one communicator again and again, and asking MPI takes longer than
/// all else that an exchange of a few bytes needs of us.
struct asked_last {
  MPI_Comm comm{};
  const comm_handle* handle = nullptr;
  std::uint64_t version = 0;
};
constinit thread_local asked_last last;

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

void keep_text(std::string* said, const char* what) noexcept {
  try {
    if (said)
      *said = what;
  } catch (const std::bad_alloc&) { // for people only
  }
}

/// Runs `body` on all ranks; what has happened to the first of those to which something has, with its text.
template <typename Body>
outcome attempt(MPI_Comm comm, std::string* said, Body&& body) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  runtime::agreement all(comm, rank, size, "taking over neighborhood collectives");
  all.here(body);
  try {
    all.agree();
    return outcome::taken;
  } catch (const runtime::call_error& e) {
    keep_text(said, e.what());
    return outcome_of(e);
  }
}

std::shared_ptr<runtime::neighbor_communicator> new_home(MPI_Comm comm, runtime::neighbor_options options) {
  options.unattended = !runtime::mpi_progresses();
  if (options.driver == "dry")
    options.fault = nothing_would_arrive;
  return std::make_shared<runtime::neighbor_communicator>(comm, options);
}

/// Set up on all ranks, or null on all; then *why and *said say why.
std::shared_ptr<runtime::neighbor_communicator> make_home(MPI_Comm comm, outcome* why, std::string* said) {
  std::shared_ptr<runtime::neighbor_communicator> home;
  *why = attempt(comm, said, [&] { home = new_home(comm, runtime::options_of(comm)); });
  if (*why == outcome::taken)
    *why = attempt(comm, said, [&] { home->set_up(); });
  if (*why != outcome::taken)
    home.reset();
  return home;
}

/// Nobody has asked for a way.
bool leaves_the_choice(const runtime::neighbor_options& options) {
  runtime::neighbor_options none;
  none.unattended = options.unattended;
  return runtime::word_of(options) == runtime::word_of(none);
}

void allow_trials(taken_comm& c) {
  const runtime::neighbor_communicator& home = *c.home;
  c.may_do = done_rightly_by_library(c.user, home.has_multiple_edges());
  for (blocking_trial& trial : c.trials)
    trial.saves_messages(home.has_multiple_edges());
}

/// At the end of a trial. Collective.
blocking_trial::turn compare_ways(taken_comm& c, blocking_trial& trial) {
  int size = 1;
  MPI_Comm_size(c.home->comm(), &size);
  // The largest is the complement of the least complement.
  std::array<std::uint64_t, 2> words{~trial.ours(), ~trial.library()};
  runtime::agreement(c.home->comm(), c.home->rank(), size, "comparing tacit with the library").agree(words);
  return trial.decide(~words[0], ~words[1]);
}

comm_handle undecided(MPI_Comm comm, outcome why) {
  comm_handle made = std::make_shared<taken_comm>();
  made->user = comm;
  made->why = why;
  return made;
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
  const std::uint64_t now = left_calls_version.load(std::memory_order_acquire);
  if (last.handle && last.comm == comm && last.version == now)
    return *last.handle;
  const comm_handle* const known = decided.of(comm);
  last = {comm, known, now};
  return known ? *known : nullptr;
}

comm_handle decided_comm(MPI_Comm comm) {
  if (comm_handle known = known_comm(comm))
    return known;
  comm_handle made;
  const outcome why = first_look(comm);
  const auto note = [&] {
    made = undecided(comm, why);
    attach(comm, made);
  };
  if (why != outcome::taken) {
    try {
      note();
    } catch (const std::bad_alloc&) { // the next call looks again
    }
    return made;
  }
  if (attempt(comm, nullptr, note) !=
      outcome::taken) { // what some rank does not know, the others may not either
    decided.remove(comm);
    return nullptr;
  }
  made->home = make_home(comm, &made->why, &made->said);
  if (made->home && leaves_the_choice(made->home->options()))
    allow_trials(*made);
  return made;
}

blocking_trial::turn take_turn(taken_comm& c, std::size_t function) {
  blocking_trial& trial = c.trials[function];
  settle(c, function);
  blocking_trial::turn turn = trial.next();
  if (turn.decides)
    turn = compare_ways(c, trial);
  c.left[function] = turn.unseen;
  return turn;
}

void renew_if_worn_out(taken_comm& c) {
  if (!c.home->worn_out() || !c.renewable)
    return;
  outcome why = outcome::taken;
  if (auto fresh = make_home(c.user, &why, nullptr))
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
    if (const comm_handle c = each.lock()) {
      settle_all(*c);
      c->home.reset();
    }
}

int raise_error(const taken_comm& comm, int code) {
  if (comm.user != MPI_COMM_NULL)
    MPI_Comm_call_errhandler(comm.user, code);
  else if (world_may_be_used()) // sessions have none
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return code;
}

} // namespace tacit::interpose
