// What is said when something is wrong: rank, function, edge and remedy, through the communicator's error
// handler; and what MPI is left with.
#include "mpi_main.h"
#include "neighbor_oracle.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <regex>

namespace tacit::test {
namespace {

MPI_Comm ring(int periodic = 1) {
  const int dims[] = {world_size()}, periods[] = {periodic};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(tacit_topology_cart(1, dims, periods, &t), TACIT_SUCCESS);
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&t);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

bool says(const std::string& part) {
  return std::string(tacit_last_error()).find(part) != std::string::npos;
}

class neighbor_errors : public ::testing::Test {
protected:
  void SetUp() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

TEST_F(neighbor_errors, arguments) {
  MPI_Comm comm = ring();
  int out[2] = {}, in[2] = {};
  const std::string me = "rank " + std::to_string(world_rank()) + ": ";
  EXPECT_EQ(tacit_neighbor_alltoall(out, -1, MPI_INT, in, 1, MPI_INT, comm), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says(me + "tacit_neighbor_alltoall: the send count of edge 0 is -1")) << tacit_last_error();
  EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_DATATYPE_NULL, comm), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("the receive datatype of edge 0 is MPI_DATATYPE_NULL")) << tacit_last_error();
  EXPECT_EQ(tacit_neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, comm), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("the send buffer is MPI_IN_PLACE")) << tacit_last_error();
  EXPECT_EQ(tacit_neighbor_alltoallv(out, nullptr, nullptr, MPI_INT, in, nullptr, nullptr, MPI_INT, comm),
            TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("is a null pointer; give one entry per edge (2 here)")) << tacit_last_error();
  EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("the communicator has no topology; make one with")) << tacit_last_error();
  EXPECT_EQ(tacit_ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, nullptr), TACIT_ERR_ARGUMENT);
  // After all that the communicator works.
  EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm), TACIT_SUCCESS)
      << tacit_last_error();
  MPI_Comm_free(&comm);
}

TEST_F(neighbor_errors, a_variable_that_one_rank_does_not_understand) {
  int out[2] = {}, in[2] = {};
  for (const int persistent : {0, 1}) {
    if (world_rank() == 0)
      setenv("TACIT_DRIVER", "foo", 1);
    MPI_Comm comm = ring();
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    EXPECT_EQ(persistent
                  ? tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &s)
                  : tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm),
              TACIT_ERR_ENVIRONMENT);
    EXPECT_TRUE(says(world_rank() == 0 ? "TACIT_DRIVER is \"foo\", but must be one of"
                                       : "some rank does not understand its own"))
        << tacit_last_error();
    const std::string text = tacit_last_error();
    const std::regex speaker("rank [0-9]+: ");
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), speaker), std::sregex_iterator()),
              1)
        << "who speaks is said once: " << text;
    if (world_rank() == 0)
      unsetenv("TACIT_DRIVER");
    MPI_Comm_free(&comm);
  }
}

TEST_F(neighbor_errors, ranks_per_node_that_are_no_number) {
  const int size = world_size(), periods[] = {1};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_cart(1, &size, periods, &t), TACIT_SUCCESS);
  setenv("TACIT_RANKS_PER_NODE", "xx", 1);
  EXPECT_EQ(tacit_topology_comm_reordered(t, MPI_COMM_WORLD, &comm), TACIT_ERR_ENVIRONMENT);
  EXPECT_TRUE(says("TACIT_RANKS_PER_NODE is \"xx\", but must be a number from 1 on")) << tacit_last_error();
  unsetenv("TACIT_RANKS_PER_NODE");
  EXPECT_EQ(comm, MPI_COMM_NULL);
  tacit_topology_free(&t);
}

