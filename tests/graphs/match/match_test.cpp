// Which receive takes which send, and what is said when none does.
#include "graphs/match/expect_words.h"
#include "graphs/match/match.h"

#include "oracle/fuzz_count.h"
#include "oracle/happens_before.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace tacit;
using namespace tacit::graphs;

namespace {

diagnostic only_problem(const graph& g) {
  diagnostics problems;
  match(g, problems);
  EXPECT_EQ(problems.size(), 1u);
  return problems.empty() ? diagnostic{} : problems.front();
}

} // namespace

TEST(match, k_th_send_to_k_th_receive_of_a_channel) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 1}, r1, 5), b = g.send(r0, segment{1, 1}, r1, 6);
  const op_id c = g.send(r0, segment{2, 1}, r1, 5);
  const op_id x = g.recv(r1, segment{0, 1}, r0, 5), y = g.recv(r1, segment{1, 1}, r0, 5);
  const op_id z = g.recv(r1, segment{2, 1}, r0, 6);
  diagnostics problems;
  const matching m = match(g, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(m.partner, (std::vector<op_id>{x, z, y, a, c, b}));
}

TEST(match, communicators_are_separate_spaces) {
  graph g(2);
  const comm_id other = g.add_communicator("other", {r1, r0});
  const op_id a = g.send(r0, segment{0, 1}, r1, 0, other), b = g.send(r0, segment{1, 1}, r1);
  const op_id x = g.recv(r1, segment{0, 1}, r0), y = g.recv(r1, segment{1, 1}, r0, 0, other);
  diagnostics problems;
  EXPECT_EQ(match(g, problems).partner, (std::vector<op_id>{y, x, b, a}));
}

TEST(match, one_sided_pairs_stay_out_of_the_channels) {
  graph g(2);
  const segment from[] = {{0, 4}}, into[] = {{8, 4}};
  const op_id put = g.put(r0, from, r1, into);
  const op_id a = g.send(r0, segment{0, 1}, r1), x = g.recv(r1, segment{0, 1}, r0);
  const op_id get = g.get(r0, into, r1, from); // the operation at rank 0 is the receive
  diagnostics problems;
  const matching m = match(g, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(m.partner[index(put)], g.made_pairs()[0].recv);
  EXPECT_EQ(m.partner[index(a)], x);
  EXPECT_EQ(m.partner[index(get)], g.made_pairs()[1].send);
}

TEST(match, crowded_pairs_of_ranks_are_joined_right) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    graph g(3);
    for (int side = 0; side < 2; ++side) // many messages with few and many tags, posted in different orders
      for (std::uint32_t i = 0; i < 600; ++i) {
        const std::int32_t tag = static_cast<std::int32_t>(i % 3 == 0  ? random() % 3
                                                           : side == 0 ? i
                                                                       : 600 - i);
        const rank_id peer{static_cast<std::uint32_t>(random() % 3)};
        if (side == 0)
          g.send(r0, segment{0, 1}, peer, tag);
        else
          g.recv(peer, segment{0, 1}, r0, tag);
      }
    diagnostics problems;
    EXPECT_EQ(match(g, problems).partner, oracle::structure(g).partner) << "seed " << seed;
  }
}

namespace {

struct message {
  rank_id from, to;
  std::int32_t tag;
  comm_id comm;
};

/// Messages among three or four ranks, many for each pair, on a few channels.
std::vector<message> many_messages(std::mt19937_64& random, std::uint32_t ranks, comm_id other) {
  std::vector<message> list;
  for (std::uint32_t i = 0; i < 64 * ranks; ++i)
    list.push_back({rank_id{static_cast<std::uint32_t>(random() % ranks)},
                    rank_id{static_cast<std::uint32_t>(random() % ranks)},
                    static_cast<std::int32_t>(random() % 2), random() % 2 == 0 ? world : other});
  return list;
}

void add_send(graph& g, const message& m) {
  g.send(m.from, segment{0, 1}, m.to, m.tag, m.comm);
}
void add_receive(graph& g, const message& m) {
  g.recv(m.to, segment{0, 1}, m.from, m.tag, m.comm);
}

/// Each message with both ends beside each other, but for a few sends that come late.
void list_by_message(graph& g, std::mt19937_64& random, const std::vector<message>& list, std::size_t late) {
  std::vector<message> left;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool receives_first = random() % 2 == 0;
    if (receives_first)
      add_receive(g, list[i]);
    if (left.size() < late && random() % 64 == 0)
      left.push_back(list[i]);
    else
      add_send(g, list[i]);
    if (!receives_first)
      add_receive(g, list[i]);
  }
  for (const message& m : left)
    add_send(g, m);
}

