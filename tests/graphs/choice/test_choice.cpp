// What whole plans cost, and which of them is taken.
#include "graphs/choice/choose.h"
#include "graphs/plan/plan_judge.h"

#include "graphs/choice/generated_form.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace tacit::test {

using namespace graphs;
namespace {

plan of_pattern(pattern kind, algorithm form, std::uint32_t ranks, std::uint64_t block) {
  recipe r;
  r.kind = kind;
  r.ranks = ranks;
  r.block = block;
  diagnostics problems;
  const analyzed a = analyze_all(*generate(r, problems));
  return with_messages(a.g, make_plan(a.g, a.m, a.o, a.t, a.f), form);
}

process_map apart(std::uint32_t ranks) {
  process_map where;
  for (std::uint32_t r = 0; r < ranks; ++r)
    where.node.push_back(r);
  return where;
}

TEST(makespan, a_tree_is_cheaper_than_a_star_where_there_are_many_ranks) {
  const machine_costs costs;
  const auto price = [&](algorithm form, std::uint32_t ranks, std::uint64_t block) {
    return makespan(of_pattern(pattern::bcast, form, ranks, block), "p2p", costs, apart(ranks));
  };
  EXPECT_LT(price(algorithm::binomial, 64, 64) * 2, price(algorithm::linear, 64, 64));
  EXPECT_LE(price(algorithm::linear, 3, 64), price(algorithm::binomial, 3, 64));
  EXPECT_LT(price(algorithm::binomial, 64, 64), price(algorithm::ring, 64, 64));
  EXPECT_LT(price(algorithm::pipelined, 16, 1 << 22), price(algorithm::binomial, 16, 1 << 22));
}

TEST(makespan, messages_between_caches_have_prices_of_their_own) {
  machine_costs costs;
  machine_model far = costs.within_node;
  for (message_times& m : far.messages)
    for (spread* const s : {&m.one_way, &m.send, &m.receive, &m.gap})
      s->median *= 3;
  for (channel_time& c : far.channels)
    for (spread* const s : {&c.one_way, &c.exchange})
      s->median *= 5;
  costs.between_caches = far;
  process_map where;
  where.cores = 4;
  where.longest_in_memory = 1 << 20;
  const auto price = [&](const char* driver, const std::vector<std::uint64_t>& caches) {
    where.cache = caches;
    return makespan(of_pattern(pattern::alltoall, algorithm::linear, 2, 4096), driver, costs, where);
  };
  for (const char* driver : {"p2p", "shm"}) {
    const double near = price(driver, {});
    EXPECT_EQ(price(driver, {7, 7}), near) << driver;
    EXPECT_EQ(price(driver, {7, 0}), near) << driver << ": not known of both";
    EXPECT_GT(price(driver, {7, 8}), 2 * near) << driver;
    machine_costs only_far;
    only_far.within_node = far;
    EXPECT_EQ(price(driver, {7, 8}),
              makespan(of_pattern(pattern::alltoall, algorithm::linear, 2, 4096), driver, only_far, where));
  }
  where.node = {1, 2}; // numbers of caches are those of a node
  EXPECT_EQ(price("p2p", {7, 8}), price("p2p", {}));
  where.node.clear();
  costs.between_caches.reset();
  EXPECT_EQ(price("shm", {7, 8}), price("shm", {}));
}

/// Pairs of ranks share a cache, and between two caches a message takes ten times as long: in which order a ring visits its ranks decides.
TEST(makespan, a_ring_along_caches_is_cheaper_than_one_across) {
  machine_costs costs;
  costs.between_caches = costs.within_node;
  for (message_times& m : costs.between_caches->messages)
    for (spread* const s : {&m.one_way, &m.send, &m.receive, &m.gap})
      s->median *= 10;
  process_map along, across;
  along.cores = across.cores = 8;
  along.cache = {1, 1, 1, 1, 2, 2, 2, 2};
  across.cache = {1, 2, 1, 2, 1, 2, 1, 2};
  const plan ring = of_pattern(pattern::allgather, algorithm::ring, 8, 64);
  EXPECT_LT(makespan(ring, "p2p", costs, along), makespan(ring, "p2p", costs, across));
}

TEST(makespan, few_messages_win_when_short_and_few_bytes_when_long) {
  const machine_costs costs;
  const auto price = [&](algorithm form, std::uint64_t block) {
    return makespan(of_pattern(pattern::alltoall, form, 32, block), "p2p", costs, apart(32));
  };
  EXPECT_LT(price(algorithm::bruck, 8), price(algorithm::linear, 8));
  EXPECT_GT(price(algorithm::bruck, 1 << 20), price(algorithm::linear, 1 << 20));
}

TEST(makespan, ranks_that_share_cores_share_their_time) {
  const machine_costs costs;
  const plan p = of_pattern(pattern::alltoall, algorithm::linear, 8, 1 << 16);
  process_map roomy, crowded;
  roomy.cores = 8;
  crowded.cores = 2;
  roomy.longest_in_memory = crowded.longest_in_memory = 1 << 30;
  for (const char* driver : {"p2p", "shm"})
    EXPECT_GT(makespan(p, driver, costs, crowded), 2 * makespan(p, driver, costs, roomy)) << driver;
}

TEST(makespan, memory_is_the_way_of_short_messages_and_single_copies_that_of_long_ones) {
  const machine_costs costs;
  process_map where;
  where.cores = 2;
  where.longest_in_memory = 1 << 30;
  const auto ratio = [&](std::uint64_t block) {
    const plan p = of_pattern(pattern::alltoall, algorithm::linear, 4, block);
    return makespan(p, "shm", costs, where) / makespan(p, "p2p", costs, where);
  };
  EXPECT_LT(ratio(4096), 0.9);
  EXPECT_GT(ratio(1 << 20), 1);
}

/// Between two ranks, `count` messages each way, or one way.
plan messages_of(std::uint64_t bytes, std::uint32_t count, bool both_ways) {
  plan p;
  p.ranks.resize(2);
  for (std::uint32_t r = 0; r < 2; ++r)
    for (std::uint32_t i = 0; i < count; ++i)
      for (const step_kind kind : {step_kind::send, step_kind::recv}) {
        if (!both_ways && (kind == step_kind::send) != (r == 0))
          continue;
        step s;
        s.kind = kind;
        s.peer = rank_id{1 - r};
        s.tag = static_cast<std::int32_t>(i);
        (kind == step_kind::send ? s.reads : s.writes).push_back({0x10000 + i * bytes, bytes});
        p.ranks[r].steps.push_back(std::move(s));
      }
  return p;
}

TEST(makespan, takes_what_was_measured_of_channels) {
  machine_costs costs;
  costs.within_node.channels.clear();
  for (const std::uint64_t bytes : {8u, 1024u, 8192u, 65536u, 262144u, 524288u, 1048576u}) {
    const double n = static_cast<double>(bytes), long_ones = bytes > 65536 ? 1.5 : 1;
    const auto exactly = [](double ns) { return spread{ns, ns, ns}; };
    costs.within_node.channels.push_back(
        {bytes, exactly(150 + long_ones * n / 8), exactly(160 + long_ones * n / 6)});
  }
  process_map where;
  where.cores = 2;
  where.longest_in_memory = 1 << 30;
  const auto price = [&](std::uint64_t bytes, std::uint32_t count, bool both_ways) {
    return makespan(messages_of(bytes, count, both_ways), "shm", costs, where);
  };
  for (const std::uint64_t bytes : {1024u, 8192u, 32768u, 65536u, 300000u, 1048576u}) {
    const double n = static_cast<double>(bytes);
    EXPECT_NEAR(price(bytes, 1, true) / channel_exchange_at(costs.within_node, n), 1,
                bytes < 8192 ? 0.2 : 0.05)
        << bytes;
    EXPECT_NEAR(price(bytes, 1, false) / channel_at(costs.within_node, n), 1, 0.1) << bytes;
  }
  // Short messages that are long together leave the caches as a long one does.
  EXPECT_GT(price(8192, 64, true), 0.99 * channel_exchange_at(costs.within_node, 524288));
  EXPECT_LT(price(8192, 4, true), 4.2 * channel_exchange_at(costs.within_node, 8192));
}

machine_costs with_exchanges(double times_one_way) {
  machine_costs costs;
  for (message_times& m : costs.within_node.messages) {
    const double ns = times_one_way * m.one_way.median;
    m.exchange = {ns, ns, ns};
  }
  return costs;
}

TEST(makespan, messages_that_pass_each_other_cost_what_an_exchange_takes) {
  process_map where;
  where.cores = 2;
  const plan both = of_pattern(pattern::alltoall, algorithm::linear, 2, 1 << 20),
             one_way = of_pattern(pattern::bcast, algorithm::linear, 2, 1 << 20);
  const machine_costs alone, slow = with_exchanges(3);
  EXPECT_GT(makespan(both, "p2p", slow, where), 2 * makespan(both, "p2p", alone, where));
  EXPECT_EQ(makespan(one_way, "p2p", slow, where), makespan(one_way, "p2p", alone, where));
  where.cores = 4; // who passes on in a tree has nothing to receive meanwhile
  for (const algorithm form : {algorithm::linear, algorithm::binomial}) {
    const plan tree = of_pattern(pattern::bcast, form, 4, 1 << 20);
    EXPECT_EQ(makespan(tree, "p2p", slow, where), makespan(tree, "p2p", alone, where));
  }
  // Less than a message alone cannot be: the larger number counts.
  EXPECT_EQ(makespan(both, "p2p", with_exchanges(0.1), where), makespan(both, "p2p", alone, where));
}

TEST(makespan, reductions_take_what_combining_was_measured_to_take) {
  process_map where;
  where.cores = 2;
  const plan p = of_pattern(pattern::reduce, algorithm::linear, 2, 1 << 20);
  machine_costs slow;
  for (memory_cost& m : slow.within_node.memory)
    m.combine = {1e7, 1e7, 1e7};
  EXPECT_GT(makespan(p, "p2p", slow, where), 1e7);
  EXPECT_LT(makespan(p, "p2p", machine_costs(), where), 1e7);
}

TEST(makespan, a_rank_that_waits_for_its_answer_waits_for_a_core) {
  process_map roomy, crowded;
  roomy.cores = 4;
  crowded.cores = 2;
  const machine_costs costs;
  const auto waits = [&](std::uint64_t bytes) { // for turns of processes; one more than for a short message
    const plan p = of_pattern(pattern::bcast, algorithm::linear, 4, bytes);
    return makespan(p, "p2p", costs, crowded) - makespan(p, "p2p", costs, roomy);
  };
  EXPECT_GT(waits(costs.within_node.eager_limit + 1), waits(costs.within_node.eager_limit) + 1000);
}

/// As measured between two cores that share no cache.
machine_costs of_far_cores() {
  machine_costs costs;
  const auto exactly = [](double ns) { return spread{ns, ns, ns}; };
  machine_model& m = costs.within_node;
  m.messages.clear();
  m.memory.clear();
  m.channels.clear();
  for (const std::uint64_t bytes : {8u, 8192u, 65536u, 262144u, 1048576u}) {
    const double n = static_cast<double>(bytes);
    const bool asked = bytes > m.eager_limit;
    m.messages.push_back({bytes, exactly(asked ? 2000 + n * 0.39 : 360), exactly(asked ? 210 : 100),
                          exactly(asked ? 2000 + n * 0.15 : 140), exactly(asked ? 2500 + n * 0.38 : 140),
                          exactly(asked ? 3000 + n * 0.42 : 440)});
    m.memory.push_back({bytes, exactly(25 + n / 48), exactly(140 + n / 21), exactly(27 + n / 26), {}});
    m.channels.push_back({bytes, exactly(250 + n / 13), exactly(250 + n / 8)});
  }
  return costs;
}

TEST(makespan, ranks_that_share_cores_do_not_pay_what_far_cores_do) {
  process_map where;
  where.cores = 2;
  where.longest_in_memory = 1 << 30;
  const machine_costs costs = of_far_cores();
  const auto price = [&](pattern kind, algorithm form, std::uint64_t bytes, const char* driver) {
    return makespan(of_pattern(kind, form, 4, bytes), driver, costs, where);
  };
  // By what two far cores take for an exchange, the pieces would be cheaper.
  for (const pattern kind : {pattern::scatter, pattern::gather, pattern::allgather})
    EXPECT_LT(price(kind, algorithm::linear, 1 << 20, "p2p"),
              price(kind, algorithm::pipelined, 1 << 20, "shm"));
  const auto saved = [&](std::uint64_t bytes) {
    return price(pattern::gather, algorithm::linear, bytes, "p2p") -
           price(pattern::gather, algorithm::linear, bytes, "shm");
  };
  EXPECT_GT(saved(1 << 15), 0);
  EXPECT_LT(saved(1 << 18), 0) << "other ranks of the core drive it out of the caches";
}

TEST(makespan, a_price_of_a_few_numbers_counts_bytes_on_shared_cores_too) {
  process_map where;
  where.cores = 2;
  const machine_costs costs = costs_of(message_cost{300, 1000, 0.1, 0.3});
  const auto price = [&](std::uint64_t bytes) {
    return makespan(of_pattern(pattern::bcast, algorithm::linear, 4, bytes), "p2p", costs, where);
  };
  EXPECT_GT(price(1 << 20), price(8) + 0.03 * (1 << 20));
}

TEST(makespan, has_no_price_for_collectives_and_unknown_drivers) {
  recipe r;
  diagnostics problems;
  const analyzed a = analyze_all(*generate(r, problems));
  const plan whole = make_plan(a.g, a.m, a.o, a.t, a.f);
  EXPECT_LT(makespan(whole, "p2p", machine_costs(), {}), 0);
  EXPECT_LT(makespan(with_messages(a.g, whole, algorithm::linear), "coll", machine_costs(), {}), 0);
  EXPECT_EQ(makespan(plan{}, "p2p", machine_costs(), {}), 0);
}

choice chosen_for(const recipe& r, choice_request wanted) {
  diagnostics problems;
  graph g = *generate(r, problems);
  compile_options options;
  const compilation c = compile(g, options);
  g = with_groups(std::move(g), c.groups);
  choice made = choose(g, c, options, wanted);
  for (const named_plan& p : made.plans)
    EXPECT_EQ(validate(g, c.matched, c.order, c.moved, p.steps), "") << p.name;
  return made;
}

choice chosen_for(pattern kind, std::uint32_t ranks, std::uint64_t block, choice_request wanted) {
  return chosen_for({.kind = kind, .ranks = ranks, .block = block}, std::move(wanted));
}

std::string taken(const choice& c) {
  return c.variants.empty() ? "nothing"
                            : c.plans[c.variants.front().plan].name + " by " + c.variants.front().driver;
}

choice_request on_one_node(std::uint32_t cores) {
  choice_request wanted;
  wanted.where.cores = cores;
  wanted.where.longest_in_memory = 1 << 30;
  return wanted;
}

choice_request on_nodes(std::uint32_t ranks) {
  choice_request wanted;
  wanted.where = apart(ranks);
  return wanted;
}

TEST(choose, no_single_variant_is_best) {
  EXPECT_EQ(taken(chosen_for(pattern::alltoall, 4, 4096, on_one_node(2))), "as written by shm");
  EXPECT_EQ(taken(chosen_for(pattern::alltoall, 4, 1 << 20, on_one_node(2))), "as written by p2p");
  EXPECT_EQ(taken(chosen_for(pattern::bcast, 64, 64, on_nodes(64))), "binomial by p2p");
  EXPECT_EQ(taken(chosen_for(pattern::allgather, 64, 8, on_nodes(64))), "recursive-doubling by p2p");
  EXPECT_EQ(taken(chosen_for(pattern::bcast, 16, 1 << 22, on_nodes(16))), "collectives by coll");
}

/// Of one, two, three … ranks, in a row or one after the other.
choice_request on_nodes_of_many_sizes(std::uint32_t ranks, bool in_a_row) {
  choice_request wanted;
  for (std::uint32_t node = 0; wanted.where.node.size() < ranks; ++node)
    wanted.where.node.insert(wanted.where.node.end(),
                             std::min<std::size_t>(node + 1, ranks - wanted.where.node.size()), node);
  if (!in_a_row)
    for (std::uint32_t i = 0; i < ranks; i += 2)
      std::swap(wanted.where.node[i], wanted.where.node[ranks - 1 - i]);
  wanted.where.cores = 16;
  wanted.costs = costs_of(message_cost{.overhead = 100, .latency = 5000, .byte = 0.1, .node_share = 0.1});
  return wanted;
}

/// A tree of all ranks has hardly more rounds between nodes than one of leaders, so a reduce is left out that may be combined in any order.
TEST(choose, reductions_take_two_levels_where_nodes_are_far_apart) {
  const reducer kinds[] = {{"sum", "int", 4, true, false, true},
                           {"sum", "double", 8, true, true, true},
                           {"join", "pair", 8, false, false, true}};
  for (const reducer& by : kinds)
    for (const pattern kind : {pattern::reduce, pattern::allreduce})
      for (const bool in_a_row : {true, false}) {
        if (kind == pattern::reduce && by.commutative && !by.rounds)
          continue;
        const recipe r{.kind = kind, .ranks = 45, .block = 8, .by = by};
        EXPECT_EQ(taken(chosen_for(r, on_nodes_of_many_sizes(45, in_a_row))), "two-level by p2p")
            << name(kind) << " by " << describe(by) << (in_a_row ? "" : ", mixed");
      }
}

TEST(choose, ties_keep_the_graph_as_written) {
  for (const pattern kind : {pattern::bcast, pattern::gather, pattern::scatter, pattern::allgather})
    for (const std::uint64_t block : {8u, 700u, 9000u})
      EXPECT_EQ(taken(chosen_for(kind, 3, block, on_one_node(4))).substr(0, 10), "as written") << block;
}

TEST(choose, a_driver_that_was_asked_for_is_the_only_one) {
  for (const char* driver : {"shm", "p2p", "coll"}) {
    choice_request wanted = on_one_node(4);
    wanted.driver = driver;
    for (const variant& w : chosen_for(pattern::bcast, 8, 64, wanted).variants)
      EXPECT_EQ(w.driver, driver);
    if (driver == std::string_view("coll")) {
      EXPECT_EQ(taken(chosen_for(pattern::bcast, 8, 64, wanted)), "collectives by coll");
    }
  }
  choice_request dry;
  dry.driver = "dry";
  EXPECT_TRUE(chosen_for(pattern::bcast, 8, 64, dry).variants.empty());
}

/// All that is compared can be had by its name, whatever it costs, and nothing else.
TEST(choose, a_plan_that_was_asked_for_is_the_only_one) {
  choice_request wanted = on_one_node(4);
  const choice all = chosen_for(pattern::bcast, 8, 1 << 16, wanted);
  ASSERT_GT(all.compared.size(), 4u);
  for (const priced_variant& w : all.compared) {
    wanted.plan = w.plan;
    const choice one = chosen_for(pattern::bcast, 8, 1 << 16, wanted);
    ASSERT_EQ(one.plans.size(), 1u);
    EXPECT_EQ(one.plans.front().name, w.plan);
    wanted.driver = w.driver;
    EXPECT_EQ(taken(chosen_for(pattern::bcast, 8, 1 << 16, wanted)), w.plan + " by " + w.driver);
    wanted.driver.clear();
  }
  wanted.all_played_up_to = 0; // also where only the cheapest one is looked for
  EXPECT_EQ(taken(chosen_for(pattern::bcast, 8, 1 << 16, wanted)).find(wanted.plan), 0u);
  wanted.plan = "no such plan";
  const choice none = chosen_for(pattern::bcast, 8, 1 << 16, wanted);
  EXPECT_TRUE(none.variants.empty());
  EXPECT_GT(none.compared.size(), 4u); // what there is
}

TEST(choose, persistent_collectives_are_a_variant_where_there_are_some) {
  choice_request wanted = on_nodes(16);
  wanted.most = 50;
  const auto price_by = [&](const char* driver) {
    for (const priced_variant& w : chosen_for(pattern::alltoall, 16, 64, wanted).compared)
      if (w.driver == driver)
        return w.predicted;
    return -1.0;
  };
  EXPECT_LT(price_by("pcoll"), 0);
  wanted.persistent = true;
  EXPECT_GT(price_by("pcoll"), 0);
  EXPECT_LT(price_by("pcoll"), price_by("coll"));
  EXPECT_EQ(taken(chosen_for(pattern::bcast, 16, 1 << 22, wanted)), "collectives by pcoll");
  wanted.driver = "pcoll";
  for (const variant& w : chosen_for(pattern::alltoall, 16, 64, wanted).variants)
    EXPECT_EQ(w.driver, "pcoll");
  wanted.persistent = false; // asked for by name: it says itself why it cannot
  EXPECT_EQ(taken(chosen_for(pattern::alltoall, 16, 64, wanted)), "collectives by pcoll");
}

TEST(choose, nobody_waits_for_ranks_that_do_not_attend) {
  choice_request wanted = on_nodes(64);
  wanted.attended = false;
  wanted.most = 50;
  const choice c = chosen_for(pattern::bcast, 64, 64, wanted);
  EXPECT_EQ(taken(c), "collectives by coll");
  for (const variant& w : c.variants)
    EXPECT_TRUE(c.plans[w.plan].name == written_name || w.driver == "coll") << c.plans[w.plan].name;
}

TEST(choose, replacing_always_leaves_the_graph_as_written_out) {
  choice_request wanted = on_one_node(4);
  wanted.replace_always = true;
  wanted.most = 50;
  const choice c = chosen_for(pattern::bcast, 8, 64, wanted);
  EXPECT_GT(c.variants.size(), 3u);
  for (const named_plan& p : c.plans)
    EXPECT_NE(p.name, written_name);
}

TEST(choose, what_is_to_be_measured_has_the_graph_as_written_and_collectives_of_mpi) {
  choice_request wanted = on_one_node(2);
  wanted.most = 6;
  const choice c = chosen_for(pattern::allgather, 4, 1 << 16, wanted);
  EXPECT_EQ(c.variants.size(), 6u);
  EXPECT_GT(c.compared.size(), 6u);
  int written = 0, collectives = 0;
  for (const variant& w : c.variants) {
    written += c.plans[w.plan].name == written_name ? 1 : 0;
    collectives += w.driver == "coll" ? 1 : 0;
  }
  EXPECT_EQ(written, 2);
  EXPECT_EQ(collectives, 1);
}

TEST(choose, finalists_of_long_runs_are_what_is_taken_and_the_graph_as_written_by_messages) {
  for (const pattern kind : {pattern::bcast, pattern::gather, pattern::allgather, pattern::alltoall})
    for (const std::uint32_t cores : {1u, 2u, 8u}) {
      choice_request wanted = on_one_node(cores);
      const choice one = chosen_for(kind, 8, 1 << 20, wanted);
      ASSERT_EQ(one.variants.size(), 1u);
      wanted.finalists = true;
      const choice c = chosen_for(kind, 8, 1 << 20, wanted);
      EXPECT_EQ(taken(c), taken(one));
      ASSERT_GE(c.variants.size(), 2u) << name(kind) << " on " << cores;
      EXPECT_LE(c.variants.size(), 6u);
      int as_the_loop = 0;
      for (const variant& w : c.variants) {
        as_the_loop += c.plans[w.plan].name == written_name && w.driver == "p2p" ? 1 : 0;
        EXPECT_EQ(std::count_if(c.variants.begin(), c.variants.end(),
                                [&](const variant& o) { return o.plan == w.plan && o.driver == w.driver; }),
                  1);
      }
      EXPECT_EQ(as_the_loop, 1);
    }
}

TEST(choose, short_runs_and_what_was_asked_for_by_name_have_no_finalists) {
  choice_request wanted = on_one_node(8);
  wanted.finalists = true;
  EXPECT_EQ(chosen_for(pattern::allgather, 4, 8, wanted).variants.size(), 1u);
  for (void (*const ask)(choice_request&) :
       {+[](choice_request& r) { r.driver = "shm"; }, +[](choice_request& r) { r.plan = "ring"; },
        +[](choice_request& r) { r.replace_always = true; }}) {
    choice_request named = wanted;
    ask(named);
    EXPECT_EQ(chosen_for(pattern::allgather, 4, 1 << 20, named).variants.size(), 1u);
  }
}

/// An exchange of all with all, and another one of other bytes behind it.
graph two_exchanges(std::uint32_t ranks) {
  graph g(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<op_id> before;
    for (const std::uint64_t stage : {1, 2}) {
      std::vector<op_id> here;
      for (std::uint32_t peer = 0; peer < ranks; ++peer) {
        if (peer == r)
          continue;
        here.push_back(g.send(rank_id{r}, segment{0x10000 * stage + 64 * peer, 64}, rank_id{peer}, 0));
        here.push_back(
            g.recv(rank_id{r}, segment{0x10000 * stage + 0x8000 + 64 * peer, 64}, rank_id{peer}, 0));
      }
      if (stage == 1)
        before.push_back(g.copy(rank_id{r}, {}, {}));
      for (const op_id op : here)
        stage == 1 ? g.depend(op, before.front()) : g.depend(before.front(), op);
    }
  }
  return g;
}

TEST(choose, nothing_is_made_of_stages_that_cannot_be_compared_with_the_graph) {
  const auto compared_within = [](std::uint64_t budget) {
    compile_options options;
    options.flow.fragment_budget = budget;
    graph g = two_exchanges(4); // of 12 fragments each
    const compilation c = compile(g, options);
    EXPECT_EQ(c.moved.complete, budget >= 24);
    EXPECT_FALSE(c.in_stages.schedule.ranks.empty());
    g = with_groups(std::move(g), c.groups);
    std::set<std::string> names;
    for (const priced_variant& w : choose(g, c, options, on_one_node(4)).compared)
      if (w.plan.ends_with(in_stages))
        names.insert(w.plan);
    return names;
  };
  EXPECT_EQ(compared_within(16), std::set<std::string>{"collectives in stages"});
  EXPECT_GT(compared_within(100).size(), 2u);
}

} // namespace
} // namespace tacit::test
