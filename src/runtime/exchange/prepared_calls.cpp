// Blocking calls on a communicator whose user has said that all ranks repeat their calls alike
// (tacit_persistent = sizes or buffers): the first call with some counts, displacements and datatypes
// prepares what an _init call would, together with all ranks; every later one starts that, without
// communication of its own. Other buffers than at first are no miss: the prepared operation is moved
// (execution::rebind).
//
// So a rank that finds its operation, and one that must make it, may not meet in one call. That they do not
// is the user's promise, and a broken one becomes an error and not a hang: a rank that must make an operation
// first tells its neighbors the number of the call, and hears the same from them; a rank that waits within a
// call that it has found looks now and then whether a neighbor has told it so about this call. Numbers of
// later calls are kept: their senders are ahead. If not all ranks err alike, some edge joins one that found
// and one that did not, and there it is noticed; it is not if the one that found never waits again.
//
// Cost: a new call pays the preparation and a message of 8 bytes each way per neighbor; a repeated one a
// look-up, and a probe for each thousand fruitless polls.
#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tacit::runtime {
namespace {

constexpr std::size_t calls_kept = 32;    // as plans; equal on all ranks, which drop the same ones
constexpr unsigned polls_per_look = 1000; // some 100 us

/// Told in place of the number of a call by a rank that has found it.
constexpr std::uint64_t found_bit = std::uint64_t{1} << 63;

std::ptrdiff_t distance(const void* buffer, std::uint64_t from) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uint64_t>(buffer) - from);
}

std::set<int> neighbors_of(const neighbors::neighborhood& n, int rank) {
  std::set<int> out;
  for (const auto* edges : {&n.sources, &n.destinations})
    for (const neighbors::edge& e : *edges)
      if (e.peer != no_rank && static_cast<int>(index(e.peer)) != rank)
        out.insert(static_cast<int>(index(e.peer)));
  return out;
}

} // namespace

/// A prepared call that looks for neighbors that have not found theirs.
class watched_call : public execution {
public:
  watched_call(std::unique_ptr<execution> inner, neighbor_communicator& home)
      : inner_(std::move(inner)), home_(home) {}
  void start() override { inner_->start(); }
  bool progress() override {
    if (inner_->progress())
      return true;
    if (++fruitless_ % polls_per_look == 0)
      home_.look_for_notices();
    return false;
  }
  void finish() override {
    while (!progress())
      take_pause(pause());
  }
  double pause() const override { return inner_->pause(); }
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override { return inner_->rebind(reads, writes); }

private:
  std::unique_ptr<execution> inner_;
  neighbor_communicator& home_; ///< owns this; or is held by the operation that does
  unsigned fruitless_ = 0;
};

bool neighbor_communicator::prepares_calls() const {
  const bool repeated = options_.level == persistence::sizes || options_.level == persistence::buffers;
  // Operations by one-sided communication cannot all be moved; nothing is prepared for dry runs, nor when all
  // tags are used up, which happens to all ranks in the same call.
  return repeated && !worn_out() &&
         (options_.driver.empty() || options_.driver == "shm" || options_.driver == "p2p" ||
          options_.driver == neighbors::own_call);
}

std::shared_ptr<prepared_call> neighbor_communicator::find_prepared(const neighbor_call& call) {
  describe_call(call, edges_, scratch_);
  for (const auto& p : prepared_)
    if (p->signature.words == scratch_.words)
      return p;
  return nullptr;
}

neighbor_operation neighbor_communicator::prepared_operation(const neighbor_call& call) {
  finish_setup();
  std::shared_ptr<prepared_call> p;
  try {
    p = find_prepared(call);
  } catch (const too_many_pieces&) { // the preparation says so to all ranks
  }
  ++prepared_calls_;
  if (p)
    rebind_prepared(*p, call);
  else
    p = prepare_call(call);
  p->last_use = prepared_calls_;
  neighbor_operation out;
  out.home_ = shared_from_this();
  out.function_ = call.function;
  out.driver_ = p->operation.driver_;
  out.steps_ = p->operation.steps_;
  out.remarks_ = p->operation.remarks_;
  out.run_ = std::move(p->operation.run_);
  out.prepared_ = std::move(p);
  return out;
}

