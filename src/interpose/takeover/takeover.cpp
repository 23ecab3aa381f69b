// The client that runs neighborhood collectives of unmodified programs by our own code (TACIT_APPLY=1).
//
// Which calls: all forms of MPI_Neighbor_*, on communicators that all their ranks have agreed on
// (taken_comms.h); and every call that meets one of their requests (taken_requests.h). All others pass.
//
// Progress. Between the start of an operation and its completion the program may block in any call of MPI,
// and other ranks may need us meanwhile. Wrapping each blocking call as a nonblocking one and a loop would
// not do: a blocking collective matches only blocking ones (MPI-4.1 section 6.12), so a rank may not turn its
// MPI_Barrier into MPI_Ibarrier because it happens to have something under way, and windows, files and
// communicators have no such forms at all. Open MPI lets us join its progress loop (mpi/library_progress.h),
// which all such calls turn. Elsewhere only what needs nobody's attention once it is started runs here
// (program::unattended). Messages that MPI transports are posted when the operation starts, and MPI
// progresses them in whatever call the program sits; messages through shared memory are written when it
// starts, into slots that are free by then (channel/protocol.h, reciprocal), and taken by the receiver when
// it waits. A communicator is set up entirely within calls that may wait for other ranks. While the program
// has requests of ours, calls that may block still look after what is under way once, before they begin: that
// only saves time later.
//
// Nothing is agreed in the hot path. Whether to take over at all is agreed in MPI_Init, once for all ranks;
// in programs of MPI Sessions where a communicator is made from a group (agreed_groups.h). A rank that does
// not take anything over, or not any more, still takes part in that.
//
// The end. What we hold (duplicates of communicators, requests) goes in MPI_Finalize; where sessions are open
// then, or MPI_Init was never called, before the last MPI_Session_finalize. MPI may begin anew after that,
// but keyvals have gone with it, so that this process takes nothing over again.
#include "interpose/takeover/takeover.h"

#include "interpose/layer/clock.h"
#include "interpose/layer/coverage_check.h"
#include "interpose/layer/environment.h"
#include "interpose/takeover/agreed_groups.h"
#include "interpose/takeover/taken_requests.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/memory_kind.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/progress.h"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace tacit::interpose {

namespace {

/// allgather, allgatherv, alltoall, alltoallv, alltoallw; the table has blocking, nonblocking and persistent
/// ones in this order.
constexpr auto first_neighbor_call = static_cast<std::uint16_t>(mpi_call::Neighbor_allgather);
static_assert(static_cast<int>(mpi_call::Ineighbor_allgather) == first_neighbor_call + 5 &&
              static_cast<int>(mpi_call::Neighbor_allgather_init) == first_neighbor_call + 10);

bool sends_one_block(mpi_call call) {
  return (static_cast<std::uint16_t>(call) - first_neighbor_call) % 5 < 2;
}

/// Which of the five a blocking call is.
std::size_t function_of(const invocation& v) {
  return static_cast<std::size_t>(v.call) - first_leavable;
}

/// The arguments of one side of the program's call, in the widest integers and in C's handles.
struct described_side {
  void describe(const data_part& part, runtime::neighbor_side::listing plain, std::size_t edges) {
    side.blocks = plain;
    side.buffer = part.buffer;
    side.count = part.count;
    side.type = part.type;
    if (!part.counts)
      return;
    side.blocks =
        part.types ? runtime::neighbor_side::listing::typed : runtime::neighbor_side::listing::varying;
    side.large_counts = side.large_displacements = true;
    side.counts = counts.resize(edges);
    side.displacements = displacements.resize(edges);
    if (part.types)
      side.types = types.resize(edges);
    for (std::size_t i = 0; i < edges; ++i) {
      counts[i] = part.counts[i];
      displacements[i] = static_cast<MPI_Aint>(part.displs[i]);
      if (part.types)
        types[i] = part.types[i];
    }
  }

