// Check mode: clocks are compared within a node only, and what a node is says TACIT_RANKS_PER_NODE. Process 1 puts into bytes of process 0
// while that has a relaxed lock, which messages say.
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/window_log.h"

#include <mpi.h>

#include <cstdio>

using namespace tacit::compiler;

int main(int argc, char** argv) {
  int me = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  compiled_to_check();
  void* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &win);
  window_log* const log = window_log::make(win, MPI_COMM_WORLD);
  if (!log) {
    std::fprintf(stderr, "the window is not checked\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  const int other = 1 - me;
  const claim by{claim::locks, "program.c", 17};
  log->lock(0, false, me == 0 ? by : claim{});
  log->copy(0, 8, 16, window_access::put);
  MPI_Sendrecv(nullptr, 0, MPI_INT, other, 0, nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  log->unlocked(0);
  window_log::end(win);
  MPI_Win_free(&win);
  std::printf("process %d ends\n", me);
  MPI_Finalize();
  return 0;
}