std::shared_ptr<prepared_call> neighbor_communicator::prepare_call(const neighbor_call& call) {
  announce_new_call();
  auto p = std::make_shared<prepared_call>();
  p->signature = scratch_;
  p->send_buffer = reinterpret_cast<std::uint64_t>(call.send.buffer);
  p->receive_buffer = reinterpret_cast<std::uint64_t>(call.receive.buffer);
  p->operation = prepare_together(call, nullptr, &p->steps);
  p->operation.home_.reset();
  p->operation.run_.run = std::make_unique<watched_call>(std::move(p->operation.run_.run), *this);
  if (prepared_.size() >= calls_kept)
    prepared_.erase(std::min_element(prepared_.begin(), prepared_.end(),
                                     [](const auto& a, const auto& b) { return a->last_use < b->last_use; }));
  prepared_.push_back(p);
  return p;
}

/// What no connection depends on can be made anew, for the buffers at hand.
void neighbor_communicator::rebind_prepared(prepared_call& p, const neighbor_call& call) {
  cached_plan::execution_at& at = p.operation.run_;
  const std::ptrdiff_t reads = distance(call.send.buffer, p.send_buffer);
  const std::ptrdiff_t writes = distance(call.receive.buffer, p.receive_buffer);
  if (at.reads == reads && at.writes == writes)
    return;
  if (!at.run->rebind(reads, writes)) {
    if (p.operation.peers_) // whose channels count the messages of one execution
      throw neighbor_error(neighbor_error::kind::internal,
                           "driver shm cannot move the buffers of its messages");
    at.run = std::make_unique<watched_call>(
        find_driver(p.operation.driver_)->prepare(moved(p.steps, reads, writes), setup_.comm(), nullptr),
        *this);
  }
  at.reads = reads;
  at.writes = writes;
}

void neighbor_communicator::announce_new_call() {
  const std::set<int> neighbors = neighbors_of(edges_, rank_);
  std::vector<MPI_Request> requests;
  for (const int rank : neighbors)
    check_mpi(MPI_Isend(&prepared_calls_, 1, MPI_UINT64_T, rank, notice_tag(), setup_.comm(),
                        &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
  for (const int rank : neighbors)
    if (!notices_.contains(rank))
      check_mpi(MPI_Irecv(&notices_[rank], 1, MPI_UINT64_T, rank, notice_tag(), setup_.comm(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
  await(requests, "telling neighbors that a call is made for the first time");
  for (const auto& [rank, number] : std::exchange(notices_, {}))
    if (number != prepared_calls_)
      refuse_notice(rank, number, (number & found_bit) == 0);
}

void neighbor_communicator::look_for_notices() {
  for (int there = 1; there;) {
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag(), setup_.comm(), &there, &status), "MPI_Iprobe");
    if (there)
      check_mpi(MPI_Recv(&notices_[status.MPI_SOURCE], 1, MPI_UINT64_T, status.MPI_SOURCE, notice_tag(),
                         setup_.comm(), MPI_STATUS_IGNORE),
                "MPI_Recv");
  }
  for (const auto& [rank, number] : notices_)
    if (number <= prepared_calls_ || (number & found_bit) != 0)
      refuse_notice(rank, number, (number & found_bit) == 0);
}

/// Tells the other one, which waits for an answer, unless it was the one to find out. Messages of this call
/// are under way.
void neighbor_communicator::refuse_notice(int rank, std::uint64_t call, bool answer) {
  setup_.abandon();
  if (answer) {
    const std::uint64_t word = found_bit | prepared_calls_;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(&word, 1, MPI_UINT64_T, rank, notice_tag(), setup_.comm(), &request), "MPI_Isend");
    await({request}, "MPI_Isend");
  }
  throw neighbor_error(
      neighbor_error::kind::graph,
      fmt::format(
          "tacit_persistent={} says that all ranks repeat their calls alike, but rank {} {} its blocking "
          "call number {} on this communicator, and this rank does not; give that only for "
          "communicators on which all ranks change counts and datatypes in the same calls",
          options_.level == persistence::sizes ? "sizes" : "buffers", rank,
          answer ? "makes for the first time" : "repeats", call & ~found_bit));
}

} // namespace tacit::runtime
