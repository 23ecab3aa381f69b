// A rank starts an operation of several steps and then waits in one of MPI's own calls, or in a collective one of ours; its
// neighbor completes the operation before it makes the other side of that call. Unless these calls progress the operation (or
// it needs nobody's attention), both wait for ever.
#include "mpi_main.h"

#include <tacit/tacit.h>

#include <functional>
#include <string>
#include <vector>

namespace {

int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

MPI_Comm pair_of_neighbors() {
  const int dims[] = {2}, periods[] = {1};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
  return comm;
}

/// Long enough that it passes through shared memory piece by piece, and not at once through MPI either.
constexpr int elements = 90000;

/// Everything about one operation between the two ranks, repeated.
class exchange {
public:
  explicit exchange(MPI_Comm comm) : comm_(comm), out_(2 * elements), in_(2 * elements) {
    check(tacit_neighbor_alltoall_init(out_.data(), elements, MPI_INT, in_.data(), elements, MPI_INT, comm_,
                                       MPI_INFO_NULL, &schedule_));
  }
  ~exchange() { tacit_schedule_free(&schedule_); }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  void start() {
    ++round_;
    for (int i = 0; i < 2 * elements; ++i) {
      out_[static_cast<std::size_t>(i)] = value(rank(), i);
      in_[static_cast<std::size_t>(i)] = -1;
    }
    check(tacit_start(schedule_));
  }
  void wait() {
    check(tacit_wait(schedule_));
    int wrong = 0;
    for (int i = 0; i < 2 * elements; ++i) // what leaves in one direction arrives from the other one
      wrong += in_[static_cast<std::size_t>(i)] != value(1 - rank(), (i + elements) % (2 * elements));
    EXPECT_EQ(wrong, 0) << "round " << round_;
  }

private:
  int value(int from, int i) const { return i + 7 * from + 1000 * round_; }
  static void check(int code) { ASSERT_EQ(code, TACIT_SUCCESS) << tacit_last_error(); }