/// Rank by rank, receives in the order of sources, but for a few that come late; where `mixed`, sends and receives in turns.
void list_by_rank(graph& g, std::mt19937_64& random, const std::vector<message>& list, std::uint32_t ranks,
                  std::size_t late, bool mixed) {
  std::vector<message> left;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<message> sent, got;
    for (const message& m : list) {
      if (m.from == rank_id{r})
        sent.push_back(m);
      if (m.to == rank_id{r})
        got.push_back(m);
    }
    std::stable_sort(got.begin(), got.end(),
                     [](const message& a, const message& b) { return a.from < b.from; });
    auto next = sent.begin();
    for (const message& m : got) {
      for (; mixed && next != sent.end() && random() % 2 == 0; ++next)
        add_send(g, *next);
      if (left.size() < late && random() % 64 == 0)
        left.push_back(m);
      else
        add_receive(g, m);
    }
    for (; next != sent.end(); ++next)
      add_send(g, *next);
    for (const message& m : std::exchange(left, {}))
      add_receive(g, m);
  }
}

} // namespace

TEST(match, graphs_that_are_listed_plainly_or_nearly_so) {
  for (std::uint64_t seed = oracle::fuzz_seed(); seed < oracle::fuzz_seed() + oracle::fuzz_count() / 4;
       ++seed) {
    std::mt19937_64 random(seed);
    const auto ranks = static_cast<std::uint32_t>(3 + random() % 2);
    graph g(ranks);
    std::vector<rank_id> reversed;
    for (std::uint32_t r = ranks; r-- > 0;)
      reversed.push_back(rank_id{r});
    const comm_id other = g.add_communicator("other", reversed);
    const std::vector<message> list = many_messages(random, ranks, other);
    const std::size_t late = random() % 3;
    if (random() % 2 == 0)
      list_by_message(g, random, list, late);
    else
      list_by_rank(g, random, list, ranks, late, random() % 2 == 0);
    diagnostics problems;
    EXPECT_EQ(match(g, problems).partner, oracle::structure(g).partner) << "seed " << seed;
    EXPECT_TRUE(problems.empty()) << "seed " << seed;
  }
}

TEST(match, a_truncation_is_seen_however_operations_are_listed) {
  const auto listed = [](bool by_rank, std::uint64_t sent) {
    graph g(2);
    for (int i = 0; i < 128; ++i) {
      g.send(r0, segment{0, i == 70 ? sent : 1}, r1);
      if (!by_rank)
        g.recv(r1, segment{0, 1}, r0);
    }
    for (int i = 0; by_rank && i < 128; ++i)
      g.recv(r1, segment{0, 1}, r0);
    diagnostics problems;
    match(g, problems);
    return problems;
  };
  for (const bool by_rank : {false, true}) {
    EXPECT_TRUE(listed(by_rank, 1).empty());
    ASSERT_EQ(listed(by_rank, 2).size(), 1u);
    EXPECT_EQ(listed(by_rank, 2).front().code, number(reason::truncation));
  }
}

TEST(match, nothing_to_match) {
  diagnostics problems;
  EXPECT_TRUE(match(graph(1), problems).partner.empty());
  EXPECT_TRUE(match(graph(0), problems).partner.empty());
  EXPECT_TRUE(problems.empty());
}

TEST(match, unmatched_because_of_the_tag) {
  graph g(2);
  const op_id send = g.send(r0, segment{0x40, 8}, r1, 7);
  const op_id recv = g.recv(r1, segment{0x80, 8}, r0, 8);
  diagnostics problems;
  const matching m = match(g, problems);
  EXPECT_EQ(m.partner, (std::vector<op_id>{no_op, no_op}));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].code, number(reason::unmatched));
  EXPECT_EQ(problems[0].rank, r0);
  EXPECT_EQ(problems[0].op, send);
  EXPECT_EQ(problems[1].op, recv);
  expect_words(problems[0].message,
               {"rank 0 op 0", "8 B at 0x40", "no matching receive", "rank 1 op 1", "differs in tag"});
  expect_words(problems[0].remedy, {"same tag", "7", "8"});
}

