// All five collectives, in all forms, on every kind of topology, against plain sends: random types, counts,
// displacements and edges; the whole receive buffer is compared, so nothing else may be written.
#include "mpi_main.h"
#include "random_call.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace tacit::test {
namespace {

/// Random cases: fewer where ranks share cores.
std::uint64_t cases(std::uint64_t n) {
  return world_size() <= 2 ? n : world_size() <= 4 ? n / 2 : n / 5;
}

class neighbor_calls : public ::testing::TestWithParam<int> {};

TEST_P(neighbor_calls, random_operations_move_what_plain_sends_move) {
  const types_of_sixteen_bytes types;
  const int form = GetParam();
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    topology_maker maker(seed * 7 + static_cast<std::uint64_t>(form));
    random_topology t = maker.make();
    for (int k = 0; k < 4; ++k) {
      const random_call c(t, seed * 1000 + static_cast<std::uint64_t>(k), types.all);
      arena send(arena_bytes), got(arena_bytes), expected(arena_bytes);
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      for (std::uint64_t round = 0; round < 3; ++round) {
        if (round == 1 && form < 2) { // other buffers, same plan
          send = arena(arena_bytes);
          got = arena(arena_bytes);
        }
        fill(send, seed + round);
        fill(got, seed + round + 50);
        expected = got;
        plain_exchange(t.edges, send.data(), c.out_blocks(), expected.data(), c.in_blocks(), MPI_COMM_WORLD);
        int code = TACIT_SUCCESS;
        if (form < 2 || round == 0)
          code = c.call(form, (seed + static_cast<std::uint64_t>(k)) % 2, send.data(), got.data(), &s);
        ASSERT_EQ(code, TACIT_SUCCESS) << tacit_last_error();
        if (form == 1) {
          ASSERT_EQ(tacit_wait(s), TACIT_SUCCESS);
          ASSERT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
        }
        if (form == 2) {
          ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
        }
        const std::string fault = compare(got, expected);
        ASSERT_EQ(fault, "") << "rank " << world_rank() << ", seed " << seed << ", call " << k << ", round "
                             << round << ", collective " << static_cast<int>(c.what) << " on " << t.what;
      }
      tacit_schedule_free(&s);
    }
    MPI_Comm_free(&t.comm);
  }
}
INSTANTIATE_TEST_SUITE_P(forms, neighbor_calls, ::testing::Values(0, 1, 2));

// Several operations under way on one communicator, the first ones while it is still being set up; completed
// in another order on each rank.
TEST(neighbor, operations_overlap_and_complete_in_any_order) {
  const types_of_sixteen_bytes types;
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    topology_maker maker(seed + 900);
    random_topology t = maker.make();
    struct operation {
      random_call c;
      arena send, got, expected;
      tacit_schedule s = TACIT_SCHEDULE_NULL;
    };
    std::vector<std::unique_ptr<operation>> all;
    for (std::uint64_t k = 0; k < 6; ++k) {
      all.push_back(std::make_unique<operation>(operation{
          random_call(t, seed * 77 + k / 2, types.all), arena(arena_bytes), arena(arena_bytes), {}}));
      operation& o = *all.back();
      fill(o.send, seed + k);
      fill(o.got, seed + k + 90);
      o.expected = o.got;
      plain_exchange(t.edges, o.send.data(), o.c.out_blocks(), o.expected.data(), o.c.in_blocks(),
                     MPI_COMM_WORLD);
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      operation& o = *all[k];
      const int form = seed % 4 == 0 && k == 3 ? 0 : seed % 3 == 0 && k > 3 ? 2 : 1;
      ASSERT_EQ(o.c.call(form, false, o.send.data(), o.got.data(), &o.s), TACIT_SUCCESS)
          << tacit_last_error();
      if (form == 2) {
        ASSERT_EQ(tacit_start(o.s), TACIT_SUCCESS);
      }
    }
    if (seed % 2) // as MPI allows: what is under way completes
      MPI_Comm_free(&t.comm);
    std::shuffle(all.begin(), all.end(),
                 std::mt19937_64(seed * 10 + static_cast<std::uint64_t>(world_rank())));
    for (auto& o : all) {
      if (o->s) {
        ASSERT_EQ(tacit_wait(o->s), TACIT_SUCCESS);
      }
      ASSERT_EQ(compare(o->got, o->expected), "") << "seed " << seed << " on " << t.what;
    }
    for (auto& o : all)
      ASSERT_EQ(tacit_schedule_free(&o->s), TACIT_SUCCESS);
    if (t.comm != MPI_COMM_NULL)
      MPI_Comm_free(&t.comm);
  }
}