  runtime::neighbor_side side;
  short_list<MPI_Count, 32> counts;
  short_list<MPI_Aint, 32> displacements;
  short_list<MPI_Datatype, 32> types;
};

struct described_call {
  described_call(const invocation& v, const neighbors::neighborhood& n) {
    const auto equal = runtime::neighbor_side::listing::equal;
    if (v.send.scattered)
      staging.send = std::make_unique<staged_section>(v.send);
    if (v.recv.scattered)
      staging.receive = std::make_unique<staged_section>(v.recv);
    for (staged_section* const section : {staging.send.get(), staging.receive.get()})
      if (section && section->origin() && runtime::in_device_memory(section->origin())) {
        section->leave_to_mpi();
        section_in_device = true;
      }
    send.describe(v.send, sends_one_block(v.call) ? runtime::neighbor_side::listing::same : equal,
                  n.destinations.size());
    receive.describe(v.recv, equal, n.sources.size());
    if (staging.send)
      send.side.buffer = staging.send->data();
    if (staging.receive)
      receive.side.buffer = staging.receive->data();
    // A literal, as all names of calls. NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    call = {call_name(static_cast<std::uint16_t>(v.call)).data(), send.side, receive.side};
  }
  described_side send, receive;
  runtime::neighbor_call call;
  call_staging staging;
  bool section_in_device = false; ///< of which the call sees a copy in the processor's memory
};

/// In a handler of exceptions: tells the program.
int failed(const taken_comm& comm, const runtime::neighbor_operation* operation) {
  std::string text;
  const int code = code_of_failure(operation, text);
  say_failure(text);
  return raise_error(comm, code);
}

/// What all ranks that come to this call find out, so that all leave it to the library.
bool is_everybodys(const runtime::neighbor_error& e) {
  return e.why == runtime::neighbor_error::kind::argument || e.why == runtime::neighbor_error::kind::pieces;
}

/// All ranks leave this call to the library for the same reason: one says it, once.
void say_left(const invocation& v, const char* why) {
  static std::atomic<bool> said = false;
  int rank = 0;
  MPI_Comm_rank(v.comm, &rank);
  if (rank == 0 && !said.exchange(true))
    say_if_possible(reason::applied, [&] {
      return std::string(call_name(static_cast<std::uint16_t>(v.call))) +
             " is left to the MPI library: " + why;
    });
}

/// The communicator is left to the library; a rank says it when the first call on it comes.
void say_why_left(taken_comm& comm) {
  const std::string why = std::exchange(comm.said, {});
  int rank = 0;
  if (!why.empty())
    MPI_Comm_rank(comm.user, &rank);
  if (!why.empty() && rank == 0)
    say_if_possible(reason::applied, [&] {
      return "neighborhood collectives of a communicator are left to the MPI library: " + why;
    });
}

/// Other ranks run the call by our code, so that this one must, too; but only MPI sees the bytes. Said once.
void say_in_device_memory(const invocation& v) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true))
    say(reason::device_memory,
        std::string(call_name(static_cast<std::uint16_t>(v.call))) +
            ": a buffer is in device memory; its messages are given to MPI as they are, "
            "and nothing is copied outside of MPI");
}

bool is_in_device_memory(const described_call& described, const runtime::neighbor_communicator& home) {
  if (described.section_in_device)
    return true;
  try {
    runtime::call_signature signature;
    runtime::describe_call(described.call, home.edges(), signature);
    return signature.in_device_memory();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) { // what is wrong with the call is found when it is prepared
    return false;
  }
}

