// One rank fails: out of memory at every single allocation of tacit_compile, or in an MPI function. All ranks
// must get the same error through their handler, and nobody may hang. The failures come from outside: this
// program replaces operator new and, by MPI's profiling interface, the MPI functions that libtacit calls.
#include "failing_memory.h"
#include "mpi_main.h"

#include <tacit/tacit.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct mpi_fault {
  const char* function = "";
  int countdown = 0;
} fault;

bool fails(const char* function) {
  return fault.countdown > 0 && std::string_view(function) == fault.function && --fault.countdown == 0;
}

} // namespace

extern "C" {
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type,
                             MPI_Datatype* made) {
  return fails("MPI_Type_create_hindexed") ? MPI_ERR_OTHER
                                           : PMPI_Type_create_hindexed(count, lengths, places, type, made);
}
int MPI_Isend(const void* buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return fails("MPI_Isend") ? MPI_ERR_OTHER : PMPI_Isend(buf, count, type, to, tag, comm, request);
}
int MPI_Testsome(int n, MPI_Request* requests, int* count, int* which, MPI_Status* statuses) {
  return fails("MPI_Testsome") ? MPI_ERR_OTHER : PMPI_Testsome(n, requests, count, which, statuses);
}
int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  return fails("MPI_Waitall") ? MPI_ERR_OTHER : PMPI_Waitall(n, requests, statuses);
}
int MPI_Iallgather(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type,
                   MPI_Comm comm, MPI_Request* request) {
  return fails("MPI_Iallgather") ? MPI_ERR_OTHER
                                 : PMPI_Iallgather(out, n, type, in, m, in_type, comm, request);
}
/// The reduction takes place, so that no rank waits, but is said to have failed, as MPI says it: through the
/// error handler of the communicator, and by the code.
int MPI_Iallreduce(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  if (!fails("MPI_Iallreduce"))
    return PMPI_Iallreduce(out, in, n, type, op, comm, request);
  *request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(out, in, n, type, op, comm, request);
  PMPI_Wait(request, MPI_STATUS_IGNORE);
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}
/// The duplicate is made, so that no rank waits, but is said to have failed; what is left in the handle is none.
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  const int result = PMPI_Comm_idup(comm, made, request);
  if (result != MPI_SUCCESS || !fails("MPI_Comm_idup"))
    return result;
  PMPI_Wait(request, MPI_STATUS_IGNORE);
  PMPI_Comm_free(made);
  *made = comm;
  return MPI_ERR_OTHER;
}
/// Of a library with few tags.
int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  static int few = 5;
  if (key != MPI_TAG_UB || fault.countdown == 0 || std::string_view(fault.function) != "MPI_Comm_get_attr")
    return PMPI_Comm_get_attr(comm, key, value, found);
  *static_cast<int**>(value) = &few;
  *found = 1;
  return MPI_SUCCESS;
}
int MPI_Group_incl(MPI_Group group, int n, const int* ranks, MPI_Group* made) {
  return fails("MPI_Group_incl") ? MPI_ERR_OTHER : PMPI_Group_incl(group, n, ranks, made);
}
}

namespace {

int handler_calls = 0;
void count_errors(MPI_Comm*, int*, ...) {
  ++handler_calls;
}

class failures : public testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(&count_errors, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    victim = size - 1;
    in.resize(static_cast<std::size_t>(size));
  }
  void TearDown() override {
    fault = {};
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
  }
  /// Everybody to everybody, which is an allgather.
  tacit_graph exchange() {
    tacit_graph g = TACIT_GRAPH_NULL;
    tacit_graph_create(comm, &g);
    for (int i = 0; i < size; ++i) {
      if (i == rank)
        continue;
      tacit_graph_send(g, &out, 1, MPI_INT, i, 0, nullptr);
      tacit_graph_recv(g, &in[static_cast<std::size_t>(i)], 1, MPI_INT, i, 0, nullptr);
    }
    return g;
  }
  static tacit_schedule compiled(tacit_graph g, const char* driver, int expected = TACIT_SUCCESS) {
    MPI_Info info;
    MPI_Info_create(&info);
    if (driver)
      MPI_Info_set(info, "tacit_driver", driver);
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    EXPECT_EQ(tacit_compile(g, info, &s), expected) << tacit_last_error();
    MPI_Info_free(&info);
    return s;
  }
  void arm(const char* function, int countdown = 1) {
    if (rank == victim)
      fault = {function, countdown};
  }
  /// The schedule still works: nothing of a failure has stayed behind.
  void expect_good_run(tacit_graph g) {
    tacit_schedule s = compiled(g, nullptr);
    out = 100 + rank;
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    for (int i = 0; i < size; ++i) {
      if (i != rank) {
        EXPECT_EQ(in[static_cast<std::size_t>(i)], 100 + i);
      }
    }
    EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  }
  void compile_something() {
    tacit_graph g = exchange();
    tacit_schedule s = compiled(g, nullptr);
    tacit_schedule_free(&s);
    tacit_graph_free(&g);
  }
  static bool said(const std::string& words) {
    return std::string(tacit_last_error()).find(words) != std::string::npos;
  }
  std::string victims_name() const { return "rank " + std::to_string(victim); }

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int rank = 0, size = 1, victim = 0, out = 0;
  std::vector<int> in;
};

