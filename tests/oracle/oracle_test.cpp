// The analysis against brute force on random graphs: transfers against the byte simulator, matching against
// counting, races, cycles, wait sets and buffering against searches over happens-before.
#include "graphs/flow/analysis.h"
#include "graphs/flow/rank_by_rank.h"
#include "graphs/flow/single_receives.h"
#include "graphs/flow/straight.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "oracle/simulator.h"

#include "vocabulary/calls/reasons.h"

#include <array>
#include <span>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::oracle;

namespace {

/// What reductions leave, by the addresses that name it.
class combined_values {
public:
  combined_values(const graph& g, const transfers& t) {
    for (const reduction& r : t.reductions) { // operands come first
      const reducer_id by = g.reduces_by(r.op);
      const auto made = combine(by, g.reducers()[index(by)].element, operand(r.left), operand(r.right));
      for (std::size_t i = 0; i < made.size(); ++i)
        value_[r.base + i] = made[i];
    }
  }
  byte_value of(rank_id source, std::uint64_t address, std::uint64_t offset) const {
    if (source == no_rank)
      return {unknown_rank, address};
    return source == combined ? value_.at(address + offset) : byte_value{index(source), address + offset};
  }

private:
  std::vector<byte_value> operand(const std::vector<fragment>& list) const {
    std::vector<byte_value> out;
    for (const fragment& f : list)
      for (std::uint64_t i = 0; i < f.length; ++i)
        out.push_back(of(f.source, f.source_address, i));
    return out;
  }
  std::map<std::uint64_t, byte_value> value_;
};

/// The transfers as a simultaneous assignment to initial memory.
std::vector<rank_memory> apply(const graph& g, const transfers& t) {
  std::vector<rank_memory> memory(g.ranks());
  const combined_values values(g, t);
  for (const auto* list : {&t.list, &t.kept})
    for (const transfer& x : *list)
      for (std::uint64_t i = 0; i < x.length; ++i)
        memory[index(x.destination)][x.destination_address + i] = values.of(x.source, x.source_address, i);
  return memory;
}

/// Only live bytes that do not hold their own initial value.
std::vector<rank_memory> visible(const graph& g, std::vector<rank_memory> memory) {
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    std::erase_if(memory[r], [&](const auto& entry) {
      return entry.second == byte_value{r, entry.first} || !is_live(g, rank_id{r}, entry.first);
    });
  return memory;
}

std::string first_difference(const std::vector<rank_memory>& truth, const std::vector<rank_memory>& ours) {
  const auto show = [](const rank_memory& memory, std::uint64_t address) {
    const auto found = memory.find(address);
    if (found == memory.end())
      return std::string("its initial value");
    return std::to_string(found->second.first) + ":" + std::to_string(found->second.second);
  };
  for (std::size_t r = 0; r < truth.size(); ++r)
    for (const rank_memory* side : {&truth[r], &ours[r]})
      for (const auto& [address, value] : *side)
        if (show(truth[r], address) != show(ours[r], address))
          return "rank " + std::to_string(r) + " byte " + std::to_string(address) + ": truth " +
                 show(truth[r], address) + ", transfers say " + show(ours[r], address);
  return {};
}

void expect_canonical(const graph& g, const transfers& t) {
  for (std::size_t i = 0; i < t.list.size(); ++i) {
    const transfer& x = t.list[i];
    ASSERT_GT(x.length, 0u);
    ASSERT_LT(x.length, 1000u);
    EXPECT_FALSE(x.source == x.destination && x.source_address == x.destination_address) << "identity";
    for (std::uint64_t b = 0; b < x.length; ++b)
      EXPECT_TRUE(is_live(g, x.destination, x.destination_address + b));
    if (i == 0)
      continue;
    const transfer& before = t.list[i - 1];
    if (before.destination != x.destination) {
      EXPECT_LT(before.destination, x.destination);
      continue;
    }
    EXPECT_LE(before.destination_address + before.length, x.destination_address) << "order";
    const bool adjacent = before.destination_address + before.length == x.destination_address;
    const std::uint64_t next =
        before.source == no_rank ? before.source_address : before.source_address + before.length;
    EXPECT_FALSE(adjacent && before.source == x.source && next == x.source_address) << "not coalesced";
  }
}

template <typename Check>
void for_random_graphs(const random_recipe& recipe, Check&& check) {
  for (std::uint64_t i = 0; i < fuzz_count() && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = fuzz_seed() + i;
    const graph g = random_graph(seed, recipe);
    check(g, seed);
    if (testing::Test::HasFailure())
      ADD_FAILURE() << "seed " << seed << "\n" << print(g);
  }
}

} // namespace

