#include "runtime/exchange/call_notices.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tacit::runtime {
namespace {

constexpr unsigned polls_per_look = 1000; // some 100 us

/// Told in place of the number of a call by a rank that has found it.
constexpr std::uint64_t found_bit = std::uint64_t{1} << 63;

std::set<int> neighbors_of(const neighbors::neighborhood& n, int rank) {
  std::set<int> out;
  for (const auto* edges : {&n.sources, &n.destinations})
    for (const neighbors::edge& e : *edges)
      if (e.peer != no_rank && static_cast<int>(index(e.peer)) != rank)
        out.insert(static_cast<int>(index(e.peer)));
  return out;
}

class watched_call : public execution {
public:
  watched_call(std::unique_ptr<execution> inner, call_notices& notices)
      : inner_(std::move(inner)), notices_(notices) {}
  void start() override { inner_->start(); }
  bool progress() override {
    if (inner_->progress())
      return true;
    if (++fruitless_ % polls_per_look == 0)
      notices_.look();
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
  call_notices& notices_;
  unsigned fruitless_ = 0;
};

} // namespace

call_notices::call_notices(opening& line, const neighbors::neighborhood& n, int rank, std::string promise)
    : line_(line), neighbors_(neighbors_of(n, rank)), promise_(std::move(promise)) {}

std::unique_ptr<execution> call_notices::watched(std::unique_ptr<execution> inner) {
  return std::make_unique<watched_call>(std::move(inner), *this);
}

void call_notices::announce() {
  std::vector<MPI_Request> requests;
  for (const int rank : neighbors_)
    check_mpi(MPI_Isend(&calls_, 1, MPI_UINT64_T, rank, tag(), line_.comm(),
                        &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
  for (const int rank : neighbors_)
    if (!heard_.contains(rank))
      check_mpi(MPI_Irecv(&heard_[rank], 1, MPI_UINT64_T, rank, tag(), line_.comm(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
  await(requests, "telling neighbors that a call is made for the first time");
  for (const auto& [rank, number] : std::exchange(heard_, {}))
    if (number != calls_)
      refuse(rank, number);
}

void call_notices::look() {
  for (int there = 1; there;) {
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag(), line_.comm(), &there, &status), "MPI_Iprobe");
    if (there)
      check_mpi(MPI_Recv(&heard_[status.MPI_SOURCE], 1, MPI_UINT64_T, status.MPI_SOURCE, tag(), line_.comm(),
                         MPI_STATUS_IGNORE),
                "MPI_Recv");
  }
  for (const auto& [rank, number] : heard_)
    if (number <= calls_ || (number & found_bit) != 0)
      refuse(rank, number);
}

/// Tells the other one, which waits for an answer, unless it was the one to find out. Messages of this call
/// are under way.
void call_notices::refuse(int rank, std::uint64_t call) {
  const bool answer = (call & found_bit) == 0;
  line_.abandon();
  if (answer) {
    const std::uint64_t word = found_bit | calls_;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(&word, 1, MPI_UINT64_T, rank, tag(), line_.comm(), &request), "MPI_Isend");
    await(request, "MPI_Isend");
  }
  throw neighbor_error(
      neighbor_error::kind::graph,
      fmt::format(
          "{} says that all ranks repeat their calls alike, but rank {} {} its blocking call number {} "
          "on this communicator, and this rank does not; give that only for communicators on which "
          "all ranks change counts and datatypes in the same calls",
          promise_, rank, answer ? "makes for the first time" : "repeats", call & ~found_bit));
}

} // namespace tacit::runtime