/// The errors of all ranks are one: same code, and each handler was called once.
void expect_same_everywhere(int code, int calls) {
  int low[2] = {code, calls}, high[2] = {};
  MPI_Allreduce(low, high, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(code, high[0]);
  EXPECT_EQ(calls, high[1]);
}

TEST_F(failures, every_allocation_of_compiling_may_fail_on_any_rank) {
  MPI_Info measuring;
  MPI_Info_create(&measuring);
  MPI_Info_set(measuring, "tacit_tune", "again");
  const auto sweep = [&](tacit_graph g, MPI_Info info = MPI_INFO_NULL) {
    long failed = 0;
    for (long n = 1;; n += n < 400 ? 1 : 1 + n / 50) {
      handler_calls = 0;
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      allocation_to_fail = rank == victim ? n : 0;
      const int code = tacit_compile(g, info, &s);
      int reached = rank == victim && allocation_to_fail == 0;
      allocation_to_fail = 0;
      MPI_Bcast(&reached, 1, MPI_INT, victim, MPI_COMM_WORLD);
      expect_same_everywhere(code, handler_calls);
      if (code == TACIT_SUCCESS) {
        EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
      } else {
        ++failed;
        EXPECT_EQ(code, TACIT_ERR_MEMORY) << "allocation " << n << ": " << tacit_last_error();
        EXPECT_TRUE(said(victims_name())) << "allocation " << n << ": " << tacit_last_error();
        EXPECT_TRUE(said("emedy")) << "allocation " << n << ": " << tacit_last_error();
        EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
        EXPECT_EQ(handler_calls, 1);
      }
      if (!reached || HasFailure())
        return failed;
    }
  };
  for (victim = 0; victim < size; victim += size > 1 ? size - 1 : 1) {
    MPI_Comm_free(&comm); // nothing is known of the graph on a new one
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    tacit_graph g = exchange();
    EXPECT_GT(sweep(g), 20); // has reached the inside of the compiler
    EXPECT_GT(sweep(g), 5);  // an equal graph has been compiled
    EXPECT_GT(sweep(g, measuring), 5);
    expect_good_run(g);
    tacit_graph_free(&g);
  }
  MPI_Info_free(&measuring);
}

/// Runs `call` with more and more memory until it succeeds: no rank may hang, and all get the same error.
/// `first`, `step`: which numbers of allocations are tried.
template <typename Call>
void expect_no_rank_to_hang(int rank, int victim, const char* what, Call&& call, long first = 1,
                            long step = 1) {
  all_following_fail = true;
  for (long n = first;; n += n < 200 ? step : step + n / 20) {
    handler_calls = 0;
    any_has_failed = false;
    allocation_to_fail = rank == victim ? n : 0;
    const int code = call();
    allocation_to_fail = 0;
    int reached = rank == victim && !any_has_failed;
    MPI_Bcast(&reached, 1, MPI_INT, victim, MPI_COMM_WORLD);
    expect_same_everywhere(code, handler_calls);
    if (reached)
      EXPECT_EQ(code, TACIT_SUCCESS) << what << ": " << tacit_last_error();
    else // the last things may be done without: then it succeeds, on all ranks
      EXPECT_TRUE(code == TACIT_ERR_MEMORY || code == TACIT_SUCCESS)
          << what << ", allocation " << n << ": code " << code << ", " << tacit_last_error();
    if (reached || testing::Test::HasFailure())
      break;
  }
  all_following_fail = false;
}

TEST_F(failures, no_memory_from_some_point_on) {
  tacit_graph g = exchange();
  expect_no_rank_to_hang(rank, victim, "tacit_compile", [&] {
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    const int code = tacit_compile(g, MPI_INFO_NULL, &s);
    tacit_schedule_free(&s);
    return code;
  });
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &part);
  expect_no_rank_to_hang(rank, victim, "tacit_graph_add_comm", [&] {
    tacit_graph several = TACIT_GRAPH_NULL;
    tacit_comm added = 0;
    const long left = std::exchange(allocation_to_fail, 0);
    tacit_graph_create(comm, &several);
    allocation_to_fail = left;
    const int code = tacit_graph_add_comm(several, part, &added);
    tacit_graph_free(&several);
    return code;
  });
  MPI_Comm_free(&part);
  expect_good_run(g);
  tacit_graph_free(&g);
}

