// The bounds of choices: nothing is cheaper than its bound, and who looks only for the cheapest variant takes the one that is taken among all.
#include "graphs/choice/cheapest.h"
#include "graphs/choice/finalists.h"
#include "graphs/plan/plan_judge.h"

#include "graphs/choice/form_bound.h"
#include "graphs/choice/generated_form.h"
#include "graphs/choice/large_exchange.h"
#include "graphs/cost/least_makespan.h"
#include "neighbors/leftovers/leftovers.h"
#include "oracle/fuzz_count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace tacit::test {

using namespace graphs;
namespace {

class dice {
public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  double share() { return static_cast<double>(below(1001)) / 1000; }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

private:
  std::mt19937_64 random_;
};

/// Up to four times as much, up to as little: longer messages may be cheaper than shorter ones.
void shake(dice& d, machine_model& m) {
  const auto by = [&](spread& s) { s.median *= d.one_of({0.25, 0.5, 1.0, 2.0, 4.0}) + d.share(); };
  for (message_times& t : m.messages)
    for (spread* const s : {&t.one_way, &t.send, &t.receive, &t.gap})
      by(*s);
  for (memory_cost& c : m.memory)
    for (spread* const s : {&c.copy, &c.fetch, &c.fill})
      by(*s);
  by(m.flag);
}

choice_request some_machine(dice& d, std::uint32_t ranks) {
  choice_request wanted;
  if (d.below(3) == 0) {
    message_cost said;
    said.overhead = 1 + static_cast<double>(d.below(2000));
    said.latency = 1 + static_cast<double>(d.below(5000));
    said.byte = 0.001 + d.share();
    said.node_share = 0.1 + d.share();
    wanted.costs = costs_of(said);
  } else if (d.below(2) == 0) {
    shake(d, wanted.costs.within_node);
    shake(d, wanted.costs.between_nodes);
  }
  wanted.where.cores = d.one_of({1u, 2u, 4u, 64u});
  wanted.where.longest_in_memory = d.one_of<std::uint64_t>({0, 4096, 1 << 30});
  if (const std::uint64_t nodes = d.one_of<std::uint64_t>({1, 2, 3, ranks}); nodes > 1)
    for (std::uint32_t r = 0; r < ranks; ++r)
      wanted.where.node.push_back(d.below(4) == 0 ? d.below(nodes) : r * nodes / ranks);
  if (d.below(3) == 0) {
    for (std::uint32_t r = 0; r < ranks; ++r)
      wanted.where.cache.push_back(d.below(3)); // of some it is not known
    if (d.below(4) > 0)
      shake(d, wanted.costs.between_caches.emplace(wanted.costs.within_node));
  }
  wanted.attended = d.below(4) != 0;
  wanted.persistent = d.below(2) == 0;
  return wanted;
}

/// One that commutes, one that rounds, or one that must keep the order of ranks if the algorithm does.
reducer some_operator(dice& d, recipe& r) {
  const std::uint64_t which = d.below(4);
  if (which > 1)
    return r.by;
  r.block = (r.block + 7) / 8 * 8;
  if (which == 0)
    return {"sum", "double", 8, true, true, true};
  const bool in_order = is_scan(r.kind) || r.form == algorithm::linear || r.form == algorithm::two_level;
  return {"join", "pair", 8, !in_order, false, true};
}

/// A collective written by hand by any algorithm, perhaps beside other messages.
graph some_pattern(dice& d) {
  const auto moving = known_algorithms(), combining = combining_algorithms();
  const std::size_t k = d.below(moving.size() + combining.size());
  const known_algorithm& known = k < moving.size() ? moving[k] : combining[k - moving.size()];
  recipe r;
  r.kind = known.kind;
  r.form = known.form;
  r.ranks = static_cast<std::uint32_t>(2 + d.below(d.below(8) == 0 ? 60 : 15));
  if (r.form == algorithm::butterfly || r.form == algorithm::recursive_halving)
    r.ranks = 1u << (1 + d.below(4));
  r.block = d.one_of<std::uint64_t>({1, 8, 64, 700, 8000, 70'000, 300'000, 1'500'000}) + d.below(8);
  r.root = is_rooted(r.kind) ? static_cast<std::uint32_t>(d.below(r.ranks)) : 0;
  if (is_reduction(r.kind))
    r.by = some_operator(d, r);
  if (d.below(4) == 0) {
    r.extra = static_cast<std::uint32_t>(1 + d.below(2 * r.ranks));
    r.seed = d.below(1000);
  }
  diagnostics problems;
  std::optional<graph> made = generate(r, problems);
  EXPECT_TRUE(made) << problems.front().message;
  return *std::move(made);
}

std::string words(const choice& c) {
  return c.variants.empty() ? "nothing"
                            : fmt::format("{} by {}: {}", c.plans[c.variants.front().plan].name,
                                          c.variants.front().driver, c.variants.front().predicted);
}

std::string all_words(const choice& c) {
  std::string out;
  for (const priced_variant& w : c.compared)
    out += fmt::format("  {} by {}: {}{}\n", w.plan, w.driver, w.at_least ? "at least " : "", w.predicted);
  return out;
}

/// The price of a plan by a driver; negative if it was not played.
double price_of(const choice& c, const priced_variant& wanted) {
  for (const priced_variant& w : c.compared)
    if (w.plan == wanted.plan && w.driver == wanted.driver)
      return w.predicted;
  return -1;
}

struct tally {
  int measured = 0; ///< have several finalists
  int chosen = 0, spared = 0, left_open = 0;
  std::map<std::string, int> taken;
};

/// The first one is what is taken without; the graph as written by MPI's messages is among them; and all do what the graph does.
void expect_right_finalists(const graph& g, const compilation& c, choice_request wanted, const choice& alone,
                            const std::string& what, tally& count) {
  const compile_options options;
  wanted.finalists = true;
  const choice made = choose(g, c, options, wanted);
  ASSERT_EQ(made.variants.empty(), alone.variants.empty()) << what;
  if (made.variants.empty())
    return;
  const auto is = [](const choice& of, const variant& w, std::string_view name, std::string_view driver) {
    return of.plans[w.plan].name == name && w.driver == driver;
  };
  EXPECT_TRUE(is(made, made.variants[0], alone.plans[alone.variants[0].plan].name, alone.variants[0].driver))
      << what;
  EXPECT_LE(made.variants.size(), 6u) << what;
  const double written = price_of(made, {std::string(written_name), "p2p"});
  const bool has_written = std::any_of(made.variants.begin(), made.variants.end(),
                                       [&](const variant& w) { return is(made, w, written_name, "p2p"); });
  if (written >= 5'000) {
    EXPECT_EQ(has_written, written <= 10 * made.variants[0].predicted) << what;
  } else {
    EXPECT_EQ(made.variants.size(), 1u) << what;
  }
  // What computes between stages is validated with its stage.
  const bool computes = std::any_of(g.operations().begin(), g.operations().end(),
                                    [](const operation& o) { return o.kind == op_kind::opaque; });
  for (const named_plan& p : made.plans) {
    const bool may_be_compared = !computes || !p.name.ends_with(in_stages);
    EXPECT_TRUE(!may_be_compared ||
                validate(g, c.matched, c.order, c.moved, p.steps, options.planning).empty())
        << what << ": " << p.name;
  }
  for (std::size_t i = 0; i < made.variants.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(
          is(made, made.variants[i], made.plans[made.variants[j].plan].name, made.variants[j].driver))
          << what;
  count.measured += made.variants.size() > 1 ? 1 : 0;
}

void expect_the_same(graph g, const choice_request& some, const std::string& what, tally& count) {
  compile_options options;
  const compilation c = compile(g, options);
  if (has_errors(c.problems))
    return;
  g = with_groups(std::move(g), c.groups);
  choice_request wanted = some;
  if (c.found.found.empty()) // of large graphs with collectives leftovers go straight
    wanted.leftovers = neighbors::with_neighborhoods;
  wanted.all_played_up_to = ~std::size_t{0};
  const choice all = choose(g, c, options, wanted);
  wanted.all_played_up_to = 0;
  const choice few = choose(g, c, options, wanted);
  EXPECT_EQ(words(few), words(all)) << what << "\n" << all_words(few) << "\n" << all_words(all);
  ++count.chosen;
  ++count.taken[few.variants.empty() ? "nothing" : few.plans[0].name + " by " + few.variants[0].driver];
  if (!cheapest_variant(g, c, options, wanted))
    ++count.left_open;
  expect_right_finalists(g, c, wanted, few, what, count);
  for (const priced_variant& w : few.compared) {
    const double price = price_of(all, w);
    count.spared += w.at_least ? 1 : 0;
    if (price < 0)
      continue;
    EXPECT_GE(price, w.predicted * (1 - 1e-9)) << what << ": " << w.plan << " by " << w.driver;
  }
}

/// However long a rank's list of steps is, what is taken is taken.
TEST(finalists, beside_the_first_one_have_few_steps) {
  const std::vector<priced_variant> list{{"straight messages", "shm", 20'000},
                                         {std::string(written_name), "shm", 21'000},
                                         {std::string(written_name), "p2p", 30'000},
                                         {"collectives", "coll", 35'000}};
  choice_request wanted;
  wanted.finalists = true;
  const auto all = [](std::size_t) { return true; };
  const auto with = [&](std::size_t first, std::size_t others) {
    return finalists_among(list, wanted, all, [=](std::size_t i) { return i == 0 ? first : others; });
  };
  EXPECT_EQ(with(2, 512), (std::vector<std::size_t>{0, 2, 1, 3}));
  EXPECT_EQ(with(9999, 513), (std::vector<std::size_t>{0}));
  EXPECT_EQ(finalists_among(
                list, wanted, [](std::size_t i) { return i > 0; }, [](std::size_t) { return 2; }),
            (std::vector<std::size_t>{1, 2, 3}));
}

TEST(finalists, through_memory_are_three) {
  const std::vector<priced_variant> list{{std::string(written_name), "p2p", 20'000},
                                         {"ring", "p2p", 45'000},
                                         {"ring", "shm", 50'000},
                                         {"binomial", "shm", 60'000},
                                         {"linear", "shm", 70'000},
                                         {"pairwise", "shm", 75'000}};
  choice_request wanted;
  wanted.finalists = true;
  const auto all = [](std::size_t) { return true; };
  const auto with = [&](std::size_t steps) {
    return finalists_among(list, wanted, all, [=](std::size_t) { return steps; });
  };
  EXPECT_EQ(with(64), (std::vector<std::size_t>{0, 2, 3, 4}));
  EXPECT_EQ(with(65), (std::vector<std::size_t>{0, 2})); // channels for each of many messages
}

TEST(cheapest_variant, is_the_one_that_is_taken_among_all) {
  tally count;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 4; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    dice d(seed);
    const graph g = some_pattern(d);
    expect_the_same(g, some_machine(d, g.ranks()), fmt::format("seed {}", seed), count);
    if (HasFailure())
      return;
  }
  EXPECT_GT(count.spared, count.chosen / 2);
  EXPECT_GT(count.measured, count.chosen / 10) << "of " << count.chosen;
  EXPECT_LT(count.left_open, count.chosen / 3);
  EXPECT_GT(count.taken.size(), 8u);
  for (const auto& [name, times] : count.taken)
    RecordProperty(name, times);
}

TEST(cheapest_variant, is_that_of_random_graphs_too) {
  tally count;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 4; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    dice d(seed);
    oracle::random_recipe recipe;
    recipe.one_sided = seed % 2 == 0;
    const graph g = oracle::random_graph(seed, recipe);
    expect_the_same(g, some_machine(d, g.ranks()), fmt::format("seed {}", seed), count);
    if (HasFailure())
      return;
  }
  EXPECT_GT(count.chosen, 0);
}

TEST(cheapest_variant, leaves_what_it_cannot_decide_to_all_prices) {
  dice d(7);
  const graph g = some_pattern(d);
  compile_options options;
  const compilation c = compile(g, options);
  choice_request wanted;
  wanted.most = 4;
  EXPECT_FALSE(cheapest_variant(g, c, options, wanted));
  wanted.most = 1;
  wanted.driver = "p2p";
  EXPECT_FALSE(cheapest_variant(g, c, options, wanted));
}

/// A way that costs nothing, because it forgets everything.
std::vector<named_plan> nothing_at_all(const plan& p, const machine_costs&, const process_map&, bool) {
  plan forgets = p;
  for (rank_plan& r : forgets.ranks)
    r.steps.clear();
  return {{"nothing at all", std::move(forgets)}};
}

TEST(cheapest_variant, is_found_although_a_way_for_leftovers_is_wrong) {
  graph g(4);
  for (std::uint32_t r = 0; r < 4; ++r) { // each to two others, by the next but one, who hands it on
    const std::uint64_t here = 0x1000, got = 0x2000, handed = 0x3000;
    const op_id receive = g.recv(rank_id{r}, segment{got, 64 + (r + 2) % 4}, rank_id{(r + 2) % 4}, 0);
    g.send(rank_id{r}, segment{here, 64 + r}, rank_id{(r + 2) % 4}, 0);
    g.depend(receive, g.send(rank_id{r}, segment{got, 64 + (r + 2) % 4}, rank_id{(r + 1) % 4}, 1));
    g.recv(rank_id{r}, segment{handed, 64 + (r + 1) % 4}, rank_id{(r + 3) % 4}, 1);
  }
  compile_options options;
  const compilation c = compile(g, options);
  ASSERT_TRUE(c.found.found.empty());
  ASSERT_FALSE(c.schedule.as_written);
  choice_request wanted;
  wanted.leftovers = nothing_at_all;
  wanted.all_played_up_to = ~std::size_t{0};
  const choice all = choose(g, c, options, wanted);
  const std::optional<choice> few = cheapest_variant(g, c, options, wanted);
  ASSERT_TRUE(few) << "all variants are played";
  EXPECT_EQ(words(*few), words(all));
  for (const choice* each : {&*few, &all})
    for (const priced_variant& w : each->compared)
      EXPECT_NE(w.plan, "nothing at all");
  wanted.plan = "nothing at all";
  const choice asked = choose(g, c, options, wanted);
  EXPECT_TRUE(asked.variants.empty());
  EXPECT_EQ(asked.compared.front().plan, "nothing at all") << "it is the cheapest, and said to be there";
}

TEST(bounds, no_algorithm_is_cheaper_than_what_its_shape_or_its_messages_say) {
  int useful = 0, tight = 0, combined_in_two_levels = 0;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 4; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    dice d(seed);
    graph g = some_pattern(d);
    const choice_request machine = some_machine(d, g.ranks());
    const compilation c = compile(g);
    const plan& whole = c.schedule;
    g = with_groups(std::move(g), c.groups);
    const auto& moving = known_algorithms();
    const auto& combining = combining_algorithms();
    const bool two_levels = d.below(4) == 0;
    const algorithm form = two_levels        ? algorithm::two_level
                           : d.below(2) == 0 ? moving[d.below(moving.size())].form
                                             : combining[d.below(combining.size())].form;
    const char* const driver = d.one_of({"p2p", "shm"});
    if (!has_form(g, whole, form, vector_collectives::by_algorithm, machine.where))
      continue;
    const plan by = with_messages(g, whole, form, vector_collectives::by_algorithm, machine.where);
    const double price = makespan(by, driver, machine.costs, machine.where);
    form_bound of_form(driver, machine.costs, machine.where, g.ranks());
    const double shape = of_form.of(shapes_of(g, whole), form);
    least_makespan busy(driver, machine.costs, machine.where, g.ranks());
    busy.add(by);
    ASSERT_GE(price, shape) << "seed " << seed << " " << name(form);
    ASSERT_GE(price, busy.value()) << "seed " << seed << " " << name(form);
    combined_in_two_levels += form == algorithm::two_level && !g.reducers().empty() ? 1 : 0;
    useful += shape > price / 10 ? 1 : 0;
    tight += busy.value() > price / 2 ? 1 : 0;
    // Whoever stops early knows on which side the price is.
    const double most = price * (0.5 + d.share());
    const double played = makespan(by, driver, machine.costs, machine.where, most);
    ASSERT_EQ(played, price <= most ? price : std::numeric_limits<double>::infinity()) << "seed " << seed;
  }
  EXPECT_GT(useful, 0);
  EXPECT_GT(tight, 0);
  EXPECT_GT(combined_in_two_levels, 0);
}

/// Where a line of the cache takes longer than a whole channel does, as in another state of the machine.
TEST(bounds, a_round_through_channels_takes_what_was_measured_of_them) {
  choice_request machine;
  machine.costs.within_node.flag.median *= 40;
  machine.where.cores = 64;
  machine.where.longest_in_memory = 4096;
  ASSERT_FALSE(machine.costs.within_node.channels.empty());
  diagnostics problems;
  const graph g = *generate({.kind = pattern::bcast, .ranks = 11, .block = 8}, problems);
  const compilation c = compile(g);
  for (const algorithm form : {algorithm::linear, algorithm::binomial, algorithm::ring}) {
    const plan by = with_messages(g, c.schedule, form);
    form_bound of_form("shm", machine.costs, machine.where, g.ranks());
    EXPECT_GE(makespan(by, "shm", machine.costs, machine.where), of_form.of(shapes_of(g, c.schedule), form))
        << name(form);
  }
}

TEST(cheapest, an_exchange_of_all_ranks_has_the_bound_of_its_messages) {
  int tight = 0, cases = 0;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 8; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    dice d(seed);
    const auto ranks = static_cast<std::uint32_t>(2 + d.below(20));
    const std::uint64_t bytes = d.one_of<std::uint64_t>({1, 64, 5000, 70'000, 300'000});
    const choice_request machine = some_machine(d, ranks);
    diagnostics problems;
    const analyzed a = analyze_all(
        generate({.kind = pattern::alltoall, .ranks = ranks, .block = bytes}, problems).value(), false);
    const plan written = plan_as_written(a.g, a.m, a.o, reason::none, "");
    for (const char* const driver : {"p2p", "shm"}) {
      least_makespan one_by_one(driver, machine.costs, machine.where, ranks);
      one_by_one.add(written);
      const double bound = least_makespan_of_exchange(driver, machine.costs, machine.where, ranks, bytes);
      const double sum = one_by_one.value(); // of pairs of both classes, where some share no cache
      ASSERT_LE(bound, sum * (1 + 1e-6)) << "seed " << seed << " " << driver;
      if (machine.where.cache.empty()) {
        ASSERT_GE(bound, sum * (1 - 1e-6)) << "seed " << seed << " " << driver;
      }
      const double price = makespan(written, driver, machine.costs, machine.where);
      ASSERT_GE(price, bound) << "seed " << seed << " " << driver;
      tight += bound > price / 2;
      ++cases;
    }
  }
  EXPECT_GT(tight, cases / 2);
}

TEST(cheapest, large_exchanges_are_compared_without_their_messages) {
  choice_request wanted;
  wanted.where.longest_in_memory = 4096;
  wanted.persistent = true;
  EXPECT_FALSE(choose_large_exchange(pattern::alltoall, 1000, 64, wanted)); // algorithms are made
  EXPECT_FALSE(choose_large_exchange(pattern::scatter, 2000, 64, wanted));
  const auto made = choose_large_exchange(pattern::alltoall, 2000, 64, wanted);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->compared.size(), 4u);
  EXPECT_EQ(made->plans.front().name, written_name);
  EXPECT_TRUE(made->compared.front().at_least);
  for (const priced_variant& w : made->compared)
    if (w.plan == written_name) {
      EXPECT_LE(made->variants.front().predicted, w.predicted);
    }
  wanted.driver = "p2p";
  EXPECT_FALSE(choose_large_exchange(pattern::alltoall, 2000, 64, wanted));
}

} // namespace
} // namespace tacit::test
