// The C API from outside: traps of MPI's collectives (SEMANTICS 4), reuse, several schedules in flight,
// communicators, datatypes, one-sided operations, computations, and errors that must reach every rank.
#include "mpi_main.h"

#include <tacit/tacit.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
int size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// MPI_COMM_WORLD's group with errors returned.
class returning_comm : public testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ASSERT_EQ(tacit_graph_create(comm, &graph), TACIT_SUCCESS);
  }
  void TearDown() override {
    if (schedule) {
      EXPECT_EQ(tacit_schedule_free(&schedule), TACIT_SUCCESS);
    }
    EXPECT_EQ(tacit_graph_free(&graph), TACIT_SUCCESS);
    MPI_Comm_free(&comm);
  }
  /// What is found runs, whatever it is predicted to take.
  void compile_replacing() {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_replace", "always");
    ASSERT_EQ(tacit_compile(graph, info, &schedule), TACIT_SUCCESS) << tacit_last_error();
    MPI_Info_free(&info);
  }
  void compile(const char* driver = nullptr) {
    MPI_Info info = MPI_INFO_NULL;
    if (driver) {
      MPI_Info_create(&info);
      MPI_Info_set(info, "tacit_driver", driver);
    }
    ASSERT_EQ(tacit_compile(graph, info, &schedule), TACIT_SUCCESS) << tacit_last_error();
    if (driver)
      MPI_Info_free(&info);
  }
  std::string explain(int format = TACIT_EXPLAIN_TEXT) {
    size_t needed = 0;
    tacit_explain(schedule, format, nullptr, 0, &needed);
    std::vector<char> text(needed);
    tacit_explain(schedule, format, text.data(), needed, nullptr);
    return text.data();
  }
  MPI_Comm comm = MPI_COMM_NULL;
  tacit_graph graph = TACIT_GRAPH_NULL;
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
};
using capi = returning_comm;

TEST_F(capi, own_slot_of_an_allgather_is_not_written) {
  std::vector<int> slots(static_cast<std::size_t>(size()), -7);
  int mine = 0;
  for (int i = 0; i < size(); ++i) {
    if (i == rank())
      continue;
    tacit_graph_send(graph, &mine, 1, MPI_INT, i, 5, nullptr);
    tacit_graph_recv(graph, &slots[static_cast<std::size_t>(i)], 1, MPI_INT, i, 5, nullptr);
  }
  compile();
  if (size() > 2) {
    EXPECT_NE(explain().find("found: allgather"), std::string::npos) << explain();
  }
  for (int round = 0; round < 3; ++round) {
    mine = 100 * round + rank();
    ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS);
    for (int i = 0; i < size(); ++i)
      EXPECT_EQ(slots[static_cast<std::size_t>(i)], i == rank() ? -7 : 100 * round + i);
  }
}

TEST_F(capi, self_block_of_an_alltoall_is_untouched) {
  for (const int block : {2, 600}) { // below and above the packing limit
    tacit_graph g;
    tacit_schedule s;
    ASSERT_EQ(tacit_graph_create(comm, &g), TACIT_SUCCESS);
    const auto n = static_cast<std::size_t>(block) * static_cast<std::size_t>(size());
    std::vector<int> out(n), in(n, -3);
    std::iota(out.begin(), out.end(), 1000 * rank());
    for (int i = 0; i < size(); ++i) {
      if (i == rank())
        continue;
      tacit_graph_send(g, &out[static_cast<std::size_t>(i * block)], block, MPI_INT, i, 0, nullptr);
      tacit_graph_recv(g, &in[static_cast<std::size_t>(i * block)], block, MPI_INT, i, 0, nullptr);
    }
    ASSERT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << tacit_last_error();
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    for (int i = 0; i < size(); ++i)
      for (int k = 0; k < block; ++k)
        ASSERT_EQ(in[static_cast<std::size_t>(i * block + k)],
                  i == rank() ? -3 : 1000 * i + rank() * block + k);
    tacit_schedule_free(&s);
    tacit_graph_free(&g);
  }
}

TEST_F(capi, swap_in_place) {
  int value = 0;
  const int partner = rank() ^ 1;
  if (partner < size()) {
    tacit_op sent = -1, received = -1;
    int other = 0;
    tacit_graph_send(graph, &value, 1, MPI_INT, partner, 0, &sent);
    tacit_graph_recv(graph, &other, 1, MPI_INT, partner, 0, &received);
    tacit_op copied = -1;
    tacit_graph_copy(graph, &other, 1, MPI_INT, &value, 1, MPI_INT, &copied);
    tacit_graph_depend(graph, received, copied);
    tacit_graph_depend(graph, sent, copied);
    tacit_graph_scratch(graph, &other, 1, MPI_INT);
    compile();
    value = rank();
    tacit_run(schedule);
    EXPECT_EQ(value, partner);
    return;
  }
  compile();
  tacit_run(schedule);
}

TEST_F(capi, forwarded_data_that_landed_in_user_memory_arrives_there_too) {
  // A chain 0 → 1 → … : every stop keeps its copy (E9), and the last one gets the first one's bytes.
  std::vector<char> data(10, static_cast<char>(rank()));
  tacit_op received = -1, sent = -1;
  if (rank() > 0)
    tacit_graph_recv(graph, data.data(), 10, MPI_CHAR, rank() - 1, 0, &received);
  if (rank() + 1 < size())
    tacit_graph_send(graph, data.data(), 10, MPI_CHAR, rank() + 1, 0, &sent);
  if (received >= 0 && sent >= 0)
    tacit_graph_depend(graph, received, sent);
  compile();
  if (size() > 2) {
    EXPECT_NE(explain().find("found: bcast"), std::string::npos) << explain();
  }
  for (char round = 1; round < 4; ++round) {
    if (rank() == 0)
      std::fill(data.begin(), data.end(), round);
    tacit_run(schedule);
    EXPECT_EQ(data, std::vector<char>(10, round));
  }
}

TEST_F(capi, zero_byte_orders_are_kept) {
  // Everybody hears from everybody by messages without bytes: a barrier, and it must remain one.
  for (int i = 0; i < size(); ++i) {
    if (i == rank())
      continue;
    tacit_graph_send(graph, nullptr, 0, MPI_BYTE, i, 0, nullptr);
    tacit_graph_recv(graph, nullptr, 0, MPI_BYTE, i, 0, nullptr);
  }
  compile();
  if (size() == 1)
    return;
  int flag = 1;
  if (rank() != 0) {
    tacit_start(schedule);
    for (int i = 0; i < 200; ++i) {
      tacit_test(schedule, &flag);
      ASSERT_EQ(flag, 0) << "left before rank 0 came";
    }
  }
  MPI_Barrier(comm); // rank 0 starts only after everybody has looked
  if (rank() == 0)
    tacit_start(schedule);
  EXPECT_EQ(tacit_wait(schedule), TACIT_SUCCESS);
}