// One plan, two executions of it at a time, and both in other buffers every time.
TEST(neighbor, operations_of_one_plan_move_their_buffers) {
  int dims[] = {world_size()}, periods[] = {1};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
  const int me = world_rank(), left = (me + world_size() - 1) % world_size(), right = (me + 1) % world_size();
  std::array<std::array<int, 2>, 8> out{}, in{};
  for (std::size_t round = 0; round < 24; ++round) {
    std::array<tacit_schedule, 2> both{};
    const std::size_t buffers[] = {5 * round % 8, (5 * round + 3) % 8};
    for (auto& block : in)
      block = {-1, -1};
    for (std::size_t k = 0; k < 2; ++k) {
      const int salt = 1000 * static_cast<int>(2 * round + k);
      out[buffers[k]] = {salt + 2 * me, salt + 2 * me + 1};
      ASSERT_EQ(tacit_ineighbor_alltoall(out[buffers[k]].data(), 1, MPI_INT, in[buffers[1 - k]].data(), 1,
                                         MPI_INT, comm, &both[k]),
                TACIT_SUCCESS);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      ASSERT_EQ(tacit_wait(both[k]), TACIT_SUCCESS);
      ASSERT_EQ(tacit_schedule_free(&both[k]), TACIT_SUCCESS);
      const int salt = 1000 * static_cast<int>(2 * round + k);
      const std::array<int, 2> expected{salt + 2 * left + 1, salt + 2 * right};
      ASSERT_EQ(in[buffers[1 - k]], expected) << "round " << round << ", operation " << k;
    }
  }
  MPI_Comm_free(&comm);
}

// Persistent operations may be started in any order, and in another one on each rank.
TEST(neighbor, persistent_operations_start_in_any_order) {
  const types_of_sixteen_bytes types;
  topology_maker maker(4242);
  for (int round = 0; round < static_cast<int>(cases(10)); ++round) {
    random_topology t = maker.make();
    constexpr std::size_t n = 5;
    std::vector<arena> send(n, arena(arena_bytes)), got(n, arena(arena_bytes)), expected(n);
    std::vector<tacit_schedule> s(n, TACIT_SCHEDULE_NULL);
    std::vector<std::size_t> order(n);
    for (std::size_t k = 0; k < n; ++k) {
      const random_call c(t, 5000 + k + static_cast<std::uint64_t>(round) * 31, types.all);
      fill(send[k], k);
      fill(got[k], k + 9);
      expected[k] = got[k];
      plain_exchange(t.edges, send[k].data(), c.out_blocks(), expected[k].data(), c.in_blocks(),
                     MPI_COMM_WORLD);
      ASSERT_EQ(c.call(2, false, send[k].data(), got[k].data(), &s[k]), TACIT_SUCCESS) << tacit_last_error();
      order[k] = k;
    }
    std::shuffle(order.begin(), order.end(),
                 std::mt19937_64(static_cast<std::uint64_t>(world_rank() + round)));
    for (const std::size_t k : order)
      ASSERT_EQ(tacit_start(s[k]), TACIT_SUCCESS);
    for (std::size_t k = 0; k < n; ++k) {
      ASSERT_EQ(tacit_wait(s[k]), TACIT_SUCCESS);
      ASSERT_EQ(compare(got[k], expected[k]), "") << t.what;
      ASSERT_EQ(tacit_schedule_free(&s[k]), TACIT_SUCCESS);
    }
    MPI_Comm_free(&t.comm);
  }
}

