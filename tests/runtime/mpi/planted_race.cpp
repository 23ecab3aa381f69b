// For TSan: what the MPI library calls from its progress races with another thread. If it is not reported, races of our executions are
// not either: most of what they do happens inside MPI's calls, so that frames of MPI's libraries are below it.
#include "runtime/mpi/library_progress.h"

#include <atomic>
#include <cstdio>
#include <mpi.h>
#include <thread>

namespace {

int racing = 0;                ///< touched by both threads
std::atomic<int> arrived{0};   ///< orders nothing: relaxed
std::atomic<bool> over{false}; ///< likewise

void meet() {
  arrived.fetch_add(1, std::memory_order_relaxed);
  while (arrived.load(std::memory_order_relaxed) < 2)
    std::this_thread::yield();
}

int progress() {
  if (over.load(std::memory_order_relaxed))
    return 0;
  meet();
  ++racing;
  over.store(true, std::memory_order_relaxed);
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE, found = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  tacit::runtime::call_in_progress(progress);
  std::thread other([] {
    meet();
    ++racing;
  });
  while (!over.load(std::memory_order_relaxed))
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  other.join();
  std::printf("%d threads\n", racing);
  MPI_Finalize();
}
