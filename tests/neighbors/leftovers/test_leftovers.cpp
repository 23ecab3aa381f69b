// Messages that belong to no collective as neighborhood exchanges: every plan that comes of that validates, and the byte machine, which
// knows nothing of how it was made, agrees with the graph as it is written.
#include "neighbors/leftovers/leftovers.h"

#include "graphs/compile/compile.h"
#include "graphs/plan/plan_judge.h"
#include "oracle/fuzz_count.h"

#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <set>

namespace tacit::test {

using namespace graphs;
using namespace neighbors;
namespace {

class dice {
public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

private:
  std::mt19937_64 random_;
};

segment at(std::uint64_t address, std::uint64_t length) {
  return {address, length};
}

/// Irregular messages: short ones and longer ones, several for some pairs, hot ranks, the same bytes for many, forwarding, a broadcast of
/// all beside them, stages.
class sparse_graph {
public:
  explicit sparse_graph(std::uint64_t seed)
      : d_(seed), many_(d_.chance(8)), ranks_(many_ ? 12 + d_.below(9) : 2 + d_.below(7)), g_(ranks_),
        next_(ranks_, 0x1000), last_(ranks_) {}

  graph make() {
    const std::uint32_t stages = d_.chance(25) ? 2 + d_.below(2) : 1;
    for (std::uint32_t s = 0; s < stages; ++s) {
      if (d_.chance(25))
        broadcast(d_.below(ranks_));
      for (std::uint32_t i = d_.below(many_ ? ranks_ : 3 * ranks_); i-- > 0;)
        message(d_.below(ranks_), d_.below(ranks_));
      if (many_ || d_.chance(50))
        hot(d_.below(ranks_), d_.chance(50), d_.chance(50));
      if (s + 1 < stages)
        end_stage();
    }
    return std::move(g_);
  }

private:
  std::uint64_t fresh(std::uint32_t rank, std::uint64_t length) {
    next_[rank] += length + d_.below(2);
    return next_[rank] - length;
  }
  op_id follows(op_id op, std::uint32_t rank) {
    if (last_[rank] != no_op)
      g_.depend(last_[rank], op);
    all_[rank].push_back(op);
    return op;
  }
  void message(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t length = 1 + d_.below(d_.chance(80) ? 16 : 100);
    // What was received before may be handed on, or sent to several; else it is new.
    const bool again = d_.chance(30) && next_[from] > 0x1000 + length;
    const std::uint64_t source = again ? next_[from] - length : fresh(from, length);
    const op_id send = follows(g_.send(rank_id{from}, at(source, length), rank_id{to}, 3), from);
    if (again) // the latest bytes may be those of any operation before
      for (const op_id before : all_[from])
        if (before != send)
          g_.depend(before, send);
    follows(g_.recv(rank_id{to}, at(fresh(to, length), length), rank_id{from}, 3), to);
  }
  void broadcast(std::uint32_t root) {
    const std::uint64_t source = fresh(root, 8);
    for (std::uint32_t r = 0; r < ranks_; ++r)
      if (r != root) {
        follows(g_.send(rank_id{root}, at(source, 8), rank_id{r}, 4), root);
        follows(g_.recv(rank_id{r}, at(fresh(r, 8), 8), rank_id{root}, 4), r);
      }
  }
  void hot(std::uint32_t root, bool gathers, bool same) {
    const std::uint64_t shared = fresh(root, 8);
    std::vector<std::uint32_t> partners;
    for (std::uint32_t r = 0; r < ranks_; ++r)
      if (r != root && d_.chance(70))
        partners.push_back(r);
    for (std::uint32_t block = 0; block < (same ? 1u : 2u);
         ++block) // of one each, or of equal ones, collectives are made
      for (const std::uint32_t r : partners) {
        const std::uint32_t from = gathers ? r : root, to = gathers ? root : r;
        const std::uint64_t length = same ? 8 : 1 + r + block * ranks_;
        const std::uint64_t source = same && !gathers ? shared : fresh(from, length);
        follows(g_.send(rank_id{from}, at(source, length), rank_id{to}, 5), from);
        follows(g_.recv(rank_id{to}, at(fresh(to, length), length), rank_id{from}, 5), to);
      }
  }
  void end_stage() {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const op_id mark = g_.copy(rank_id{r}, {}, {});
      for (const op_id before : all_[r])
        g_.depend(before, mark);
      last_[r] = mark;
    }
  }