  MPI_Comm comm_;
  std::vector<int> out_, in_;
  tacit_schedule schedule_ = TACIT_SCHEDULE_NULL;
  int round_ = 0;
};

/// Rank 0 calls `mine` between start and wait; rank 1 calls `theirs` after both. Then in turn.
void meet(const std::function<void(int peer)>& mine, const std::function<void(int peer)>& theirs) {
  MPI_Comm comm = pair_of_neighbors();
  {
    exchange e(comm);
    for (int round = 0; round < 4; ++round) {
      const bool early = rank() == round % 2;
      e.start();
      if (early)
        mine(1 - rank());
      e.wait();
      if (!early)
        theirs(1 - rank());
    }
  }
  MPI_Comm_free(&comm);
}

void together(const std::function<void()>& call) {
  meet([&](int) { call(); }, [&](int) { call(); });
}

void send(int to) {
  MPI_Send(nullptr, 0, MPI_INT, to, 3, MPI_COMM_WORLD);
}
void receive(int from) {
  MPI_Recv(nullptr, 0, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

} // namespace

TEST(progress, in_receive) {
  meet(receive, send);
}

TEST(progress, in_synchronous_send) {
  meet([](int to) { MPI_Ssend(nullptr, 0, MPI_INT, to, 3, MPI_COMM_WORLD); }, receive);
}

TEST(progress, in_long_send) {
  std::vector<char> out(8 << 20), in(out.size());
  meet([&](int to) { MPI_Send(out.data(), 8 << 20, MPI_CHAR, to, 3, MPI_COMM_WORLD); },
       [&](int from) { MPI_Recv(in.data(), 8 << 20, MPI_CHAR, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
}

TEST(progress, in_probe) {
  meet(
      [](int from) {
        MPI_Probe(from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive(from);
      },
      send);
}

TEST(progress, in_matched_probe) {
  meet(
      [](int from) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
      },
      send);
}

TEST(progress, in_waits) {
  using waiting = void (*)(MPI_Request*);
  for (const waiting wait :
       {waiting{[](MPI_Request* r) { MPI_Wait(r, MPI_STATUS_IGNORE); }},
        waiting{[](MPI_Request* r) { MPI_Waitall(1, r, MPI_STATUSES_IGNORE); }}, waiting{[](MPI_Request* r) {
          int which = 0;
          MPI_Waitany(1, r, &which, MPI_STATUS_IGNORE);
        }},
        waiting{[](MPI_Request* r) {
          int which = 0, count = 0;
          MPI_Waitsome(1, r, &count, &which, MPI_STATUSES_IGNORE);
        }}})
    meet(
        [&](int from) {
          MPI_Request r = MPI_REQUEST_NULL;
          MPI_Irecv(nullptr, 0, MPI_INT, from, 3, MPI_COMM_WORLD, &r);
          wait(&r);
        },
        send);
}

TEST(progress, in_sendrecv) {
  const auto both = [](int peer) {
    MPI_Sendrecv(nullptr, 0, MPI_INT, peer, 3, nullptr, 0, MPI_INT, peer, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  };
  meet(both, both);
}

TEST(progress, in_collectives) {
  together([] { MPI_Barrier(MPI_COMM_WORLD); });
  together([] {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 2);
  });
  together([] {
    int mine = rank(), all[2] = {};
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(all[1], 1);
  });
}

TEST(progress, in_functions_of_communicators_and_windows) {
  together([] {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  });
  together([] {
    int* memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  });
}

/// Rank 0 sends a number, rank 1 adds 1 to it and sends it back: rank 1's part goes on only if somebody attends to it.
class there_and_back {
public:
  there_and_back() {
    tacit_graph_create(MPI_COMM_WORLD, &graph_);
    tacit_op got = 0, added = 0, answered = 0;
    if (rank() == 0) {
      tacit_graph_send(graph_, &number_, 1, MPI_INT, 1, 0, nullptr);
      tacit_graph_recv(graph_, &answer_, 1, MPI_INT, 1, 1, nullptr);
    } else {
      tacit_graph_recv(graph_, &number_, 1, MPI_INT, 0, 0, &got);
      tacit_graph_compute(graph_, &add_one, this, &number_, 1, MPI_INT, &answer_, 1, MPI_INT, &added);
      tacit_graph_depend(graph_, got, added);
      tacit_graph_send(graph_, &answer_, 1, MPI_INT, 0, 1, &answered);
      tacit_graph_depend(graph_, added, answered);
    }
    EXPECT_EQ(tacit_compile(graph_, MPI_INFO_NULL, &schedule_), TACIT_SUCCESS) << tacit_last_error();
  }
  ~there_and_back() {
    tacit_schedule_free(&schedule_);
    tacit_graph_free(&graph_);
  }
  there_and_back(const there_and_back&) = delete;
  there_and_back& operator=(const there_and_back&) = delete;

  void start() {
    number_ = rank() == 0 ? 41 : 0;
    EXPECT_EQ(tacit_start(schedule_), TACIT_SUCCESS) << tacit_last_error();
  }
  void wait() {
    EXPECT_EQ(tacit_wait(schedule_), TACIT_SUCCESS) << tacit_last_error();
    EXPECT_EQ(answer_, 42);
  }

private:
  static void add_one(void* self) {
    auto* const it = static_cast<there_and_back*>(self);
    it->answer_ = it->number_ + 1;
  }
  tacit_graph graph_ = TACIT_GRAPH_NULL;
  tacit_schedule schedule_ = TACIT_SCHEDULE_NULL;
  int number_ = 0, answer_ = 0;
};

/// Rank 1 is in `call` while rank 0 needs its answer before it comes to the same call.
void goes_on_during(const std::function<void()>& call) {
  there_and_back numbers;
  numbers.start();
  if (rank() == 0)
    numbers.wait();
  call();
  if (rank() == 1)
    numbers.wait();
}

TEST(progress, in_collective_calls_of_ours) {
  goes_on_during([] { there_and_back(); });
  goes_on_during([] {
    tacit_graph graph = TACIT_GRAPH_NULL;
    int known = 0;
    tacit_graph_create(MPI_COMM_WORLD, &graph);
    EXPECT_EQ(tacit_graph_add_comm(graph, MPI_COMM_WORLD, &known), TACIT_SUCCESS) << tacit_last_error();
    tacit_graph_free(&graph);
  });
  MPI_Comm grid = pair_of_neighbors();
  goes_on_during(
      [&] { EXPECT_EQ(tacit_comm_set_info(grid, MPI_INFO_NULL), TACIT_SUCCESS) << tacit_last_error(); });
  MPI_Comm_free(&grid);
  const int dims[] = {2}, periods[] = {1};
  tacit_topology ring = TACIT_TOPOLOGY_NULL;
  ASSERT_EQ(tacit_topology_cart(1, dims, periods, &ring), TACIT_SUCCESS) << tacit_last_error();
  for (const auto make : {tacit_topology_comm, tacit_topology_comm_reordered})
    goes_on_during([&] {
      MPI_Comm comm = MPI_COMM_NULL;
      EXPECT_EQ(make(ring, MPI_COMM_WORLD, &comm), TACIT_SUCCESS) << tacit_last_error();
      MPI_Comm_free(&comm);
    });
  tacit_topology_free(&ring);
}

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
