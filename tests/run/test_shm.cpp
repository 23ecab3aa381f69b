// Driver `shm` by itself: every rank exchanges with every other one (and one way only with some), over many
// runs, sizes and buffers; what is forbidden goes by messages and says so; sizes that differ are an error; a
// peer that dies is named.
#include "run/driver.h"
#include "run/mpi_error.h"

#include "mpi_main.h"
#include "run/progress.h"
#include "run/shm_peers.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace tacit::test {
namespace {

struct world_info {
  int rank = 0, size = 0;
  world_info() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

class shm : public ::testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  void TearDown() override {
    run.reset();
    peers.reset();
    MPI_Comm_free(&comm);
  }
  /// A block of `bytes(from, to)` from every rank to every other one, none where it is negative.
  template <typename Bytes>
  void connect(Bytes&& bytes, bool chained = false) {
    program p;
    p.rank = me.rank;
    const auto add = [&](step_kind kind, int peer, long n, std::vector<unsigned char>& memory) {
      if (peer == me.rank || n < 0)
        return;
      step s;
      s.kind = kind;
      s.peer = rank_id{static_cast<std::uint32_t>(peer)};
      s.tag = 5;
      auto& list = kind == step_kind::send ? s.reads : s.writes;
      const auto at =
          reinterpret_cast<std::uint64_t>(memory.data()) + static_cast<std::uint64_t>(peer) * stride;
      if (n > 2) // in two parts, to gather and to scatter
        list = {{at, 1}, {at + 3, static_cast<std::uint64_t>(n) - 1}};
      else if (n > 0)
        list = {{at, static_cast<std::uint64_t>(n)}};
      if (chained && !p.plan.steps.empty())
        s.after = {static_cast<std::uint32_t>(p.plan.steps.size() - 1)};
      p.plan.steps.push_back(s);
    };
    out.assign(static_cast<std::size_t>(me.size) * stride + moved, 0);
    in = out;
    for (int r = 0; r < me.size; ++r)
      add(step_kind::send, r, bytes(me.rank, r), out);
    for (int r = 0; r < me.size; ++r)
      add(step_kind::recv, r, bytes(r, me.rank), in);
    const driver* d = find_driver("shm");
    ASSERT_EQ(d->can_run(p, comm), "");
    peers = d->offer(p, comm);
    peers->create();
    run = d->prepare(p, comm, peers.get());
  }
  static unsigned char value(int from, int to, std::size_t i, int round) {
    return static_cast<unsigned char>(from * 71 + to * 13 + static_cast<int>(i) * 7 + round * 101 + 1);
  }
  static std::size_t place(std::size_t i) { return i == 0 ? 0 : i + 2; }
  /// Runs once with the buffers `shift` bytes further; returns what is wrong.
  template <typename Bytes>
  std::string exchange(Bytes&& bytes, int round, std::size_t shift = 0) {
    std::fill(out.begin(), out.end(), static_cast<unsigned char>(0));
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
    const auto at = [&](int peer, long n, long i) {
      return static_cast<std::size_t>(peer) * stride + shift +
             (n > 2 ? place(static_cast<std::size_t>(i)) : static_cast<std::size_t>(i));
    };
    for (int r = 0; r < me.size; ++r)
      for (long i = 0, n = bytes(me.rank, r); i < n; ++i)
        out[at(r, n, i)] = value(me.rank, r, static_cast<std::size_t>(i), round);
    run->start();
    begin_progress(*run);
    wait_for(*run);
    for (int r = 0; r < me.size; ++r) {
      if (r == me.rank)
        continue;
      std::vector<unsigned char> expected(stride, 0);
      const long n = bytes(r, me.rank);
      for (long i = 0; i < n; ++i)
        expected[at(0, n, i) - shift] = value(r, me.rank, static_cast<std::size_t>(i), round);
      if (std::memcmp(expected.data(), in.data() + static_cast<std::size_t>(r) * stride + shift,
                      stride - moved) != 0)
        return "rank " + std::to_string(me.rank) + " has wrong bytes from " + std::to_string(r) +
               " in round " + std::to_string(round);
    }
    return {};
  }
  template <typename Bytes>
  void expect_right(Bytes&& bytes, int rounds, bool chained = false) {
    connect(bytes, chained);
    for (int round = 0; round < rounds; ++round)
      ASSERT_EQ(exchange(bytes, round), "");
  }

