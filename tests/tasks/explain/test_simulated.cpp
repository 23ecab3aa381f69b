// Plans of thousands of ranks that do not exist: every rank's fits those of the others.
#include "tasks/explain/explain.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tacit::tasks {
namespace {

constexpr std::uint32_t ranks = 4096;
constexpr coordinate side = 4096;

task over(split_rule split, std::vector<access> accesses) {
  task t;
  t.shape.dims = 2;
  t.shape.global = box_of(range{{side, side, 1}});
  t.shape.split = split;
  t.accesses = std::move(accesses);
  return t;
}

/// Every kind of exchange, with messages between meshes, weighted splits and reductions.
void submit_all(planner& p) {
  const buffer_id a = p.create_buffer({"A", 2, {{side, side, 1}}, 8, false}),
                  b = p.create_buffer({"B", 2, {{side, side, 1}}, 8, false});
  const buffer_id sum = p.create_buffer({"sum", 1, {{side, 1, 1}}, 8, false});
  const auto make = [&](buffer_id buffer, split_rule split) {
    return over(split, {{buffer, access_mode::discard_write, one_to_one()}});
  };
  const auto look = [&](buffer_id buffer, split_rule split, const mapper& how) {
    return over(split, {{buffer, access_mode::read, how}});
  };
  p.submit(make(a, split_rule::one_dim));
  p.submit(look(a, split_rule::one_dim, neighborhood({1, 1, 0})));
  p.submit(look(a, split_rule::one_dim, transposed({1, 0, 2})));
  p.submit(make(b, split_rule::two_dim));
  p.submit(look(b, split_rule::two_dim, neighborhood({1, 1, 0})));
  p.submit(look(b, split_rule::two_dim, slice(0)));
  p.submit(look(b, split_rule::two_dim, slice(1)));
  p.submit(make(b, split_rule::two_dim));
  p.submit(look(b, split_rule::two_dim, slice(1)));
  p.submit(look(a, split_rule::two_dim, one_to_one()));
  p.submit(make(a, split_rule::none));
  p.submit(look(a, split_rule::one_dim, all()));
  task uneven = make(a, split_rule::one_dim);
  std::vector<std::uint32_t> weights;
  for (std::uint32_t r = 0; r < ranks; ++r)
    weights.push_back(1 + r % 5);
  uneven.shape.weights = weights;
  p.submit(uneven);
  p.submit(look(a, split_rule::one_dim, one_to_one()));
  p.submit(look(a, split_rule::none, all()));
  task reduce = over(split_rule::one_dim, {});
  reduce.reductions.push_back({sum, 1, false});
  p.submit(reduce);
  task use = over(split_rule::one_dim, {});
  use.shape.global = box_of(range{{side, 1, 1}});
  use.accesses.push_back({sum, access_mode::read, one_to_one()});
  p.submit(use);
  p.flush();
}

struct seen {
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, region> sent,
      awaited; ///< by transfer, from, to
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>>
      meetings; ///< by exchange and first member: sizes
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> halo_sends, halo_receives;
  std::map<std::string, int> kinds;

  void add(const command& c, std::uint32_t me) {
    const auto peer = static_cast<std::uint32_t>(index(c.peer));
    if (c.kind == command_kind::push)
      sent[{c.transfer, me, peer}] = c.what;
    if (c.kind == command_kind::await_push)
      awaited[{c.transfer, peer, me}] = c.what;
    if (c.kind != command_kind::collective)
      return;
    const std::uint64_t number = index(c.number);
    meetings[{number, static_cast<std::uint32_t>(index(c.members.member(0)))}].push_back(c.members.size());
    EXPECT_TRUE(c.members.contains(rank_id{me}));
    for (const rank_id to : c.sends_to)
      halo_sends.insert({number, me, static_cast<std::uint32_t>(index(to))});
    for (const rank_id from : c.receives_from)
      halo_receives.insert({number, static_cast<std::uint32_t>(index(from)), me});
  }
};

TEST(simulated, plans_of_4096_ranks_fit_each_other) {
  seen all;
  std::vector<std::uint64_t> order;
  for (std::uint32_t me = 0; me < ranks; ++me) {
    planner_options options;
    options.ranks = ranks;
    options.me = rank_id{me};
    planner p(options);
    submit_all(p);
    ASSERT_TRUE(p.problems().empty()) << p.problems()[0].message;
    std::vector<std::uint64_t> mine;
    for (const command& c : p.take()) {
      all.add(c, me);
      if (c.kind == command_kind::collective) {
        mine.push_back(index(c.number) << 8 | static_cast<std::uint64_t>(c.exchange->kind));
        ++all.kinds[name_of(c.exchange->kind)];
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    if (me == 0)
      order = mine;
    EXPECT_EQ(order, mine) << "rank " << me << " starts other collectives than rank 0";
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_TRUE(all.sent == all.awaited);
  EXPECT_FALSE(all.sent.empty());
  EXPECT_EQ(all.halo_sends, all.halo_receives);
  for (const auto& [key, sizes] : all.meetings)
    for (const std::uint64_t size : sizes)
      EXPECT_EQ(size, sizes.size()) << "exchange " << key.first;
  for (const char* kind : {"halo", "alltoall", "allgather", "broadcast", "gather", "reduce_scatter"})
    EXPECT_GT(all.kinds[kind], 0) << kind;
}

} // namespace
} // namespace tacit::tasks