// The first call of a communicator is local: with one rank late, nobody hangs in it.
TEST(neighbor, nonblocking_call_returns_before_others_have_come) {
  topology_maker maker(99);
  random_topology t = maker.make(true);
  std::vector<int> in(64 * 16), out(64 * 16);
  const int me = world_rank(), last = world_size() - 1;
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  if (me == last && last > 0) // the others must have returned from their calls, or this waits for ever
    for (int r = 0; r < last; ++r)
      MPI_Recv(nullptr, 0, MPI_INT, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ASSERT_EQ(tacit_ineighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, t.comm, &s),
            TACIT_SUCCESS);
  if (me != last)
    MPI_Send(nullptr, 0, MPI_INT, last, 5, MPI_COMM_WORLD);
  ASSERT_EQ(tacit_wait(s), TACIT_SUCCESS);
  tacit_schedule_free(&s);
  MPI_Comm_free(&t.comm);
}

// One rank repeats an earlier call while the others make a call of new form: the plan cache must not matter.
TEST(neighbor, ranks_may_find_plans_where_others_make_them) {
  const int periodic[] = {1}, size[] = {world_size()};
  tacit_topology own = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_cart(1, size, periodic, &own), TACIT_SUCCESS);
  ASSERT_EQ(tacit_topology_comm(own, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&own);
  for (int round = 0; round < 200; ++round) {
    // Always eight ints per edge; ranks describe them differently, in changing ways.
    int out[16], in[16];
    for (int i = 0; i < 16; ++i)
      out[i] = world_rank() * 1000 + round + i, in[i] = -1;
    const int way = (round * (world_rank() + 3)) % 5;
    MPI_Datatype fresh = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(8, MPI_INT, &fresh);
    MPI_Type_commit(&fresh);
    const MPI_Datatype type = way < 2 ? fresh : way < 4 ? MPI_INT : MPI_BYTE;
    const int count = way < 2 ? 1 : way < 4 ? 8 : 32;
    ASSERT_EQ(tacit_neighbor_alltoall(out, count, type, in, way == 3 ? 32 : count, way == 3 ? MPI_BYTE : type,
                                      comm),
              TACIT_SUCCESS);
    MPI_Type_free(&fresh);
    const int left = (world_rank() + size[0] - 1) % size[0], right = (world_rank() + 1) % size[0];
    for (int i = 0; i < 8; ++i) {
      ASSERT_EQ(in[i], left * 1000 + round + 8 + i) << "from the left comes what it sent to the right";
      ASSERT_EQ(in[8 + i], right * 1000 + round + i);
    }
  }
  MPI_Comm_free(&comm);
}

/// Messages that leave this rank, as tacit_explain says.
int messages_out(tacit_schedule s) {
  char text[1000] = {};
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text, sizeof text, nullptr), TACIT_SUCCESS);
  const char* found = std::strstr(text, " messages out");
  if (!found)
    return -1;
  while (found > text && std::isdigit(static_cast<unsigned char>(found[-1])))
    --found;
  return std::atoi(found);
}

// All cells around a cell of a torus: 3 x 3 ranks have 8 neighbors each and need 4 messages.
TEST(neighbor, messages_on_a_torus_are_combined) {
  if (world_size() != 6 && world_size() != 9)
    GTEST_SKIP() << "wants a torus of 3 x 2 or 3 x 3";
  const int dims[] = {3, world_size() / 3}, periods[] = {1, 1};
  std::vector<int> offsets, sources;
  const int row = world_rank() / dims[1], column = world_rank() % dims[1];
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y) {
      offsets.insert(offsets.end(), {x, y});
      sources.push_back((row - x + 3) % 3 * dims[1] + (column - y + dims[1]) % dims[1]);
    }
  tacit_topology own = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_stencil(2, dims, periods, 9, offsets.data(), &own), TACIT_SUCCESS);
  ASSERT_EQ(tacit_topology_comm(own, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&own);
  MPI_Info without = MPI_INFO_NULL;
  MPI_Info_create(&without);
  MPI_Info_set(without, "tacit_neighbor_without", "combine");
  MPI_Info with = MPI_INFO_NULL;
  MPI_Info_create(&with);
  MPI_Info_set(with, "tacit_neighbor_grouping", "combined");
  for (const bool gather : {false, true})
    for (const MPI_Info info : {with, without}) {
      int out[18], in[18];
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      ASSERT_EQ(gather ? tacit_neighbor_allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, info, &s)
                       : tacit_neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, info, &s),
                TACIT_SUCCESS)
          << tacit_last_error();
      const bool square = world_size() == 9;
      EXPECT_EQ(messages_out(s), info == without ? (square ? 8 : 5) : (square ? 4 : 3));
      for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 18; ++i)
          out[i] = world_rank() * 1000 + i * 10 + round, in[i] = -1;
        ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
        for (int i = 0; i < 18; ++i)
          ASSERT_EQ(in[i],
                    sources[static_cast<std::size_t>(i / 2)] * 1000 + (gather ? i % 2 : i) * 10 + round);
      }
      tacit_schedule_free(&s);
    }
  // Blocks of unequal size on one rank are enough to keep everybody from combining.
  const bool odd = world_rank() == 0;
  std::vector<int> counts(9, 2), places;
  std::vector<int> out(100), in(100);
  for (int i = 0; i < 9; ++i)
    places.push_back(4 * i);
  counts[4] = odd ? 3 : 2; // the block to oneself
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_neighbor_alltoallv_init(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                                          counts.data(), places.data(), MPI_INT, comm, MPI_INFO_NULL, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  EXPECT_EQ(messages_out(s), world_size() == 9 ? 8 : 5);
  EXPECT_EQ(tacit_run(s), TACIT_SUCCESS);
  tacit_schedule_free(&s);
  MPI_Info_free(&without);
  MPI_Info_free(&with);
  MPI_Comm_free(&comm);
}

