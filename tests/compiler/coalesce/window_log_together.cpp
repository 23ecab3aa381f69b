// Check mode: one process cannot keep the log of a window, as MPI refuses it an attribute. Then no process has one, and none waits for it. And each
// call by which the processes of a log tell each other something fails on one of them, in turn, once or several times, before or after its work: all
// have the log, compare it, and wait for nothing.
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/window_log.h"
#include "expect.h"
#include "own_window.h"
#include "refused_calls.h"

#include <initializer_list>
#include <mpi.h>

using namespace tacit::compiler;

namespace {
int me, processes, failures;
bool refuses = false;
} // namespace

extern "C" {
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return may_fail([&] { return PMPI_Comm_split(comm, color, key, made); });
}
}

extern "C" int MPI_Win_set_attr(MPI_Win win, int key, void* value) {
  return refuses && me == processes - 1 ? MPI_ERR_OTHER : PMPI_Win_set_attr(win, key, value);
}

namespace {

/// How many calls the log makes in all.
int with_refusals(int number, int count, bool after_its_work) {
  MPI_Win win = MPI_WIN_NULL;
  long* const memory = make_window<long>(64 * sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
  watched = true;
  calls = 0;
  refused = me == processes - 1 ? number : -1;
  in_a_row = count;
  works_first = after_its_work;
  window_log* const log = window_log::make(win, MPI_COMM_WORLD);
  EXPECT(log != nullptr);
  for (int epoch = 0; log && epoch < 2; ++epoch) {
    current_claim() = {claim::no_overlap, "program.c", 17};
    for (int target = 0; target < processes; ++target)
      log->operation(target, me, 1, MPI_LONG, window_access::put);
    current_claim() = {};
    log->fenced({});
    log->compare();
  }
  if (log)
    window_log::end(win);
  const int made = calls;
  refused = -1;
  free_window(memory, &win);
  return made;
}

} // namespace

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
  int tried = 0;
  for (const int count : {1, 5})
    for (const bool after : {false, true})
      for (int n = 1, most = with_refusals(-1, 0, false); n <= most; ++n, ++tried)
        with_refusals(n, after ? 1 : count, after);
  EXPECT(tried > 20);
  MPI_Finalize();
  return failures != 0;
}
