// TACIT_PIPELINE_PREDICTED: how an exchange travels follows from the costs, which are far from each other here, and from the places that the
// loop stores to; where the costs are of other processes than the communicator's (TACIT_RANKS_PER_NODE=1: there are several nodes), it is measured.
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int block = 16384; ///< integers: eight parts
constexpr double loop_seconds = 5e-3;

struct choice {
  const char* name;
  tacit_pipeline_costs costs;
  bool forwards; ///< the loop fills blocks from their beginnings
  int way;       ///< what is expected
};

// Of 64 KiB at 1 us a byte each part takes eight milliseconds; the loop, on a busy machine, takes from five on.
constexpr double slow = 1e-6, idle = 0, alone = 1;
constexpr int as_written = 0, in_parts = 1, by_puts = 2;
constexpr double soon = 1e-9; // of a put: its costs are known
const choice choices[] = {
    {"a slow link", {0, slow, alone, 0, 0, 0, 0, 0, 0, 0, 0}, true, in_parts},
    {"latency as long as a part, which passes once",
     {block / 2 * slow, slow, alone, 0, 0, 0, 0, 0, 0, 0, 0},
     true,
     in_parts},
    {"messages that cost as little as bytes", {0, 0, alone, 0, 0, 0, 0, 0, 0, 0, 0}, true, as_written},
    {"messages that keep the sender busy", {0, slow, alone, 1, 0, 0, 0, 0, 0, 0, 0}, true, as_written},
    {"messages that keep the receiver busy", {0, slow, alone, 0, 1, 0, 0, 0, 0, 0, 0}, true, as_written},
    {"a network that rests while processes compute",
     {0, slow, idle, 0, 0, 0, 0, 0, 0, 0, 0},
     true,
     as_written},
    {"a loop that goes backwards", {0, slow, alone, 0, 0, 0, soon, slow, alone, 0, 0}, false, as_written},
    {"puts that move alone where messages rest",
     {0, slow, idle, 0, 0, 0, soon, slow, alone, 0, 0},
     true,
     by_puts},
    {"puts that rest while processes compute",
     {0, slow, alone, 0, 0, 0, soon, slow, idle, 0, 0},
     true,
     in_parts},
    {"puts that keep the process busy", {0, slow, alone, 0, 0, 1, soon, slow, alone, 0, 0}, true, in_parts},
    {"puts that are copied slowly", {0, slow, alone, 0, 0, 0, soon, slow, alone, slow, 0}, true, in_parts},
    {"puts that take long to arrive", {0, slow, alone, 0, 0, 0, 1, slow, alone, 0, 0}, true, in_parts},
    {"neither moves alone", {0, slow, idle, 0, 0, 0, soon, slow, idle, 0, 0}, true, as_written},
};

struct ground {
  const char* name;
  double cores;                       ///< of the costs
  bool fits_one_node, fits_two_nodes; ///< both processes are on
};
const ground grounds[] = {{"costs of nobody knows what", 0, true, true},
                          {"costs of a node with a core for each", 64, true, false},
                          {"costs of a node with too few cores", 1, false, false},
                          {"costs between nodes", -1, false, true}};

/// How the exchange went.
int exchange(const choice& how, int line, std::vector<int>& array, std::vector<int>& received,
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
  return p.way;
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
    int way = as_written;
    for (int round = 0; round < 3;
         ++round) // agreement, then the round whose loop counts, then what was chosen
      way = exchange(how, line, array, received, processes);
    if (way != how.way) {
      std::fprintf(stderr, "rank %d: %s: way %d instead of %d\n", me, how.name, way, how.way);
      ++wrong;
    }
  }
  const bool one_node = !std::getenv("TACIT_RANKS_PER_NODE");
  for (const ground& g : grounds) {
    ++line;
    choice how = choices[0]; // in parts, if it is predicted
    how.costs.cores = g.cores;
    int way = as_written;
    for (int round = 0; round < 4; ++round) // the third one that is measured goes by puts, or as written
      way = exchange(how, line, array, received, processes);
    if ((way == in_parts) != (one_node ? g.fits_one_node : g.fits_two_nodes)) {
      std::fprintf(stderr, "rank %d: %s: way %d\n", me, g.name, way);
      ++wrong;
    }
  }
  MPI_Finalize();
  return wrong != 0;
}
