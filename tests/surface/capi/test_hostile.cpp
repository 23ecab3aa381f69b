// The C API in the hands of somebody who gets everything wrong: each call must say what is wrong, or be
// right; nothing may hang or crash. Runs under MPI_THREAD_MULTIPLE if the MPI has it.
#include "mpi_main.h"

#include <tacit/tacit.h>

#include <climits>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank_of(MPI_Comm comm) {
  int r = 0;
  MPI_Comm_rank(comm, &r);
  return r;
}

class hostile : public testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rank = rank_of(comm);
    MPI_Comm_size(comm, &size);
    tacit_graph_create(comm, &graph);
  }
  void TearDown() override {
    EXPECT_EQ(tacit_schedule_free(&schedule), TACIT_SUCCESS);
    EXPECT_EQ(tacit_graph_free(&graph), TACIT_SUCCESS);
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }
  static bool said(const std::string& words) {
    return std::string(tacit_last_error()).find(words) != std::string::npos;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  tacit_graph graph = TACIT_GRAPH_NULL;
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  int rank = 0, size = 1;
};

TEST_F(hostile, null_handles_everywhere) {
  int x = 0, flag = 0;
  tacit_comm id = 0;
  const tacit_graph g = TACIT_GRAPH_NULL;
  const tacit_schedule s = TACIT_SCHEDULE_NULL;
  const int codes[] = {tacit_graph_create(comm, nullptr),
                       tacit_graph_free(nullptr),
                       tacit_graph_send(g, &x, 1, MPI_INT, 0, 0, nullptr),
                       tacit_graph_recv(g, &x, 1, MPI_INT, 0, 0, nullptr),
                       tacit_graph_add_comm(g, comm, &id),
                       tacit_graph_send_on(g, 0, &x, 1, MPI_INT, 0, 0, nullptr),
                       tacit_graph_recv_on(g, 0, &x, 1, MPI_INT, 0, 0, nullptr),
                       tacit_graph_fence_on(g, 0, nullptr),
                       tacit_graph_put(g, &x, 1, MPI_INT, 0, 0, 1, MPI_INT, nullptr),
                       tacit_graph_get(g, &x, 1, MPI_INT, 0, 0, 1, MPI_INT, nullptr),
                       tacit_graph_copy(g, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr),
                       tacit_graph_compute(g, nullptr, nullptr, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr),
                       tacit_graph_fence(g, nullptr),
                       tacit_graph_depend(g, 0, 1),
                       tacit_graph_scratch(g, &x, 1, MPI_INT),
                       tacit_graph_live_out(g, &x, 1, MPI_INT),
                       tacit_compile(g, MPI_INFO_NULL, &schedule),
                       tacit_start(s),
                       tacit_test(s, &flag),
                       tacit_wait(s),
                       tacit_run(s),
                       tacit_schedule_free(nullptr),
                       tacit_explain(s, TACIT_EXPLAIN_TEXT, nullptr, 0, nullptr)};
  for (const int code : codes)
    EXPECT_EQ(code, TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, nullptr), TACIT_ERR_ARGUMENT);
  ASSERT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(tacit_test(schedule, nullptr), TACIT_ERR_ARGUMENT);
}