TEST_F(capi, large_broadcast_by_isends_does_not_hang) {
  std::vector<char> data(4 << 20, static_cast<char>(rank() + 1));
  if (rank() == 0)
    for (int i = 1; i < size(); ++i)
      tacit_graph_send(graph, data.data(), 4 << 20, MPI_CHAR, i, 0, nullptr);
  else
    tacit_graph_recv(graph, data.data(), 4 << 20, MPI_CHAR, 0, 0, nullptr);
  compile();
  tacit_run(schedule);
  EXPECT_EQ(data.front(), 1);
  EXPECT_EQ(data.back(), 1);
}

/// Rank 0 sends to all others; rank 1 starts only after the last rank has finished. As written this ends, because
/// the last rank needs nothing from rank 1. (By default it may hang: tacit.h, tacit_compile.)
void run_with_a_late_rank(tacit_schedule schedule, MPI_Comm comm) {
  int word = 0;
  if (rank() == 1)
    MPI_Recv(&word, 1, MPI_INT, size() - 1, 0, comm, MPI_STATUS_IGNORE);
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
  if (rank() == size() - 1)
    MPI_Send(&word, 1, MPI_INT, 1, 0, comm);
}

TEST_F(capi, a_rank_that_starts_late_holds_up_nobody_as_written) {
  if (size() < 3)
    return;
  for (const int bytes : {8, 1 << 20})
    for (const bool by_variable : {false, true}) {
      std::vector<char> data(static_cast<std::size_t>(bytes), static_cast<char>(rank() + 1));
      tacit_graph g;
      tacit_schedule s;
      ASSERT_EQ(tacit_graph_create(comm, &g), TACIT_SUCCESS);
      if (rank() == 0)
        for (int i = 1; i < size(); ++i)
          tacit_graph_send(g, data.data(), bytes, MPI_CHAR, i, 0, nullptr);
      else
        tacit_graph_recv(g, data.data(), bytes, MPI_CHAR, 0, 0, nullptr);
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Info_set(info, "tacit_progress", by_variable ? "collective" : "as_written");
      if (by_variable)
        setenv("TACIT_GRAPH_PROGRESS", "as_written", 1);
      ASSERT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
      unsetenv("TACIT_GRAPH_PROGRESS");
      MPI_Info_free(&info);
      std::swap(s, schedule);
      EXPECT_NE(explain().find("runs as written: TACIT-045"), std::string::npos) << explain();
      run_with_a_late_rank(schedule, comm);
      EXPECT_EQ(data.front(), 1);
      EXPECT_EQ(data.back(), 1);
      std::swap(s, schedule);
      tacit_schedule_free(&s);
      tacit_graph_free(&g);
    }
}

TEST_F(capi, collectives_in_which_all_wait_for_all_are_used_as_written_too) {
  std::vector<int> slots(static_cast<std::size_t>(size()), -7);
  int mine = rank();
  for (int i = 0; i < size(); ++i) {
    if (i == rank())
      continue;
    tacit_graph_send(graph, &mine, 1, MPI_INT, i, 5, nullptr);
    tacit_graph_recv(graph, &slots[static_cast<std::size_t>(i)], 1, MPI_INT, i, 5, nullptr);
  }
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_progress", "as_written");
  MPI_Info_set(info, "tacit_replace", "always");
  ASSERT_EQ(tacit_compile(graph, info, &schedule), TACIT_SUCCESS) << tacit_last_error();
  MPI_Info_free(&info);
  if (size() > 2) {
    EXPECT_NE(explain(TACIT_EXPLAIN_JSON).find("\"as_written\":false"), std::string::npos) << explain();
  }
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS);
  for (int i = 0; i < size(); ++i)
    EXPECT_EQ(slots[static_cast<std::size_t>(i)], i == rank() ? -7 : i);
}

TEST_F(capi, several_in_flight_completed_in_opposite_orders) {
  // As written, chains need every rank to progress both schedules while it waits for one of them.
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_replace", "false");
  constexpr std::size_t many = 4;
  std::vector<int> data(many);
  std::vector<tacit_schedule> all(many);
  for (std::size_t k = 0; k < many; ++k) {
    tacit_graph g;
    tacit_graph_create(comm, &g);
    tacit_op last = -1;
    for (int hop = 0; hop < 3 * size(); ++hop) { // three times around the ring
      tacit_op op = -1;
      if (size() == 1)
        break;
      if (hop % size() == rank())
        tacit_graph_send(g, &data[k], 1, MPI_INT, (rank() + 1) % size(), 0, &op);
      if ((hop + 1) % size() == rank())
        tacit_graph_recv(g, &data[k], 1, MPI_INT, (rank() + size() - 1) % size(), 0, &op);
      if (op < 0)
        continue;
      if (last >= 0)
        tacit_graph_depend(g, last, op);
      last = op;
    }
    ASSERT_EQ(tacit_compile(g, info, &all[k]), TACIT_SUCCESS) << tacit_last_error();
    tacit_graph_free(&g);
  }
  MPI_Info_free(&info);
  for (int round = 1; round < 4; ++round) {
    for (std::size_t k = 0; k < many; ++k)
      data[k] = rank() == 0 ? round * 10 + static_cast<int>(k) : -1;
    for (std::size_t k = 0; k < many; ++k)
      ASSERT_EQ(tacit_start(all[k]), TACIT_SUCCESS);
    for (std::size_t k = 0; k < many; ++k)
      ASSERT_EQ(tacit_wait(all[rank() % 2 == 0 ? k : many - 1 - k]), TACIT_SUCCESS);
    for (std::size_t k = 0; k < many && size() > 1; ++k)
      EXPECT_EQ(data[k], round * 10 + static_cast<int>(k));
  }
  for (tacit_schedule& s : all)
    EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
}

