// Fences with packed messages of processes of which one has calls of MPI fail: each call that the run time makes in a fence, in turn,
// once, before or after MPI has done its work. Nobody waits for what does not come, and all that was added is there afterwards.
#include "expect.h"
#include "own_window.h"
#include "refused_calls.h"

#include <mpi.h>
#include <tacit/coalesce.h>

namespace {
int me, processes, failures;
} // namespace

extern "C" {
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return may_fail([&] { return PMPI_Comm_create_group(comm, group, tag, made); });
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return may_fail([&] { return PMPI_Comm_group(comm, group); });
}
int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return may_fail([&] { return PMPI_Win_get_group(win, group); });
}
// What the run time would call if it told the others by collective calls:
int MPI_Alltoall(const void* o, int oc, MPI_Datatype ot, void* i, int ic, MPI_Datatype it, MPI_Comm comm) {
  return may_fail([&] { return PMPI_Alltoall(o, oc, ot, i, ic, it, comm); });
}
int MPI_Allgather(const void* o, int oc, MPI_Datatype ot, void* i, int ic, MPI_Datatype it, MPI_Comm comm) {
  return may_fail([&] { return PMPI_Allgather(o, oc, ot, i, ic, it, comm); });
}
int MPI_Allreduce(const void* o, void* i, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return may_fail([&] { return PMPI_Allreduce(o, i, count, type, op, comm); });
}
}

namespace {

constexpr int places = 34000; ///< of a window: messages of several segments

int fence(tacit_coalesce* region, MPI_Win win) {
  watched = true;
  const int error = tacit_win_fence(region, 0, win);
  watched = false;
  return error;
}

/// Returns how many calls the last process made. Only it has one fail.
int with_failure(int number, bool after_its_work) {
  constexpr int epochs = 3;
  constexpr MPI_Aint bytes = places * static_cast<MPI_Aint>(sizeof(long));
  MPI_Win win;
  long* const memory = make_window<long>(bytes, sizeof(long), MPI_COMM_WORLD, &win);
  for (int i = 0; i < places; ++i)
    memory[i] = i;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  calls = 0;
  refused = me == processes - 1 ? number : -1;
  works_first = after_its_work;
  tacit_coalesce* region = tacit_coalesce_begin(0, 1 << 24, TACIT_COALESCE_COLLECTIVE, "program.c", 17);
  EXPECT(fence(region, win) == MPI_SUCCESS);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const long one = 1;
    const int count = epoch == 1 ? 10 : places; // also short messages
    for (int target = 0; target < processes; ++target)
      for (int i = 0; i < count; ++i)
        EXPECT(tacit_accumulate(region, &one, 1, MPI_LONG, target, i, 1, MPI_LONG, MPI_SUM, win) ==
               MPI_SUCCESS);
    EXPECT(fence(region, win) == MPI_SUCCESS);
  }
  refused = -1;
  tacit_coalesce_end(&region);
  for (int i = 0; i < places; ++i) {
    const bool right = memory[i] == i + processes * (i < 10 ? epochs : epochs - 1);
    if (!right)
      std::fprintf(stderr, "rank %d: call %d, place %d is %ld\n", me, number, i, memory[i]);
    EXPECT(right);
    if (!right)
      break;
  }
  int made = calls;
  PMPI_Bcast(&made, 1, MPI_INT, processes - 1, MPI_COMM_WORLD);
  free_window(memory, &win);
  return made;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int tried = 0;
  for (int after = 0; after < 2; ++after)
    for (int n = 1; n <= with_failure(n, after != 0); ++n)
      ++tried;
  EXPECT(tried > 20);
  if (me == 0)
    std::printf("%d cases\n", tried);
  MPI_Finalize();
  return failures != 0;
}
