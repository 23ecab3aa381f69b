// Messages through the memory of the node: what arrives, use after use, where all ranks share memory, and where one of them refuses.
#include "runtime/executor/node_channels.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/private_communicator.h"
#include "task_main.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace tacit::runtime {
namespace {

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks_here() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

std::vector<process_identity> processes() {
  const process_identity mine = this_process();
  std::vector<process_identity> all(static_cast<std::size_t>(ranks_here()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

std::byte element(std::size_t use, int from, std::size_t at) {
  return static_cast<std::byte>(use * 31 + static_cast<std::size_t>(from) * 7 + at + at / 251);
}

/// Who sends how much to whom, the same on all ranks: nothing between some, little between most.
std::size_t length(std::mt19937& random) {
  constexpr std::size_t lengths[] = {1, 8, 56, 57, 1000, 4096, 8191, 8192, 8193, 70'000};
  return random() % 4 == 0 ? 0 : lengths[random() % std::size(lengths)];
}

/// One exchange of all ranks, with memory of its own.
struct exchange {
  std::vector<node_channels::message> sends, receives;
  std::vector<std::vector<std::byte>> memory;

  explicit exchange(unsigned seed) {
    std::mt19937 random(seed);
    for (int from = 0; from < ranks_here(); ++from)
      for (int to = 0; to < ranks_here(); ++to)
        if (const std::size_t bytes = from == to ? 0 : length(random); bytes > 0) {
          if (from == rank_here())
            sends.push_back({to, bytes, memory.emplace_back(bytes).data()});
          if (to == rank_here())
            receives.push_back({from, bytes, memory.emplace_back(bytes).data()});
        }
  }
};

void wait(pending_requests& all) {
  while (!all.empty())
    if (!all.test())
      offer_core();
}

/// Returns how many messages went through memory.
std::size_t exchange_often(unsigned seed, const std::vector<process_identity>& all) {
  const private_communicator comm = private_communicator::like(MPI_COMM_WORLD);
  exchange e(seed);
  node_channels channels(e.sends, e.receives, [&](int rank) { return &all[static_cast<std::size_t>(rank)]; });
  pending_requests requests;
  bool told = false;
  channels.connect(requests, comm.comm(), 0, [&] { told = true; });
  wait(requests);
  EXPECT_TRUE(told && channels.connected());
  if (channels.carried() == 0)
    return 0;
  for (std::size_t use = 0; use < 40; ++use) {
    for (const auto& m : e.sends)
      for (std::size_t i = 0; i < m.bytes; ++i)
        m.at[i] = element(use, rank_here(), i);
    channels.start(requests, [] {});
    wait(requests);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < e.receives.size(); ++r)
      for (std::size_t i = 0; channels.receives(r) && i < e.receives[r].bytes; ++i)
        wrong += e.receives[r].at[i] != element(use, e.receives[r].rank, i);
    EXPECT_EQ(wrong, 0u) << "use " << use << ", seed " << seed;
  }
  return channels.carried();
}

std::size_t in_all(std::size_t mine) {
  std::uint64_t sum = mine;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

TEST(node_channels, carry_what_is_not_too_long_use_after_use) {
  const std::vector<process_identity> all = processes();
  std::size_t carried = 0;
  for (unsigned seed = 1; seed <= 12; ++seed)
    carried += exchange_often(seed, all);
  EXPECT_GT(in_all(carried), 12u);
}

void refuse(const char* setting, const char* value) {
  const std::vector<process_identity> all = processes();
  if (rank_here() == 0)
    setenv(setting, value, 1);
  std::size_t carried = 0, with_it = 0;
  for (unsigned seed = 1; seed <= 6; ++seed)
    (rank_here() == 0 ? with_it : carried) += exchange_often(seed, all);
  unsetenv(setting);
  EXPECT_EQ(with_it, 0u);
  if (ranks_here() > 2)
    EXPECT_GT(in_all(carried), 0u);
  else
    EXPECT_EQ(in_all(carried), 0u);
}

TEST(node_channels, carry_nothing_of_a_rank_that_refuses) {
  refuse("TACIT_SHM", "off");
}

TEST(node_channels, carry_nothing_where_messages_are_recorded) {
  refuse("TACIT_RECORD", "somewhere");
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