TEST(match, unmatched_because_of_the_communicator) {
  graph g(2);
  const comm_id row = g.add_communicator("row", {r0, r1});
  g.send(r0, segment{0, 8}, r1, 7, row);
  g.recv(r1, segment{0, 8}, r0, 7);
  diagnostics problems;
  match(g, problems);
  ASSERT_EQ(problems.size(), 2u);
  expect_words(problems[0].message, {"rank 0 op 0", "rank 1 op 1", "differs in communicator"});
  expect_words(problems[0].remedy, {"same communicator", "row", "world"});
}

TEST(match, unmatched_because_of_the_peer) {
  graph g(3);
  g.send(r0, segment{0, 8}, r1, 7);
  g.recv(r2, segment{0, 8}, r0, 7);
  diagnostics problems;
  match(g, problems);
  ASSERT_EQ(problems.size(), 2u);
  expect_words(problems[0].message, {"rank 0 op 0", "rank 2 op 1", "differs in rank"});
  expect_words(problems[1].message, {"rank 2 op 1", "rank 0 op 0", "differs in peer"});
}

TEST(match, unmatched_because_of_the_number_of_messages) {
  graph g(2);
  g.send(r0, segment{0, 8}, r1, 7);
  const op_id extra = g.send(r0, segment{8, 8}, r1, 7);
  g.recv(r1, segment{0, 8}, r0, 7);
  const diagnostic d = only_problem(g);
  EXPECT_EQ(d.op, extra);
  expect_words(d.message,
               {"rank 0 op 1", "rank 0 sends 2 message(s) with tag 7", "rank 1 receives 1", "number"});
  expect_words(d.remedy, {"add the missing receive"});
}

TEST(match, unmatched_with_nothing_near) {
  graph g(2);
  g.recv(r1, segment{0, 8}, r0);
  const diagnostic d = only_problem(g);
  expect_words(d.message, {"rank 1 op 0", "no matching send", "no other operation comes near"});
  expect_words(d.remedy, {"add the missing send"});
}

TEST(match, many_unmatched_are_counted) {
  graph g(2);
  for (int i = 0; i < 500; ++i)
    g.send(r0, segment{0, 8}, r1, i);
  diagnostics problems;
  match(g, problems);
  ASSERT_EQ(problems.size(), 21u);
  expect_words(problems.back().message, {"480 more"});
}

TEST(match, shorter_receive_is_a_truncation) {
  graph g(2);
  g.send(r0, segment{0x10, 9}, r1);
  const segment into[] = {{0x20, 4}, {0x30, 4}};
  const op_id recv = g.recv(r1, into, r0);
  const diagnostic d = only_problem(g);
  EXPECT_EQ(d.code, number(reason::truncation));
  EXPECT_EQ(d.level, severity::error);
  EXPECT_EQ(d.rank, r1);
  EXPECT_EQ(d.op, recv);
  expect_words(d.message, {"rank 1 op 1", "rank 0 op 0", "1 B too long", "9 B into 8 B"});
  expect_words(d.remedy, {"enlarge the receive"});
}

TEST(match, longer_receive_is_fine) {
  graph g(2);
  g.send(r0, segment{0, 9}, r1);
  g.recv(r1, segment{0, 90}, r0);
  diagnostics problems;
  match(g, problems);
  EXPECT_TRUE(problems.empty());
}

TEST(match, truncation_of_a_put) {
  graph g(2);
  const segment from[] = {{0, 8}}, into[] = {{0, 4}};
  g.put(r0, from, r1, into);
  EXPECT_EQ(only_problem(g).code, number(reason::truncation));
}

TEST(match, members_with_different_numbers_of_fences) {
  graph g(3);
  const comm_id row = g.add_communicator("row", {r0, r2});
  g.fence(r0, row);
  g.fence(r0, row);
  g.fence(r2, row);
  const diagnostic d = only_problem(g);
  EXPECT_EQ(d.code, number(reason::unmatched));
  EXPECT_EQ(d.rank, r2);
  expect_words(d.message, {"rank 2 has 1 fence(s) on communicator row", "rank 0 has 2"});
  expect_words(d.remedy, {"every member"});
}
