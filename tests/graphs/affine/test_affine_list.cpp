// Lists of affine runs: they say any sequence of operations exactly, and loops of programs in as few runs as they have messages in
// their body.
#include "graphs/graph/affine_run.h"
#include "oracle/fuzz_count.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <stdexcept>

namespace tacit::test {

using namespace graphs;
namespace {

plain_message send_to(std::uint32_t peer, std::uint64_t address) {
  return {op_kind::send, world, 0, rank_id{peer}, {address, 8}};
}
plain_message recv_from(std::uint32_t peer, std::uint64_t address) {
  return {op_kind::recv, world, 0, rank_id{peer}, {address, 8}};
}

using sequence = std::vector<std::optional<plain_message>>;

affine_list list_of(const sequence& all, rank_id self, std::uint32_t ranks) {
  affine_list out(self, ranks);
  for (const auto& m : all)
    m ? out.add(*m) : out.add_other();
  return out;
}

sequence said_by(const affine_list& list) {
  sequence out;
  for (auto at = list.begin(); at != list.end(); list.move_on(at))
    out.push_back(list.at(at));
  return out;
}

/// Runs that say a loop over peers, whose blocks are at `at(k, peer)`.
template <typename Peer, typename Address>
std::size_t runs_of_loop(std::uint32_t self, std::uint32_t ranks, bool both, const Peer& peer,
                         const Address& at) {
  sequence all;
  for (std::uint32_t k = 0; k < ranks; ++k) {
    if (peer(k) == self)
      continue;
    all.emplace_back(send_to(peer(k), at(k, peer(k))));
    if (both)
      all.emplace_back(recv_from(peer(k), 0x10'0000 + at(k, peer(k))));
  }
  const affine_list list = list_of(all, rank_id{self}, ranks);
  EXPECT_EQ(said_by(list), all);
  return list.runs().size();
}

TEST(affine_list, says_loops_over_all_other_ranks_in_one_run_each) {
  const auto by_peer = [](std::uint32_t, std::uint32_t peer) { return 0x1000 + 8ull * peer; };
  const auto by_iteration = [](std::uint32_t k, std::uint32_t) { return 0x1000 + 16ull * k; };
  const auto shared = [](std::uint32_t, std::uint32_t) { return std::uint64_t{0x1000}; };
  for (const std::uint32_t p : {3u, 4u, 5u, 16u, 33u})
    for (std::uint32_t self = 0; self < p; ++self)
      for (const bool both : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "rank " << self << " of " << p << (both ? ", sends and receives" : ""));
        const std::size_t runs = both ? 2 : 1;
        const auto up = [](std::uint32_t k) { return k; };
        const auto down = [&](std::uint32_t k) { return p - 1 - k; };
        const auto from_self = [&](std::uint32_t k) { return (self + k) % p; };
        for (const auto& order : {std::function<std::uint32_t(std::uint32_t)>(up),
                                  std::function<std::uint32_t(std::uint32_t)>(down),
                                  std::function<std::uint32_t(std::uint32_t)>(from_self)}) {
          EXPECT_EQ(runs_of_loop(self, p, both, order, by_peer), runs);
          EXPECT_EQ(runs_of_loop(self, p, both, order, shared), runs);
        }
        EXPECT_EQ(runs_of_loop(self, p, both, from_self, by_iteration), runs);
      }
}

TEST(affine_list, does_not_grow_with_the_ranks) {
  constexpr std::uint32_t p = 2048;
  affine_list list(rank_id{7}, p);
  for (std::uint32_t q = 0; q < p; ++q)
    if (q != 7) {
      list.add(recv_from(q, 0x10'0000 + 64ull * q));
      list.add(send_to(q, 0x1000 + 64ull * q));
    }
  EXPECT_EQ(list.size(), 2u * (p - 1));
  EXPECT_EQ(list.runs().size(), 2u);
  EXPECT_EQ(list.loops().size(), 1u);
}

TEST(affine_list, says_blocks_sent_to_one_rank_as_one_run) {
  sequence all;
  for (std::uint64_t row = 0; row < 100; ++row)
    all.emplace_back(send_to(1, 0x1000 + 4096 * row));
  const affine_list list = list_of(all, rank_id{0}, 4);
  EXPECT_EQ(list.runs().size(), 1u);
  EXPECT_EQ(said_by(list), all);
}

/// Sequences made of pieces of loops, so that runs begin and break in all ways.
sequence random_sequence(std::mt19937_64& random, std::uint32_t ranks) {
  sequence all;
  const auto below = [&](std::uint64_t n) { return random() % n; };
  while (all.size() < 40) {
    const std::uint64_t n = 1 + below(8), stride = below(4) * 8, kinds = 1 + below(2);
    const auto step = static_cast<std::uint32_t>(below(5) == 0 ? 2 : below(3) == 0 ? ranks - 1 : below(2));
    auto peer = static_cast<std::uint32_t>(below(ranks));
    std::uint64_t address =
        below(3) == 0 ? std::numeric_limits<std::uint64_t>::max() - below(64) : 0x1000 + below(8) * 8;
    const auto tag = static_cast<std::int32_t>(below(2));
    for (std::uint64_t k = 0; k < n; ++k) {
      for (std::uint64_t b = 0; b < kinds; ++b)
        all.emplace_back(plain_message{
            b == 0 ? op_kind::send : op_kind::recv, world, tag, rank_id{peer}, {address + b * 512, 8}});
      peer = (peer + step) % ranks;
      address += stride;
      if (below(10) == 0)
        peer = (peer + 1) % ranks;
    }
    if (below(4) == 0)
      all.emplace_back(std::nullopt);
    if (below(4) == 0)
      all.emplace_back(plain_message{op_kind::recv, comm_id{1}, 0, rank_id{0}, {}});
  }
  return all;
}

TEST(affine_list, says_any_sequence_exactly) {
  std::size_t operations = 0, runs = 0;
  for (std::uint64_t i = 0; i < oracle::fuzz_count(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    std::mt19937_64 random(seed);
    const auto ranks = static_cast<std::uint32_t>(1 + random() % 7);
    const rank_id self{static_cast<std::uint32_t>(random() % ranks)};
    const sequence all = random_sequence(random, ranks);
    const affine_list list = list_of(all, self, ranks);
    ASSERT_EQ(said_by(list), all) << "seed " << seed;
    ASSERT_EQ(list.size(), all.size()) << "seed " << seed;
    const affine_list again(self, ranks, {list.runs().begin(), list.runs().end()},
                            {list.loops().begin(), list.loops().end()});
    ASSERT_EQ(said_by(again), all) << "seed " << seed;
    ASSERT_EQ(again.has_others(), list.has_others()) << "seed " << seed;
    operations += all.size();
    runs += list.runs().size();
  }
  EXPECT_LT(2 * runs, operations);
}

TEST(affine_list, refuses_runs_and_loops_that_do_not_belong_together) {
  const affine_run run{.peer = rank_id{1}, .data = {0x1000, 8}};
  EXPECT_THROW(affine_list(rank_id{0}, 2, {run}, {}), std::invalid_argument);
  EXPECT_THROW(affine_list(rank_id{0}, 2, {}, {{0, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(affine_list(rank_id{0}, 2, {run}, {{0, 1, 2}}), std::invalid_argument);
}

} // namespace
} // namespace tacit::test