/// Describes a call that all ranks prepare together; true if any rank gives a buffer in device memory. What goes wrong
/// on one rank (it may have no memory) is an error of all. Collective. Throws neighbor_error, the same on all ranks.
bool describe_together(const invocation& v, const runtime::neighbor_communicator& home,
                       std::optional<described_call>& made) {
  int rank = 0, size = 1;
  MPI_Comm_rank(home.comm(), &rank);
  MPI_Comm_size(home.comm(), &size);
  std::array<std::uint64_t, 1> is_host_memory{1};
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): likewise
  runtime::agreement all(home.comm(), rank, size, call_name(static_cast<std::uint16_t>(v.call)).data());
  all.here([&] {
    made.emplace(v, home.edges());
    is_host_memory[0] = is_in_device_memory(*made, home) ? 0 : 1;
  });
  all.agree(is_host_memory);
  return is_host_memory[0] == 0;
}

/// The ranks' variables keep them from taking anything over; each knows it.
void say_fault(const std::string& fault, int rank) {
  if (rank == 0 && !fault.empty())
    say(reason::bad_environment, fault + ". Nothing is taken over on any rank");
}

/// Blocking calls of a trial on this thread.
struct trial_clock {
  bool on = false;         ///< the last one was timed, so the next one may be
  std::uint64_t shown = 0; ///< tick when we were shown this one; 0: not asked for
  std::uint64_t began = 0; ///< tick from which it counts; 0: it does not
};
constinit thread_local trial_clock trial_times;

class taker : public client {
public:
  bool wanted() const override { return settings().apply; }
  const char* does() const override { return "taken over"; }
  interest_bits interests() const override {
    return static_cast<interest_bits>(collectives_.bit() | request_interests());
  }
  void loaded() override;
  bool start(const invocation&) override;
  bool takes_over() const override { return true; }
  bool agree(bool allowed) override;
  bool can_begin_alone() const override { return true; }
  bool begin_alone(bool allowed) override;
  void before(invocation& v) override;
  void after(invocation& v, int result) override;
  void glance() override { look_after_requests(); }
  std::optional<int> instead(invocation& v) override;
  bool outlives_world() const override { return program_has_sessions(); }
  void end() override {
    if (alone_)
      report_alone();
  }
  void forked() override { finished_ = true; }

private:
  std::optional<int> exchange(invocation& v);
  std::optional<int> run_or_leave(const invocation& v, const comm_handle& comm, outcome& what);
  std::optional<int> run(const invocation& v, const comm_handle& comm, outcome& what);
  std::optional<int> begin(const invocation& v, const comm_handle& comm);
  std::optional<int> make_persistent(const invocation& v, const comm_handle& comm, outcome& what);
  permission own_permission() const { return {allowed_ && !finished_, program_calls(call_class::ineighbor)}; }
  void judge(const invocation& v);
  void prepare(MPI_Comm comm);
  void end_world();
  void finish();
  void report_alone();

  /// Neighborhood collectives, what makes communicators, and what ends MPI.
  interest collectives_{attention::described};
  bool allowed_ = false;         ///< this process may
  bool in_world_ = false;        ///< all of MPI_COMM_WORLD do
  bool alone_ = false;           ///< begun by MPI_Session_init, and MPI_Init has not been called since
  std::atomic<int> sessions_{0}; ///< open ones
  bool finished_ = false;        ///< nothing any more
  std::once_flag reported_;
};

void taker::loaded() {
  collectives_.add({call_class::neighbor, call_class::ineighbor, call_class::neighbor_init,
                    call_class::comm_make, call_class::finalize});
  collectives_.add({mpi_call::Session_init, mpi_call::Session_finalize});
  name_request_calls();
}

bool taker::start(const invocation&) {
  collectives_.switch_on();
  return true;
}

/// All ranks of the program come here, as they run the same interposer; one that may not take over keeps the
/// others from it.
bool taker::agree(bool allowed) {
  allowed_ = allowed;
  alone_ = false;
  std::string fault;
  in_world_ = agree_in_world(own_permission(), fault).allowed;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say_fault(fault, rank);
  if (!fault.empty())
    return false;
  if (allowed && !in_world_ && rank == 0)
    say(reason::record_only,
        finished_ ? "nothing is taken over after the last MPI_Session_finalize"
                  : "the program on another rank calls functions that no wrapper sees, so that nothing is "
                    "taken over on any");
  return in_world_;
}

