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
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (r == root || d_.chance(30))
        continue;
      const std::uint32_t from = gathers ? r : root, to = gathers ? root : r;
      const std::uint64_t length = same ? 8 : 1 + d_.below(16);
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

} // namespace
} // namespace tacit::test