/// Everybody has two neighbors, in a ring.
tacit_topology ring(int size) {
  const int dims[] = {size}, periods[] = {1};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  EXPECT_EQ(tacit_topology_cart(1, dims, periods, &t), TACIT_SUCCESS);
  return t;
}

TEST_F(failures, no_memory_while_a_topology_is_attached) {
  tacit_topology t = ring(size);
  for (const bool reordered : {false, true})
    expect_no_rank_to_hang(rank, victim, reordered ? "reordered" : "topology", [&] {
      MPI_Comm made = MPI_COMM_NULL;
      const int code =
          reordered ? tacit_topology_comm_reordered(t, comm, &made) : tacit_topology_comm(t, comm, &made);
      if (code == TACIT_SUCCESS)
        MPI_Comm_free(&made);
      return code;
    });
  tacit_topology_free(&t);
}

/// Preparing an exchange with both neighbors of a ring.
class ring_exchange {
public:
  ring_exchange(MPI_Comm ring, const char* key, const char* value) : ring_(ring) {
    MPI_Comm_rank(ring, &rank_);
    MPI_Comm_size(ring, &size_);
    MPI_Info_create(&info_);
    if (key)
      MPI_Info_set(info_, key, value);
  }
  ~ring_exchange() { MPI_Info_free(&info_); }
  ring_exchange(const ring_exchange&) = delete;
  ring_exchange& operator=(const ring_exchange&) = delete;

  int prepare(MPI_Comm on, tacit_schedule* s) {
    return tacit_neighbor_alltoall_init(out_, 1, MPI_INT, in_, 1, MPI_INT, on, info_, s);
  }
  void expect_to_work(MPI_Comm on) {
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(prepare(on, &s), TACIT_SUCCESS) << tacit_last_error();
    const int before = (rank_ + size_ - 1) % size_, after = (rank_ + 1) % size_;
    for (int run = 0; run < 3; ++run) {
      in_[0] = in_[1] = -1;
      out_[0] = 10 * rank_ + run;
      out_[1] = out_[0] + 1000;
      EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
      EXPECT_EQ(in_[0], 10 * before + run + 1000);
      EXPECT_EQ(in_[1], 10 * after + run);
    }
    EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  }

private:
  MPI_Comm ring_;
  MPI_Info info_ = MPI_INFO_NULL;
  int rank_ = 0, size_ = 1, out_[2] = {}, in_[2] = {};
};

