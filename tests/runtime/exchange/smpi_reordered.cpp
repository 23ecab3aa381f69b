// Ranks given to processes anew, on simulated nodes to which the processes were dealt out like cards:
// neighbors must come together, and every block must still arrive where the topology says, at the new ranks.
//
// Says also what an exchange takes in simulated time before and after (nothing depends on it).
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace {

int wrong = 0;

void expect(bool right, const char* what) {
  if (!right && ++wrong < 4)
    std::fprintf(stderr, "wrong: %s; %s\n", what, tacit_last_error());
}

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

struct neighbors {
  std::vector<int> sources, destinations;
};

neighbors neighbors_in(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  expect(tacit_neighbors_count(comm, &in, &out, &weighted) == TACIT_SUCCESS, "tacit_neighbors_count");
  neighbors n{std::vector<int>(static_cast<std::size_t>(in)),
              std::vector<int>(static_cast<std::size_t>(out))};
  expect(tacit_neighbors(comm, in, n.sources.data(), nullptr, out, n.destinations.data(), nullptr) ==
             TACIT_SUCCESS,
         "tacit_neighbors");
  return n;
}

/// How many edges of all ranks lead to another node.
int edges_between_nodes(MPI_Comm comm) {
  constexpr int width = MPI_MAX_PROCESSOR_NAME;
  int size = 0, length = 0, mine = 0, all = 0;
  MPI_Comm_size(comm, &size);
  std::vector<char> names(static_cast<std::size_t>(size * width));
  char name[width] = {};
  MPI_Get_processor_name(name, &length);
  MPI_Allgather(name, width, MPI_CHAR, names.data(), width, MPI_CHAR, comm);
  for (const int to : neighbors_in(comm).destinations)
    mine += std::strcmp(name, &names[static_cast<std::size_t>(to * width)]) != 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  return all;
}

/// One number over each edge, made from the ranks of its ends: seconds of some exchanges of large blocks.
double exchange(MPI_Comm comm) {
  constexpr std::size_t block = 8192;
  const neighbors n = neighbors_in(comm);
  const int me = rank_in(comm);
  std::vector<double> out(n.destinations.size() * block), in(n.sources.size() * block, -1);
  for (std::size_t i = 0; i < n.destinations.size(); ++i)
    for (std::size_t k = 0; k < block; ++k)
      out[i * block + k] = me * 1000.0 + n.destinations[i];
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  expect(tacit_neighbor_alltoall_init(out.data(), block, MPI_DOUBLE, in.data(), block, MPI_DOUBLE, comm,
                                      MPI_INFO_NULL, &s) == TACIT_SUCCESS,
         "init");
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int round = 0; round < 4; ++round)
    expect(tacit_run(s) == TACIT_SUCCESS, "run");
  MPI_Barrier(comm);
  const double end = MPI_Wtime();
  for (std::size_t i = 0; i < n.sources.size(); ++i)
    expect(in[i * block] == n.sources[i] * 1000.0 + me && in[i * block + block - 1] == in[i * block],
           "a block");
  tacit_schedule_free(&s);
  return end - begin;
}

void compare(tacit_topology t, const char* what) {
  MPI_Comm before = MPI_COMM_NULL, after = MPI_COMM_NULL;
  expect(tacit_topology_comm(t, MPI_COMM_WORLD, &before) == TACIT_SUCCESS, "tacit_topology_comm");
  expect(tacit_topology_comm_reordered(t, MPI_COMM_WORLD, &after) == TACIT_SUCCESS,
         "tacit_topology_comm_reordered");
  tacit_topology_free(&t);
  // The edges of a rank are the ones that this rank had before, whoever has it now.
  const int world = rank_in(MPI_COMM_WORLD), mine = rank_in(after);
  const neighbors told = neighbors_in(before), moved = neighbors_in(after);
  int here[2] = {mine, static_cast<int>(moved.destinations.size())};
  MPI_Send(&here, 2, MPI_INT, mine, 0, MPI_COMM_WORLD);
  int there[2];
  MPI_Recv(there, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(there[0] == world && there[1] == static_cast<int>(told.destinations.size()), "edges of a rank");
  const int far_before = edges_between_nodes(before), far_after = edges_between_nodes(after);
  expect(far_after < far_before, "no neighbors came together");
  const double slow = exchange(before), fast = exchange(after);
  if (world == 0)
    std::printf("%s: %d edges between nodes, reordered %d; %.3f ms, reordered %.3f ms\n", what, far_before,
                far_after, 1e3 * slow, 1e3 * fast);
  MPI_Comm_free(&before);
  MPI_Comm_free(&after);
}

tacit_topology grid(int a, int b) {
  const int dims[] = {a, b}, periods[] = {1, 1};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_cart(2, dims, periods, &t) == TACIT_SUCCESS, "tacit_topology_cart");
  return t;
}

/// Edges to the next rank, and heavy ones in pairs that the order of ranks keeps apart.
tacit_topology pairs(int size) {
  const int me = rank_in(MPI_COMM_WORLD), partner = (me + size / 2 + 1) % size,
            back = (me + size / 2 - 1) % size;
  const int destinations[] = {(me + 1) % size, partner}, sources[] = {(me + size - 1) % size, back};
  const int weights[] = {1, 50};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_graph(2, sources, weights, 2, destinations, weights, &t) == TACIT_SUCCESS,
         "tacit_topology_graph");
  return t;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  compare(grid(size / 8, 8), "grid");
  compare(pairs(size), "weighted graph");
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) == 0)
    std::printf("reordered neighborhoods of %d simulated ranks: %d wrong\n", size, all);
  MPI_Finalize();
  return 0;
}
