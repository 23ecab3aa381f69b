// Neighborhood collectives on simulated ranks, on topologies of our own: SMPI has none but grids. Every
// number that must arrive is known by formula.
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace {

int me = 0, ranks = 0, wrong = 0;

void expect(bool right) {
  wrong += right ? 0 : 1;
}

void expect_explained(tacit_schedule schedule, const char* part) {
  char text[2000] = {};
  std::size_t needed = 0;
  expect(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, &needed) == TACIT_SUCCESS);
  const bool found = std::string(text).find(part) != std::string::npos;
  expect(found);
  if (!found && me == 0)
    std::fprintf(stderr, "rank 0: no \"%s\" in: %s\n", part, text);
}

/// Blocking, nonblocking and persistent alltoall of three ints per edge; slot `from_slot[i]` of rank
/// sources[i] is what must arrive in slot i. `how` is part of the explanation.
void check_alltoall(MPI_Comm comm, const std::vector<int>& sources, const std::vector<int>& from_slot,
                    std::size_t outgoing, const char* how = "") {
  std::vector<int> out(3 * outgoing), in(3 * sources.size());
  tacit_schedule kept = TACIT_SCHEDULE_NULL;
  expect(tacit_neighbor_alltoall_init(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, comm, MPI_INFO_NULL,
                                      &kept) == TACIT_SUCCESS);
  expect_explained(kept, how);
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = me * 10000 + static_cast<int>(i) * 10 + round;
    in.assign(in.size(), -1);
    if (round % 3 == 0)
      expect(tacit_neighbor_alltoall(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, comm) == TACIT_SUCCESS);
    if (round % 3 == 1) {
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      expect(tacit_ineighbor_alltoall(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, comm, &s) ==
             TACIT_SUCCESS);
      expect(tacit_wait(s) == TACIT_SUCCESS);
      expect(tacit_schedule_free(&s) == TACIT_SUCCESS);
    }
    if (round % 3 == 2)
      expect(tacit_run(kept) == TACIT_SUCCESS);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int source = sources[i / 3];
      const int slot = 3 * from_slot[i / 3] + static_cast<int>(i % 3);
      expect(in[i] == (source == MPI_PROC_NULL ? -1 : source * 10000 + slot * 10 + round));
    }
  }
  expect(tacit_schedule_free(&kept) == TACIT_SUCCESS);
}

MPI_Comm attached(tacit_topology topology) {
  MPI_Comm comm = MPI_COMM_NULL;
  expect(tacit_topology_comm(topology, MPI_COMM_WORLD, &comm) == TACIT_SUCCESS);
  tacit_topology_free(&topology);
  return comm;
}

/// ranks/2 x 2, periodic in the dimension of size 2, open in the other one.
void grid() {
  const int dims[] = {ranks / 2, 2}, periods[] = {0, 1};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_cart(2, dims, periods, &t) == TACIT_SUCCESS);
  MPI_Comm comm = attached(t);
  const int other = me ^ 1;
  const std::vector<int> sources{me < 2 ? MPI_PROC_NULL : me - 2, me + 2 < ranks ? me + 2 : MPI_PROC_NULL,
                                 other, other};
  check_alltoall(comm, sources, {1, 0, 3, 2}, 4, "no trees: no rank has 16 short messages");
  MPI_Comm_free(&comm);
}

/// All 27 cells around a cell of a periodic grid of 4 x 4 x ranks/16.
void stencil() {
  const int dims[] = {4, 4, ranks / 16}, periods[] = {1, 1, 1};
  std::vector<int> offsets, sources, slots;
  const auto coordinate = [&](int d, int steps) {
    const int all[] = {me / (dims[1] * dims[2]), me / dims[2] % dims[1], me % dims[2]};
    return (all[d] - steps + dims[d]) % dims[d];
  };
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        offsets.insert(offsets.end(), {x, y, z});
        sources.push_back((coordinate(0, x) * dims[1] + coordinate(1, y)) * dims[2] + coordinate(2, z));
        slots.push_back(static_cast<int>(slots.size()));
      }
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_stencil(3, dims, periods, 27, offsets.data(), &t) == TACIT_SUCCESS);
  MPI_Comm comm = attached(t);
  check_alltoall(comm, sources, slots, 27, "combined");
  MPI_Comm_free(&comm);
}