  static constexpr std::size_t stride = 40000, moved = 64;
  world_info me;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<unsigned char> out, in;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run;
};

std::string all_share() {
  const int others = world_info().size - 1;
  return std::to_string(others) + " of " + std::to_string(others) + " peers through shared memory";
}

TEST_F(shm, exchanges_of_every_size) {
  for (const long n : {0, 1, 8, 56, 57, 200, 4096, 8129, 30000}) {
    expect_right([n](int, int) { return n; }, 7);
    EXPECT_EQ(peers->describe(), all_share());
    run.reset();
  }
}

TEST_F(shm, different_sizes_one_way_and_no_message) {
  const auto bytes = [](int from, int to) -> long {
    const int x = (from * 31 + to * 17) % 9;
    return x == 0 ? -1 : from < to && (from + to) % 3 == 0 ? -1 : x * x * 100 + from;
  };
  expect_right(bytes, 9);
}

TEST_F(shm, steps_that_wait_for_each_other) {
  expect_right([](int from, int to) -> long { return 10 + from * 1000 + to; }, 7, true);
}

TEST_F(shm, moved_buffers) {
  const auto bytes = [](int from, int to) -> long { return 100 + from * 900 + to; };
  connect(bytes);
  for (int round = 0; round < 6; ++round) {
    const std::size_t shift = static_cast<std::size_t>(round) * 8;
    ASSERT_TRUE(run->rebind(static_cast<std::ptrdiff_t>(shift), static_cast<std::ptrdiff_t>(shift)));
    ASSERT_EQ(exchange(bytes, round, shift), "");
  }
  ASSERT_TRUE(run->rebind(0, 0));
  ASSERT_EQ(exchange(bytes, 9), "");
}

/// The last rank may not: its pairs go by messages, the others do not.
TEST_F(shm, forbidden_on_one_rank) {
  const auto bytes = [](int from, int to) -> long { return 30 + 5000 * from + to; };
  const bool last = me.rank == me.size - 1;
  if (last)
    setenv("TACIT_SHM", "off", 1);
  expect_right(bytes, 3);
  unsetenv("TACIT_SHM");
  const std::string text = peers->describe();
  EXPECT_NE(text.find("TACIT_SHM=off"), std::string::npos) << text;
  EXPECT_EQ(text.starts_with(std::to_string(last ? 0 : me.size - 2) + " of "), true) << text;
  ASSERT_TRUE(run->rebind(16, 16));
  EXPECT_EQ(exchange(bytes, 5, 16), "");
}

TEST_F(shm, memory_exhausted_on_one_rank) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (me.rank == 0) {
    const rlimit none{1, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  expect_right([](int, int) { return 64L; }, 3);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(peers->describe().find("limit of file sizes"), std::string::npos) << peers->describe();
}

TEST_F(shm, sizes_that_differ_are_an_error) {
  const int receiver = me.size - 1;
  try {
    // Rank 0 sends 100 B where the last rank expects 99 B.
    connect([&](int from, int to) -> long {
      return from == 0 && to == receiver ? (me.rank == receiver ? 99 : 100) : from + to == receiver ? 1 : -1;
    });
    EXPECT_NE(me.rank, receiver);
  } catch (const mpi_error& e) {
    EXPECT_NE(std::string(e.what()).find("rank 0 sends to rank " + std::to_string(receiver) +
                                         " 100 B, but 99 B are expected"),
              std::string::npos)
        << e.what();
  }
}

int open_descriptors() {
  int count = 0;
  for (int i = 0; i < 1024; ++i)
    count += fcntl(i, F_GETFD) >= 0;
  return count;
}

TEST_F(shm, no_descriptor_stays_open) {
  const int before = open_descriptors();
  connect([](int, int) { return 64L; });
  EXPECT_EQ(open_descriptors(), before);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