/// On a communicator that is new to all ranks, and on one that they know already. Afterwards it must work.
/// What variants differ in comes last, so that fewer steps find it.
TEST_F(failures, no_memory_while_neighbors_prepare_together) {
  const int dims[] = {size}, periods[] = {1};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
  tacit_topology t = ::ring(size);
  const std::pair<const char*, const char*> choices[] = {{nullptr, nullptr},
                                                         {"tacit_driver", "p2p"},
                                                         {"tacit_driver", "rma"},
                                                         {"tacit_neighbor_grouping", "combined"},
                                                         {"tacit_neighbor_feedback", "1"}};
  long tried = 0;
  for (const auto& [key, value] : choices)
    for (const bool known : {false, true}) {
      const std::string what = std::string(value ? value : "default") + (known ? ", known" : ", new");
      ring_exchange exchange(ring, key, value);
      expect_no_rank_to_hang(
          rank, victim, what.c_str(),
          [&] {
            const long left = std::exchange(allocation_to_fail, 0);
            MPI_Comm on = MPI_COMM_NULL;
            tacit_schedule s = TACIT_SCHEDULE_NULL;
            if (value && std::string_view(value) == "combined") // knows the topology of all ranks
              tacit_topology_comm(t, ring, &on);
            else
              MPI_Comm_dup(ring, &on);
            if (known)
              exchange.expect_to_work(on);
            allocation_to_fail = left;
            const int code = exchange.prepare(on, &s);
            allocation_to_fail = 0;
            if (code == TACIT_SUCCESS)
              tacit_schedule_free(&s);
            else
              EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
            exchange.expect_to_work(on);
            MPI_Comm_free(&on);
            return code;
          },
          1 + tried++ % 7, key ? 7 : 1);
    }
  tacit_topology_free(&t);
  MPI_Comm_free(&ring);
}

/// One rank exchanges with all others: with 17 ranks and more, others help it by trees; with several nodes, by
/// messages per pair of nodes. What they tell each other for that needs memory, too.
TEST_F(failures, no_memory_while_ranks_help_each_other) {
  if (size < 17)
    GTEST_SKIP() << "nobody needs help";
  std::vector<int> others, of_all(static_cast<std::size_t>(size)), to_all(of_all.size(), rank);
  for (int r = 0; r < size; ++r)
    if (rank == 0 ? r != 0 : r == 0)
      others.push_back(r);
  const int degree = static_cast<int>(others.size());
  MPI_Comm star = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm, degree, others.data(), MPI_UNWEIGHTED, degree, others.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  const auto prepare = [&](tacit_schedule* s) {
    return tacit_neighbor_alltoall_init(to_all.data(), 1, MPI_INT, of_all.data(), 1, MPI_INT, star,
                                        MPI_INFO_NULL, s);
  };
  const auto expect_help = [&] {
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(prepare(&s), TACIT_SUCCESS) << tacit_last_error();
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    for (std::size_t i = 0; i < others.size(); ++i)
      EXPECT_EQ(of_all[i], others[i]);
    std::string text(4096, '\0');
    tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr);
    EXPECT_TRUE(text.find("helpers") != std::string::npos || text.find("aggregated: ") != std::string::npos)
        << text.c_str();
    tacit_schedule_free(&s);
  };
  expect_help();
  for (victim = 0; victim < size; victim += size - 1)
    expect_no_rank_to_hang(
        rank, victim, "helping",
        [&] {
          tacit_schedule s = TACIT_SCHEDULE_NULL;
          const int code = prepare(&s);
          allocation_to_fail = 0;
          if (code == TACIT_SUCCESS)
            tacit_schedule_free(&s);
          return code;
        },
        5, 9);
  expect_help();
  MPI_Comm_free(&star);
}

