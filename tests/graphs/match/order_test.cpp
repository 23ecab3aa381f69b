// Run order, cycles, buffering and races on graphs small enough to think through.
#include "graphs/match/expect_words.h"
#include "graphs/match/match.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace tacit;
using namespace tacit::graphs;

namespace {

struct checked {
  run_order order;
  diagnostics cycle, buffering, races;
};

checked check(const graph& g) {
  checked c;
  diagnostics problems = check_operations(g);
  const matching m = match(g, problems);
  EXPECT_TRUE(problems.empty()) << problems.front().message;
  c.order = order_operations(g, m, c.cycle);
  check_rendezvous(g, m, c.order, c.buffering);
  check_races(g, m, c.order, c.races);
  return c;
}

} // namespace

TEST(order, receive_directly_after_its_send) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 1}, r1), b = g.send(r0, segment{1, 1}, r1);
  const op_id x = g.recv(r1, segment{0, 1}, r0), y = g.recv(r1, segment{1, 1}, r0);
  EXPECT_EQ(check(g).order.order, (std::vector<op_id>{a, x, b, y}));
}

TEST(order, empty_graph) {
  EXPECT_TRUE(check(graph(1)).order.order.empty());
}

TEST(order, cycle_over_two_ranks_is_listed) {
  graph g(3);
  const op_id x = g.recv(r0, segment{0, 4}, r1), a = g.send(r0, segment{8, 4}, r1);
  const op_id y = g.recv(r1, segment{0, 4}, r0), b = g.send(r1, segment{8, 4}, r0);
  const op_id behind = g.send(r1, segment{20, 4}, r2);
  const op_id free = g.send(r2, segment{0, 1}, r2), taken = g.recv(r2, segment{4, 1}, r2);
  g.recv(r2, segment{20, 4}, r1);
  g.depend(x, a);
  g.depend(y, b);
  g.depend(b, behind);
  const checked c = check(g);
  EXPECT_EQ(c.order.order, (std::vector<op_id>{free, taken}));
  ASSERT_EQ(c.cycle.size(), 1u);
  EXPECT_EQ(c.cycle[0].code, number(reason::cycle));
  EXPECT_EQ(c.cycle[0].level, severity::error);
  EXPECT_EQ(c.cycle[0].rank, r0);
  EXPECT_EQ(c.cycle[0].op, x);
  expect_words(c.cycle[0].message, {"6 operation(s) can never run", "4 of them", "rank 0 op 0", "rank 0 op 1",
                                    "rank 1 op 2", "rank 1 op 3", "op 0 again", "4 B at 0x8"});
  expect_words(c.cycle[0].remedy, {"remove one of these dependencies"});
}

TEST(order, cycle_through_a_fence) {
  graph g(2);
  const op_id x = g.recv(r0, segment{0, 4}, r1); // sent only behind the fence that waits for it
  g.fence(r0);
  g.fence(r1);
  g.send(r1, segment{0, 4}, r0);
  const checked c = check(g);
  EXPECT_TRUE(c.order.order.empty());
  ASSERT_EQ(c.cycle.size(), 1u);
  EXPECT_EQ(c.cycle[0].op, x);
  expect_words(c.cycle[0].message, {"rank 0 op 0: recv", "fence", "rank 1 op 3: send"});
}

TEST(order, fences_called_in_different_orders_never_meet) {
  graph g(2);
  const comm_id other = g.add_communicator("other", {r0, r1});
  g.fence(r0);
  g.fence(r0, other);
  g.fence(r1, other);
  g.fence(r1);
  EXPECT_EQ(check(g).cycle.size(), 1u);
}

TEST(order, a_fence_waits_for_all_members_and_holds_all_back) {
  graph g(3);
  const op_id early = g.opaque(r2, {}, {});
  const op_id f0 = g.fence(r0), late = g.opaque(r0, {}, {});
  const op_id f1 = g.fence(r1), f2 = g.fence(r2);
  EXPECT_EQ(check(g).order.order, (std::vector<op_id>{early, f0, f1, f2, late}));
}

