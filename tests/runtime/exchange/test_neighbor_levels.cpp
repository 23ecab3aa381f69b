// What is prepared at which level of persistence: topology, sizes, buffers.
#include "mpi_main.h"
#include "neighbor_oracle.h"

#include <numeric>

namespace {
int messages_posted = 0, reductions = 0, types_made = 0;
}

/// Seen instead of MPI's own by everything in this process.
extern "C" {
int MPI_Start(MPI_Request* request) {
  ++messages_posted;
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request requests[]) {
  messages_posted += count;
  return PMPI_Startall(count, requests);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++messages_posted;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
int MPI_Type_commit(MPI_Datatype* type) {
  ++types_made;
  return PMPI_Type_commit(type);
}
int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  ++reductions;
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}
}

namespace tacit::test {
namespace {

std::string explained(tacit_schedule s) {
  std::vector<char> text(4000);
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
  return text.data();
}

bool says(tacit_schedule s, const std::string& what) {
  return explained(s).find(what) != std::string::npos;
}

/// Everybody sends to all others, in ascending order.
MPI_Comm everybody() {
  std::vector<int> others;
  for (int r = 0; r < world_size(); ++r)
    if (r != world_rank())
      others.push_back(r);
  const int n = static_cast<int>(others.size());
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  EXPECT_EQ(tacit_topology_graph(n, others.data(), nullptr, n, others.data(), nullptr, &t), TACIT_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS) << tacit_last_error();
  tacit_topology_free(&t);
  return comm;
}

MPI_Info one_key(const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

TEST(levels, the_topology_is_colored_once) {
  MPI_Comm comm = everybody();
  const auto n = static_cast<std::size_t>(world_size());
  std::vector<int> out(n, world_rank()), in(n);
  for (const bool colored : {true, false}) {
    MPI_Info info = colored ? MPI_INFO_NULL : one_key("tacit_neighbor_without", "color");
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoall_init(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm, info, &s),
              TACIT_SUCCESS)
        << tacit_last_error();
    const std::string rounds = "posted in " + std::to_string(n - 1) + " rounds by edge coloring";
    EXPECT_TRUE(says(s, colored && n > 2 ? rounds : "posted by distance")) << explained(s);
    std::fill(in.begin(), in.end(), -1);
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    for (std::size_t i = 0; i + 1 < n; ++i)
      ASSERT_EQ(in[i], static_cast<int>(i) + (static_cast<int>(i) >= world_rank() ? 1 : 0));
    tacit_schedule_free(&s);
    if (!colored)
      MPI_Info_free(&info);
  }
  MPI_Comm_free(&comm);
}

/// A blocking call with sizes that depend on `kind`, and everything that must arrive. `moved`: other buffers.
void exchange_and_compare(MPI_Comm comm, int kind, bool moved, int round) {
  const int p = world_size(), me = world_rank();
  static std::vector<int> memory[4];
  std::vector<int>&out = memory[moved ? 2 : 0], &in = memory[moved ? 3 : 1];
  const auto elements = [&](int from, int to) { return kind == 0 ? 2 : (from * 3 + to * 5 + kind) % 4; };
  const auto value = [&](int from, int to, int i) { return ((from * 64 + to) * 64 + i) * 1000 + round; };
  std::vector<int> counts, places, in_counts, in_places;
  out.assign(400, 0);
  in.assign(400, -1);
  int at = 0, in_at = 0;
  for (int other = 0; other < p; ++other) {
    if (other == me)
      continue;
    counts.push_back(elements(me, other));
    places.push_back(at);
    in_counts.push_back(elements(other, me));
    in_places.push_back(in_at);
    for (int i = 0; i < counts.back(); ++i)
      out[static_cast<std::size_t>(at++)] = value(me, other, i);
    in_at += in_counts.back() + 1; // a gap, which must not be written
  }
  counts.push_back(0), places.push_back(0), in_counts.push_back(0), in_places.push_back(0);
  const auto bytes_of = [](const std::vector<int>& list) {
    std::vector<MPI_Aint> bytes;
    for (const int x : list)
      bytes.push_back(x * MPI_Aint{sizeof(int)});
    return bytes;
  };
  const std::vector<MPI_Aint> bytes = bytes_of(places), in_bytes = bytes_of(in_places);
  const std::vector<MPI_Datatype> types(counts.size(), MPI_INT);
  const int code =
      kind == 3 ? tacit_neighbor_alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                                           in_counts.data(), in_places.data(), MPI_INT, comm)
                : tacit_neighbor_alltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(),
                                           in_counts.data(), in_bytes.data(), types.data(), comm);
  ASSERT_EQ(code, TACIT_SUCCESS) << tacit_last_error();
  std::vector<int> expected(400, -1);
  in_at = 0;
  for (int other = 0; other < p; ++other) {
    if (other == me)
      continue;
    for (int i = 0; i < elements(other, me); ++i)
      expected[static_cast<std::size_t>(in_at + i)] = value(other, me, i);
    in_at += elements(other, me) + 1;
  }
  ASSERT_EQ(in, expected) << "kind " << kind << " round " << round;
}