  dice d_;
  bool many_; ///< so that helpers pay
  std::uint32_t ranks_;
  graph g_;
  std::vector<std::uint64_t> next_;
  struct marks : std::vector<op_id> {
    explicit marks(std::uint32_t n) : std::vector<op_id>(n, no_op) {}
  } last_;
  std::map<std::uint32_t, std::vector<op_id>> all_;
};

/// Where messages cost much and bytes little, so that helpers and aggregation pay.
machine_costs costly_messages() {
  message_cost said;
  said.overhead = 1000;
  said.latency = 10;
  said.byte = 1;
  return costs_of(said);
}

process_map some_nodes(dice& d, std::uint32_t ranks) {
  process_map where;
  const std::uint32_t nodes = 1 + d.below(4);
  for (std::uint32_t r = 0; r < ranks && nodes > 1; ++r)
    where.node.push_back(d.chance(80) ? r * nodes / ranks : d.below(nodes));
  where.cores = 1 + d.below(8);
  where.longest_in_memory = d.chance(50) ? 1 << 20 : 0;
  return where;
}

using counts = std::map<std::string, int>;

/// Of many ranks the bytes of one run, in which nothing is buffered; of few also which waits there are.
std::string judged(const analyzed& a, const plan& p, std::uint64_t seed, sync_policy policy) {
  constexpr std::uint32_t few = 8;
  if (a.g.ranks() <= few)
    return judge(a, p, seed, 2, policy);
  const machine_result got = plan_machine(a.g, p, seed, true).run();
  return got.all_finished() ? compare_memory(a.g, p, oracle::simulator(a.g).run(seed), got.memory)
                            : "does not finish";
}

/// Every way of a plan, judged.
void judge_ways(const analyzed& a, const plan& p, const process_map& where, std::uint64_t seed,
                const plan_options& options, counts& seen) {
  const bool hand_on = options.progress == region_progress::collective;
  for (const named_plan& way : with_neighborhoods(p, costly_messages(), where, hand_on)) {
    ASSERT_EQ(validate(a.g, a.m, a.o, a.t, way.steps, options), "") << way.name << " " << show(a.g, seed);
    ASSERT_EQ(judged(a, way.steps, seed, options.policy), "") << way.name << " " << show(a.g, seed);
    ++seen[way.name];
  }
}

void judge_graph(const graph& original, std::uint64_t seed, counts& seen) {
  dice d(seed);
  compile_options options;
  options.planning.policy = d.chance(20) ? sync_policy::keep_sync : sync_policy::data;
  options.planning.progress = d.chance(20) ? region_progress::as_written : region_progress::collective;
  const compilation c = compile(original, options);
  if (has_errors(c.problems))
    return;
  const graph g = with_groups(original, c.groups);
  const process_map where = some_nodes(d, g.ranks());
  const analyzed a = analyze_all(g, false);
  ++seen["graphs"];
  if (!c.schedule.as_written)
    judge_ways(a, c.schedule, where, seed, options.planning, seen);
  const bool computes = std::any_of(g.operations().begin(), g.operations().end(),
                                    [](const operation& o) { return o.kind == op_kind::opaque; });
  if (!c.in_stages.schedule.ranks.empty() && !computes) {
    ++seen["graphs in stages"];
    judge_ways(a, c.in_stages.schedule, where, seed, options.planning, seen);
  }
  choice_request wanted;
  wanted.costs = costly_messages();
  wanted.where = where;
  wanted.leftovers = with_neighborhoods;
  wanted.attended = d.chance(80);
  const choice chosen = choose(g, c, options, wanted);
  ASSERT_FALSE(chosen.variants.empty()) << show(g, seed);
  const named_plan& first = chosen.plans[chosen.variants.front().plan];
  ASSERT_EQ(judged(a, first.steps, seed, options.planning.policy), "") << first.name << show(g, seed);
  if (first.name.find("neighborhood") != std::string::npos)
    ++seen["chosen: " + first.name];
}

TEST(leftovers, of_irregular_graphs_arrive_in_every_way) {
  counts seen;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    judge_graph(sparse_graph(seed).make(), seed, seen);
  }
  for (const auto& [what, times] : seen)
    std::cout << "  " << times << " " << what << "\n";
  const auto share = static_cast<int>(oracle::fuzz_count());
  EXPECT_GT(seen["neighborhood in rounds"], share / 20);
  EXPECT_GT(seen["neighborhood through trees"], share / 100);
  EXPECT_GT(seen["neighborhood between nodes"], share / 20);
  EXPECT_GT(seen["graphs in stages"], share / 20);
}