TEST_F(hostile, buffers_that_are_none) {
  int x = 0;
  EXPECT_EQ(tacit_graph_send(graph, MPI_IN_PLACE, 1, MPI_INT, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(said("MPI_IN_PLACE")) << tacit_last_error();
  EXPECT_EQ(tacit_graph_recv(graph, nullptr, 1, MPI_INT, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_send(graph, MPI_BOTTOM, 1, MPI_INT, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(
      tacit_graph_send(graph, reinterpret_cast<void*>(~std::uintptr_t{0} - 15), 1, MPI_INT, rank, 0, nullptr),
      TACIT_ERR_ARGUMENT);
  EXPECT_TRUE(said("memory of a program")) << tacit_last_error();
  EXPECT_EQ(tacit_graph_scratch(graph, MPI_IN_PLACE, 1, MPI_INT), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_copy(graph, &x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, nullptr), TACIT_ERR_ARGUMENT);
}

TEST_F(hostile, counts_beyond_any_memory) {
  int x = 0;
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 1 << 20, MPI_DOUBLE, &spread); // not committed
  const MPI_Count counts[] = {MPI_Count{1} << 61, (MPI_Count{1} << 62) + 1, MPI_Count{LLONG_MAX}};
  for (const MPI_Count count : counts)
    for (const MPI_Datatype type : {MPI_DOUBLE, spread}) {
      EXPECT_EQ(tacit_graph_send(graph, &x, count, type, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
      EXPECT_EQ(tacit_graph_recv(graph, &x, count, type, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
    }
  EXPECT_EQ(tacit_graph_send(graph, &x, LLONG_MIN, MPI_INT, rank, 0, nullptr), TACIT_ERR_ARGUMENT);
  MPI_Type_free(&spread);
}

TEST_F(hostile, large_tags_absolute_types_and_nothing_at_all) {
  int out = 41 + rank, in = 0;
  MPI_Aint address = 0;
  MPI_Get_address(&out, &address);
  const int one = 1;
  MPI_Datatype at, type = MPI_INT;
  MPI_Type_create_struct(1, &one, &address, &type, &at);
  tacit_graph_send(graph, MPI_BOTTOM, 1, at, rank, INT_MAX, nullptr); // tags above MPI_TAG_UB are tacit's own
  MPI_Type_free(&at);
  tacit_graph_recv(graph, &in, 1, MPI_INT, rank, INT_MAX, nullptr);
  tacit_graph_send(graph, nullptr, 0, MPI_INT, rank, 1, nullptr);
  tacit_graph_recv(graph, nullptr, 0, MPI_INT, rank, 1, nullptr);
  tacit_graph_send(graph, &out, 1, MPI_INT, MPI_PROC_NULL, 0, nullptr);
  tacit_graph_recv(graph, &out, 1, MPI_INT, MPI_PROC_NULL, 0, nullptr);
  ASSERT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_SUCCESS) << tacit_last_error();
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS);
  EXPECT_EQ(in, 41 + rank);
  EXPECT_EQ(out, 41 + rank);
}

TEST_F(hostile, ranks_that_describe_different_things) {
  // An error of matching, not a hang: one rank sends what nobody receives, another has an empty graph.
  int x = 0;
  if (rank == 0)
    tacit_graph_recv(graph, &x, 1, MPI_INT, size - 1, 4, nullptr);
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_ERR_GRAPH);
  tacit_graph fenced = TACIT_GRAPH_NULL;
  tacit_graph_create(comm, &fenced);
  if (rank == 0)
    tacit_graph_fence(fenced, nullptr);
  const int result = tacit_compile(fenced, MPI_INFO_NULL, &schedule);
  EXPECT_EQ(result, size == 1 ? TACIT_SUCCESS : TACIT_ERR_GRAPH) << tacit_last_error();
  tacit_graph_free(&fenced);
}

int handler_calls = 0;
void count_errors(MPI_Comm* comm, int*, ...) {
  handler_calls += *comm != MPI_COMM_NULL;
}

TEST_F(hostile, the_communicator_is_freed_before_the_schedule) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&count_errors, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  int x = 1, y = 0;
  tacit_graph_copy(graph, &x, 1, MPI_INT, &y, 1, MPI_INT, nullptr);
  ASSERT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_SUCCESS);
  tacit_graph_free(&graph);
  MPI_Comm_free(&comm);
  handler_calls = 0;
  EXPECT_EQ(tacit_start(schedule), TACIT_SUCCESS);
  EXPECT_EQ(tacit_start(schedule), TACIT_ERR_STATE);
  EXPECT_EQ(tacit_schedule_free(&schedule), TACIT_ERR_STATE);
  EXPECT_EQ(handler_calls, 2);
  EXPECT_EQ(tacit_wait(schedule), TACIT_SUCCESS);
  EXPECT_EQ(y, 1);
}

void throwing(void*) {
  throw 42;
}

TEST_F(hostile, a_computation_throws) {
  int x = 0;
  tacit_graph_compute(graph, &throwing, nullptr, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr);
  ASSERT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(tacit_run(schedule), TACIT_ERR_INTERNAL);
  EXPECT_TRUE(said("computation")) << tacit_last_error();
  EXPECT_EQ(tacit_wait(schedule), TACIT_ERR_INTERNAL);
}

TEST_F(hostile, threads_with_communicators_of_their_own) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  constexpr int threads = 3;
  MPI_Comm comms[threads];
  for (MPI_Comm& c : comms)
    MPI_Comm_dup(comm, &c);
  int wrong[threads] = {};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      std::vector<int> in(static_cast<std::size_t>(size));
      int out = 0;
      tacit_graph g = TACIT_GRAPH_NULL;
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      wrong[t] += tacit_graph_create(comms[t], &g) != TACIT_SUCCESS;
      for (int i = 0; i < size; ++i) {
        tacit_graph_send(g, &out, 1, MPI_INT, i, 0, nullptr);
        tacit_graph_recv(g, &in[static_cast<std::size_t>(i)], 1, MPI_INT, i, 0, nullptr);
      }
      wrong[t] += tacit_compile(g, MPI_INFO_NULL, &s) != TACIT_SUCCESS;
      for (int round = 0; round < 20 && s; ++round) {
        out = 1000 * t + 10 * round + rank;
        wrong[t] += tacit_run(s) != TACIT_SUCCESS;
        for (int i = 0; i < size; ++i)
          wrong[t] += in[static_cast<std::size_t>(i)] != 1000 * t + 10 * round + i;
      }
      wrong[t] += tacit_graph_send(g, &out, -1 - t, MPI_INT, 0, 0, nullptr) != TACIT_ERR_ARGUMENT;
      wrong[t] += !said("count is " + std::to_string(-1 - t)); // of this thread
      tacit_schedule_free(&s);
      tacit_graph_free(&g);
    });
  for (std::thread& t : all)
    t.join();
  for (int t = 0; t < threads; ++t) {
    EXPECT_EQ(wrong[t], 0) << "thread " << t;
    MPI_Comm_free(&comms[t]);
  }
}