TEST_F(capi, split_and_reversed_communicators_with_derived_types) {
  MPI_Comm half;
  MPI_Comm_split(comm, rank() % 2, -rank(), &half);
  int n = 0, me = 0;
  MPI_Comm_size(half, &n);
  MPI_Comm_rank(half, &me);
  tacit_graph g;
  tacit_schedule s;
  tacit_graph_create(half, &g);
  MPI_Datatype column; // freed before use: only its description counts; not committed either
  MPI_Type_vector(4, 1, n, MPI_INT, &column);
  std::vector<int> matrix(static_cast<std::size_t>(4 * n)), rows(static_cast<std::size_t>(4 * n), -1);
  for (int i = 0; i < n; ++i) {
    tacit_graph_send(g, &matrix[static_cast<std::size_t>(i)], 1, column, i, 0, nullptr);
    tacit_graph_recv(g, &rows[static_cast<std::size_t>(4 * i)], 4, MPI_INT, i, 0, nullptr);
  }
  MPI_Type_free(&column);
  ASSERT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << tacit_last_error();
  for (std::size_t k = 0; k < matrix.size(); ++k)
    matrix[k] = me * 1000 + static_cast<int>(k);
  tacit_run(s);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(rows[static_cast<std::size_t>(4 * i + k)], i * 1000 + k * n + me);
  tacit_schedule_free(&s);
  tacit_graph_free(&g);
  MPI_Comm_free(&half);
}

/// Open MPI 4.1.4 gives windows that both halves make at the same time one memory.
TEST_F(capi, halves_do_not_share_windows) {
  MPI_Comm half;
  MPI_Comm_split(comm, rank() % 2, rank(), &half);
  int n = 0;
  MPI_Comm_size(half, &n);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_driver", "rma");
  for (int round = 0; round < 5; ++round) {
    std::vector<int> out(static_cast<std::size_t>(n)), in(static_cast<std::size_t>(n), -1);
    tacit_graph g;
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    tacit_graph_create(half, &g);
    for (int i = 0; i < n; ++i) {
      out[static_cast<std::size_t>(i)] = rank() * 100 + round;
      tacit_graph_send(g, &out[static_cast<std::size_t>(i)], 1, MPI_INT, i, 0, nullptr);
      tacit_graph_recv(g, &in[static_cast<std::size_t>(i)], 1, MPI_INT, i, 0, nullptr);
    }
    const int made = tacit_compile(g, info, &s);
    tacit_graph_free(&g);
#ifdef OPEN_MPI
    if (size() > 1) {
      EXPECT_NE(made, TACIT_SUCCESS);
      EXPECT_NE(std::string_view(tacit_last_error()).find("all processes"), std::string_view::npos)
          << tacit_last_error();
      continue;
    }
#endif
    ASSERT_EQ(made, TACIT_SUCCESS) << tacit_last_error();
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(in[static_cast<std::size_t>(i)], (rank() % 2 + 2 * i) * 100 + round);
    tacit_schedule_free(&s);
  }
  MPI_Info_free(&info);
  MPI_Comm_free(&half);
}

TEST_F(capi, puts_and_gets_between_fences) {
  int window[3] = {rank(), -1, -1}, fetched = -1;
  const int right = (rank() + 1) % size();
  std::vector<MPI_Aint> places(static_cast<std::size_t>(size()));
  MPI_Aint mine;
  MPI_Get_address(window, &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, places.data(), 1, MPI_AINT, comm);
  const MPI_Aint there = places[static_cast<std::size_t>(right)];
  const auto at = [](MPI_Aint base, int i) {
    return base + static_cast<MPI_Aint>(i * static_cast<int>(sizeof(int)));
  };
  tacit_graph_fence(graph, nullptr);
  tacit_graph_put(graph, &window[0], 1, MPI_INT, right, at(there, 1), 1, MPI_INT, nullptr);
  tacit_graph_fence(graph, nullptr);
  tacit_graph_get(graph, &fetched, 1, MPI_INT, right, at(there, 1), 1, MPI_INT, nullptr);
  tacit_graph_fence(graph, nullptr);
  for (const char* replace : {"true", "false"}) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_replace", replace);
    tacit_schedule s;
    ASSERT_EQ(tacit_compile(graph, info, &s), TACIT_SUCCESS) << tacit_last_error();
    window[1] = fetched = -1;
    tacit_run(s);
    EXPECT_EQ(window[1], (rank() + size() - 1) % size());
    EXPECT_EQ(fetched, rank());
    EXPECT_EQ(window[2], -1);
    tacit_schedule_free(&s);
    MPI_Info_free(&info);
  }
}

struct counter {
  int *in, *out, calls;
};

TEST_F(capi, computations_run_where_they_stand) {
  int value = 0, doubled = 0, result = 0;
  counter c{&value, &doubled, 0};
  tacit_op received = -1, computed = -1, sent = -1;
  tacit_graph_recv(graph, &value, 1, MPI_INT, (rank() + size() - 1) % size(), 0, &received);
  int own = rank();
  tacit_graph_send(graph, &own, 1, MPI_INT, (rank() + 1) % size(), 0, nullptr);
  tacit_graph_compute(
      graph,
      [](void* context) {
        auto* data = static_cast<counter*>(context);
        *data->out = 2 * *data->in;
        ++data->calls;
        tacit_graph none = TACIT_GRAPH_NULL;
        EXPECT_EQ(tacit_graph_create(MPI_COMM_WORLD, &none), TACIT_ERR_STATE);
      },
      &c, &value, 1, MPI_INT, &doubled, 1, MPI_INT, &computed);
  tacit_graph_depend(graph, received, computed);
  tacit_graph_send(graph, &doubled, 1, MPI_INT, (rank() + 1) % size(), 1, &sent);
  tacit_graph_depend(graph, computed, sent);
  tacit_graph_recv(graph, &result, 1, MPI_INT, (rank() + size() - 1) % size(), 1, nullptr);
  compile();
  if (size() > 1) { // one rank copies, which is cheaper than a message to itself
    EXPECT_NE(explain().find("TACIT-040"), std::string::npos) << explain();
  }
  for (int round = 1; round < 3; ++round) {
    tacit_run(schedule);
    EXPECT_EQ(c.calls, round);
    EXPECT_EQ(result, 2 * ((rank() + 2 * size() - 2) % size()));
  }
}