/// MPI fails inside: it must not run the handler that the user gave the communicator, or abort; the user
/// hears of it once, from tacit.
TEST_F(failures, an_agreement_that_fails_in_mpi_leaves_the_users_handler_to_tacit) {
  tacit_topology t = ring(size);
  MPI_Comm made = MPI_COMM_NULL;
  handler_calls = 0;
  arm("MPI_Iallreduce");
  const int code = tacit_topology_comm(t, comm, &made);
  EXPECT_EQ(code, rank == victim ? TACIT_ERR_MPI : TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(handler_calls, rank == victim ? 1 : 0);
  if (made != MPI_COMM_NULL) { // not collective: the victim has none
    MPI_Errhandler inherited = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(made, &inherited);
    EXPECT_EQ(inherited, handler);
    MPI_Errhandler_free(&inherited);
  }
  tacit_topology_free(&t);
}

TEST_F(failures, info_of_a_communicator_is_agreed_upon_elsewhere) {
  tacit_topology t = ring(size);
  MPI_Comm made = MPI_COMM_NULL;
  ASSERT_EQ(tacit_topology_comm(t, comm, &made), TACIT_SUCCESS) << tacit_last_error();
  tacit_topology_free(&t);
  handler_calls = 0;
  fault = {"MPI_Iallreduce", 1}; // on all ranks: none waits for another
  EXPECT_EQ(tacit_comm_set_info(made, MPI_INFO_NULL), TACIT_ERR_MPI) << tacit_last_error();
  EXPECT_EQ(handler_calls, 1) << "by tacit only, not by MPI in the agreement";
  fault = {};
  MPI_Comm_free(&made);
}

TEST_F(failures, adding_a_communicator_leaves_its_handler_alone) {
  tacit_graph g = TACIT_GRAPH_NULL;
  tacit_comm added = 0;
  MPI_Comm alone = MPI_COMM_NULL; // the others need not take part in what fails
  MPI_Comm_split(comm, rank, 0, &alone);
  tacit_graph_create(MPI_COMM_SELF, &g);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  handler_calls = 0;
  fault = {"MPI_Iallreduce", 1};
  EXPECT_EQ(tacit_graph_add_comm(g, alone, &added), TACIT_ERR_MPI) << tacit_last_error();
  EXPECT_EQ(handler_calls, 0) << "the graph's communicator is told, not the one that is added";
  MPI_Comm_free(&alone);
  tacit_graph_free(&g);
}

TEST_F(failures, a_driver_that_needs_too_much_memory) {
  // A message of the rank to itself is kept in memory of the schedule: 2^47 bytes are more than there can be.
  tacit_graph g = exchange();
  if (rank == victim) {
    const MPI_Count much = MPI_Count{1} << 47;
    auto* from = reinterpret_cast<char*>(std::uintptr_t{1} << 50);
    tacit_graph_send(g, from, much, MPI_BYTE, rank, 9, nullptr);
    tacit_graph_recv(g, from + much, much, MPI_BYTE, rank, 9, nullptr);
  }
  for (const char* driver : {"coll", "p2p"}) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_driver", driver);
    MPI_Info_set(info, "tacit_replace", "false");
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    handler_calls = 0;
    EXPECT_EQ(tacit_compile(g, info, &s), TACIT_ERR_MEMORY) << driver << ": " << tacit_last_error();
    EXPECT_EQ(handler_calls, 1);
    EXPECT_TRUE(said(victims_name()) && said("send of 140737488355328 B") && said("emedy"))
        << tacit_last_error();
    MPI_Info_free(&info);
  }
  tacit_graph_free(&g);
}

TEST_F(failures, more_messages_than_tags_are_an_error_with_a_remedy) {
  if (size == 1)
    return;
  std::vector<int> got(4);
  tacit_graph g = TACIT_GRAPH_NULL;
  tacit_graph_create(comm, &g);
  for (int& each : got) {
    tacit_graph_send(g, &out, 1, MPI_INT, (rank + 1) % size, 0, nullptr);
    tacit_graph_recv(g, &each, 1, MPI_INT, (rank + size - 1) % size, 0, nullptr);
  }
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_driver", "p2p");
  MPI_Info_set(info, "tacit_plan", "as written");
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  arm("MPI_Comm_get_attr");
  EXPECT_EQ(tacit_compile(g, info, &s), TACIT_ERR_ENVIRONMENT) << tacit_last_error();
  EXPECT_TRUE(rank != victim || said("remedy: compile the graph as several")) << tacit_last_error();
  fault = {};
  MPI_Info_free(&info);
  tacit_graph_free(&g);
}

TEST_F(failures, mpi_errors_while_preparing) {
  if (size == 1)
    return;
  int two[3] = {rank, -1, rank}, got[2] = {-1, -1};
  MPI_Datatype apart; // in several pieces, for which the driver makes a type
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  tacit_graph g = TACIT_GRAPH_NULL;
  tacit_graph_create(comm, &g);
  tacit_graph_send(g, two, 1, apart, (rank + 1) % size, 0, nullptr);
  tacit_graph_recv(g, got, 2, MPI_INT, (rank + size - 1) % size, 0, nullptr);
  arm("MPI_Type_create_hindexed");
  handler_calls = 0;
  compiled(g, "p2p", TACIT_ERR_MPI);
  EXPECT_TRUE(said(victims_name()) && said("MPI_Type_create_hindexed") && said("8 B") && said("emedy"))
      << tacit_last_error();
  EXPECT_EQ(handler_calls, 1);
  fault = {};
  tacit_schedule s = compiled(g, "p2p");
  EXPECT_EQ(tacit_run(s), TACIT_SUCCESS);
  EXPECT_EQ(got[0], (rank + size - 1) % size);
  EXPECT_EQ(got[1], got[0]);
  tacit_schedule_free(&s);
  tacit_graph_free(&g);
  MPI_Type_free(&apart);
}

