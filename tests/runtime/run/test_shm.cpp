// Driver `shm` by itself: every rank exchanges with every other one (and one way only with some), over many
// runs, sizes and buffers; what is forbidden goes by messages and says so; sizes that differ are an error; a
// peer that dies is named.
#include "runtime/mpi/mpi_error.h"

#include "all_pairs.h"
#include "mpi_main.h"
#include "runtime/channel/memory_pool.h"
#include "runtime/shm/peers.h"

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

using namespace runtime;
namespace {

class shm : public all_pairs {
protected:
  shm() : all_pairs("shm") {}
  std::string all_share() const {
    const std::string others = std::to_string(size - 1);
    return others + " of " + others + " peers through shared memory";
  }
  void moves_buffers(bool chained) {
    const auto bytes = [](int from, int to) -> long { return 100 + from * 900 + to; };
    connect(bytes, chained);
    for (int round = 0; round < 6; ++round) {
      const std::size_t shift = static_cast<std::size_t>(round) * 8;
      ASSERT_TRUE(run->rebind(static_cast<std::ptrdiff_t>(shift), static_cast<std::ptrdiff_t>(shift)));
      ASSERT_EQ(exchange(bytes, round, shift), "");
    }
    ASSERT_TRUE(run->rebind(0, 0));
    ASSERT_EQ(exchange(bytes, 9), "");
  }
};

TEST_F(shm, exchanges_of_every_size) {
  for (const long n : {0, 1, 8, 56, 57, 200, 4096, 8193, 30000}) {
    expect_right([n](int, int) { return n; }, 7);
    EXPECT_EQ(peers->describe(), all_share());
    run.reset();
  }
}

TEST_F(shm, different_sizes_one_way_and_no_message) {
  expect_right(some_one_way_and_none, 9);
}

TEST_F(shm, steps_that_wait_for_each_other) {
  expect_right([](int from, int to) -> long { return 10 + from * 1000 + to; }, 7, true);
}

TEST_F(shm, moved_buffers) {
  moves_buffers(false);
}

TEST_F(shm, moved_buffers_of_steps_that_wait_for_each_other) {
  moves_buffers(true);
  if (rank == size - 1) // now some of its messages are MPI's
    setenv("TACIT_SHM", "off", 1);
  moves_buffers(true);
  unsetenv("TACIT_SHM");
}

/// What one rank asks for, both ends of its channels do; and what finds no room goes by messages.
TEST_F(shm, unattended_on_one_rank) {
  stride = 1100000;
  unattended = rank == 0;
  expect_right([](int from, int to) -> long { return 300000 + 1000 * from + to; }, 4);
  EXPECT_EQ(peers->describe(), all_share());
  expect_right([](int from, int to) -> long { return from + to == 1 ? 1050000 : 2000; }, 4);
  EXPECT_EQ(peers->describe() == all_share(), rank > 1) << peers->describe();
}

/// The last rank may not: its pairs go by messages, the others do not.
TEST_F(shm, forbidden_on_one_rank) {
  const auto bytes = [](int from, int to) -> long { return 30 + 5000 * from + to; };
  const bool last = rank == size - 1;
  if (last)
    setenv("TACIT_SHM", "off", 1);
  expect_right(bytes, 3);
  unsetenv("TACIT_SHM");
  const std::string text = peers->describe();
  EXPECT_NE(text.find("TACIT_SHM=off"), std::string::npos) << text;
  EXPECT_EQ(text.starts_with(std::to_string(last ? 0 : size - 2) + " of "), true) << text;
  ASSERT_TRUE(run->rebind(16, 16));
  EXPECT_EQ(exchange(bytes, 5, 16), "");
}

/// All that the pool has left.
std::vector<lent_part> drain_pool() {
  std::vector<lent_part> held;
  for (std::size_t bytes = longest_pooled; bytes > 0; bytes /= 2)
    for (lent_part part; part.take(bytes).empty();)
      held.push_back(std::move(part));
  return held;
}

TEST_F(shm, memory_exhausted_on_one_rank) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::vector<lent_part> held;
  if (rank == 0) {
    const rlimit none{1, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    held = drain_pool();
  }
  expect_right([](int, int) { return 64L; }, 3);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(peers->describe().find("limit of file sizes"), std::string::npos) << peers->describe();
}

TEST_F(shm, sizes_that_differ_are_an_error) {
  const int receiver = size - 1;
  try {
    // Rank 0 sends 100 B where the last rank expects 99 B.
    connect([&](int from, int to) -> long {
      return from == 0 && to == receiver ? (rank == receiver ? 99 : 100) : from + to == receiver ? 1 : -1;
    });
    EXPECT_NE(rank, receiver);
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

TEST_F(shm, memory_is_used_again) {
  const auto bytes = [](int, int) { return 3000L; };
  for (int i = 0; i < 3; ++i) // what a peer gives back is known when the next operation but one is made
    expect_right(bytes, 2);
  const int before = open_descriptors();
  for (int i = 0; i < 100; ++i)
    expect_right(bytes, 2);
  EXPECT_EQ(open_descriptors(), before);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