/// Everybody sends to rank 0 twice and to the next rank; rank 0 receives in reverse order of the senders.
void graph() {
  std::vector<int> sources, slots;
  const std::vector<int> destinations{0, (me + 1) % ranks, 0};
  if (me == 0)
    for (int r = ranks - 1; r >= 0; --r) {
      sources.insert(sources.end(), {r, r});
      // The last rank lists rank 0 three times, and its k-th edge is the k-th here.
      slots.push_back(0);
      slots.push_back(r == ranks - 1 ? 1 : 2);
    }
  sources.push_back((me + ranks - 1) % ranks);
  slots.push_back(me == 0 ? 2 : 1);
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_graph(static_cast<int>(sources.size()), sources.data(), nullptr, 3,
                              destinations.data(), nullptr, &t) == TACIT_SUCCESS);
  MPI_Comm comm = attached(t);
  check_alltoall(comm, sources, slots, 3, "trees: rank 0 receives through");
  MPI_Comm_free(&comm);
}

/// Rank 0 sends to all others, the last one twice: one block for each, and one and the same for all.
void star() {
  std::vector<int> sources, slots, destinations;
  if (me == 0)
    for (int r = 1; r < ranks; ++r)
      destinations.push_back(r);
  if (me == 0)
    destinations.push_back(ranks - 1);
  else
    sources.push_back(0), slots.push_back(me - 1);
  if (me == ranks - 1)
    sources.push_back(0), slots.push_back(me);
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_graph(static_cast<int>(sources.size()), sources.data(), nullptr,
                              static_cast<int>(destinations.size()), destinations.data(), nullptr,
                              &t) == TACIT_SUCCESS);
  MPI_Comm comm = attached(t);
  check_alltoall(comm, sources, slots, destinations.size(), "trees: rank 0 sends through");
  int out[2] = {me, 4711};
  std::vector<int> in(2 * sources.size(), -1);
  tacit_schedule all = TACIT_SCHEDULE_NULL;
  expect(tacit_neighbor_allgather_init(out, 2, MPI_INT, in.data(), 2, MPI_INT, comm, MPI_INFO_NULL, &all) ==
         TACIT_SUCCESS);
  expect_explained(all, "trees: rank 0 sends through");
  for (int round = 0; round < 3; ++round) {
    out[0] = round;
    in.assign(in.size(), -1);
    expect(tacit_run(all) == TACIT_SUCCESS);
    for (std::size_t i = 0; i < in.size(); ++i)
      expect(in[i] == (i % 2 == 0 ? round : 4711));
  }
  expect(tacit_schedule_free(&all) == TACIT_SUCCESS);
  MPI_Comm_free(&comm);
}

/// Everybody sends to the 20 ranks that follow, on nodes of 8 ranks.
void crowd() {
  setenv("TACIT_RANKS_PER_NODE", "8", 1);
  std::vector<int> sources, slots, destinations;
  for (int k = 1; k <= 20; ++k) {
    destinations.push_back((me + k) % ranks);
    sources.push_back((me + ranks - k) % ranks);
    slots.push_back(k - 1);
  }
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  expect(tacit_topology_graph(20, sources.data(), nullptr, 20, destinations.data(), nullptr, &t) ==
         TACIT_SUCCESS);
  MPI_Comm comm = attached(t);
  check_alltoall(comm, sources, slots, 20, "aggregated: one message per pair of 8 nodes");
  MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // choices must not depend on the machine
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  grid();
  stencil();
  graph();
  star();
  crowd();
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (wrong > 0)
    std::fprintf(stderr, "rank %d: %d wrong; %s\n", me, wrong, tacit_last_error());
  if (me == 0)
    std::printf("neighborhoods of %d simulated ranks: %d wrong\n", ranks, all);
  MPI_Finalize();
  return 0;
}
