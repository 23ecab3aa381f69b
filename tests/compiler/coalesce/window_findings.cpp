// Check mode: what is found at one line again and again is said three times, but what it meets at another line is another finding.
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
  for (int round = 0; round < 6; ++round) {
    current_claim() = {claim::no_overlap, "program.c", me == 0 ? 17 : round < 5 ? 18 : 19};
    log->copy(0, 8, 16, window_access::put);
    log->compare();
  }
  current_claim() = {};
  window_log::end(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