/// Three pieces of two types here, two there, cut otherwise; what is computed of both halves, and copied to two places.
TEST_F(capi, several_buffers_are_one) {
  int first[2] = {rank(), rank() + 1}, last = rank() + 2, got = -1, more[3] = {-1, -1, -1};
  double middle = rank() + 0.5;
  const auto address = [](const void* at) {
    MPI_Aint out = 0;
    MPI_Get_address(at, &out);
    return out;
  };
  // 8, 8 and 4 bytes arrive as 4 and 12, and 4 that lie apart.
  unsigned char tail[12] = {};
  const MPI_Aint sent_at[] = {address(first), address(&middle), address(&last)};
  const MPI_Count sent_counts[] = {2, 1, 1};
  const MPI_Datatype sent_types[] = {MPI_INT, MPI_DOUBLE, MPI_INT};
  const MPI_Aint received_at[] = {address(&got), address(tail), address(&more[1])};
  const MPI_Count received_counts[] = {4, 12, 1};
  const MPI_Datatype received_types[] = {MPI_BYTE, MPI_BYTE, MPI_INT};
  tacit_op received = -1, computed = -1, copied = -1;
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  ASSERT_EQ(tacit_graph_sendw(graph, TACIT_COMM_GRAPH, 3, sent_at, sent_counts, sent_types, next, 4, nullptr),
            TACIT_SUCCESS);
  ASSERT_EQ(tacit_graph_recvw(graph, TACIT_COMM_GRAPH, 3, received_at, received_counts, received_types,
                              previous, 4, &received),
            TACIT_SUCCESS);
  struct sums {
    int *a, *b, sum, difference;
  } s{&got, &more[1], 0, 0};
  const MPI_Aint read_at[] = {address(&got), address(&more[1])};
  const MPI_Aint written_at[] = {address(&s.sum), address(&s.difference)};
  const MPI_Count ones[] = {1, 1};
  const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
  ASSERT_EQ(tacit_graph_computew(
                graph,
                [](void* context) {
                  auto* data = static_cast<sums*>(context);
                  data->sum = *data->a + *data->b;
                  data->difference = *data->b - *data->a;
                },
                &s, 2, read_at, ones, ints, 2, written_at, ones, ints, &computed),
            TACIT_SUCCESS);
  tacit_graph_depend(graph, received, computed);
  const MPI_Aint copied_to[] = {address(&more[2]), address(&more[0])};
  ASSERT_EQ(tacit_graph_copyw(graph, 2, written_at, ones, ints, 2, copied_to, ones, ints, &copied),
            TACIT_SUCCESS);
  tacit_graph_depend(graph, computed, copied);
  compile();
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
  double there = 0;
  std::memcpy(&there, tail + 4, sizeof there);
  EXPECT_EQ(got, previous);
  EXPECT_EQ(there, previous + 0.5);
  EXPECT_EQ(more[1], previous + 2);
  EXPECT_EQ(more[2], 2 * previous + 2);
  EXPECT_EQ(more[0], 2);
}

TEST_F(capi, what_arrives_is_combined_into_several_buffers) {
  const int next = (rank() + 1) % size(), previous = (rank() + size() - 1) % size();
  const int sent[] = {rank(), rank() + 10, rank() + 20, rank() + 30};
  int first[] = {1, 2}, apart[] = {-1, 3, -1, 4};
  MPI_Aint at[3] = {};
  MPI_Get_address(&apart[3], &at[0]); // the last element first
  MPI_Get_address(first, &at[1]);
  MPI_Get_address(&apart[1], &at[2]);
  const MPI_Count counts[] = {1, 2, 1};
  ASSERT_EQ(tacit_graph_send(graph, sent, 4, MPI_INT, next, 5, nullptr), TACIT_SUCCESS);
  ASSERT_EQ(tacit_graph_recv_reducew(graph, TACIT_COMM_GRAPH, 3, at, counts, MPI_INT, MPI_SUM, previous, 5,
                                     nullptr),
            TACIT_SUCCESS);
  ASSERT_EQ(tacit_graph_recv_reducew(graph, TACIT_COMM_GRAPH, 1, nullptr, nullptr, MPI_INT, MPI_SUM,
                                     MPI_PROC_NULL, 5, nullptr),
            TACIT_SUCCESS);
  compile();
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(apart[3], 4 + previous);
  EXPECT_EQ(first[0], 1 + previous + 10);
  EXPECT_EQ(first[1], 2 + previous + 20);
  EXPECT_EQ(apart[1], 3 + previous + 30);
  EXPECT_EQ(apart[0] + apart[2], -2);
}

TEST_F(capi, pieces_that_are_wrong_are_named) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  MPI_Aint at[] = {0, 0};
  MPI_Get_address(&value, &at[0]);
  at[1] = at[0];
  const MPI_Count counts[] = {1, -1};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  EXPECT_EQ(tacit_graph_sendw(graph, TACIT_COMM_GRAPH, 2, at, counts, types, 0, 0, nullptr),
            TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("piece 1 of the buffer"), std::string::npos)
      << tacit_last_error();
  EXPECT_EQ(tacit_graph_recvw(graph, TACIT_COMM_GRAPH, -1, at, counts, types, 0, 0, nullptr),
            TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_recvw(graph, TACIT_COMM_GRAPH, 1, nullptr, counts, types, 0, 0, nullptr),
            TACIT_ERR_ARGUMENT);
  EXPECT_EQ(
      tacit_graph_recv_reducew(graph, TACIT_COMM_GRAPH, -1, at, counts, MPI_INT, MPI_SUM, 0, 0, nullptr),
      TACIT_ERR_ARGUMENT);
  tacit_schedule none = TACIT_SCHEDULE_NULL;
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, &none), TACIT_ERR_ARGUMENT);
}

TEST_F(capi, nobody_has_no_memory_to_put_into) {
  int value = 3;
  EXPECT_EQ(tacit_graph_put(graph, &value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, nullptr), TACIT_SUCCESS)
      << tacit_last_error();
  EXPECT_EQ(tacit_graph_get(graph, &value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, nullptr), TACIT_SUCCESS)
      << tacit_last_error();
  compile();
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(value, 3);
}

