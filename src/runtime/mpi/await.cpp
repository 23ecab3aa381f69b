#include "runtime/mpi/await.h"

#include "runtime/mpi/mpi_error.h"

#include <atomic>
#include <thread>

namespace tacit::runtime {
namespace {

std::atomic<bool (*)()> meanwhile = nullptr;

bool more_to_do() {
  bool (*const round)() = meanwhile.load(std::memory_order_acquire);
  return round && round();
}

} // namespace

void go_on_meanwhile(bool (*round)()) {
  meanwhile.store(round, std::memory_order_release);
}

void await(std::span<MPI_Request> requests, const char* call) {
  const int n = static_cast<int>(requests.size());
  while (more_to_do()) {
    int done = 0;
    check_mpi(MPI_Testall(n, requests.data(), &done, MPI_STATUSES_IGNORE), call);
    if (done)
      return;
    std::this_thread::yield();
  }
  check_mpi(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), call);
}

} // namespace tacit::runtime
