// Driver `rma` by itself, in both memory models of MPI: messages of one piece and of several, one way and
// both ways, steps that wait for each other, moved buffers; sizes that differ are an error on every rank.
#include "runtime/mpi/mpi_error.h"
#include "runtime/rma/peers.h"

#include "all_pairs.h"
#include "mpi_main.h"

#include <cstdlib>

namespace tacit::test {

using namespace runtime;
namespace {

class rma : public all_pairs, public ::testing::WithParamInterface<const char*> {
protected:
  rma() : all_pairs("rma") { setenv("TACIT_RMA_MODEL", GetParam(), 1); }
  ~rma() override { unsetenv("TACIT_RMA_MODEL"); }
};

TEST_P(rma, exchanges_of_every_size) {
  stride = 2'000'000;
  for (const long n : {0, 1, 8, 56, 57, 200, 4096, 30000, 262144, 262145, 1900000}) {
    expect_right([n](int, int) { return n; }, n < 100000 ? 7 : 3);
    run.reset();
    peers.reset();
  }
}

TEST_P(rma, different_sizes_one_way_and_no_message) {
  expect_right(some_one_way_and_none, 12);
}

/// The source could run ahead without end: nothing but acknowledgements holds it.
TEST_P(rma, from_the_first_rank_only) {
  expect_right([](int from, int) -> long { return from == 0 ? 500 : -1; }, 40);
}

TEST_P(rma, steps_that_wait_for_each_other) {
  expect_right([](int from, int to) -> long { return 10 + from * 1000 + to; }, 7, true);
}

TEST_P(rma, moved_buffers) {
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

/// MPICH loses puts into windows of other sizes (library_quirks.h).
TEST_P(rma, windows_are_whole_lines) {
  connect([](int from, int to) -> long { return 1 + 3 * from + 10 * to; });
  MPI_Aint* bytes = nullptr;
  int found = 0;
  MPI_Win_get_attr(dynamic_cast<rma_peers&>(*peers).window(), MPI_WIN_SIZE, static_cast<void*>(&bytes),
                   &found);
  ASSERT_TRUE(found);
  EXPECT_EQ(*bytes % 64, 0);
}

/// Ranks give up what they have made in different order; windows come back when the next one is made.
TEST_P(rma, given_up_in_any_order) {
  const auto bytes = [](int, int) -> long { return 64; };
  for (int cycle = 0; cycle < 3; ++cycle) {
    connect(bytes);
    auto first = std::move(peers);
    auto first_run = std::move(run);
    connect(bytes);
    ASSERT_EQ(exchange(bytes, cycle), "");
    if (rank % 2 == 0) {
      first_run.reset();
      first.reset();
    }
    MPI_Barrier(comm);
    run.reset();
    peers.reset();
    MPI_Barrier(comm);
  }
  connect(bytes);
  run.reset();
  peers->end();
}

TEST_P(rma, says_how_flags_are_read) {
  connect([](int, int) { return 8L; });
  const bool separate = std::string(GetParam()) == "separate";
  EXPECT_NE(peers->describe().find(separate ? "fetched through MPI" : "read in memory"), std::string::npos)
      << peers->describe();
}

/// Rank 0 sends 100 B where the last rank expects 99 B: nobody makes a window.
TEST_P(rma, sizes_that_differ_are_an_error_everywhere) {
  const int receiver = size - 1;
  try {
    connect([&](int from, int to) -> long {
      return from == 0 && to == receiver ? (rank == receiver ? 99 : 100) : from + to == receiver ? 1 : -1;
    });
    FAIL() << "rank " << rank << " has connected";
  } catch (const mpi_error& e) {
    const std::string expected = rank == receiver ? "rank 0 sends to rank " + std::to_string(receiver) +
                                                        " a message of 100 B with tag 5, but 99 B"
                                                  : "another rank cannot communicate one-sidedly";
    EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(models, rma, ::testing::Values("as_given", "separate"),
                         [](const auto& which) { return std::string(which.param); });

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