/// As below, without marks: computations end stages by themselves.
TEST_F(capi, exchanges_around_a_computation_are_replaced) {
  const auto n = static_cast<std::size_t>(size());
  std::vector<int> out(n), between(n, -1), in(n, -1);
  std::vector<tacit_op> received(n, -1);
  tacit_op computed = -1;
  for (int peer = 0; peer < size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    tacit_graph_send(graph, &out[at], 1, MPI_INT, peer, 0, nullptr);
    tacit_graph_recv(graph, &between[at], 1, MPI_INT, peer, 0, &received[at]);
  }
  tacit_graph_compute(
      graph,
      [](void* context) {
        for (int& x : *static_cast<std::vector<int>*>(context))
          x = 2 * x + 1;
      },
      &between, between.data(), size(), MPI_INT, between.data(), size(), MPI_INT, &computed);
  for (const tacit_op op : received)
    tacit_graph_depend(graph, op, computed);
  for (int peer = 0; peer < size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    tacit_op sent = -1;
    tacit_graph_send(graph, &between[at], 1, MPI_INT, peer, 0, &sent);
    tacit_graph_depend(graph, computed, sent);
    tacit_graph_recv(graph, &in[at], 1, MPI_INT, peer, 0, nullptr);
  }
  compile_replacing();
  const std::string text = explain();
  if (size() >= 3) {
    EXPECT_NE(text.find("found in stage 1: alltoall among " + std::to_string(size())), std::string::npos)
        << text;
    EXPECT_NE(text.find("found in stage 3: alltoall among " + std::to_string(size())), std::string::npos)
        << text;
    EXPECT_EQ(text.find("runs as written"), std::string::npos) << text;
  }
  for (int round = 1; round < 4; ++round) {
    for (int peer = 0; peer < size(); ++peer)
      out[static_cast<std::size_t>(peer)] = 1000 * rank() + 10 * peer + round;
    ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
    for (int peer = 0; peer < size(); ++peer) // my own words come back, doubled by the peer
      EXPECT_EQ(in[static_cast<std::size_t>(peer)], 2 * (1000 * rank() + 10 * peer + round) + 1);
  }
}

/// An exchange, a computation on what came, an exchange of its results: the computation keeps its place, and each exchange can be
/// replaced by itself.
class staged_exchanges : public capi {
protected:
  void build() {
    for (auto* list : {&out, &between, &in})
      list->assign(static_cast<std::size_t>(size()), -1);
    exchange(out, between, 0);
    ASSERT_EQ(tacit_graph_stage(graph, nullptr), TACIT_SUCCESS);
    tacit_graph_compute(
        graph,
        [](void* context) {
          auto* self = static_cast<staged_exchanges*>(context);
          for (int& x : self->between)
            x = 2 * x + 1;
          ++self->calls;
        },
        this, between.data(), size(), MPI_INT, between.data(), size(), MPI_INT, nullptr);
    tacit_op mark = -1;
    ASSERT_EQ(tacit_graph_stage(graph, &mark), TACIT_SUCCESS);
    EXPECT_EQ(mark, 2 * (size() - 1) + 3) << "messages, a copy, a mark and a computation come first";
    exchange(between, in, 1);
  }
  void exchange(std::vector<int>& from, std::vector<int>& into, int tag) {
    for (int peer = 0; peer < size(); ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      if (peer == rank()) {
        tacit_graph_copy(graph, &from[at], 1, MPI_INT, &into[at], 1, MPI_INT, nullptr);
        continue;
      }
      tacit_graph_send(graph, &from[at], 1, MPI_INT, peer, tag, nullptr);
      tacit_graph_recv(graph, &into[at], 1, MPI_INT, peer, tag, nullptr);
    }
  }
  void run_and_look() {
    for (int round = 1; round < 5; ++round) {
      for (int peer = 0; peer < size(); ++peer)
        out[static_cast<std::size_t>(peer)] = 1000 * rank() + 10 * peer + round;
      const int before = calls;
      ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
      EXPECT_EQ(calls, before + 1);
      for (int peer = 0; peer < size(); ++peer) // my own words come back, doubled by the peer
        EXPECT_EQ(in[static_cast<std::size_t>(peer)], 2 * (1000 * rank() + 10 * peer + round) + 1);
    }
  }
  static void treble(void* context) {
    auto* self = static_cast<staged_exchanges*>(context);
    for (int& x : self->between)
      x = 3 * x + self->calls;
    ++self->calls;
  }
  std::vector<int> out, between, in;
  int calls = 0;
};

TEST_F(staged_exchanges, are_replaced_around_a_computation) {
  build();
  compile_replacing();
  const std::string text = explain();
  EXPECT_NE(explain(TACIT_EXPLAIN_JSON).find("\"stages\":[{\"found\":["), std::string::npos);
  if (size() >= 3) {
    EXPECT_NE(text.find("found in stage 1: alltoall among " + std::to_string(size())), std::string::npos)
        << text;
    EXPECT_NE(text.find("found in stage 3: alltoall among " + std::to_string(size())), std::string::npos)
        << text;
    EXPECT_NE(text.find("collectives in stages by coll"), std::string::npos) << text;
    EXPECT_EQ(text.find("runs as written"), std::string::npos) << text;
  }
  run_and_look();
}

/// A computation on bytes that no message touches leaves the exchange beside it to MPI's collective, in whatever order they are written.
TEST_F(staged_exchanges, are_replaced_beside_a_computation) {
  for (auto* list : {&out, &between, &in})
    list->assign(static_cast<std::size_t>(size()), 7);
  tacit_graph_compute(graph, treble, this, between.data(), size(), MPI_INT, between.data(), size(), MPI_INT,
                      nullptr);
  exchange(out, in, 0);
  compile_replacing();
  if (size() >= 3) {
    EXPECT_EQ(explain().find("runs as written"), std::string::npos) << explain();
  }
  int wanted = 7;
  for (int round = 1; round < 5; ++round) {
    for (int peer = 0; peer < size(); ++peer)
      out[static_cast<std::size_t>(peer)] = 1000 * rank() + 10 * peer + round;
    wanted = 3 * wanted + round - 1;
    ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
    EXPECT_EQ(calls, round);
    EXPECT_EQ(between, std::vector<int>(static_cast<std::size_t>(size()), wanted));
    for (int peer = 0; peer < size(); ++peer)
      EXPECT_EQ(in[static_cast<std::size_t>(peer)], 1000 * peer + 10 * rank() + round);
  }
}

TEST_F(capi, ranks_that_end_different_numbers_of_stages_are_named) {
  if (size() < 2)
    return;
  int value = rank() == 0 ? 7 : 0;
  for (int to = 1; to < size() && rank() == 0; ++to)
    tacit_graph_send(graph, &value, 1, MPI_INT, to, 0, nullptr);
  if (rank() > 0)
    tacit_graph_recv(graph, &value, 1, MPI_INT, 0, 0, nullptr);
  if (rank() == 1)
    tacit_graph_stage(graph, nullptr);
  compile();
  EXPECT_NE(explain().find("not looked at in stages: rank 0 ends 0 stages, rank 1 ends 1"), std::string::npos)
      << explain();
  EXPECT_EQ(tacit_run(schedule), TACIT_SUCCESS);
  EXPECT_EQ(value, 7);
}

