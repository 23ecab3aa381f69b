// Check mode: two threads of process 0 use one window at once, and so one log of it. Neither of them may lose what the other one notes:
// process 1 touches only what each thread of process 0 touches last, and one of the threads claims that nobody does.
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/window_log.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <thread>

using namespace tacit::compiler;

namespace {

constexpr MPI_Aint elements = 20'000, element = 8, apart = 2 * element;

void touch_all(window_log& log, int thread) {
  if (thread == 1)
    current_claim() = {claim::no_overlap, "program.c", 17};
  for (MPI_Aint i = 0; i < elements; ++i) {
    const MPI_Aint from = i * apart + thread * element;
    log.copy(0, from, from + element, window_access::put);
    if (i % 1000 == 0)
      log.completed(0);
  }
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0, me = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  compiled_to_check();
  void* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(elements * apart, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &win);
  window_log* const log = window_log::make(win, MPI_COMM_WORLD);
  if (!log) {
    std::fprintf(stderr, "the window is not checked\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  } else if (me == 0) {
    std::thread other([&] { touch_all(*log, 1); });
    touch_all(*log, 0);
    other.join();
  } else {
    log->copy(0, (elements - 1) * apart, elements * apart, window_access::put);
  }
  window_log::end(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
