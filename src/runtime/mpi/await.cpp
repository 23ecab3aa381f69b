#include "runtime/mpi/await.h"

#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/resumable_work.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

namespace tacit::runtime {
namespace {

std::atomic<bool (*)()> meanwhile = nullptr;

/// Offers to come that sleep.
thread_local int sleeps = 0;

bool more_to_do() {
  bool (*const round)() = meanwhile.load(std::memory_order_acquire);
  return round && round();
}

} // namespace

void go_on_meanwhile(bool (*round)()) {
  meanwhile.store(round, std::memory_order_release);
}

void go_on() {
  if (!resumable_work::pause())
    more_to_do();
}

bool offer_core() {
  if (resumable_work::pause())
    return false;
  using clock = std::chrono::steady_clock;
  // Less than a time slice of a busy process (2 ms and more), and longer than other ranks of the program work at a time: with 100 us, ranks
  // of a crowded node that copied for each other slept beside an idle core.
  constexpr auto slice = std::chrono::microseconds(1000);
  constexpr int sleeps_until_next_yield = 100;
  if (sleeps > 0) {
    --sleeps;
    const timespec shortest{0, 1000};
    nanosleep(&shortest, nullptr);
    return false;
  }
  const auto before = clock::now();
  std::this_thread::yield();
  const bool kept = clock::now() - before > slice;
  if (kept)
    sleeps = sleeps_until_next_yield;
  return kept;
}

void keep_yielding() {
  sleeps = 0;
}

namespace {

// Of one request by itself: MPICH 4.0.2 asks the error handler of its communicator then, which is ours, and for lists that of
// MPI_COMM_WORLD, which may end the program.

bool are_complete(std::span<MPI_Request> requests, const char* call) {
  int done = 0;
  check_mpi(requests.size() == 1
                ? MPI_Test(requests.data(), &done, MPI_STATUS_IGNORE)
                : MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
            call);
  return done != 0;
}

void complete(std::span<MPI_Request> requests, const char* call) {
  check_mpi(requests.size() == 1
                ? MPI_Wait(requests.data(), MPI_STATUS_IGNORE)
                : MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            call);
}

} // namespace

void await(std::span<MPI_Request> requests, const char* call) {
  do
    if (are_complete(requests, call))
      return;
  while (resumable_work::pause());
  while (more_to_do()) {
    if (are_complete(requests, call))
      return;
    offer_core();
  }
  complete(requests, call);
}

} // namespace tacit::runtime