TEST(rendezvous, head_to_head_sends_rely_on_buffering) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 4}, r1), x = g.recv(r0, segment{8, 4}, r1);
  const op_id b = g.send(r1, segment{0, 4}, r0), y = g.recv(r1, segment{8, 4}, r0);
  g.depend(a, x);
  g.depend(b, y);
  const checked c = check(g);
  EXPECT_TRUE(c.cycle.empty());
  ASSERT_EQ(c.buffering.size(), 1u);
  EXPECT_EQ(c.buffering[0].code, number(reason::relies_on_buffering));
  EXPECT_EQ(c.buffering[0].level, severity::warning);
  EXPECT_EQ(c.buffering[0].rank, r0);
  EXPECT_EQ(c.buffering[0].op, a);
  expect_words(c.buffering[0].message, {"rank 0 op 0: send 4 B at 0x0", "rank 1 op 3: recv",
                                        "rank 1 op 2: send", "rank 0 op 1: recv", "waits for op 0"});
  expect_words(c.buffering[0].remedy, {"post the receives first"});
}

TEST(rendezvous, posted_receives_need_no_buffering) {
  graph g(2);
  g.recv(r0, segment{8, 4}, r1);
  g.send(r0, segment{0, 4}, r1);
  g.recv(r1, segment{8, 4}, r0);
  g.send(r1, segment{0, 4}, r0);
  EXPECT_TRUE(check(g).buffering.empty());
}

TEST(rendezvous, blocking_send_to_oneself) {
  graph g(1);
  const op_id a = g.send(r0, segment{0, 4}, r0), x = g.recv(r0, segment{8, 4}, r0);
  g.depend(a, x);
  EXPECT_EQ(check(g).buffering.size(), 1u);
}

TEST(rendezvous, receive_behind_a_fence_that_the_send_precedes) {
  graph g(2);
  g.send(r0, segment{0, 4}, r1);
  g.fence(r0);
  g.fence(r1);
  g.recv(r1, segment{0, 4}, r0);
  const checked c = check(g);
  EXPECT_TRUE(c.cycle.empty());
  ASSERT_EQ(c.buffering.size(), 1u);
  expect_words(c.buffering[0].message, {"rank 0 op 0: send", "rank 1 op 3: recv", "fence"});
}

TEST(rendezvous, what_is_combined_arrives_in_memory_of_its_own) {
  for (const std::uint64_t length : {std::uint64_t{4}, std::uint64_t{0}}) {
    graph g(2);
    const reducer_id sum = g.add_reducer({});
    const segment from[] = {{0, length}}, into[] = {{0, 4}};
    const op_id a = g.send(r0, from, r1), x = g.recv_reduce(r0, into, r1, sum);
    const op_id b = g.send(r1, from, r0), y = g.recv_reduce(r1, into, r0, sum);
    g.depend(a, x);
    g.depend(b, y);
    EXPECT_EQ(check(g).buffering.size(),
              length == 0 ? 1u : 0u); // nothing arrives early where nothing is combined
  }
}

TEST(rendezvous, puts_need_no_partner) {
  graph g(2);
  const segment from[] = {{0, 4}}, into[] = {{8, 4}};
  const op_id put = g.put(r0, from, r1, into);
  const op_id next = g.send(r0, segment{0, 4}, r1);
  g.depend(put, next);
  g.recv(r1, segment{20, 4}, r0);
  EXPECT_TRUE(check(g).buffering.empty());
}

TEST(races, send_and_receive_of_the_same_bytes) {
  graph g(2);
  const op_id out = g.send(r0, segment{0x10, 8}, r1);
  g.recv(r0, segment{0x14, 8}, r1);
  g.recv(r1, segment{0, 8}, r0);
  g.send(r1, segment{8, 8}, r0);
  const checked c = check(g);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].code, number(reason::race));
  EXPECT_EQ(c.races[0].level, severity::error);
  EXPECT_EQ(c.races[0].rank, r0);
  EXPECT_EQ(c.races[0].op, out);
  expect_words(c.races[0].message,
               {"rank 0 op 0: send", "rank 0 op 1: recv", "[0x14, 0x18)", "nothing orders"});
  expect_words(c.races[0].remedy, {"dependency between op 0 and op 1", "different buffers"});
}

