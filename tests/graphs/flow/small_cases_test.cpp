// The small cases on which the printed algorithm of the paper goes wrong, and the edges of the language.
#include "graphs/flow/analysis.h"
#include "graphs/flow/rank_by_rank.h"
#include "graphs/generate/generate.h"

using namespace tacit;
using namespace tacit::graphs;
using list = std::vector<transfer>;

namespace {
constexpr rank_id r0{0}, r1{1}, r2{2};
}

TEST(flow, one_message) {
  graph g(2);
  g.send(r0, segment{16, 8}, r1);
  g.recv(r1, segment{32, 8}, r0);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 32, 0, 16, 8)}));
}

TEST(flow, forwarding_half_a_buffer_names_the_origin) {
  graph g(3);
  g.send(r0, segment{0, 8}, r1);
  const op_id got = g.recv(r1, segment{100, 8}, r0);
  g.depend(got, g.send(r1, segment{104, 4}, r2));
  g.recv(r2, segment{50, 4}, r1);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 8), moved(2, 50, 0, 4, 4)}));
}

TEST(flow, received_bytes_and_then_own_tail) {
  graph g(3);
  g.send(r0, segment{0, 4}, r1);
  const op_id got = g.recv(r1, segment{100, 4}, r0);
  g.depend(got, g.send(r1, segment{98, 10}, r2));
  g.recv(r2, segment{0, 10}, r1);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 4), moved(2, 0, 1, 98, 2), moved(2, 2, 0, 0, 4),
                                   moved(2, 6, 1, 104, 4)}));
}

TEST(flow, gap_between_two_received_blocks_is_own_data) {
  graph g(3);
  g.send(r0, segment{0, 4}, r1);
  g.send(r0, segment{8, 4}, r1);
  const op_id a = g.recv(r1, segment{100, 4}, r0), b = g.recv(r1, segment{108, 4}, r0);
  const op_id forward = g.send(r1, segment{100, 12}, r2);
  g.depend(a, forward);
  g.depend(b, forward);
  g.recv(r2, segment{0, 12}, r1);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 4), moved(1, 108, 0, 8, 4), moved(2, 0, 0, 0, 4),
                                   moved(2, 4, 1, 104, 4), moved(2, 8, 0, 8, 4)}));
}

TEST(flow, dependency_without_overlap_moves_nothing_else) {
  graph g(3);
  g.send(r0, segment{0, 4}, r1);
  const op_id got = g.recv(r1, segment{100, 4}, r0);
  g.depend(got, g.send(r1, segment{200, 4}, r2));
  g.recv(r2, segment{0, 4}, r1);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 4), moved(2, 0, 1, 200, 4)}));
}

TEST(flow, two_receives_into_the_same_bytes_by_time_not_by_address) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1, 1);
  g.send(r0, segment{20, 4}, r1, 2);
  const op_id first = g.recv(r1, segment{102, 8}, r0, 1);
  g.depend(first, g.recv(r1, segment{100, 4}, r0, 2));
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 20, 4), moved(1, 104, 0, 2, 6)}));
}

TEST(flow, receive_after_send_of_the_same_bytes) {
  graph g(2);
  const op_id out = g.send(r0, segment{0, 4}, r1);
  g.recv(r1, segment{10, 4}, r0);
  g.send(r1, segment{0, 4}, r0);
  g.depend(out, g.recv(r0, segment{0, 4}, r1));
  EXPECT_EQ(transfers_of(g), (list{moved(0, 0, 1, 0, 4), moved(1, 10, 0, 0, 4)}));
}

TEST(flow, swap_is_simultaneous) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 4}, r1), b = g.send(r1, segment{0, 4}, r0);
  g.depend(a, g.recv(r0, segment{0, 4}, r1));
  g.depend(b, g.recv(r1, segment{0, 4}, r0));
  EXPECT_EQ(transfers_of(g), (list{moved(0, 0, 1, 0, 4), moved(1, 0, 0, 0, 4)}));
}

TEST(flow, bytes_that_come_home_are_dropped) {
  graph g(2);
  const op_id out = g.send(r0, segment{0, 4}, r1);
  const op_id there = g.recv(r1, segment{0, 4}, r0);
  g.depend(there, g.send(r1, segment{0, 4}, r0));
  g.depend(out, g.recv(r0, segment{0, 4}, r1));
  EXPECT_EQ(transfers_of(g), (list{moved(1, 0, 0, 0, 4)}));
}