/// Before MPI_Init and after MPI_Finalize.
int calls_without_mpi() {
  tacit_graph g = TACIT_GRAPH_NULL;
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  return (tacit_graph_create(MPI_COMM_WORLD, &g) != TACIT_ERR_STATE) + (g != TACIT_GRAPH_NULL) +
         (tacit_graph_free(&g) != TACIT_SUCCESS) + (tacit_schedule_free(&s) != TACIT_SUCCESS) +
         (tacit_wait(s) != TACIT_ERR_ARGUMENT) +
         (std::string(tacit_last_error()).find("null") == std::string::npos);
}

} // namespace

int main(int argc, char** argv) {
  int wrong = calls_without_mpi(), level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int x = 0;
  tacit_graph g = TACIT_GRAPH_NULL; // outlive MPI, the schedule while it is active
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  wrong += tacit_graph_create(MPI_COMM_WORLD, &g) +
           tacit_graph_copy(g, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr) +
           tacit_compile(g, MPI_INFO_NULL, &s) + tacit_start(s);
  const int failed = tacit::test::run_tests(argc, argv);
  MPI_Finalize();
  wrong += tacit_start(s) != TACIT_ERR_STATE;
  wrong += tacit_graph_free(&g) + tacit_schedule_free(&s) + calls_without_mpi();
  return failed + wrong;
}