/// An exchange that takes so long that several variants are measured in its first runs.
class long_exchange {
public:
  explicit long_exchange(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    out_.resize(length_);
    in_.resize(length_ * static_cast<std::size_t>(size_));
    tacit_graph_create(comm, &graph);
    for (int i = 0; i < size_; ++i) {
      if (i == rank_)
        continue;
      tacit_graph_send(graph, out_.data(), length_, MPI_INT, i, 0, nullptr);
      tacit_graph_recv(graph, block(i), length_, MPI_INT, i, 0, nullptr);
    }
  }
  ~long_exchange() { tacit_graph_free(&graph); }
  long_exchange(const long_exchange&) = delete;
  long_exchange& operator=(const long_exchange&) = delete;

  void expect_good_runs(tacit_schedule s, int runs) {
    for (int run = 0; run < runs; ++run) {
      std::fill(out_.begin(), out_.end(), 100 * rank_ + run);
      ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
      for (int i = 0; i < size_; ++i)
        for (std::size_t k = 0; i != rank_ && k < length_; ++k)
          ASSERT_EQ(block(i)[k], 100 * i + run);
    }
  }
  tacit_graph graph = TACIT_GRAPH_NULL;

private:
  int* block(int i) { return in_.data() + static_cast<std::size_t>(i) * length_; }
  static constexpr std::size_t length_ = 25'000;
  int rank_ = 0, size_ = 1;
  std::vector<int> out_, in_;
};

std::string explained(tacit_schedule s) {
  std::size_t size = 0;
  tacit_explain(s, TACIT_EXPLAIN_TEXT, nullptr, 0, &size);
  std::string text(size + 1, '\0');
  tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr);
  return text.c_str();
}

/// Of all that is made for measuring, one thing on one rank fails: what was chosen runs, on all ranks.
TEST_F(failures, what_cannot_be_measured_runs_as_chosen) {
  if (size == 1)
    return;
  constexpr int duplicate_of_the_candidates = 2; // behind that of the schedule itself
  for (victim = 0; victim < size; victim += size - 1) {
    MPI_Comm_free(&comm); // another one, which does not know the graph
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    compile_something(); // it keeps graphs from now on
    handler_calls = 0;
    long_exchange all(comm);
    arm("MPI_Comm_idup", duplicate_of_the_candidates);
    tacit_schedule s = compiled(all.graph, nullptr);
    EXPECT_EQ(fault.countdown, 0);
    fault = {};
    EXPECT_EQ(handler_calls, 0);
    const std::string text = explained(s);
    EXPECT_NE(text.find("\nnot measured: " + victims_name() + ": "), std::string::npos) << text;
    EXPECT_EQ(text.find("feedback"), std::string::npos) << text;
    all.expect_good_runs(s, 3);
    tacit_schedule_free(&s);
  }
}

/// The same where MPI itself has no more of them.
TEST_F(failures, a_schedule_may_get_the_last_communicator) {
  if (size == 1)
    return;                          // copies need none
  constexpr std::size_t most = 5000; // of some libraries; of others it takes seconds to get there
  compile_something();
  MPI_Comm quiet = MPI_COMM_NULL, last = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> taken;
  while (taken.size() < most && PMPI_Comm_dup(quiet, &last) == MPI_SUCCESS)
    taken.push_back(last);
  if (taken.size() < most) {
    const auto give_back = [&] {
      MPI_Comm_free(&taken.back());
      taken.pop_back();
    };
    long_exchange all(comm);
    handler_calls = 0;
    compiled(all.graph, nullptr, TACIT_ERR_MPI); // none is left for the schedule itself
    EXPECT_GE(handler_calls, 1); // MPICH calls it, too, as it is the user's that is duplicated
    give_back();
    tacit_schedule s = compiled(all.graph, nullptr);
    EXPECT_NE(explained(s).find("\nnot measured: "), std::string::npos) << explained(s);
    all.expect_good_runs(s, 3);
    tacit_schedule_free(&s);
  }
  for (MPI_Comm& each : taken)
    MPI_Comm_free(&each);
  MPI_Comm_free(&quiet);
}