namespace {

void expect_bytes_of_an_execution(const graph& g, const transfers& moved, std::uint64_t seed) {
  if (testing::Test::HasFailure())
    return;
  expect_canonical(g, moved);
  if (testing::Test::HasFailure())
    return;
  const auto ours = apply(g, moved);
  simulator truth(g);
  for (std::uint64_t interleaving = 0; interleaving < 2; ++interleaving)
    EXPECT_EQ(first_difference(visible(g, truth.run(seed * 7 + interleaving)), ours), "");
}

} // namespace

TEST(oracle, transfers_equal_the_bytes_of_an_execution) {
  for_random_graphs({}, [](const graph& g, std::uint64_t seed) {
    expect_bytes_of_an_execution(g, analyze(g).moved, seed);
  });
}

/// The same with two copies one after the other, far from all other bytes: what passes on is followed one operation after the other.
transfers followed_step_by_step(graph g) {
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  const std::array<segment, 3> place{segment{far, 1}, {far + 2, 1}, {far + 4, 1}};
  const auto copy = [&](std::size_t from) {
    return g.copy(rank_id{0}, std::span(place).subspan(from, 1), std::span(place).subspan(from + 1, 1));
  };
  const op_id first = copy(0);
  g.depend(first, copy(1));
  transfers t = analyze(g).moved;
  std::erase_if(t.list, [&](const transfer& x) { return x.source_address == far; });
  t.fragments -= 2;
  return t;
}

TEST(oracle, what_is_not_passed_on_equals_the_bytes_of_an_execution) {
  std::size_t straight = 0;
  const random_recipe recipe{.max_memory = 200, .max_steps = 8, .opaques = false, .apart = true};
  for_random_graphs(recipe, [&](const graph& g, std::uint64_t seed) {
    const analysis a = analyze(g);
    expect_bytes_of_an_execution(g, a.moved, seed);
    const transfers slow = followed_step_by_step(g);
    EXPECT_EQ(a.moved.list, slow.list);
    if (a.order.in_pairs) { // else the copies may stand between a send and its receive
      EXPECT_EQ(a.moved.fragments, slow.fragments);
    }
    straight += follow_straight(g, a.matched, a.order, {}).has_value();
  });
  EXPECT_GT(straight, fuzz_count() / 5);
  EXPECT_LT(straight, fuzz_count() - fuzz_count() / 20) << "some write a byte twice";
}

TEST(oracle, what_ranks_receive_once_equals_the_bytes_of_an_execution) {
  std::size_t followed = 0, passed_on = 0;
  const random_recipe recipe{
      .min_ranks = 2, .max_ranks = 12, .max_memory = 30, .max_steps = 36, .receives_once = true};
  for_random_graphs(recipe, [&](const graph& g, std::uint64_t seed) {
    const analysis a = analyze(g);
    const std::optional<transfers> moved = follow_single_receives(g, a.matched, a.order, {});
    if (!moved.has_value())
      return;
    expect_bytes_of_an_execution(g, *moved, seed);
    const transfers slow = followed_step_by_step(g);
    EXPECT_EQ(moved->list, slow.list);
    if (a.order.in_pairs) {
      EXPECT_EQ(moved->fragments, slow.fragments);
    }
    ++followed;
    passed_on += std::ranges::any_of(moved->list, [&](const transfer& t) {
      return std::ranges::none_of(g.operations(), [&](const operation& op) {
        return op.kind == op_kind::send && op.rank == t.source && op.peer == t.destination;
      });
    });
  });
  EXPECT_GT(followed, fuzz_count() / 5);
  EXPECT_GT(passed_on, fuzz_count() / 20);
}