TEST(flow, self_message_is_a_local_copy) {
  graph g(1);
  g.send(r0, segment{0, 4}, r0);
  g.recv(r0, segment{8, 4}, r0);
  EXPECT_EQ(transfers_of(g), (list{moved(0, 8, 0, 0, 4)}));
}

TEST(flow, zero_byte_message_moves_nothing) {
  graph g(2);
  g.send(r0, segment{0, 0}, r1);
  g.recv(r1, segment{0, 16}, r0);
  EXPECT_EQ(transfers_of(g), list{});
}

TEST(flow, longer_receive_keeps_its_tail) {
  graph g(2);
  g.send(r0, segment{0, 5}, r1);
  const segment into[] = {{100, 3}, {200, 9}};
  g.recv(r1, into, r0);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 3), moved(1, 200, 0, 3, 2)}));
}

TEST(flow, segments_are_packed_in_their_order) {
  graph g(2);
  const segment from[] = {{8, 4}, {0, 4}}, into[] = {{100, 2}, {110, 6}};
  g.send(r0, from, r1);
  g.recv(r1, into, r0);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 8, 2), moved(1, 110, 0, 10, 2), moved(1, 112, 0, 0, 4)}));
}

TEST(flow, overlapping_copy_reads_before_it_writes) {
  graph g(1);
  const segment from[] = {{0, 8}}, into[] = {{4, 8}};
  g.copy(r0, from, into);
  EXPECT_EQ(transfers_of(g), (list{moved(0, 4, 0, 0, 8)}));
}

TEST(flow, unknown_bytes_travel) {
  graph g(2);
  const segment bytes[] = {{0, 4}};
  const op_id compute = g.opaque(r0, bytes, bytes);
  g.depend(compute, g.send(r0, segment{2, 4}, r1));
  g.recv(r1, segment{0, 4}, r0);
  EXPECT_EQ(transfers_of(g),
            (list{unknown(0, 0, compute, 4), unknown(1, 0, compute, 2), moved(1, 2, 0, 4, 2)}));
}

TEST(flow, scratch_is_not_live) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1);
  g.recv(r1, segment{100, 8}, r0);
  g.scratch(r1, {102, 2});
  g.scratch(r1, {103, 3});
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 2), moved(1, 106, 0, 6, 2)}));
}

TEST(flow, declared_live_out_bytes_are_all_that_counts) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1);
  g.recv(r1, segment{100, 8}, r0);
  g.live_out(r1, {102, 2});
  g.live_out(r1, {106, 20});
  g.scratch(r1, {102, 1});
  EXPECT_EQ(transfers_of(g), (list{moved(1, 102, 0, 2, 2), moved(1, 106, 0, 6, 2)}));
}

TEST(flow, pieces_that_belong_together_are_joined) {
  graph g(2);
  for (const std::uint64_t at : {8, 0, 4, 12}) {
    g.send(r0, segment{at, 4}, r1);
    g.recv(r1, segment{100 + at, 4}, r0);
  }
  EXPECT_EQ(transfers_of(g), (list{moved(1, 100, 0, 0, 16)}));
}

TEST(flow, put_and_get_across_a_fence) {
  graph g(2);
  const segment a[] = {{0, 4}}, b[] = {{8, 4}}, c[] = {{16, 4}};
  g.put(r0, a, r1, b); // rank 1's 8 gets rank 0's 0
  g.fence(r0);
  g.fence(r1);
  g.get(r0, c, r1, b); // and comes back after the fence
  EXPECT_EQ(transfers_of(g), (list{moved(0, 16, 0, 0, 4), moved(1, 8, 0, 0, 4)}));
}

TEST(flow, remote_half_of_a_put_lies_in_the_epoch_of_its_origin) {
  graph g(2);
  const segment a[] = {{0, 4}}, b[] = {{8, 4}};
  g.fence(r1); // created before the put, but the put belongs to the epoch before it
  g.put(r0, a, r1, b);
  g.fence(r0);
  g.send(r1, segment{8, 4}, r1);
  g.recv(r1, segment{20, 4}, r1);
  EXPECT_EQ(transfers_of(g), (list{moved(1, 8, 0, 0, 4), moved(1, 20, 0, 0, 4)}));
}