TEST(races, writes_in_turn_may_begin_anywhere) {
  const auto receives = [](std::initializer_list<segment> list) {
    graph g(2);
    for (const segment& s : list) {
      g.send(r0, segment{100, s.length}, r1);
      g.recv(r1, s, r0);
    }
    return check(g).races.size();
  };
  EXPECT_EQ(receives({{8, 4}, {12, 4}, {0, 4}, {4, 4}}), 0u);
  EXPECT_EQ(receives({{8, 4}, {12, 4}, {0, 4}, {4, 5}}), 1u);
  EXPECT_EQ(receives({{8, 4}, {12, 4}, {0, 4}, {16, 4}}), 0u);
  EXPECT_EQ(receives({{8, 4}, {12, 4}, {0, 4}, {15, 4}}), 1u);
  EXPECT_EQ(receives({{8, 4}, {4, 4}, {0, 4}}), 0u);
  EXPECT_EQ(receives({{8, 4}, {4, 4}, {0, 5}}), 1u);
}

TEST(races, who_passes_on_what_one_receive_wrote_waits_for_it) {
  graph g(3);
  g.send(r0, segment{0, 8}, r1);
  const op_id got = g.recv(r1, segment{0, 8}, r0), first = g.send(r1, segment{0, 4}, r2),
              second = g.send(r1, segment{4, 4}, r2);
  g.send(r1, segment{8, 4}, r2); // other bytes: waits for nobody
  for (const std::uint64_t to : {0, 4, 8})
    g.recv(r2, segment{to, 4}, r1);
  g.depend(got, first);
  EXPECT_EQ(check(g).races.size(), 1u);
  g.depend(got, second);
  EXPECT_TRUE(check(g).races.empty());
}

TEST(races, two_reads_never_race) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1);
  g.send(r0, segment{0, 8}, r1);
  g.recv(r1, segment{0, 8}, r0);
  g.recv(r1, segment{8, 8}, r0);
  EXPECT_TRUE(check(g).races.empty());
}

/// Pieces of 8 bytes every 32, the last one first; in the end one at another place.
std::vector<segment> backwards(std::uint64_t base, std::uint64_t last) {
  std::vector<segment> list;
  for (std::uint64_t i = 12; i-- > 1;)
    list.push_back({base + 32 * i, 8});
  list.push_back({last, 8});
  return list;
}

/// Rank 0 sends what another rank receives in lists that lie between each other, and overlap if that is wanted.
void receive_twice(graph& g, rank_id rank, std::uint64_t base, bool overlapping) {
  for (const auto& list : {backwards(base, base), backwards(base + 16, base + (overlapping ? 4 : 16))}) {
    g.send(r0, segment{0, 96}, rank);
    g.recv(rank, list, r0);
  }
}

TEST(races, lists_of_one_rank_say_nothing_of_other_lists) {
  graph g(3);
  receive_twice(g, r1, 0x1000, false);
  receive_twice(g, r2, 0x2000, true);
  const checked c = check(g);
  ASSERT_EQ(c.races.size(), 1u);
  EXPECT_EQ(c.races[0].rank, r2);
}

TEST(races, of_equal_lists_are_found_on_every_rank_that_has_them) {
  graph g(9);
  for (std::uint32_t r = 1; r < 9; ++r)
    receive_twice(g, rank_id{r}, 0x1000, r % 2 == 0);
  const checked c = check(g);
  ASSERT_EQ(c.races.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(c.races[i].rank, rank_id{2 * i + 2});
}

TEST(races, order_by_a_round_trip_counts) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1); // rank 1 answers when it has it, into the same bytes
  g.recv(r0, segment{0, 8}, r1);
  const op_id got = g.recv(r1, segment{0, 8}, r0), answer = g.send(r1, segment{8, 8}, r0);
  g.depend(got, answer);
  EXPECT_TRUE(check(g).races.empty());
}

TEST(races, order_by_a_fence_counts) {
  graph g(2);
  const segment from[] = {{0, 4}}, into[] = {{8, 4}};
  g.put(r0, from, r1, into);
  g.fence(r0);
  g.fence(r1);
  g.send(r1, segment{8, 4}, r1);
  g.recv(r1, segment{20, 4}, r1);
  EXPECT_TRUE(check(g).races.empty());
}