TEST_F(staged_exchanges, run_right_by_every_driver) {
  build();
  for (const char* driver : {"p2p", "shm", "rma", "coll"}) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_driver", driver);
    if (tacit_compile(graph, info, &schedule) == TACIT_SUCCESS) {
      run_and_look();
      EXPECT_EQ(tacit_schedule_free(&schedule), TACIT_SUCCESS);
    }
    MPI_Info_free(&info);
  }
  compile();
  run_and_look();
}

TEST_F(capi, every_driver_by_name_and_dry_does_nothing) {
  int value = rank() == 0 ? 5 : -1;
  if (rank() == 0)
    for (int i = 1; i < size(); ++i)
      tacit_graph_send(graph, &value, 1, MPI_INT, i, 0, nullptr);
  else
    tacit_graph_recv(graph, &value, 1, MPI_INT, 0, 0, nullptr);
  for (const char* name : {"coll", "p2p", "dry"}) {
    value = rank() == 0 ? 5 : -1;
    compile(name);
    tacit_run(schedule);
    EXPECT_EQ(value, rank() == 0 || std::string(name) != "dry" ? 5 : -1);
    EXPECT_NE(explain(TACIT_EXPLAIN_JSON).find(std::string("\"driver\":\"") + name), std::string::npos);
    tacit_schedule_free(&schedule);
  }
}

TEST_F(capi, null_process_and_empty_graph) {
  EXPECT_EQ(tacit_graph_send(graph, nullptr, -3, MPI_INT, MPI_PROC_NULL, 0, nullptr), TACIT_ERR_ARGUMENT);
  tacit_graph_free(&graph);
  tacit_graph_create(comm, &graph);
  tacit_op op = -1;
  int x = 1;
  const MPI_Aint nowhere = 0;
  const MPI_Count three = 3;
  const MPI_Datatype type = MPI_INT;
  EXPECT_EQ(tacit_graph_send(graph, nullptr, 3, MPI_INT, MPI_PROC_NULL, 0, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_recv(graph, nullptr, 3, MPI_INT, MPI_PROC_NULL, 0, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_recv_reduce(graph, nullptr, 3, MPI_INT, MPI_SUM, MPI_PROC_NULL, 0, nullptr),
            TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_put(graph, nullptr, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, nullptr),
            TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_sendw(graph, TACIT_COMM_GRAPH, 1, &nowhere, &three, &type, MPI_PROC_NULL, 0, nullptr),
            TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_recvw(graph, TACIT_COMM_GRAPH, 1, &nowhere, &three, &type, MPI_PROC_NULL, 0, nullptr),
            TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_send(graph, &x, 1, MPI_INT, MPI_PROC_NULL, 0, &op), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_recv(graph, &x, 1, MPI_INT, MPI_PROC_NULL, 0, nullptr), TACIT_SUCCESS);
  compile();
  EXPECT_EQ(tacit_run(schedule), TACIT_SUCCESS);
  EXPECT_EQ(x, 1);
}

// --- errors ---

TEST_F(capi, an_argument_error_of_one_rank_reaches_all) {
  int x = 0;
  const int bad = size() - 1;
  if (rank() == bad) {
    EXPECT_EQ(tacit_graph_send(graph, &x, -1, MPI_INT, 0, 0, nullptr), TACIT_ERR_ARGUMENT);
  }
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("rank " + std::to_string(bad)), std::string::npos)
      << tacit_last_error();
  EXPECT_EQ(schedule, TACIT_SCHEDULE_NULL);
}

TEST_F(capi, each_bad_argument_is_named) {
  int x = 0;
  const auto expect = [&](int code, const char* words) {
    EXPECT_EQ(code, TACIT_ERR_ARGUMENT) << words;
    EXPECT_NE(std::string(tacit_last_error()).find(words), std::string::npos) << tacit_last_error();
  };
  expect(tacit_graph_send(graph, &x, 1, MPI_DATATYPE_NULL, 0, 0, nullptr), "MPI_DATATYPE_NULL");
  expect(tacit_graph_send(graph, &x, 1, MPI_INT, size(), 0, nullptr), "not in the communicator");
  expect(tacit_graph_send(graph, &x, 1, MPI_INT, 0, -5, nullptr), "tag");
  expect(tacit_graph_recv(graph, &x, 1, MPI_INT, MPI_ANY_SOURCE, 0, nullptr), "MPI_ANY_SOURCE");
  expect(tacit_graph_recv(graph, &x, 1, MPI_INT, 0, MPI_ANY_TAG, nullptr), "MPI_ANY_TAG");
  expect(tacit_graph_copy(graph, &x, 1, MPI_INT, &x, 2, MPI_INT, nullptr), "4 B");
  expect(tacit_graph_depend(graph, 0, 1), "does not exist");
  expect(tacit_graph_send(TACIT_GRAPH_NULL, &x, 1, MPI_INT, 0, 0, nullptr), "null");
  expect(tacit_start(TACIT_SCHEDULE_NULL), "null");
  tacit_graph none;
  expect(tacit_graph_create(MPI_COMM_NULL, &none), "MPI_COMM_NULL");
  expect(tacit_graph_create(comm, nullptr), "null");
}

TEST_F(capi, unmatched_send_is_an_error_everywhere_with_reason_and_remedy) {
  int x = 0;
  if (rank() == 0)
    tacit_graph_send(graph, &x, 1, MPI_INT, size() - 1, 17, nullptr);
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_ERR_GRAPH);
  const std::string text = tacit_last_error();
  EXPECT_NE(text.find("TACIT-002"), std::string::npos) << text;
  EXPECT_NE(text.find("operation 0 of rank 0"), std::string::npos) << text;
}

TEST_F(capi, race_is_an_error_everywhere) {
  int x = 0, y = 1;
  tacit_graph_copy(graph, &x, 1, MPI_INT, &y, 1, MPI_INT, nullptr);
  if (rank() == size() - 1)
    tacit_graph_copy(graph, &y, 1, MPI_INT, &x, 1, MPI_INT, nullptr);
  EXPECT_EQ(tacit_compile(graph, MPI_INFO_NULL, &schedule), TACIT_ERR_GRAPH);
  EXPECT_NE(std::string(tacit_last_error()).find("TACIT-004"), std::string::npos) << tacit_last_error();
}