TEST(flow, addresses_near_the_end_of_the_address_space) {
  graph g(2);
  const std::uint64_t top = ~0ull - 16;
  g.send(r0, segment{top, 16}, r1);
  g.recv(r1, segment{top - 4, 16}, r0);
  EXPECT_EQ(transfers_of(g), (list{moved(1, top - 4, 0, top, 16)}));
}

TEST(flow, exponential_graph_meets_the_budget) {
  // Two ranks throw a buffer back and forth; each message carries it twice, shifted by one byte, so that its
  // pieces double with every step.
  graph g(2);
  op_id last[2] = {no_op, no_op};
  std::uint64_t length = 1;
  for (std::uint32_t step = 0; step < 40; ++step) {
    const rank_id from{step % 2}, to{1 - step % 2};
    const segment twice[] = {{0, length}, {0, length}};
    const segment into[] = {{0, 2 * length}};
    const op_id out = g.send(from, twice, to), in = g.recv(to, into, from);
    if (last[step % 2] != no_op)
      g.depend(last[step % 2], out);
    if (last[1 - step % 2] != no_op)
      g.depend(last[1 - step % 2], in);
    last[1 - step % 2] = in;
    last[step % 2] = out;
    length *= 2;
  }
  const analysis a = analyze(g, {.fragment_budget = 1u << 16});
  EXPECT_FALSE(a.moved.complete);
  EXPECT_TRUE(a.moved.list.empty());
  ASSERT_EQ(a.problems.size(), 1u);
  EXPECT_EQ(a.problems[0].code, 8);
  EXPECT_EQ(a.problems[0].level, severity::warning);
  EXPECT_NE(a.problems[0].message.find("65536 fragments"), std::string::npos) << a.problems[0].message;
  EXPECT_NE(a.problems[0].remedy.find("--budget"), std::string::npos);
}

namespace {

graph alltoall(algorithm form, std::uint32_t ranks) {
  diagnostics problems;
  return generate({.kind = pattern::alltoall, .form = form, .ranks = ranks, .block = 24}, problems).value();
}

/// Each rank passes on all that it got, and its own.
graph growing_chain(std::uint32_t ranks) {
  graph g(ranks);
  op_id got = no_op;
  for (std::uint32_t r = 0; r + 1 < ranks; ++r) {
    const segment all{0, 8 * std::uint64_t{r + 1}};
    const op_id sent = g.send(rank_id{r}, all, rank_id{r + 1});
    if (got != no_op)
      g.depend(got, sent);
    got = g.recv(rank_id{r + 1}, all, rank_id{r});
  }
  return g;
}

std::optional<transfers> rank_by_rank(const graph& g, const flow_options& options = {}) {
  const analysis a = analyze(g);
  return follow_rank_by_rank(g, a.matched, a.order, options);
}

} // namespace

TEST(flow, an_alltoall_leaves_the_same_whatever_the_algorithm) {
  for (const std::uint32_t ranks : {5u, 32u, 64u}) {
    const list straight = transfers_of(alltoall(algorithm::linear, ranks));
    EXPECT_EQ(straight.size(), std::size_t{ranks} * (ranks - 1));
    for (const algorithm form : {algorithm::bruck, algorithm::ring, algorithm::butterfly}) {
      if (form == algorithm::butterfly && ranks == 5)
        continue; // it takes powers of two
      const graph g = alltoall(form, ranks);
      EXPECT_EQ(transfers_of(g), straight);
      const std::optional<transfers> moved = rank_by_rank(g);
      ASSERT_TRUE(moved);
      EXPECT_EQ(moved->list, straight);
    }
  }
}

TEST(flow, rank_by_rank_gives_up_what_it_cannot_follow) {
  const graph g = alltoall(algorithm::bruck, 16);
  EXPECT_TRUE(rank_by_rank(g));
  EXPECT_FALSE(rank_by_rank(g, {.fragment_budget = 100}));
  EXPECT_FALSE(rank_by_rank(g, {.memory_budget = 1000}));
  EXPECT_FALSE(rank_by_rank(growing_chain(420))) << "messages carry much in few pieces";
  graph long_message(2);
  long_message.send(r0, segment{0, std::uint64_t{1} << 32}, r1);
  long_message.recv(r1, segment{0, std::uint64_t{1} << 32}, r0);
  EXPECT_FALSE(rank_by_rank(long_message));
}