TEST(races, remote_half_of_a_put_races_within_its_epoch) {
  graph g(2);
  const segment from[] = {{0, 4}}, into[] = {{8, 4}};
  g.fence(r1); // rank 1 reads behind its fence, but rank 0 puts behind its own as well
  g.fence(r0);
  g.put(r0, from, r1, into);
  g.send(r1, segment{8, 4}, r1);
  g.recv(r1, segment{20, 4}, r1);
  const checked c = check(g);
  ASSERT_EQ(c.races.size(), 1u);
  expect_words(c.races[0].message, {"rank 1", "[0x8, 0xc)"});
}

TEST(races, tail_of_a_longer_receive_is_not_written) {
  graph g(2);
  g.send(r0, segment{0, 4}, r1);
  g.recv(r1, segment{0, 16}, r0);
  g.send(r1, segment{8, 4}, r0);
  g.recv(r0, segment{8, 4}, r1);
  EXPECT_TRUE(check(g).races.empty());
}

/// `messages` each way between two ranks, from one buffer into another one; nothing orders them.
graph two_buffers(std::uint64_t messages) {
  graph g(2);
  for (const auto& [me, other] : {std::pair(r0, r1), std::pair(r1, r0)})
    for (std::uint64_t i = 0; i < messages; ++i) {
      g.send(me, segment{8 * i, 8}, other);
      g.recv(me, segment{0x10000 + 8 * i, 8}, other);
    }
  return g;
}

TEST(races, are_seen_among_few_operations_and_among_many) {
  for (const std::uint64_t messages : {2u, 31u, 32u, 33u, 200u}) {
    graph g = two_buffers(messages);
    EXPECT_TRUE(check(g).races.empty()) << messages;
    const std::uint64_t some = messages / 2;
    const auto with = [&](segment read, segment written, bool ordered) {
      graph more = g;
      const op_id sent = more.send(r0, read, r1), got = more.recv(r0, written, r1);
      more.recv(r1, segment{0x20000, read.length}, r0);
      more.send(r1, segment{0x30000, written.length}, r0);
      if (ordered)
        for (std::uint32_t i = 0; i < 2 * messages; ++i) {
          more.depend(op_id{i}, sent);
          more.depend(op_id{i}, got);
        }
      return check(more).races.size();
    };
    const segment unread{0x40000, 8}, unwritten{0x50000, 8};
    EXPECT_EQ(with(unread, unwritten, false), 0u) << messages;
    EXPECT_EQ(with({0x10000 + 8 * some, 8}, unwritten, false), 1u)
        << messages; // reads what another receive writes
    EXPECT_EQ(with({0x10000 + 8 * some + 7, 1}, unwritten, false), 1u) << messages;
    EXPECT_EQ(with(unread, {8 * some + 4, 8}, false), some + 1 < messages ? 2u : 1u)
        << messages;                                                         // two sends read it
    EXPECT_EQ(with(unread, {0x10000 + 8 * some, 1}, false), 1u) << messages; // written twice
    EXPECT_EQ(with({0x10000 + 8 * some, 8}, {8 * some + 4, 8}, true), 0u) << messages;
  }
}

TEST(races, many_are_counted_and_the_search_ends) {
  graph g(2);
  for (int i = 0; i < 3000; ++i) {
    g.send(r0, segment{0, 8}, r1);
    g.recv(r1, segment{0, 8}, r0);
  }
  const checked c = check(g);
  ASSERT_EQ(c.races.size(), 21u);
  expect_words(c.races.back().message, {"at least 980 more"});
}

TEST(races, long_chains_are_quick) {
  // Two interleaved chains of 100,000 operations on one rank read what an early operation wrote, and an
  // operation that nothing orders comes first: searching the whole chain for each of them would take minutes.
  graph g(1);
  const segment bytes[] = {{0, 8}};
  g.opaque(r0, {}, {});
  const op_id first = g.opaque(r0, {}, bytes);
  op_id last[2] = {first, first};
  for (int i = 0; i < 200'000; ++i) {
    const op_id next = g.opaque(r0, bytes, {});
    g.depend(last[i % 2], next);
    last[i % 2] = next;
  }
  const op_id end = g.opaque(r0, {}, bytes);
  g.depend(last[0], end);
  graph well_ordered = g;
  well_ordered.depend(last[1], end);
  EXPECT_TRUE(check(well_ordered).races.empty());
  EXPECT_FALSE(check(g).races.empty());
}