void set_level(MPI_Comm comm, const char* level) {
  MPI_Info info = one_key("tacit_persistent", level);
  ASSERT_EQ(tacit_comm_set_info(comm, info), TACIT_SUCCESS) << tacit_last_error();
  MPI_Info_free(&info);
}

TEST(levels, blocking_calls_are_right_at_each) {
  MPI_Comm comm = everybody();
  for (const char* level : {"", "none", "topology", "sizes", "buffers", "none"}) {
    if (*level)
      set_level(comm, level);
    for (int round = 0; round < 60; ++round)
      exchange_and_compare(comm, round % 4, round % 7 > 3, round);
  }
  MPI_Comm_free(&comm);
}

// More kinds of calls than are kept: all ranks forget the same ones.
TEST(levels, forgotten_calls_are_prepared_again) {
  MPI_Comm comm = everybody();
  set_level(comm, "buffers");
  std::vector<int> out(100 * static_cast<std::size_t>(world_size())), in(out.size());
  for (int round = 0; round < 50; ++round) {
    const int n = 1 + round * 7 % 36;
    std::fill(out.begin(), out.end(), round);
    ASSERT_EQ(tacit_neighbor_alltoall(out.data(), n, MPI_INT, in.data(), n, MPI_INT, comm), TACIT_SUCCESS)
        << tacit_last_error();
    ASSERT_TRUE(world_size() == 1 || in[static_cast<std::size_t>(n * (world_size() - 1) - 1)] == round);
  }
  MPI_Comm_free(&comm);
}

// The first call with some sizes prepares; later ones do not, and with known buffers nothing goes through
// MPI.
TEST(levels, repeated_calls_prepare_nothing) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants messages";
  for (const char* level : {"sizes", "buffers"}) {
    MPI_Comm comm = everybody();
    set_level(comm, level);
    exchange_and_compare(comm, 0, false, 0);
    messages_posted = reductions = 0;
    for (int round = 1; round < 10; ++round)
      exchange_and_compare(comm, 0, false, round);
    EXPECT_EQ(reductions, 0) << level;
    if (std::string(level) == "sizes")
      EXPECT_GT(messages_posted, 0);
    else
      EXPECT_EQ(messages_posted, 0) << "all ranks share a node";
    MPI_Comm_free(&comm);
  }
}

// A large block in pieces becomes a datatype of its plan, so new datatypes mean a new plan.
TEST(levels, plans_that_are_not_kept_are_made_again) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants messages";
  constexpr int pieces = 10000;
  MPI_Datatype scattered = MPI_DATATYPE_NULL;
  MPI_Type_vector(pieces, 2, 3, MPI_INT, &scattered);
  MPI_Type_commit(&scattered);
  const auto n = static_cast<std::size_t>(world_size());
  std::vector<int> out(3 * pieces * n), in(2 * pieces * n);
  for (const char* level : {"", "topology", "none"}) {
    MPI_Comm comm = everybody();
    if (*level)
      set_level(comm, level);
    for (int round = 0; round < 3; ++round) {
      std::iota(out.begin(), out.end(), round);
      types_made = 0;
      ASSERT_EQ(tacit_neighbor_allgather(out.data(), 1, scattered, in.data(), 2 * pieces, MPI_INT, comm),
                TACIT_SUCCESS);
      ASSERT_EQ(in[2 * pieces - 1], 3 * (pieces - 1) + 1 + round);
      EXPECT_EQ(types_made > 0, round == 0 || *level) << level << round;
    }
    MPI_Comm_free(&comm);
  }
  MPI_Type_free(&scattered);
}

/// What an _init call at this level says of itself.
std::string made_at(const char* level, MPI_Comm comm) {
  std::vector<int> out(64), in(64), counts(64, 1), places(64);
  std::iota(places.begin(), places.end(), 0);
  counts[1] = 0; // one of the two edges to the right is empty
  MPI_Info info = one_key("tacit_persistent", level);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  std::vector<int> in_counts = counts;
  EXPECT_EQ(tacit_neighbor_alltoallv_init(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                                          in_counts.data(), places.data(), MPI_INT, comm, info, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 4; ++i)
      out[static_cast<std::size_t>(i)] = world_rank() * 100 + i * 10 + round;
    std::fill(in.begin(), in.end(), -1);
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS);
    const int left = (world_rank() + world_size() - 1) % world_size() * 100 + round;
    EXPECT_EQ(in[0], left);
    EXPECT_EQ(in[1], -1);
    EXPECT_EQ(in[2], left + 20);
  }
  const std::string text = explained(s);
  tacit_schedule_free(&s);
  MPI_Info_free(&info);
  return text;
}