TEST_F(neighbor_errors, topologies) {
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  const int dims[] = {0}, periods[] = {1}, wrong[] = {world_size() + 1}, negative[] = {-7};
  EXPECT_EQ(tacit_topology_cart(1, dims, periods, &t), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("dimension 0 has size 0"));
  EXPECT_EQ(tacit_topology_graph(1, negative, nullptr, 0, nullptr, nullptr, &t), TACIT_ERR_ARGUMENT);
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_cart(1, wrong, periods, &t), TACIT_SUCCESS);
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(says("choose dimensions whose product is the communicator's size")) << tacit_last_error();
  EXPECT_EQ(comm, MPI_COMM_NULL);
  tacit_topology_free(&t);
  ASSERT_EQ(tacit_topology_graph(1, wrong, nullptr, 0, nullptr, nullptr, &t), TACIT_SUCCESS);
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_topology_comm_reordered(t, MPI_COMM_WORLD, &comm), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(comm, MPI_COMM_NULL);
  tacit_topology_free(&t);
  EXPECT_EQ(tacit_topology_comm_reordered(TACIT_TOPOLOGY_NULL, MPI_COMM_WORLD, &comm), TACIT_ERR_ARGUMENT);
  const int size = world_size();
  ASSERT_EQ(world_rank() == 0 ? tacit_topology_cart(1, &size, periods, &t)
                              : tacit_topology_graph(0, nullptr, nullptr, 0, nullptr, nullptr, &t),
            TACIT_SUCCESS);
  EXPECT_EQ(tacit_topology_comm_reordered(t, MPI_COMM_WORLD, &comm),
            size > 1 ? TACIT_ERR_ARGUMENT : TACIT_SUCCESS);
  if (size > 1) {
    EXPECT_TRUE(says("different kinds")) << tacit_last_error();
  } else {
    MPI_Comm_free(&comm);
  }
  tacit_topology_free(&t);
}

// Rank 0 lists an edge to the last rank, which does not list it.
TEST_F(neighbor_errors, neighborhoods_that_contradict_each_other) {
  const int me = world_rank(), last = world_size() - 1;
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_graph(0, nullptr, nullptr, me == 0 ? 1 : 0, &last, nullptr, &t), TACIT_SUCCESS);
  ASSERT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&t);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int x = 0, y = 0;
  for (int round = 0; round < 2; ++round) { // also when asked again
    EXPECT_EQ(tacit_neighbor_allgather(&x, 1, MPI_INT, &y, 1, MPI_INT, comm), TACIT_ERR_GRAPH);
    if (me == 0 || me == last) {
      EXPECT_TRUE(says("rank 0 lists 1 edge(s) to rank " + std::to_string(last) + ", but rank " +
                       std::to_string(last) + " lists 0 edge(s) from it"))
          << tacit_last_error();
    }
  }
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  EXPECT_EQ(tacit_ineighbor_allgather(&x, 1, MPI_INT, &y, 1, MPI_INT, comm, &s), TACIT_ERR_GRAPH);
  EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
  MPI_Comm_free(&comm);

  // The same, first found by a nonblocking call.
  ASSERT_EQ(tacit_topology_graph(me == 0 ? 1 : 0, &last, nullptr, 0, nullptr, nullptr, &t), TACIT_SUCCESS);
  ASSERT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS);
  tacit_topology_free(&t);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT_EQ(tacit_ineighbor_allgather(&x, 1, MPI_INT, &y, 1, MPI_INT, comm, &s), TACIT_SUCCESS);
  EXPECT_EQ(tacit_wait(s), TACIT_ERR_GRAPH);
  EXPECT_EQ(tacit_wait(s), TACIT_ERR_GRAPH) << "the error stays";
  EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  MPI_Comm_free(&comm);
}

// The sender describes `sent` ints, the receiver `expected`: never a hang, always a message that names the
// edge.
void mismatch(int sent, int expected, bool nonblocking) {
  MPI_Comm comm = ring();
  std::vector<int> out(200), in(200, -1);
  const int scounts[] = {1, sent}, rcounts[] = {expected, 1}, places[] = {0, 100};
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  int code = TACIT_SUCCESS;
  if (nonblocking) {
    code = tacit_ineighbor_alltoallv(out.data(), scounts, places, MPI_INT, in.data(), rcounts, places,
                                     MPI_INT, comm, &s);
    if (code == TACIT_SUCCESS)
      code = tacit_wait(s);
    tacit_schedule_free(&s);
  } else {
    code = tacit_neighbor_alltoallv(out.data(), scounts, places, MPI_INT, in.data(), rcounts, places, MPI_INT,
                                    comm);
  }
  EXPECT_NE(code, TACIT_SUCCESS) << sent << " " << expected;
  EXPECT_TRUE(says("tacit_")) << tacit_last_error();
  EXPECT_TRUE(says("incoming edge")) << tacit_last_error();
  EXPECT_TRUE(says("both ends of an edge must describe equally many bytes")) << tacit_last_error();
  MPI_Comm_free(&comm);
}

