// TACIT_PIPELINE_PREDICTED: whether an exchange goes in parts follows from the costs, which are far from each other here, and from the
// places that the loop stores to.
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int block = 16384; ///< integers: eight parts
constexpr double loop_seconds = 5e-3;

struct choice {
  const char* name;
  tacit_pipeline_costs costs;
  bool forwards; ///< the loop fills blocks from their beginnings
  bool parts;    ///< what is expected
};

// Of 64 KiB at 1 us a byte each part takes eight milliseconds; the loop, on a busy machine, takes from five on.
constexpr double slow = 1e-6, idle = 0, alone = 1;
const choice choices[] = {
    {"a slow link", {0, slow, alone, 0, 0}, true, true},
    {"latency as long as a part, which passes once", {block / 2 * slow, slow, alone, 0, 0}, true, true},
    {"messages that cost as little as bytes", {0, 0, alone, 0, 0}, true, false},
    {"messages that keep the sender busy", {0, slow, alone, 1, 0}, true, false},
    {"messages that keep the receiver busy", {0, slow, alone, 0, 1}, true, false},
    {"a network that rests while processes compute", {0, slow, idle, 0, 0}, true, false},
    {"a loop that goes backwards", {0, slow, alone, 0, 0}, false, false},
};

/// Whether the exchange went in parts.
bool exchange(const choice& how, int line, std::vector<int>& array, std::vector<int>& received,
              int processes) {
  const long long step = how.forwards ? 4 : -4;
  tacit_pipeline p;
  const tacit_pipeline_store stores[] = {
      {how.forwards ? 0 : 4LL * (block - 1), step, 4, {{4LL * block, 0, processes - 1}}}};
  tacit_pipeline_begin(&p, TACIT_PIPELINE_PREDICTED, &how.costs, array.data(), block, MPI_INT,
                       received.data(), block, MPI_INT, MPI_COMM_WORLD, 0, block - 1, stores, 1, "program.c",
                       line);
  const double begun = MPI_Wtime();
  for (int i = 0; i < block; ++i) {
    tacit_pipeline_reached(&p, i);
    for (int to = 0; to < processes; ++to)
      array[static_cast<std::size_t>(to * block + (how.forwards ? i : block - 1 - i))] = line + i;
  }
  while (MPI_Wtime() - begun < loop_seconds) { // the work
  }
  tacit_pipeline_alltoall(&p, array.data(), block, MPI_INT, received.data(), block, MPI_INT, MPI_COMM_WORLD);
  return p.parts > 1;
}

} // namespace

int main(int argc, char** argv) {
  int me, processes, wrong = 0, line = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  std::vector<int> array(static_cast<std::size_t>(block * processes)), received(array);
  for (const choice& how : choices) {
    ++line;
    bool parts = false;
    for (int round = 0; round < 3;
         ++round) // agreement, then the round whose loop counts, then what was chosen
      parts = exchange(how, line, array, received, processes);
    if (parts != how.parts) {
      std::fprintf(stderr, "rank %d: %s: %s parts\n", me, how.name, parts ? "in" : "not in");
      ++wrong;
    }
  }
  MPI_Finalize();
  return wrong != 0;
}