TEST(oracle, following_rank_by_rank_equals_the_bytes_of_an_execution) {
  const random_recipe large{.max_memory = 100, .max_steps = 40};
  const random_recipe unlike{.min_ranks = 12, .max_ranks = 30, .max_memory = 200, .max_steps = 90};
  const random_recipe lists{.min_memory = 20, .max_memory = 60, .max_steps = 60, .in_bytes = true};
  for (const random_recipe& recipe : {random_recipe{}, large, unlike, lists})
    for_random_graphs(recipe, [](const graph& g, std::uint64_t seed) {
      const analysis a = analyze(g);
      const std::optional<transfers> moved = follow_rank_by_rank(g, a.matched, a.order, {});
      ASSERT_TRUE(moved.has_value());
      expect_bytes_of_an_execution(g, *moved, seed);
      EXPECT_EQ(moved->list, a.moved.list);
      EXPECT_EQ(moved->fragments, a.moved.fragments);
    });
}

TEST(oracle, reductions_equal_the_bytes_of_an_execution) {
  std::uint64_t beside = 0;
  for_random_graphs({.max_steps = 14, .reductions = true}, [&](const graph& g, std::uint64_t seed) {
    const analysis a = analyze(g);
    if (testing::Test::HasFailure())
      return;
    expect_canonical(g, a.moved);
    beside += !a.moved.kept_operations.empty() && !a.moved.list.empty();
    const auto ours = apply(g, a.moved);
    simulator truth(g);
    for (std::uint64_t interleaving = 0; interleaving < 2; ++interleaving)
      EXPECT_EQ(first_difference(visible(g, truth.run(seed * 7 + interleaving)), ours), "");
  });
  EXPECT_GT(beside, fuzz_count() / 20) << "too few graphs have anything beside reductions";
}

/// Nothing that is moved reads or writes a byte that a kept operation writes, and the reverse.
TEST(oracle, what_reductions_touch_is_told_apart) {
  for_random_graphs({.max_steps = 14, .reductions = true}, [](const graph& g, std::uint64_t) {
    const analysis a = analyze(g);
    if (testing::Test::HasFailure())
      return;
    const structure shape(g);
    std::vector<bool> kept(g.size(), false);
    for (const op_id op : a.moved.kept_operations)
      kept[index(op)] = true;
    for (std::uint32_t x = 0; x < g.size(); ++x) {
      EXPECT_TRUE(kept[x] || !g.reduces(op_id{x}) || shape.carried(op_id{x}) == 0);
      for (std::uint32_t y = 0; y < x; ++y)
        EXPECT_TRUE(kept[x] == kept[y] || !conflict(shape, op_id{x}, op_id{y}));
    }
    for (const transfer& x : a.moved.list)
      EXPECT_NE(x.source, combined);
  });
}

TEST(oracle, run_order_respects_every_edge_and_receives_follow_their_sends) {
  for_random_graphs({}, [](const graph& g, std::uint64_t) {
    const analysis a = analyze(g);
    ASSERT_EQ(a.order.order.size(), g.size());
    const happens_before hb(g);
    EXPECT_EQ(a.matched.partner, hb.shape.partner);
    std::size_t apart = 0; // receives that do not follow their send directly
    std::vector<std::size_t> position(g.size(), g.size());
    for (std::size_t i = 0; i < g.size(); ++i)
      position[index(a.order.order[i])] = i;
    for (std::uint32_t x = 0; x < g.size(); ++x) {
      ASSERT_LT(position[x], g.size()) << "op " << x << " missing";
      for (std::uint32_t y = 0; y < g.size(); ++y)
        EXPECT_TRUE(!hb.is_before(op_id{x}, op_id{y}) || position[x] < position[y]) << x << " before " << y;
    }
    for (std::uint32_t x = 0; x < g.size(); ++x) { // nothing but its send holds it back
      const bool free = g[op_id{x}].kind == op_kind::recv && hb.before(x).size() == 1;
      const op_id partner = hb.shape.partner[x];
      const bool follows = g[op_id{x}].kind != op_kind::recv || partner == no_op ||
                           position[x] == position[index(partner)] + 1;
      EXPECT_TRUE(!free || follows) << "receive " << x;
      apart += !follows;
    }
    EXPECT_TRUE(apart == 0 || !a.order.in_pairs);
  });
}