// Three edges to the right, one of them empty.
TEST(levels, persistent_operations_use_what_the_level_allows) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants messages";
  const std::vector<int> left(3, (world_rank() + world_size() - 1) % world_size());
  const std::vector<int> right(3, (world_rank() + 1) % world_size());
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_graph(3, left.data(), nullptr, 3, right.data(), nullptr, &t), TACIT_SUCCESS);
  ASSERT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&t);
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  const std::string none = made_at("none", comm), topology = made_at("topology", comm);
  EXPECT_TRUE(has(none, "driver p2p") && has(none, "3 messages out")) << none;
  EXPECT_TRUE(has(topology, "driver p2p") && has(topology, "1 messages out")) << topology;
  EXPECT_TRUE(has(made_at("sizes", comm), "driver p2p"));
  EXPECT_TRUE(has(made_at("buffers", comm), "driver shm"));
  MPI_Comm_free(&comm);
}

TEST(levels, static_regions_and_the_canary_can_be_left_out) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants messages";
  MPI_Comm comm = everybody();
  const auto n = static_cast<std::size_t>(world_size());
  for (const char* left_out : {"", "canary", "static"}) {
    MPI_Info info = one_key("tacit_neighbor_without", *left_out ? left_out : "self");
    for (const std::size_t ints : {1, 14, 16, 1000, 5000}) {
      std::vector<int> out(n * ints), in(n * ints);
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      const int count = static_cast<int>(ints);
      ASSERT_EQ(
          tacit_neighbor_alltoall_init(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm, info, &s),
          TACIT_SUCCESS)
          << tacit_last_error();
      EXPECT_TRUE(std::string(left_out) != "static" || says(s, "driver p2p")) << explained(s);
      for (int round = 0; round < 20; ++round) {
        std::iota(out.begin(), out.end(), world_rank() * 100000 + round);
        std::fill(in.begin(), in.end(), -1);
        ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
        for (std::size_t slot = 0; slot + 1 < n; ++slot) {
          const int from = static_cast<int>(slot) + (static_cast<int>(slot) >= world_rank() ? 1 : 0);
          const int there =
              world_rank() - (world_rank() > from ? 1 : 0); // this rank's slot on the other side
          for (std::size_t i = 0; i < ints; ++i)
            ASSERT_EQ(in[slot * ints + i], from * 100000 + round + there * count + static_cast<int>(i));
        }
      }
      tacit_schedule_free(&s);
    }
    MPI_Info_free(&info);
  }
  MPI_Comm_free(&comm);
}

// One rank gives new counts where the others repeat their call: nobody may hang.
TEST(levels, a_broken_promise_is_an_error) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants other ranks";
  for (const char* level : {"sizes", "buffers"}) {
    MPI_Comm comm = everybody();
    set_level(comm, level);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    exchange_and_compare(comm, 0, false, 0);
    exchange_and_compare(comm, 0, false, 1);
    std::vector<int> out(100), in(100);
    const int n = world_rank() == 0 ? 8 : 2;
    const MPI_Datatype type = world_rank() == 0 ? MPI_BYTE : MPI_INT; // the same bytes, but new to rank 0
    ASSERT_EQ(tacit_neighbor_alltoall(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, comm), TACIT_SUCCESS);
    EXPECT_EQ(tacit_neighbor_alltoall(out.data(), n, type, in.data(), n, type, comm), TACIT_ERR_GRAPH);
    const std::string text = tacit_last_error();
    EXPECT_NE(text.find("says that all ranks repeat their calls alike"), std::string::npos) << text;
    EXPECT_NE(text.find(world_rank() == 0 ? "repeats" : "rank 0 makes for the first time its blocking call"),
              std::string::npos)
        << text;
    MPI_Comm_free(&comm);
  }
}

TEST(levels, unknown_or_unequal_values_are_errors_of_all_ranks) {
  MPI_Comm comm = everybody();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Info info = one_key("tacit_persistent", world_rank() == world_size() - 1 ? "always" : "sizes");
  EXPECT_EQ(tacit_comm_set_info(comm, info), TACIT_ERR_ENVIRONMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("must be none, topology, sizes or buffers"),
            std::string::npos)
      << tacit_last_error();
  MPI_Info_free(&info);
  if (world_size() > 1) {
    info = one_key("tacit_persistent", world_rank() == 0 ? "buffers" : "sizes");
    EXPECT_EQ(tacit_comm_set_info(comm, info), TACIT_ERR_ENVIRONMENT);
    EXPECT_NE(std::string(tacit_last_error()).find("differ between the ranks"), std::string::npos);
    MPI_Info_free(&info);
  }
  exchange_and_compare(comm, 1, false, 0); // nothing has changed
  MPI_Comm_free(&comm);
}

// What MPI itself keeps of the info that a topology was made with.
TEST(levels, the_info_of_a_communicator_counts_where_mpi_keeps_it) {
  const int me = world_rank();
  MPI_Info info = one_key("tacit_persistent", "always");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, &me, 1, &me, &me, info, 0, &comm);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_get_info(comm, &info);
  char value[MPI_MAX_INFO_VAL + 1];
  int kept = 0, out = 7, in = 0;
  MPI_Info_get(info, "tacit_persistent", MPI_MAX_INFO_VAL, value, &kept);
  EXPECT_EQ(tacit_neighbor_allgather(&out, 1, MPI_INT, &in, 1, MPI_INT, comm),
            kept ? TACIT_ERR_ENVIRONMENT : TACIT_SUCCESS);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
