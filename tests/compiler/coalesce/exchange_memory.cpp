// Fences with packed messages of processes of which one gets no memory: from its n-th allocation on, or for the n-th only, for each n that
// the run time comes to. Nobody waits for what does not come, and what is added is there afterwards, but for values of that process
// whose fence says MPI_ERR_NO_MEM. Much comes to it, in messages of several parts that are no eager ones.
#include "expect.h"
#include "own_window.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdlib>

namespace {
int me, processes, failures;
int asked; ///< allocations since the case began
int first = -1, last = -1;
int packed_seen;
} // namespace

static bool is_refused() {
  ++asked;
  return first <= asked && asked <= last;
}

extern "C" {
// The linker makes the calls of libtacit-coalesce.a calls of these (--wrap=malloc …), those of MPI's library not.
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  return is_refused() ? nullptr : __real_malloc(bytes);
}
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return is_refused() ? nullptr : __real_calloc(count, bytes);
}
void* __real_realloc(void* old, std::size_t bytes);
void* __wrap_realloc(void* old, std::size_t bytes) {
  return is_refused() ? nullptr : __real_realloc(old, bytes);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  packed_seen += type == MPI_UINT64_T; // words; what processes agree on beforehand are bytes
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
}

namespace {

constexpr int places = 90000, few = 200; ///< of a window; that the process without memory adds to

long* make_filled_window(MPI_Win* win) {
  constexpr MPI_Aint bytes = places * static_cast<MPI_Aint>(sizeof(long));
  long* const memory = make_window<long>(bytes, sizeof(long), MPI_COMM_WORLD, win);
  for (int i = 0; i < places; ++i)
    memory[i] = i;
  MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, *win);
  return memory;
}

/// What the others add to the last process, and that one to the first places of all. Returns the code of the fence.
int epoch(tacit_coalesce* region, MPI_Win win) {
  const bool victim = me == processes - 1;
  const long one = 1;
  int error = MPI_SUCCESS;
  for (int target = 0; target < processes; ++target)
    for (int i = 0; i < (victim ? few : target == processes - 1 ? places - few : 0); ++i) {
      const int added = tacit_accumulate(region, &one, 1, MPI_LONG, target, victim ? i : few + i, 1, MPI_LONG,
                                         MPI_SUM, win);
      error = error != MPI_SUCCESS ? error : added;
    }
  const int fenced = tacit_win_fence(region, 0, win);
  return error != MPI_SUCCESS ? error : fenced;
}

/// Returns how often the last process was asked for memory.
int without_memory(int from, int to) {
  constexpr int epochs = 3;
  MPI_Win win;
  long* const memory = make_filled_window(&win);
  asked = 0;
  first = me == processes - 1 ? from : -1;
  last = me == processes - 1 ? to : -1;
  tacit_coalesce* region = tacit_coalesce_begin(0, 1 << 24, TACIT_COALESCE_COLLECTIVE, "program.c", 17);
  int lost = 0;
  for (int i = 0; i < epochs; ++i) {
    int code = epoch(region, win), error = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
      MPI_Error_class(code, &error);
    EXPECT(error == MPI_SUCCESS || (error == MPI_ERR_NO_MEM && first > 0));
    lost += error != MPI_SUCCESS;
  }
  tacit_coalesce_end(&region);
  first = last = -1;
  int asked_last = asked;
  MPI_Bcast(&asked_last, 1, MPI_INT, processes - 1, MPI_COMM_WORLD);
  MPI_Bcast(&lost, 1, MPI_INT, processes - 1, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  for (int i = 0; i < places; ++i) {
    const bool from_last = i < few;
    const int added = from_last ? epochs : me == processes - 1 ? epochs * (processes - 1) : 0;
    const bool right = from_last && lost ? memory[i] <= i + added : memory[i] == i + added;
    if (!right)
      std::fprintf(stderr, "rank %d: refused from %d to %d: place %d is %ld\n", me, from, to, i, memory[i]);
    EXPECT(right);
    if (!right)
      break;
  }
  free_window(memory, &win);
  return asked_last;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int usual = without_memory(-1, -1);
  EXPECT(usual > 5);
  EXPECT(packed_seen > 3 || me == processes - 1);
  int tried = 0;
  for (int n = 1; n <= without_memory(n, n); ++n)
    ++tried;
  for (int n = 1; n <= without_memory(n, 1 << 30); ++n)
    ++tried;
  EXPECT(tried > 10);
  if (me == 0)
    std::printf("%d allocations, %d cases\n", usual, tried);
  MPI_Finalize();
  return failures != 0;
}
