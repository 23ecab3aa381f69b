// Every generated algorithm is recognised, alone, among random messages, and on parts of a grid.
#include "graphs/detect/analyzed.h"

#include "vocabulary/calls/reasons.h"

namespace tacit::graphs {
namespace {

using test::analyze;
using test::texts;

std::string expected(const recipe& r) {
  if (r.kind == pattern::barrier)
    return "barrier";
  std::string text = std::string(name(r.kind)) + " " + std::to_string(r.block);
  if (is_rooted(r.kind))
    text += " root " + std::to_string(r.root);
  return text;
}

std::string title(const recipe& r) {
  return std::string(name(r.form)) + " " + expected(r) + " p=" + std::to_string(r.ranks);
}

bool impossible(const recipe& r) {
  return r.kind == pattern::alltoall && r.form == algorithm::butterfly && (r.ranks & (r.ranks - 1)) != 0;
}

TEST(detect_patterns, every_algorithm_is_recognised_for_any_number_of_ranks) {
  for (const known_algorithm& k : known_algorithms())
    for (std::uint32_t p = 3; p <= 17; ++p) {
      const recipe r{.kind = k.kind, .form = k.form, .ranks = p, .block = 24, .root = p / 3};
      if (impossible(r))
        continue;
      diagnostics problems;
      const auto g = generate(r, problems);
      ASSERT_TRUE(g);
      const auto a = analyze(*g);
      EXPECT_EQ(test::summary(*g, a.f), texts{expected(r)}) << title(r) << "\n" << test::print(*g, a.t, a.f);
      for (const slice& s : a.f.residual)
        EXPECT_EQ(a.t.list[s.transfer].source, a.t.list[s.transfer].destination);
    }
}

/// Seed 000 section 3: linear and complex graphs and p random messages with dependencies; all collectives are
/// isolated.
TEST(detect_patterns, every_algorithm_is_isolated_among_random_messages) {
  for (const known_algorithm& k : known_algorithms())
    for (std::uint32_t p = 3; p <= 17; ++p)
      for (const extra_messages kind : {extra_messages::disjoint, extra_messages::dependent})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          const recipe r{.kind = k.kind,
                         .form = k.form,
                         .ranks = p,
                         .block = 24,
                         .root = p - 1,
                         .extra = p,
                         .extra_kind = kind,
                         .extra_bytes = 23,
                         .seed = seed};
          if (impossible(r) || (p == 3 && kind == extra_messages::dependent))
            continue;
          diagnostics problems;
          const auto g = generate(r, problems);
          ASSERT_TRUE(g);
          const auto a = analyze(*g, {.density = 1}); // random messages fill holes
          const texts found = test::summary(*g, a.f);
          const auto text = title(r) + " seed " + std::to_string(seed) + "\n" + test::print(*g, a.t, a.f);
          EXPECT_EQ(std::count(found.begin(), found.end(), expected(r)), 1) << text;
          if (p > 5) { // on few ranks the random messages form patterns of their own
            EXPECT_EQ(found.size(), 1u) << text;
          }
        }
}

TEST(detect_patterns, mixtures_are_taken_apart) {
  graph g(7);
  diagnostics problems;
  const auto add = [&](pattern kind, algorithm form, std::uint32_t root, std::uint64_t block,
                       std::uint64_t base) {
    ASSERT_TRUE(add_pattern(
        g, world, {.kind = kind, .form = form, .block = block, .root = root, .base = base}, problems));
  };
  add(pattern::bcast, algorithm::binomial, 3, 40, 0x10000);
  add(pattern::allgather, algorithm::bruck, 0, 16, 0x20000);
  add(pattern::alltoall, algorithm::ring, 0, 8, 0x30000);
  add(pattern::scatter, algorithm::binomial, 5, 32, 0x40000);
  add(pattern::gather, algorithm::ring, 5, 48, 0x50000);
  add(pattern::bcast, algorithm::pipelined, 6, 40, 0x60000);
  add(pattern::barrier, algorithm::dissemination, 0, 1, 0x70000);
  const auto a = analyze(g);
  EXPECT_EQ(test::summary(g, a.f), (texts{"allgather 16", "alltoall 8", "bcast 40 root 3", "bcast 40 root 6",
                                          "scatter 32 root 5", "gather 48 root 5", "barrier"}));
}

TEST(detect_patterns, rows_and_columns_of_a_grid_have_their_own_collectives) {
  constexpr std::uint32_t rows = 3, columns = 4;
  graph g(rows * columns);
  diagnostics problems;
  texts wanted;
  for (std::uint32_t r = 0; r < rows; ++r) {
    std::vector<rank_id> members;
    for (std::uint32_t c = 0; c < columns; ++c)
      members.push_back(rank_id{r * columns + c});
    const comm_id comm = g.add_communicator("row" + std::to_string(r), members);
    ASSERT_TRUE(add_pattern(
        g, comm, {.kind = pattern::bcast, .form = algorithm::ring, .block = 64, .root = r}, problems));
    wanted.push_back("row" + std::to_string(r) + " bcast 64 root " + std::to_string(r * columns + r));
  }
  for (std::uint32_t c = 0; c < columns; ++c) {
    std::vector<rank_id> members;
    for (std::uint32_t r = 0; r < rows; ++r)
      members.push_back(rank_id{r * columns + c});
    const comm_id comm = g.add_communicator("column" + std::to_string(c), members);
    ASSERT_TRUE(add_pattern(
        g, comm, {.kind = pattern::alltoall, .form = algorithm::bruck, .block = 8, .base = 0x100000},
        problems));
    wanted.push_back("column" + std::to_string(c) + " alltoall 8");
  }
  EXPECT_EQ(test::summary(g, analyze(g).f), wanted);
}

TEST(detect_patterns, a_barrier_is_not_made_of_data_and_a_subgroup_needs_no_second_one) {
  diagnostics problems;
  auto data = generate({.kind = pattern::alltoall, .form = algorithm::linear, .ranks = 4}, problems);
  const auto none = analyze(*data);
  EXPECT_EQ(test::refusal_of(none.f, pattern::barrier)->why, reason::wait_set_incomplete);

  auto g = generate({.kind = pattern::barrier, .form = algorithm::dissemination, .ranks = 5}, problems);
  const comm_id sub = g->add_communicator("sub", {rank_id{1}, rank_id{2}, rank_id{4}});
  const auto a = analyze(*g);
  EXPECT_EQ(test::summary(*g, a.f), texts{"barrier"});
  EXPECT_EQ(test::refusal_of(a.f, pattern::barrier, sub)->why, reason::used_by_higher);
}

TEST(detect_patterns, an_incomplete_barrier_names_who_has_not_heard_from_whom) {
  graph g(3);
  g.send(rank_id{0}, segment{}, rank_id{1});
  g.recv(rank_id{1}, segment{}, rank_id{0});
  const auto a = analyze(g);
  const refusal* r = test::refusal_of(a.f, pattern::barrier);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->why, reason::wait_set_incomplete);
  EXPECT_EQ(r->detail.rfind("rank ", 0), 0u) << r->detail;
  EXPECT_NE(r->detail.find("has not heard from rank"), std::string::npos);
}