TEST_F(neighbor_errors, sizes_that_contradict_each_other) {
  for (const bool nonblocking : {false, true}) {
    mismatch(2, 1, nonblocking);
    mismatch(1, 2, nonblocking);
    mismatch(0, 1, nonblocking);
    mismatch(5, 0, nonblocking);
  }
}

TEST_F(neighbor_errors, sizes_are_compared_when_a_persistent_operation_is_made) {
  MPI_Comm comm = ring();
  std::vector<int> out(200), in(200);
  const int last = world_size() - 1, me = world_rank();
  // Only the last rank's right edge is wrong, and coalescing hides it: the sum is the same at p = 2.
  const int scounts[] = {me == last ? 2 : 1, me == last ? 0 : 1}, rcounts[] = {1, 1}, places[] = {0, 100};
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  EXPECT_EQ(tacit_neighbor_alltoallv_init(out.data(), scounts, places, MPI_INT, in.data(), rcounts, places,
                                          MPI_INT, comm, MPI_INFO_NULL, &s),
            TACIT_ERR_GRAPH);
  EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
  EXPECT_TRUE(says("rank 0: tacit_neighbor_alltoallv_init: ")) << tacit_last_error();
  EXPECT_TRUE(says("both ends of an edge must describe equally many bytes")) << tacit_last_error();
  // An argument that is wrong on one rank is an error of all.
  EXPECT_EQ(tacit_neighbor_alltoall_init(out.data(), me == last ? -3 : 1, MPI_INT, in.data(), 1, MPI_INT,
                                         comm, MPI_INFO_NULL, &s),
            TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(
      says("rank " + std::to_string(last) + ": tacit_neighbor_alltoall_init: the send count of edge 0 is -3"))
      << tacit_last_error();
  MPI_Comm_free(&comm);
}

TEST_F(neighbor_errors, options) {
  MPI_Comm comm = ring();
  int out[2] = {1, 2}, in[2] = {};
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  const auto init = [&] {
    return tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, info, &s);
  };
  MPI_Info_set(info, "tacit_neighbor_without", "colour");
  EXPECT_EQ(init(), TACIT_ERR_ENVIRONMENT);
  EXPECT_TRUE(says("info key \"tacit_neighbor_without\" is \"colour\", but must be names out of self"))
      << tacit_last_error();
  MPI_Info_set(info, "tacit_neighbor_without", "coalesce,self,order,empty");
  EXPECT_EQ(init(), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
  char text[500] = {};
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text, sizeof text, nullptr), TACIT_SUCCESS);
  EXPECT_NE(std::strstr(text, "2 messages out"), nullptr) << text;
  EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  MPI_Info_set(info, "tacit_driver", "teleport");
  EXPECT_EQ(init(), TACIT_ERR_ENVIRONMENT);
  EXPECT_TRUE(says("info key \"tacit_driver\" is \"teleport\"")) << tacit_last_error();
  MPI_Info_set(info, "tacit_driver", "p2p");
  MPI_Info_set(info, "tacit_dirver", "p2p");
  EXPECT_EQ(init(), TACIT_ERR_ENVIRONMENT);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

TEST_F(neighbor_errors, nonblocking_schedules_run_once) {
  MPI_Comm comm = ring();
  int out[2] = {1, 2}, in[2] = {};
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &s), TACIT_SUCCESS);
  EXPECT_EQ(tacit_schedule_free(&s), TACIT_ERR_STATE) << "active";
  EXPECT_EQ(tacit_start(s), TACIT_ERR_STATE);
  EXPECT_EQ(tacit_wait(s), TACIT_SUCCESS);
  EXPECT_EQ(tacit_start(s), TACIT_ERR_STATE);
  EXPECT_TRUE(says("make one with the _init form"));
  EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  MPI_Comm_free(&comm);
}

// Communicators with plans that are never freed: MPI_Finalize gets rid of them.
TEST_F(neighbor_errors, leaves_communicators_to_finalize) {
  MPI_Comm comm = ring();
  int out[2] = {1, 2}, in[2] = {};
  EXPECT_EQ(tacit_neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm), TACIT_SUCCESS);
  static tacit_schedule kept = TACIT_SCHEDULE_NULL;
  EXPECT_EQ(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &kept),
            TACIT_SUCCESS);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