TEST_F(capi, unknown_driver_and_info_keys_are_errors) {
  const char* pairs[][2] = {{"tacit_driver", "fast"},       {"tacit_policy", "none"},
                            {"tacit_density", "2"},         {"tacit_progress", "waits"},
                            {"tacit_plan", "no such plan"}, {"tacit_speed", "1"}};
  for (const auto& pair : pairs) {
    MPI_Info info = MPI_INFO_NULL;
    if (rank() == 0) { // one rank's mistake is everybody's
      MPI_Info_create(&info);
      MPI_Info_set(info, pair[0], pair[1]);
    }
    EXPECT_EQ(tacit_compile(graph, info, &schedule), TACIT_ERR_ENVIRONMENT) << pair[0];
    EXPECT_NE(std::string(tacit_last_error()).find(pair[0]), std::string::npos) << tacit_last_error();
    if (info != MPI_INFO_NULL)
      MPI_Info_free(&info);
  }
}

TEST_F(capi, the_word_mpi_concerns_neighborhood_collectives_only) {
  int x = 1, y = 2;
  tacit_graph_copy(graph, &x, 1, MPI_INT, &y, 1, MPI_INT, nullptr);
  setenv("TACIT_DRIVER", "mpi", 1);
  compile();
  unsetenv("TACIT_DRIVER");
  tacit_schedule_free(&schedule);
  compile("mpi");
  EXPECT_EQ(tacit_run(schedule), TACIT_SUCCESS);
  EXPECT_EQ(y, 1);
}

TEST_F(capi, a_communicator_freed_before_compiling_is_an_error) {
  MPI_Comm early;
  MPI_Comm_dup(comm, &early);
  tacit_graph g, sibling;
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_graph_create(early, &g), TACIT_SUCCESS);
  ASSERT_EQ(tacit_graph_create(early, &sibling), TACIT_SUCCESS);
  tacit_graph_free(&sibling);
  MPI_Comm_free(&early);
  int x = 0;
  tacit_comm added = 0;
  EXPECT_EQ(tacit_graph_copy(g, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_send(g, &x, 1, MPI_INT, size(), 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_add_comm(g, comm, &added), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("freed"), std::string::npos) << tacit_last_error();
  EXPECT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("freed"), std::string::npos) << tacit_last_error();
  EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
  tacit_graph_free(&g);
}

TEST_F(capi, the_graphs_own_communicator_may_be_added_too) {
  tacit_comm again = 0;
  ASSERT_EQ(tacit_graph_add_comm(graph, comm, &again), TACIT_SUCCESS);
  const int next = (rank() + 1) % size(), last = (rank() + size() - 1) % size();
  int out[2] = {rank(), 100 + rank()}, in[2] = {-1, -1};
  tacit_graph_send(graph, &out[0], 1, MPI_INT, next, 0, nullptr);
  tacit_graph_send_on(graph, again, &out[1], 1, MPI_INT, next, 0, nullptr);
  tacit_graph_recv_on(graph, again, &in[1], 1, MPI_INT, last, 0, nullptr);
  tacit_graph_recv(graph, &in[0], 1, MPI_INT, last, 0, nullptr);
  compile();
  ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(in[0], last);
  EXPECT_EQ(in[1], 100 + last);
}

TEST_F(capi, starting_twice_and_freeing_active_schedules) {
  int x = 0;
  tacit_graph_copy(graph, &x, 1, MPI_INT, &x, 1, MPI_INT, nullptr);
  if (size() > 1) {
    if (rank() == 0)
      tacit_graph_send(graph, nullptr, 0, MPI_INT, 1, 0, nullptr);
    if (rank() == 1)
      tacit_graph_recv(graph, nullptr, 0, MPI_INT, 0, 0, nullptr);
  }
  compile();
  int flag = 0;
  EXPECT_EQ(tacit_test(schedule, &flag), TACIT_SUCCESS);
  EXPECT_EQ(flag, 1) << "never started";
  EXPECT_EQ(tacit_wait(schedule), TACIT_SUCCESS);
  EXPECT_EQ(tacit_start(schedule), TACIT_SUCCESS);
  EXPECT_EQ(tacit_start(schedule), TACIT_ERR_STATE);
  EXPECT_EQ(tacit_schedule_free(&schedule), TACIT_ERR_STATE);
  EXPECT_EQ(tacit_wait(schedule), TACIT_SUCCESS);
}

int handler_calls = 0, handler_code = 0;
void count_errors(MPI_Comm*, int* code, ...) {
  ++handler_calls, handler_code = *code;
}

TEST_F(capi, errors_go_through_the_communicators_handler) {
  handler_calls = 0;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&count_errors, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int x = 0;
  tacit_graph_send(graph, &x, -1, MPI_INT, 0, 0, nullptr);
  EXPECT_EQ(handler_calls, 1);
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(handler_code, text, &length);
  EXPECT_NE(std::string(text).find("negative"), std::string::npos) << text;
  MPI_Errhandler_free(&handler);
}

TEST_F(capi, intercommunicators_are_refused) {
  if (size() < 2)
    return;
  MPI_Comm part, inter;
  MPI_Comm_split(comm, rank() == 0 ? 0 : 1, rank(), &part);
  MPI_Intercomm_create(part, 0, comm, rank() == 0 ? 1 : 0, 3, &inter);
  tacit_graph g;
  EXPECT_EQ(tacit_graph_create(inter, &g), TACIT_ERR_ARGUMENT);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

TEST_F(capi, explanations_are_cut_to_size) {
  compile();
  char text[8];
  size_t needed = 0;
  EXPECT_EQ(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, &needed), TACIT_SUCCESS);
  EXPECT_EQ(std::strlen(text), 7u);
  EXPECT_GT(needed, 8u);
  EXPECT_EQ(tacit_explain(schedule, 9, text, sizeof text, nullptr), TACIT_ERR_ARGUMENT);
  const auto json = nlohmann::json::parse(explain(TACIT_EXPLAIN_JSON));
  EXPECT_EQ(json.at("ranks"), size());
  EXPECT_EQ(json.at("driver"), "shm");
  EXPECT_TRUE(json.at("found").is_array());
}