bool taker::begin_alone(bool allowed) {
  allowed_ = allowed;
  alone_ = true;
  return allowed;
}

void taker::before(invocation& v) {
  if (v.kind == call_class::neighbor && trial_times.on)
    trial_times.shown = ticks_now();
  if (v.kind == call_class::finalize)
    end_world();
  if (v.call == mpi_call::Session_finalize && sessions_ == 1 && !world_may_be_used()) {
    finish();
    if (alone_)
      report_alone();
  }
}

void taker::after(invocation& v, int result) {
  if (const std::uint64_t began = std::exchange(trial_times.began, 0);
      began != 0 && v.kind == call_class::neighbor)
    if (const comm_handle comm = known_comm(v.comm))
      comm->trials[function_of(v)].add(ticks_now() - began);
  if (result != MPI_SUCCESS)
    return;
  if (v.call == mpi_call::Session_init)
    ++sessions_;
  if (v.call == mpi_call::Session_finalize)
    --sessions_;
  if (v.kind == call_class::comm_make && v.new_comm && *v.new_comm != MPI_COMM_NULL)
    judge(v);
}

/// A communicator has been made: learns whether its ranks take calls over, and prepares it if a nonblocking call on it could
/// not do that.
void taker::judge(const invocation& v) {
  const MPI_Comm made = *v.new_comm;
  try {
    if (v.call == mpi_call::Comm_create_from_group) {
      std::string fault;
      agree_in_group(made, own_permission(), !finished_, fault);
      int rank = 0;
      MPI_Comm_rank(made, &rank);
      say_fault(fault, rank);
    } else if (!finished_)
      inherit(v.comm, made);
    if (!finished_ && expects_nonblocking(made))
      prepare(made);
  } catch (...) { // MPI itself has failed
    failed({nullptr, outcome::trouble, made}, nullptr);
  }
}

std::optional<int> taker::instead(invocation& v) {
  switch (v.kind) {
  case call_class::neighbor:
  case call_class::ineighbor:
  case call_class::neighbor_init:
    return exchange(v);
  case call_class::complete:
  case call_class::request_query:
  case call_class::start:
  case call_class::cancel:
  case call_class::request_free:
    return answer_for_requests(v);
  default:
    return std::nullopt;
  }
}

std::optional<int> taker::exchange(invocation& v) {
  if (v.comm == MPI_COMM_NULL || finished_)
    return std::nullopt;
  outcome what = outcome::taken;
  std::optional<int> answer;
  try {
    const comm_handle comm = v.kind == call_class::ineighbor ? known_comm(v.comm) : decided_comm(v.comm);
    if (comm && !comm->home)
      say_why_left(*comm);
    if (!comm)
      what = v.kind == call_class::ineighbor ? outcome::not_prepared : outcome::trouble;
    else if (!comm->home)
      what = comm->why;
    else if (v.kind == call_class::neighbor)
      answer = run_or_leave(v, comm, what);
    else if (v.kind == call_class::ineighbor)
      answer = begin(v, comm);
    else
      answer = make_persistent(v, comm, what);
  } catch (const runtime::neighbor_error& e) {
    what = outcome_of(e);
    if (what != outcome::wrong_argument) // that the library explains itself
      say_left(v, e.what());
  } catch (...) { // of MPI itself
    answer = failed({nullptr, outcome::trouble, v.comm}, nullptr);
  }
  count_outcome(v.call, what);
  return answer;
}

/// Where the library is faster it does the call, and the next ones without asking.
std::optional<int> taker::run_or_leave(const invocation& v, const comm_handle& comm, outcome& what) {
  const std::size_t function = function_of(v);
  if (!comm->may_do[function])
    return run(v, comm, what);
  const blocking_trial::turn turn = take_turn(*comm, function);
  const std::uint64_t shown = std::exchange(trial_times.shown, 0);
  trial_times.on = turn.timed;
  if (turn.timed)
    trial_times.began = turn.by_library || shown == 0 ? ticks_now() : shown;
  if (!turn.by_library)
    return run(v, comm, what);
  what = outcome::native;
  if (turn.unseen > 0)
    left_by_thread = {v.comm, &comm->left, left_calls_version.load(std::memory_order_acquire),
                      collectives_.bit()};
  return std::nullopt;
}