TEST(leftovers, of_graphs_in_which_everything_overlaps) {
  counts seen;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    oracle::random_recipe recipe;
    recipe.min_ranks = 3;
    recipe.opaques = seed % 4 == 0;
    recipe.reductions = seed % 2 == 0;
    recipe.max_steps = 40;
    judge_graph(oracle::random_graph(seed, recipe), seed, seen);
  }
  for (const auto& [what, times] : seen)
    std::cout << "  " << times << " " << what << "\n";
  EXPECT_GT(seen["neighborhood in rounds"] + seen["neighborhood between nodes"], 20);
}

/// The first messages between all pairs of ranks, the second ones, and so on are exchanges: those of a rank leave when some of its earlier
/// messages have arrived, of any exchange.
graph messages_with_waiters(std::uint64_t seed) {
  dice d(seed);
  const std::uint32_t ranks = 3 + d.below(d.chance(10) ? 18 : 5), hot = d.chance(50) ? d.below(ranks) : ranks;
  graph g(ranks);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> messages;
  std::vector<std::vector<op_id>> all(ranks);
  std::vector<std::map<std::size_t, std::vector<op_id>>> moments(ranks); // by number of the exchange
  const auto moment = [&](std::uint32_t rank, std::size_t number) -> const std::vector<op_id>& {
    const auto [known, fresh] = moments[rank].try_emplace(number);
    for (const op_id before : all[rank])
      if (fresh && d.chance(25))
        known->second.push_back(before);
    return known->second;
  };
  const auto add = [&](std::uint32_t rank, op_id op, std::size_t number) {
    for (const op_id before : moment(rank, number))
      g.depend(before, op);
    return op;
  };
  std::uint64_t next = 0x1000;
  for (std::uint32_t i = d.below(8 * ranks); i-- > 0;) {
    const std::uint32_t one = hot < ranks && d.chance(70) ? hot : d.below(ranks), other = d.below(ranks);
    const auto [from, to] = d.chance(50) ? std::pair(one, other) : std::pair(other, one);
    if (from == to)
      continue;
    const std::size_t number = messages[{from, to}]++;
    const std::uint64_t length = 1 + d.below(16);
    const bool shared = d.chance(20); // the same bytes for several
    const op_id sent =
        add(from, g.send(rank_id{from}, at(shared ? 0x800 : next, length), rank_id{to}, 1), number);
    const op_id got = add(to, g.recv(rank_id{to}, at(next + 50, length), rank_id{from}, 1), number);
    all[from].push_back(sent);
    all[to].push_back(got);
    next += 100;
  }
  return g;
}

using message_name = std::tuple<step_kind, rank_id, std::int32_t>;

message_name name_of(const step& s) {
  return {s.kind, s.peer, s.tag};
}

/// For which messages each message of a rank waits.
std::map<message_name, std::set<message_name>> waits_of(const rank_plan& p) {
  std::map<message_name, std::set<message_name>> out;
  for (const step& s : p.steps) {
    std::set<message_name>& before = out[name_of(s)];
    for (const std::uint32_t b : s.after)
      before.insert(name_of(p.steps[b]));
  }
  return out;
}

/// What is as written in a plan may have receives that are longer than their messages, one of nothing among them.
TEST(leftovers, of_longer_receives_stay_as_they_are) {
  for (const std::uint64_t longer : {std::uint64_t{0}, std::uint64_t{32}}) {
    graph g(6);
    for (std::uint32_t to = 0; to < 6; ++to)
      for (std::uint32_t from = 0; from < 6; ++from) {
        if (from == to)
          continue;
        const std::uint64_t bytes = longer > 0 && from == 4 && to == 1 ? 0 : 64;
        g.send(rank_id{from}, at(0x1000 + 0x100 * to, bytes), rank_id{to}, 0);
        g.recv(rank_id{to}, at(0x2000 + 0x100 * from, 64 + longer), rank_id{from}, 0);
      }
    const analyzed a = analyze_all(std::move(g));
    const plan written = plan_as_written(a.g, a.m, a.o, reason::none, "");
    EXPECT_EQ(with_neighborhoods(written, machine_costs(), {}, true).empty(), longer > 0);
  }
}