TEST(neighbor, says_why_a_way_was_chosen) {
  const int dims[] = {world_size()}, periods[] = {1};
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm), MPI_SUCCESS);
  const std::string variable = std::getenv("TACIT_DRIVER") ? std::getenv("TACIT_DRIVER") : "";
  int out[2] = {}, in[2] = {};
  for (const std::string asked : {"", "p2p"}) { // the variable counts more
    const std::string forced = variable.empty() ? asked : variable;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (!asked.empty())
      MPI_Info_set(info, "tacit_driver", asked.c_str());
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, info, &s), TACIT_SUCCESS)
        << tacit_last_error();
    MPI_Info_free(&info);
    std::array<char, 2000> text{};
    ASSERT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
    const std::string said(text.data());
    EXPECT_NE(said.find("machine model: the documented defaults, because TACIT_PLATFORM"), std::string::npos)
        << said;
    const std::string driver = forced.empty() ? "shm" : forced;
    EXPECT_NE(said.find("predicted: coalesced " + driver), std::string::npos) << said;
    EXPECT_EQ(said.find("not coalesced p2p") == std::string::npos, !forced.empty()) << said;
    tacit_schedule_free(&s);
  }
  MPI_Comm_free(&comm);
}

TEST(neighbor, tells_the_neighborhood_of_any_communicator) {
  topology_maker maker(7);
  for (int i = 0; i < 12; ++i) {
    random_topology t = maker.make();
    int in = 0, out = 0, weighted = -1;
    ASSERT_EQ(tacit_neighbors_count(t.comm, &in, &out, &weighted), TACIT_SUCCESS);
    ASSERT_EQ(static_cast<std::size_t>(in), t.edges.sources.size());
    ASSERT_EQ(static_cast<std::size_t>(out), t.edges.destinations.size());
    std::vector<int> sources(t.edges.sources.size()), destinations(t.edges.destinations.size());
    std::vector<int> in_weights(sources.size()), out_weights(destinations.size());
    MPI_Comm copy = MPI_COMM_NULL; // a duplicate inherits the topology
    MPI_Comm_dup(t.comm, &copy);
    ASSERT_EQ(tacit_neighbors(copy, in, sources.data(), in_weights.data(), out, destinations.data(),
                              out_weights.data()),
              TACIT_SUCCESS);
    EXPECT_EQ(sources, t.edges.sources) << t.what;
    EXPECT_EQ(destinations, t.edges.destinations) << t.what;
    const bool graph = t.what == "own graph" || t.what == "MPI_Dist_graph";
    for (const int w : in_weights)
      EXPECT_EQ(w, graph ? 3 : 1);
    for (const int w : out_weights)
      EXPECT_EQ(w, graph ? 4 : 1);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&t.comm);
  }
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // choices must not depend on the machine
  return tacit::test::mpi_main(argc, argv);
}