TEST_F(capi, rows_of_a_grid_have_broadcasts_of_their_own) {
  const int columns = 4, row = rank() / columns, column = rank() % columns;
  if (size() % columns != 0 || size() == columns) // one row: the group is the whole graph
    return;
  MPI_Comm part;
  MPI_Comm_split(comm, row, -rank(), &part); // reversed: ranks of the row are not those of the graph
  MPI_Comm_set_name(part, "row");
  tacit_comm id = -1;
  ASSERT_EQ(tacit_graph_add_comm(graph, part, &id), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(id, 1);
  int in_row = 0;
  MPI_Comm_rank(part, &in_row);
  EXPECT_EQ(in_row, columns - 1 - column);
  MPI_Comm_free(&part);
  const int root = row % columns; // in the row
  std::vector<int> panel(100, -1);
  for (int to = 0; to < columns && in_row == root; ++to)
    if (to != root)
      tacit_graph_send_on(graph, id, panel.data(), 100, MPI_INT, to, 3, nullptr);
  if (in_row != root)
    tacit_graph_recv_on(graph, id, panel.data(), 100, MPI_INT, root, 3, nullptr);
  compile();
  const std::string text = explain();
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find("found: bcast among 4 ranks of row", at)) != std::string::npos;
       ++at)
    ++found;
  EXPECT_EQ(found, static_cast<std::size_t>(size() / columns)) << text;
  for (int round = 0; round < 3; ++round) {
    std::fill(panel.begin(), panel.end(), in_row == root ? 10 * round + row : -1);
    ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
    EXPECT_EQ(panel, std::vector<int>(100, 10 * round + row));
  }
}

/// No communicator has the ranks of a row; MPI's own collective needs one all the same.
TEST_F(capi, rows_of_a_grid_are_found_without_communicators) {
  const int columns = 4, row = rank() / columns;
  if (size() % columns != 0 || size() == columns)
    return;
  constexpr int block = 6;
  for (const char* driver : {"", "coll", "p2p", "shm"}) {
    tacit_graph g = TACIT_GRAPH_NULL;
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_graph_create(comm, &g), TACIT_SUCCESS);
    std::vector<int> out(columns * block), in(columns * block, -1);
    for (int to = 0; to < columns; ++to)
      if (row * columns + to != rank()) {
        tacit_graph_send(g, &out[static_cast<std::size_t>(to * block)], block, MPI_INT, row * columns + to, 0,
                         nullptr);
        tacit_graph_recv(g, &in[static_cast<std::size_t>(to * block)], block, MPI_INT, row * columns + to, 0,
                         nullptr);
      }
    MPI_Info wanted;
    MPI_Info_create(&wanted);
    if (*driver)
      MPI_Info_set(wanted, "tacit_driver", driver);
    ASSERT_EQ(tacit_compile(g, wanted, &s), TACIT_SUCCESS) << tacit_last_error();
    MPI_Info_free(&wanted);
    std::size_t needed = 0;
    std::string text(1 << 14, ' ');
    tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), &needed);
    EXPECT_NE(text.find("found: alltoall among 4 ranks of ranks-0-3"), std::string::npos) << text;
    EXPECT_NE(text.find("found: alltoall among 4 ranks of ranks-4-7"), std::string::npos) << text;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < columns * block; ++i)
        out[static_cast<std::size_t>(i)] = 1000 * rank() + i + round;
      ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
      for (int i = 0; i < columns * block; ++i) {
        const int from = row * columns + i / block, mine = rank() % columns;
        EXPECT_EQ(in[static_cast<std::size_t>(i)],
                  from == rank() ? -1 : 1000 * from + mine * block + i % block + round)
            << driver;
      }
    }
    tacit_schedule_free(&s);
    tacit_graph_free(&g);
  }
}

TEST_F(capi, added_communicators_are_known_by_number) {
  tacit_comm id = -1;
  int x = 0;
  ASSERT_EQ(tacit_graph_add_comm(graph, comm, &id), TACIT_SUCCESS);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(tacit_graph_send_on(graph, 7, &x, 1, MPI_INT, 0, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("communicator 7"), std::string::npos) << tacit_last_error();
  EXPECT_EQ(tacit_graph_fence_on(graph, -1, nullptr), TACIT_ERR_ARGUMENT);
}

TEST_F(capi, added_communicators_carry_messages_and_fences) {
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  tacit_comm a = 0, b = 0;
  ASSERT_EQ(tacit_graph_add_comm(graph, twin, &a), TACIT_SUCCESS);
  ASSERT_EQ(tacit_graph_add_comm(graph, twin, &b), TACIT_SUCCESS);
  MPI_Comm_free(&twin);
  const int next = (rank() + 1) % size(), last = (rank() + size() - 1) % size();
  int out[3] = {rank(), 100 + rank(), 200 + rank()}, in[3] = {-1, -1, -1};
  const tacit_comm order[3] = {TACIT_COMM_GRAPH, a, b};
  for (const int i : {0, 1, 2})
    tacit_graph_send_on(graph, order[i], &out[i], 1, MPI_INT, next, 0, nullptr);
  for (const int i : {2, 0, 1})
    tacit_graph_recv_on(graph, order[i], &in[i], 1, MPI_INT, last, 0, nullptr);
  EXPECT_EQ(tacit_graph_fence_on(graph, a, nullptr), TACIT_SUCCESS);
  for (const char* driver : {"coll", "p2p"}) {
    if (schedule)
      tacit_schedule_free(&schedule);
    compile(driver);
    std::fill(in, in + 3, -1);
    ASSERT_EQ(tacit_run(schedule), TACIT_SUCCESS) << tacit_last_error();
    for (const int i : {0, 1, 2})
      EXPECT_EQ(in[i], 100 * i + last);
  }
}

TEST_F(capi, added_communicators_must_lie_in_the_graph_and_errors_reach_all_members) {
  tacit_comm id = 0;
  EXPECT_EQ(tacit_graph_add_comm(rank() == 0 ? TACIT_GRAPH_NULL : graph, comm, &id), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_add_comm(graph, MPI_COMM_NULL, &id), TACIT_ERR_ARGUMENT);
  MPI_Comm part;
  MPI_Comm_split(comm, rank() == 0 ? 0 : 1, 0, &part);
  tacit_graph smaller;
  ASSERT_EQ(tacit_graph_create(part, &smaller), TACIT_SUCCESS);
  const int result = tacit_graph_add_comm(smaller, comm, &id);
  EXPECT_EQ(result, size() == 1 ? TACIT_SUCCESS : TACIT_ERR_ARGUMENT) << tacit_last_error();
  tacit_graph_free(&smaller);
  MPI_Comm_free(&part);
}

} // namespace

int main(int argc, char** argv) {
  const int result = tacit::test::mpi_main(argc, argv);
  tacit_graph late = TACIT_GRAPH_NULL;
  return tacit_graph_create(MPI_COMM_WORLD, &late) == TACIT_ERR_STATE ? result : 1; // after MPI_Finalize
}
