// Check mode: one process cannot keep the log of a window, as MPI refuses it an attribute. Then no process has one, and none waits for it.
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/window_log.h"
#include "expect.h"
#include "own_window.h"

#include <mpi.h>

using namespace tacit::compiler;

namespace {
int me, processes, failures;
bool refuses = false;
} // namespace

extern "C" int MPI_Win_set_attr(MPI_Win win, int key, void* value) {
  return refuses && me == processes - 1 ? MPI_ERR_OTHER : PMPI_Win_set_attr(win, key, value);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  compiled_to_check();
  for (const bool again : {true, false}) {
    refuses = again;
    MPI_Win win = MPI_WIN_NULL;
    long* const memory = make_window<long>(8 * sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    const window_log* const log = window_log::make(win, MPI_COMM_WORLD);
    EXPECT((log == nullptr) == refuses);
    EXPECT(window_log::of(win) == log);
    if (log)
      window_log::end(win);
    free_window(memory, &win);
  }
  MPI_Finalize();
  return failures != 0;
}
