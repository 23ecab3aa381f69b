// Pipelined exchanges of processes of which one has no memory for what is known of them: all processes exchange by MPI_Alltoall
// then, none waits for an answer that does not come, and when there is memory again the parts do. And in check mode, of a process that comes with
// data that cannot be cut and has no memory at first to do as the others do: they wait until it has.
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
int me, processes, failures;
int parts_seen;
bool has_memory = true;
int refusals = 0; ///< of the next requests for memory
} // namespace

extern "C" {
// The linker makes the calls of libtacit-coalesce.a calls of __wrap_malloc (--wrap=malloc), those of MPI's library not.
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  if (has_memory && refusals == 0)
    return __real_malloc(bytes);
  refusals -= refusals > 0;
  return nullptr;
}
int MPI_Ialltoall(const void* o, int oc, MPI_Datatype ot, void* t, int tc, MPI_Datatype tt, MPI_Comm comm,
                  MPI_Request* request) {
  ++parts_seen;
  return PMPI_Ialltoall(o, oc, ot, t, tc, tt, comm, request);
}
}

namespace {

void expect(bool condition, const char* what) {
  if (condition)
    return;
  ++failures;
  std::fprintf(stderr, "rank %d: not true: %s\n", me, what);
}

/// One exchange as a transformed program has it; `line` stands for the place in the program.
void exchange(int line, MPI_Comm comm, bool can_be_cut = true) {
  constexpr int block = 2048;
  const auto size = static_cast<std::size_t>(block) * static_cast<std::size_t>(processes);
  std::vector<int> array(size), received(size, -1);
  MPI_Datatype several;
  MPI_Type_contiguous(4, MPI_INT, &several);
  MPI_Type_commit(&several);
  const int count = can_be_cut ? block : block / 4;
  MPI_Datatype const type = can_be_cut ? MPI_INT : several;
  tacit_pipeline p;
  const tacit_pipeline_store stores[] = {{0, 4, 4, {{4 * block, 0, processes - 1}}}};
  tacit_pipeline_begin(&p, TACIT_PIPELINE_ALWAYS, nullptr, array.data(), count, type, received.data(), block,
                       MPI_INT, comm, 0, block - 1, stores, 1, "program.c", line);
  for (int i = 0; i < block; ++i) {
    tacit_pipeline_reached(&p, i);
    for (int to = 0; to < processes; ++to)
      array[static_cast<std::size_t>(to) * block + static_cast<std::size_t>(i)] = 1000 * me + to + i;
  }
  tacit_pipeline_alltoall(&p, array.data(), count, type, received.data(), block, MPI_INT, comm);
  MPI_Type_free(&several);
  for (int from = 0; from < processes; ++from)
    for (int i = 0; i < block; ++i)
      if (received[static_cast<std::size_t>(from) * block + static_cast<std::size_t>(i)] !=
          1000 * from + me + i)
        return expect(false, "everything arrives where MPI_Alltoall puts it");
}

bool came_in_parts(int line, MPI_Comm comm) {
  const int before = parts_seen;
  exchange(line, comm);
  return parts_seen > before;
}

/// `known`: the communicator knows other exchanges already.
void one_process_without_memory(bool known) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (known) {
    expect(!came_in_parts(1, comm), "the first exchange of a kind is MPI_Alltoall");
    expect(came_in_parts(1, comm), "the next one goes in parts");
  }
  has_memory = me != processes - 1;
  for (int round = 0; round < 3; ++round)
    expect(!came_in_parts(2, comm), "without memory it is MPI_Alltoall everywhere");
  if (known)
    expect(came_in_parts(1, comm), "an exchange that is known goes on in parts");
  has_memory = true;
  expect(!came_in_parts(2, comm), "with memory the processes agree behind the first exchange");
  expect(came_in_parts(2, comm), "then it goes in parts");
  MPI_Comm_free(&comm);
}

void packs_without_memory_at_first() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  setenv("TACIT_COALESCE_CHECK", "1", 1);
  expect(!came_in_parts(1, comm), "the first exchange of a kind is MPI_Alltoall");
  expect(came_in_parts(1, comm), "the next one goes in parts");
  const bool is_cut = me != processes - 1;
  refusals = is_cut ? 0 : 5;
  exchange(1, comm, is_cut);
  expect(refusals == 0, "memory is asked for again");
  unsetenv("TACIT_COALESCE_CHECK");
  MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  one_process_without_memory(true);
  one_process_without_memory(false);
  packs_without_memory_at_first();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