/// In the spirit of the paper's Figure 6, whose picture is lost: five processes, twenty messages, several
/// collectives through forwarding, and messages that belong to none.
TEST(detect_patterns, five_processes_and_twenty_messages_in_the_spirit_of_figure_6) {
  graph g(5);
  const auto message = [&](std::uint32_t from, segment source, std::uint32_t to, segment target,
                           op_id sent_after = no_op, std::int32_t tag = 0) {
    const op_id s = g.send(rank_id{from}, source, rank_id{to}, tag);
    if (sent_after != no_op)
      g.depend(sent_after, s);
    return g.recv(rank_id{to}, target, rank_id{from}, tag);
  };
  // 4 messages: broadcast of 8 B from rank 0 along a tree.
  const op_id b1 = message(0, {0x100, 8}, 1, {0x100, 8});
  const op_id b2 = message(0, {0x100, 8}, 2, {0x100, 8});
  message(1, {0x100, 8}, 3, {0x100, 8}, b1);
  message(2, {0x100, 8}, 4, {0x100, 8}, b2);
  // 5 messages: gather of 4 B to rank 4, rank 0 through rank 1 in a larger message.
  const op_id g0 = message(0, {0x200, 4}, 1, {0x204, 4});
  message(1, {0x200, 8}, 4, {0x200, 8}, g0);
  message(2, {0x200, 4}, 4, {0x208, 4});
  message(3, {0x200, 2}, 4, {0x20c, 2});
  message(3, {0x202, 2}, 4, {0x20e, 2}, no_op, 1);
  // 4 messages: scatter of 16 B from rank 2.
  for (std::uint32_t k = 0, address = 0x300; k < 5; ++k)
    if (k != 2) {
      message(2, {address, 16}, k, {0x300, 16});
      address += 16;
    }
  // 4 messages: a second broadcast of the same size, linear, from rank 3.
  for (std::uint32_t k = 0; k < 5; ++k)
    if (k != 3)
      message(3, {0x400, 8}, k, {0x400, 8});
  // 3 messages that belong to nothing.
  message(0, {0x500, 8}, 3, {0x500, 8});
  const op_id last = message(3, {0x510, 24}, 1, {0x500, 24});
  message(1, {0x508, 4}, 2, {0x500, 4}, last);
  EXPECT_EQ(std::count_if(g.operations().begin(), g.operations().end(),
                          [](const operation& op) { return op.kind == op_kind::send; }),
            20);

  const auto a = analyze(g);
  EXPECT_EQ(test::summary(g, a.f),
            (texts{"bcast 8 root 0", "bcast 8 root 3", "scatter 16 root 2", "gather 4 root 4"}));
  std::uint64_t left = 0;
  for (const slice& s : a.f.residual)
    left += s.length;
  EXPECT_EQ(left, 4u + 8u + 24u + 4u) << "rank 0's gathered bytes at rank 1, and the three messages";
}

} // namespace
} // namespace tacit::graphs
