// Exchanges in parts and in rows of puts of processes of which one has calls of MPI fail: each call that the run time makes behind or in a
// loop, in turn, once or several times, before or after MPI has done its work; and puts, and what completes them, for good. Nobody waits for what
// does not come, all do the same, and everything arrives.
#include "expect.h"
#include "refused_calls.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <vector>

namespace {
int me, processes, failures;
bool no_puts = false, no_flush = false, no_lock = false; ///< for good
int rounds_by_puts;
/// A round makes thousands of puts that are alike: the first few of them and one of these are calls that may fail.
constexpr int alike = 997;
int puts_of_round;
} // namespace

extern "C" {
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return may_fail([&] { return PMPI_Comm_split(comm, color, key, made); });
}
int MPI_Ialltoall(const void* o, int oc, MPI_Datatype ot, void* i, int ic, MPI_Datatype it, MPI_Comm comm,
                  MPI_Request* request) {
  return may_fail([&] { return PMPI_Ialltoall(o, oc, ot, i, ic, it, comm, request); });
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  return may_fail([&] { return PMPI_Type_contiguous(count, type, made); });
}
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return may_fail([&] { return PMPI_Win_allocate(bytes, unit, info, comm, base, win); });
}
int MPI_Win_create(void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return may_fail([&] { return PMPI_Win_create(base, bytes, unit, info, comm, win); });
}
int MPI_Win_lock_all(int assertion, MPI_Win win) {
  return may_fail([&] { return PMPI_Win_lock_all(assertion, win); }, no_lock);
}
int MPI_Put(const void* o, int oc, MPI_Datatype ot, int target, MPI_Aint disp, int tc, MPI_Datatype tt,
            MPI_Win win) {
  const auto put = [&] { return PMPI_Put(o, oc, ot, target, disp, tc, tt, win); };
  return no_puts || puts_of_round++ % alike < 3 ? may_fail(put, no_puts) : put();
}
int MPI_Win_flush_all(MPI_Win win) {
  return may_fail([&] { return PMPI_Win_flush_all(win); }, no_flush);
}
// What the run time would call if it told the others by collective calls:
int MPI_Allreduce(const void* o, void* i, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return may_fail([&] { return PMPI_Allreduce(o, i, count, type, op, comm); });
}
}

namespace {

void exchange(int round, int when, MPI_Comm comm, bool last) {
  constexpr int block = 5000;
  const auto size = static_cast<std::size_t>(block) * static_cast<std::size_t>(processes);
  std::vector<int> array(size), received(size, -1);
  tacit_pipeline p;
  const tacit_pipeline_store stores[] = {{0, 4, 4, {{4LL * block, 0, processes - 1}}}};
  puts_of_round = 0;
  watched = true;
  tacit_pipeline_begin(&p, when, nullptr, array.data(), block, MPI_INT, received.data(), block, MPI_INT, comm,
                       0, block - 1, stores, 1, "program.c", 17);
  for (int i = 0; i < block; ++i) {
    tacit_pipeline_reached(&p, i);
    for (int to = 0; to < processes; ++to)
      array[static_cast<std::size_t>(to * block + i)] = 100000 * me + 1000 * to + 7 * round + i;
  }
  EXPECT(tacit_pipeline_alltoall(&p, array.data(), block, MPI_INT, received.data(), block, MPI_INT, comm) ==
         MPI_SUCCESS);
  watched = false;
  rounds_by_puts += p.way == 2;
  int way = p.way, least = 0, most = 0;
  PMPI_Allreduce(&way, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(&way, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT(least == most);
  EXPECT(!last || most == 0 || !(no_puts || no_flush || no_lock)); // who cannot put is not asked again
  bool right = true;
  for (int from = 0; from < processes; ++from)
    for (int i = 0; i < block; ++i)
      right = right && received[static_cast<std::size_t>(from * block + i)] ==
                           100000 * from + 1000 * me + 7 * round + i;
  EXPECT(right);
}

/// Returns how many calls the last process made. Only it has some fail.
int with_failure(int number, int count, bool after_its_work, int when) {
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  calls = 0;
  refused = me == processes - 1 ? number : -1;
  in_a_row = count;
  works_first = after_its_work;
  for (int round = 0; round < 4; ++round)
    exchange(round, when, comm, round == 3);
  refused = -1;
  int made = calls;
  PMPI_Bcast(&made, 1, MPI_INT, processes - 1, MPI_COMM_WORLD);
  if (failures)
    std::fprintf(stderr, "rank %d: call %d, %d in a row, %s its work, asked for %d\n", me, number, count,
                 after_its_work ? "after" : "before", when);
  MPI_Comm_free(&comm);
  return made;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int tried = 0;
  for (const int when : {TACIT_PIPELINE_PUTS, TACIT_PIPELINE_ALWAYS, TACIT_PIPELINE_MEASURED}) {
    for (int n = 1; n <= with_failure(n, 1, false, when); ++n)
      ++tried;
    for (int n = 1; n <= with_failure(n, 5, false, when); ++n)
      ++tried;
    for (int n = 1; n <= with_failure(n, 1, true, when); ++n)
      ++tried;
  }
  EXPECT(tried > 20);
  const int before = rounds_by_puts;
  EXPECT(before > 20);
  for (bool* const way : {&no_lock, &no_puts, &no_flush}) {
    *way = me == processes - 1;
    with_failure(-1, 0, false, TACIT_PIPELINE_PUTS);
    *way = false;
  }
  EXPECT(rounds_by_puts == before + 2); // those in which it was found out
  if (me == 0)
    std::printf("%d cases\n", tried);
  MPI_Finalize();
  return failures != 0;
}