namespace {

void expect_races_exactly_where_they_are(const random_recipe& recipe) {
  std::size_t racy = 0;
  for_random_graphs(recipe, [&](const graph& g, std::uint64_t) {
    diagnostics problems;
    const matching m = match(g, problems);
    const run_order o = order_operations(g, m, problems);
    ASSERT_TRUE(problems.empty()) << problems.front().message;
    check_races(g, m, o, problems);
    const happens_before hb(g);
    const auto truth = races(hb);
    racy += !truth.empty();
    EXPECT_EQ(truth.empty(), problems.empty());
    for (const diagnostic& d : problems) {
      if (d.op == no_op)
        continue;
      EXPECT_EQ(d.code, number(reason::race));
      EXPECT_TRUE(std::any_of(truth.begin(), truth.end(), [&](const auto& pair) {
        const auto names = [&](op_id op) { return d.message.find(describe(g, op)) != std::string::npos; };
        return names(pair.first) && names(pair.second);
      })) << d.message;
    }
  });
  EXPECT_GT(racy, fuzz_count() / 20) << "the generator makes too few races for this test to mean anything";
}

} // namespace

TEST(oracle, races_are_found_exactly_where_they_are) {
  expect_races_exactly_where_they_are({.races = true});
}

TEST(oracle, races_of_ranks_that_read_other_memory_than_they_write_are_found_exactly) {
  expect_races_exactly_where_they_are(
      {.max_memory = 100, .max_steps = 12, .opaques = false, .races = true, .apart = true});
}

TEST(oracle, races_of_lists_that_many_operations_have_are_found_exactly) {
  expect_races_exactly_where_they_are(
      {.min_memory = 20, .max_memory = 60, .max_steps = 40, .races = true, .in_bytes = true});
  expect_races_exactly_where_they_are({.min_memory = 20,
                                       .max_memory = 60,
                                       .max_steps = 30,
                                       .opaques = false,
                                       .races = true,
                                       .in_bytes = true,
                                       .apart = true});
}

TEST(oracle, wait_sets_equal_reachability) {
  for_random_graphs({}, [](const graph& g, std::uint64_t) {
    const analysis a = analyze(g);
    const happens_before hb(g);
    for (const bool only_explicit : {false, true}) {
      const sync_paths paths = only_explicit ? sync_paths::explicit_only : sync_paths::all;
      const auto truth = hb.heard(only_explicit);
      const wait_sets w = compute_wait_sets(g, a.matched, a.order, paths);
      for (std::uint32_t r = 0; r < g.ranks(); ++r)
        for (std::uint32_t s = 0; s < g.ranks(); ++s)
          EXPECT_EQ(w.contains(rank_id{r}, rank_id{s}), truth[r][s])
              << "rank " << r << " from rank " << s << (only_explicit ? ", explicit" : "");
      for (const communicator& c : g.communicators()) {
        bool whole = true;
        for (const rank_id r : c.members)
          for (const rank_id s : c.members)
            whole &= r == s || truth[index(r)][index(s)];
        rank_id rank = no_rank, missing = no_rank;
        EXPECT_EQ(wait_sets_complete(g, a.matched, a.order, c.members, paths, &rank, &missing), whole);
        EXPECT_TRUE(whole || (rank != missing && !truth[index(rank)][index(missing)]));
      }
    }
  });
}

TEST(oracle, reliance_on_buffering_is_found_exactly) {
  std::size_t unsafe = 0, in_pairs = 0;
  for_random_graphs({}, [&](const graph& g, std::uint64_t) {
    diagnostics problems;
    const matching m = match(g, problems);
    const run_order o = order_operations(g, m, problems);
    check_rendezvous(g, m, o, problems);
    const bool finishes = finishes_unbuffered(g);
    unsafe += !finishes;
    in_pairs += o.in_pairs;
    EXPECT_EQ(problems.empty(), finishes);
    for (const diagnostic& d : problems) {
      EXPECT_EQ(d.code, number(reason::relies_on_buffering));
      EXPECT_EQ(d.level, severity::warning);
    }
  });
  EXPECT_GT(unsafe, fuzz_count() / 50);
  EXPECT_LT(unsafe, fuzz_count() - fuzz_count() / 50);
  EXPECT_GT(in_pairs, fuzz_count() / 50);
}