TEST(leftovers, are_waited_for_one_by_one) {
  counts seen;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    const analyzed a = analyze_all(messages_with_waiters(seed), false);
    plan p = plan_as_written(a.g, a.m, a.o, reason::none, "");
    p.as_written = false; // as a stage of another plan
    plan_options options;
    dice d(seed);
    options.policy = d.chance(30) ? sync_policy::keep_sync : sync_policy::data;
    if (!validate(a.g, a.m, a.o, a.t, p, options).empty())
      continue; // relies on buffering
    ++seen["plans"];
    for (const named_plan& way : with_neighborhoods(p, costly_messages(), some_nodes(d, a.g.ranks()), true)) {
      ASSERT_EQ(validate(a.g, a.m, a.o, a.t, way.steps, options), "") << way.name << " " << show(a.g, seed);
      ASSERT_EQ(judged(a, way.steps, seed, options.policy), "") << way.name << " " << show(a.g, seed);
      ++seen[way.name];
      for (std::uint32_t r = 0; r < a.g.ranks() && way.name == "neighborhood in rounds"; ++r) {
        ASSERT_EQ(waits_of(way.steps.ranks[r]), waits_of(p.ranks[r])) << show(a.g, seed);
      }
    }
  }
  for (const auto& [what, times] : seen)
    std::cout << "  " << times << " " << what << "\n";
  EXPECT_GT(seen["neighborhood in rounds"], static_cast<int>(oracle::fuzz_count()) / 10);
  EXPECT_GT(seen["neighborhood through trees"], static_cast<int>(oracle::fuzz_count()) / 200);
}

std::size_t numbers_to_wait_for(const plan& p) {
  std::size_t numbers = 0;
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      numbers += s.after.size();
  return numbers;
}

TEST(leftovers, that_somebody_waits_for_each_take_no_more_dependencies) {
  constexpr std::uint32_t ranks = 40;
  plan p;
  p.ranks.resize(ranks);
  const auto add = [&](std::uint32_t at_rank, step_kind kind, std::uint32_t peer, segment bytes) -> step& {
    step& s = p.ranks[at_rank].steps.emplace_back();
    s.kind = kind;
    s.peer = rank_id{peer};
    (kind == step_kind::recv ? s.writes : s.reads).push_back(bytes);
    return s;
  };
  const auto other = [](std::uint32_t r, std::uint32_t i) { return i < r ? i : i + 1; };
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (std::uint32_t i = 0; i + 1 < ranks; ++i) // all to rank 0 first
      add(r, step_kind::send, other(r, i), at(0x1000 + 8ull * other(r, i), 8));
    for (std::uint32_t i = 0; i + 1 < ranks; ++i)
      add(r, step_kind::recv, other(r, i), at(0x2000 + 8ull * other(r, i), 8));
    for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
      step& copy = add(r, step_kind::copy, 0, at(0x2000 + 8ull * other(r, i), 8));
      copy.writes = {at(0x3000 + 8ull * other(r, i), 8)};
      copy.after = {ranks - 1 + i};
    }
  }
  process_map where;
  for (std::uint32_t r = 0; r < ranks; ++r)
    where.node.push_back(r / 4);
  const auto ways = with_neighborhoods(p, costly_messages(), where, true);
  EXPECT_EQ(ways.size(), 2u);
  for (const named_plan& way : ways)
    EXPECT_LE(numbers_to_wait_for(way.steps), 2 * numbers_to_wait_for(p)) << way.name;
}

TEST(leftovers, use_tags_that_every_communicator_has) {
  constexpr std::uint32_t ranks = 100;
  constexpr std::int32_t last_tag = 32767 / 2 - 2;
  process_map where;
  for (std::uint32_t r = 0; r < ranks; ++r)
    where.node.push_back(r / 10);
  const auto ways_beside = [&](std::int32_t tag) {
    plan p;
    p.ranks.resize(ranks);
    const auto add = [&](std::uint32_t from, std::uint32_t to, std::int32_t with) {
      step& send = p.ranks[from].steps.emplace_back();
      send.kind = step_kind::send;
      send.peer = rank_id{to};
      send.tag = with;
      send.reads.push_back(at(0x1000, 8));
      step& recv = p.ranks[to].steps.emplace_back();
      recv.kind = step_kind::recv;
      recv.peer = rank_id{from};
      recv.tag = with;
      recv.writes.push_back(at(0x2000 + 16 * std::uint64_t{from} + (with != 0 ? 8 : 0), 8));
    };
    for (std::uint32_t r = 1; r < ranks; ++r)
      add(r, 0, 0);
    add(1, 0, tag);
    const auto ways = with_neighborhoods(p, costly_messages(), where, true);
    for (const named_plan& way : ways)
      for (const rank_plan& r : way.steps.ranks)
        for (const step& s : r.steps)
          EXPECT_LE(s.tag, last_tag) << way.name;
    return ways.size();
  };
  EXPECT_EQ(ways_beside(1), 2u);
  EXPECT_EQ(ways_beside(last_tag - 3), 2u);
  EXPECT_EQ(ways_beside(last_tag - 2), 1u) << "two tags are left, and aggregation takes three";
  EXPECT_EQ(ways_beside(last_tag), 0u);
}

} // namespace
} // namespace tacit::test