TEST_F(failures, mpi_errors_at_start_are_reported_until_the_schedule_is_freed) {
  if (size == 1)
    return;
  tacit_graph g = exchange();
  const char* cases[][2] = {{"p2p", "MPI_Isend"}, {"coll", "MPI_Iallgather"}};
  for (const auto& [driver, function] : cases) {
    if (size == 2 && std::string_view(driver) == "coll")
      continue; // two ranks are no group worth a collective
    tacit_schedule s = compiled(g, driver);
    arm(function);
    handler_calls = 0;
    int expected = 0;
    if (rank == victim) { // the others have not started, and need not wait
      expected = 4;
      int flag = 7;
      EXPECT_EQ(tacit_start(s), TACIT_ERR_MPI);
      EXPECT_TRUE(said(victims_name())) << tacit_last_error();
      EXPECT_EQ(tacit_test(s, &flag), TACIT_ERR_MPI);
      EXPECT_EQ(flag, 0);
      EXPECT_EQ(tacit_wait(s), TACIT_ERR_MPI);
      EXPECT_EQ(tacit_run(s), TACIT_ERR_MPI);
    }
    EXPECT_EQ(handler_calls, expected);
    MPI_Barrier(comm);
    EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
    EXPECT_EQ(s, TACIT_SCHEDULE_NULL);
  }
  expect_good_run(g);
  tacit_graph_free(&g);
}

TEST_F(failures, mpi_errors_while_running_are_not_counted_as_complete) {
  if (size == 1)
    return;
  tacit_graph g = exchange();
  for (const bool by_test : {true, false}) {
    tacit_schedule s = compiled(g, "p2p");
    EXPECT_EQ(tacit_start(s), TACIT_SUCCESS);
    arm(by_test ? "MPI_Testsome" : "MPI_Waitall");
    int flag = 7;
    if (rank == victim) {
      EXPECT_EQ(by_test ? tacit_test(s, &flag) : tacit_wait(s), TACIT_ERR_MPI);
      EXPECT_TRUE(said(by_test ? "MPI_Testsome" : "MPI_Waitall")) << tacit_last_error();
      EXPECT_EQ(tacit_test(s, &flag), TACIT_ERR_MPI);
      EXPECT_EQ(flag, 0);
    } else {
      EXPECT_EQ(tacit_wait(s), TACIT_SUCCESS) << "the victim has sent its messages";
    }
    MPI_Barrier(comm);
    EXPECT_EQ(tacit_schedule_free(&s), TACIT_SUCCESS);
  }
  expect_good_run(g);
  tacit_graph_free(&g);
}

TEST_F(failures, another_schedules_error_stays_with_its_owner) {
  if (size == 1)
    return;
  tacit_graph first = exchange(), second = TACIT_GRAPH_NULL;
  int x = 1, y = 0;
  tacit_graph_create(comm, &second);
  tacit_graph_copy(second, &x, 1, MPI_INT, &y, 1, MPI_INT, nullptr);
  tacit_schedule a = compiled(first, "p2p"), b = compiled(second, "p2p");
  EXPECT_EQ(tacit_start(a), TACIT_SUCCESS);
  EXPECT_EQ(tacit_start(b), TACIT_SUCCESS);
  arm("MPI_Testsome");
  EXPECT_EQ(tacit_wait(b), TACIT_SUCCESS) << "progresses a, which fails on one rank";
  EXPECT_EQ(y, 1);
  EXPECT_EQ(tacit_wait(a), rank == victim ? TACIT_ERR_MPI : TACIT_SUCCESS);
  MPI_Barrier(comm);
  tacit_schedule_free(&a);
  tacit_schedule_free(&b);
  tacit_graph_free(&first);
  tacit_graph_free(&second);
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