/// Who does an operation that has been made.
outcome doer_of(const runtime::neighbor_operation& operation) {
  return is_native(operation) ? outcome::native : outcome::taken;
}

std::optional<int> taker::run(const invocation& v, const comm_handle& comm, outcome& what) {
  runtime::neighbor_operation operation;
  bool started = false;
  try {
    const described_call described(v, comm->home->edges());
    operation = comm->home->operation(described.call, true);
    started = true;
    what = doer_of(operation);
    if (operation.in_device_memory() || described.section_in_device)
      say_in_device_memory(v);
    runtime::execution& run = operation.run();
    described.staging.before_start();
    run.start();
    runtime::wait_unregistered(run);
    described.staging.after_completion();
    return MPI_SUCCESS;
  } catch (const runtime::neighbor_error& e) {
    if (is_everybodys(e))
      throw;
    return failed(*comm, nullptr);
  } catch (...) {
    if (started)
      operation.run().failure = std::current_exception();
    return failed(*comm, started ? &operation : nullptr);
  }
}

std::optional<int> taker::begin(const invocation& v, const comm_handle& comm) {
  try {
    described_call described(v, comm->home->edges());
    runtime::neighbor_operation operation = comm->home->operation(described.call, false);
    if (operation.in_device_memory() || described.section_in_device)
      say_in_device_memory(v);
    const MPI_Request made = adopt(std::move(operation), comm, std::move(described.staging), false);
    const int code = start_adopted(made);
    if (code == MPI_SUCCESS)
      *v.new_request = made;
    return code;
  } catch (const runtime::neighbor_error& e) {
    if (is_everybodys(e))
      throw;
    return failed(*comm, nullptr);
  } catch (...) {
    return failed(*comm, nullptr);
  }
}

/// Errors of `persistent` are the same on all ranks, so that all leave the operation to the library.
std::optional<int> taker::make_persistent(const invocation& v, const comm_handle& comm, outcome& what) {
  renew_if_worn_out(*comm);
  std::optional<described_call> described;
  if (describe_together(v, *comm->home, described))
    throw runtime::call_error(runtime::call_error::kind::device, "a buffer of some rank is in device memory");
  MPI_Request made = MPI_REQUEST_NULL;
  const auto keep = [&](runtime::neighbor_operation operation) {
    what = doer_of(operation);
    made = adopt(std::move(operation), comm, std::move(described->staging), true);
  };
  try {
    comm->home->persistent(described->call, v.info, std::cref(keep));
  } catch (...) { // another rank could not
    if (made != MPI_REQUEST_NULL)
      drop_adopted(made);
    throw;
  }
  *v.new_request = made;
  return MPI_SUCCESS;
}

void taker::prepare(MPI_Comm comm) {
  int between = 0, kind = MPI_UNDEFINED;
  runtime::check_mpi(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  if (!between)
    runtime::check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind != MPI_UNDEFINED)
    decided_comm(comm);
}

/// Sessions that are open may have operations under way.
void taker::end_world() {
  if (sessions_ == 0)
    finish();
  if (in_world_)
    report_outcomes();
  world_ends();
}

void taker::finish() {
  if (finished_ || !allowed_)
    return;
  finished_ = true;
  release_requests();
  release_comms();
}

/// On one process, as there may be no communicator left to add up on.
void taker::report_alone() {
  if (allowed_ && !launched_as_other_rank())
    std::call_once(reported_, report_own_outcomes);
}

} // namespace

client& neighborhood_taker() {
  static taker& only = *new taker;
  return only;
}

} // namespace tacit::interpose
