// Analysing a graph in parts: every rank's transfers are those of the central dataflow, the finding is that of the central detection on
// every graph that is not refused, and the steps that the ranks make apart are together a plan that the central validator accepts.
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "graphs/part/disguised_collective.h"
#include "graphs/part/parts_in_process.h"
#include "graphs/part/remaining.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"

#include <gtest/gtest.h>
#include <map>

namespace tacit::test {

using namespace graphs;
namespace {

compilation analysed(const graph& g) {
  compile_options options;
  options.make_plan = false;
  return compile(g, options);
}

/// The whole graph is one collective with equal blocks, says the central analysis.
bool is_just(const findings& f, const part_finding& v) {
  return f.found.size() == 1 && f.residual.empty() && f.found[0].kind == v.kind &&
         f.found[0].root == v.root && f.found[0].bytes == v.bytes && f.found[0].comm == world;
}

constexpr std::string_view plans[] = {
    "straight messages",  "collectives", "binomial",  "ring",      "bruck",
    "recursive-doubling", "pairwise",    "butterfly", "pipelined", "scatter-allgather",
    "two-level"};

/// What is wrong with the steps that the ranks make apart; empty: nothing.
std::string fault_of_steps(const graph& g, const compilation& c, parts_in_process& parts,
                           const part_finding& v) {
  for (const std::string_view name : plans) {
    std::string fault;
    const std::optional<plan> all = parts.steps(v, name, fault);
    if (!all) { // as many say so as there are ranks
      if (name == "straight messages" || name == "collectives")
        return std::string(name) + ": no steps";
      continue;
    }
    if (!fault.empty())
      return std::string(name) + ": " + fault + " finds a fault";
    if (const std::string central = validate(g, c.matched, c.order, c.moved, *all); !central.empty())
      return std::string(name) + ": " + central;
  }
  return {};
}

TEST(part, a_run_of_messages_is_one_descriptor) {
  graph g(2);
  for (std::uint64_t k = 0; k < 4096; ++k) {
    g.send(rank_id{0}, segment{0x1000 + 16 * k, 16}, rank_id{1}, 7);
    g.recv(rank_id{1}, segment{0x5000'0000 - 32 * k, 16}, rank_id{0}, 7);
  }
  parts_in_process parts(g, 1);
  const std::vector<graph> both{part_of_rank(g, rank_id{0}), part_of_rank(g, rank_id{1})};
  const auto runs = parts.run_all(both);
  EXPECT_EQ(parts.parcel_bytes, 56u);
  ASSERT_TRUE(runs[1]->done());
  EXPECT_EQ(runs[1]->fault(), part_refusal::none);
  EXPECT_EQ(runs[1]->result().size(), 4096u);
}

TEST(part, transfers_of_random_graphs_are_those_of_the_central_dataflow) {
  oracle::random_recipe recipe;
  recipe.opaques = recipe.one_sided = false;
  recipe.min_ranks = 3;
  int compared = 0;
  for (std::uint64_t i = 0; i < oracle::fuzz_count(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    recipe.declarations = seed % 2 == 0;
    const graph g = oracle::random_graph(seed, recipe);
    parts_in_process parts(g, seed);
    const part_facts all = parts.follow();
    if (!parts.followed()) {
      ASSERT_NE(all.why, 0) << "seed " << seed;
      continue;
    }
    const compilation c = analysed(g);
    ASSERT_FALSE(has_errors(c.problems)) << "seed " << seed;
    std::vector<transfer> together;
    for (std::uint32_t r = 0; r < g.ranks(); ++r)
      together.insert(together.end(), parts.gets(r).begin(), parts.gets(r).end());
    ASSERT_TRUE(together == c.moved.list) << "seed " << seed;
    ++compared;
  }
  RecordProperty("compared", compared);
  EXPECT_GT(compared, static_cast<int>(oracle::fuzz_count() / 25));
}

TEST(part, known_algorithms_are_what_they_are_called) {
  int accepted = 0;
  for (const known_algorithm& k : known_algorithms())
    for (std::uint32_t ranks = 3; ranks <= 9; ++ranks) {
      recipe r;
      r.kind = k.kind;
      r.form = k.form;
      r.ranks = ranks;
      r.block = 24;
      r.root = is_rooted(k.kind) ? ranks / 2 : 0;
      diagnostics problems;
      const std::optional<graph> g = generate(r, problems);
      if (!g)
        continue;
      parts_in_process parts(*g, ranks);
      const part_finding v = parts.finding();
      if (k.kind == pattern::barrier || is_reduction(k.kind)) {
        EXPECT_NE(v.why, part_refusal::none) << name(k.kind);
        continue;
      }
      const compilation c = analysed(*g);
      if (!c.found.residual.empty()) { // the root of a binomial allgather sends itself its block
        EXPECT_NE(v.why, part_refusal::none);
        continue;
      }
      ASSERT_EQ(v.why, part_refusal::none)
          << name(k.kind) << " " << name(k.form) << " " << ranks << ": " << words(v.why);
      EXPECT_EQ(v.kind, k.kind);
      ASSERT_TRUE(is_just(c.found, v)) << name(k.kind) << " " << name(k.form) << " " << ranks;
      if (ranks <= 6) {
        ASSERT_EQ(fault_of_steps(*g, c, parts, v), "") << name(k.kind) << " " << name(k.form) << " " << ranks;
      }
      ++accepted;
    }
  EXPECT_GT(accepted, 80);
}

TEST(part, verdicts_on_disguised_collectives_are_those_of_the_central_analysis) {
  int accepted = 0, refused = 0, missed = 0, in_pieces = 0, declared = 0;
  std::map<pattern, int> found;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 2; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    disguised_collective maker(seed);
    const graph g = maker.make(3, 8, seed % 3 == 0);
    parts_in_process parts(g, seed);
    const part_finding v = parts.finding();
    const compilation c = analysed(g);
    if (v.why != part_refusal::none) {
      ++refused;
      part_finding expected;
      expected.kind = maker.kind;
      expected.root = is_rooted(maker.kind) ? maker.root : no_rank;
      expected.bytes = maker.block;
      if (!has_errors(c.problems) && is_just(c.found, expected))
        ++(is_uniform(maker.kind) ? missed : in_pieces);
      continue;
    }
    ++accepted;
    declared += maker.declared ? 1 : 0;
    ++found[v.kind];
    ASSERT_FALSE(has_errors(c.problems)) << "seed " << seed;
    ASSERT_TRUE(is_just(c.found, v)) << "seed " << seed << ": " << name(v.kind) << ", central "
                                     << (c.found.found.empty() ? "nothing" : name(c.found.found[0].kind));
    if (i % 8 == 0) {
      ASSERT_EQ(fault_of_steps(g, c, parts, v), "") << "seed " << seed;
    }
  }
  RecordProperty("accepted", accepted);
  RecordProperty("refused", refused);
  EXPECT_EQ(missed, 0) << "collectives with equal blocks that were refused";
  EXPECT_GT(accepted, static_cast<int>(oracle::fuzz_count() / 6));
  EXPECT_GT(refused, static_cast<int>(oracle::fuzz_count() / 20));
  RecordProperty("vector_collectives_in_pieces", in_pieces);
  RecordProperty("declared", declared);
  EXPECT_GT(declared, static_cast<int>(oracle::fuzz_count() / 20));
  EXPECT_EQ(found.size(), 9u);
  for (const auto& [kind, times] : found) {
    RecordProperty(std::string(name(kind)), times);
    EXPECT_GT(times, static_cast<int>(oracle::fuzz_count() / 200)) << name(kind);
  }
}

TEST(part, random_graphs_that_are_no_collective_are_refused) {
  oracle::random_recipe recipe;
  recipe.opaques = recipe.one_sided = recipe.communicators = recipe.declarations = false;
  recipe.min_ranks = 3;
  recipe.max_ranks = 4;
  recipe.max_memory = 6;
  for (std::uint64_t i = 0; i < oracle::fuzz_count(); ++i) {
    const graph g = oracle::random_graph(oracle::fuzz_seed() + i, recipe);
    parts_in_process parts(g, i);
    const part_finding v = parts.finding();
    if (v.why == part_refusal::none) {
      ASSERT_TRUE(is_just(analysed(g).found, v)) << "seed " << oracle::fuzz_seed() + i;
    }
  }
}

/// What all ranks together say remains of the graph, in the order of the central dataflow.
std::vector<transfer> all_gets(const parts_in_process& parts) {
  std::vector<transfer> all;
  for (std::uint32_t r = 0; r < parts.ranks(); ++r)
    all.insert(all.end(), parts.gets(r).begin(), parts.gets(r).end());
  return all;
}

bool same_slice(const slice& a, const slice& b) {
  return a.offset == b.offset && a.length == b.length && a.transfer == b.transfer;
}

std::string difference(const findings& a, const findings& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_slice);
  };
  if (a.found.size() != b.found.size() || !same(a.residual, b.residual) || a.groups.size() != b.groups.size())
    return "others are found";
  for (std::size_t i = 0; i < a.groups.size(); ++i)
    if (a.groups[i].members != b.groups[i].members)
      return "group " + std::to_string(i);
  for (std::size_t i = 0; i < a.found.size(); ++i) {
    const finding &x = a.found[i], &y = b.found[i];
    if (x.kind != y.kind || x.comm != y.comm || x.root != y.root || x.bytes != y.bytes ||
        x.blocks != y.blocks || !same(x.slices, y.slices))
      return std::string(name(x.kind)) + " and " + std::string(name(y.kind));
  }
  return {};
}

/// What is wrong with what is compiled from what remains of the graph, as steps of the graph itself.
std::string fault_of_remaining_plan(const graph& g, const compilation& c, const compilation& of_remaining,
                                    parts_in_process& parts) {
  const graph known = with_groups(ranks_of(g), of_remaining.groups);
  group_members groups;
  for (std::size_t i = 1; i < known.communicators().size(); ++i)
    groups[comm_id{static_cast<std::uint16_t>(i)}] = known.communicators()[i].members;
  std::vector<graph> mine, followed;
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    mine.push_back(parts.part(r));
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    followed.push_back(
        steps_as_part(of_remaining.schedule.ranks[r], {mine[r], rank_id{r}, parts.gets(r), {}}, groups));
  const auto runs = parts.run_all(followed);
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    if (check_steps(of_remaining.schedule.ranks[r], {mine[r], rank_id{r}, parts.gets(r), {}}, followed[r],
                    *runs[r]) != part_refusal::none)
      return "rank " + std::to_string(r) + " finds a fault";
  return validate(with_groups(g, of_remaining.groups), c.matched, c.order, c.moved, of_remaining.schedule);
}

struct remaining_counts {
  int compared = 0, refused = 0, in_place = 0, planned = 0, several = 0, beside = 0, of_groups = 0,
      on_comms = 0;
};

void compare_remaining(const graph& g, std::uint64_t seed, remaining_counts& counts) {
  parts_in_process parts(g, seed);
  const part_facts all = parts.follow();
  if (!parts.followed()) {
    ++counts.refused;
    return;
  }
  ASSERT_TRUE(all.why == 0 || is_about_shape(static_cast<part_refusal>(all.why))) << "seed " << seed;
  const std::optional<graph> remaining = remaining_graph(ranks_of(g), all_gets(parts));
  if (!remaining) {
    ++counts.in_place;
    return;
  }
  const compilation c = analysed(g), r = compile(*remaining, {});
  ASSERT_FALSE(has_errors(r.problems)) << "seed " << seed << ": " << r.problems.front().message;
  ASSERT_TRUE(r.moved.list == c.moved.list) << "seed " << seed;
  ASSERT_EQ(difference(r.found, c.found), "") << "seed " << seed;
  ++counts.compared;
  counts.several += c.found.found.size() > 1;
  counts.beside += !c.found.found.empty() && !c.found.residual.empty();
  counts.of_groups += !c.found.groups.empty();
  counts.on_comms += std::ranges::any_of(g.operations(), [](const operation& o) { return o.comm != world; });
  if (seed % 8 == 0 && !r.schedule.as_written) {
    ++counts.planned;
    ASSERT_EQ(fault_of_remaining_plan(g, c, r, parts), "") << "seed " << seed;
  }
}

TEST(part, what_remains_of_random_graphs_has_the_findings_of_the_central_analysis) {
  oracle::random_recipe recipe;
  recipe.opaques = recipe.one_sided = false;
  recipe.min_ranks = 3;
  remaining_counts counts;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() && !HasFatalFailure(); ++i) {
    recipe.declarations = i % 2 == 0;
    compare_remaining(oracle::random_graph(oracle::fuzz_seed() + i, recipe), oracle::fuzz_seed() + i, counts);
  }
  RecordProperty("compared", counts.compared);
  RecordProperty("in_place", counts.in_place);
  EXPECT_GT(counts.compared, static_cast<int>(oracle::fuzz_count() / 40));
}

TEST(part, what_remains_of_several_collectives_has_the_findings_of_the_central_analysis) {
  remaining_counts counts;
  for (std::uint64_t i = 0; i < oracle::fuzz_count() / 2 && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    test::disguised_collective maker(seed);
    compare_remaining(maker.make_several(3, 8), seed, counts);
  }
  const auto least = static_cast<int>(oracle::fuzz_count() / 2);
  RecordProperty("compared", counts.compared);
  RecordProperty("planned", counts.planned);
  RecordProperty("several", counts.several);
  RecordProperty("with_messages_beside", counts.beside);
  RecordProperty("of_groups", counts.of_groups);
  RecordProperty("on_communicators", counts.on_comms);
  EXPECT_EQ(counts.compared, least);
  EXPECT_GT(counts.planned, least / 16);
  EXPECT_GT(counts.several, least / 8);
  EXPECT_GT(counts.beside, least / 8);
  EXPECT_GT(counts.of_groups, least / 32);
  EXPECT_GT(counts.on_comms, least / 8);
}

/// Every rank receives into bytes that it has sent: plans must read them before.
graph in_place(pattern kind, std::uint32_t ranks) {
  graph g(ranks);
  const auto own = [&](std::uint32_t block) { return segment{0x1000 + 32 * std::uint64_t{block}, 32}; };
  std::vector<std::vector<op_id>> sends(ranks);
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t to = 0; to < ranks; ++to)
      sends[from].push_back(
          to == from ? no_op : g.send(rank_id{from}, own(kind == pattern::alltoall ? to : 0), rank_id{to}));
  for (std::uint32_t to = 0; to < ranks; ++to)
    for (std::uint32_t from = 0; from < ranks; ++from)
      if (from != to) {
        const op_id got = g.recv(rank_id{to}, own(from), rank_id{from});
        for (std::uint32_t other = 0; other < ranks; ++other)
          if (other != to && (kind == pattern::allgather || other == from))
            g.depend(sends[to][other], got);
      }
  return g;
}

TEST(part, collectives_in_place_read_before_they_overwrite) {
  for (const pattern kind : {pattern::alltoall, pattern::allgather})
    for (std::uint32_t ranks = 3; ranks <= 6; ++ranks) {
      const graph g = in_place(kind, ranks);
      parts_in_process parts(g, ranks);
      const part_finding v = parts.finding();
      ASSERT_EQ(v.why, part_refusal::none) << name(kind) << " " << ranks << ": " << words(v.why);
      const compilation c = analysed(g);
      ASSERT_TRUE(is_just(c.found, v)) << name(kind) << " " << ranks;
      EXPECT_EQ(v.kind, kind);
      ASSERT_EQ(fault_of_steps(g, c, parts, v), "") << name(kind) << " " << ranks;
    }
}

graph linear(pattern kind, std::uint32_t ranks) {
  recipe r;
  r.kind = kind;
  r.ranks = ranks;
  diagnostics problems;
  return *generate(r, problems);
}

TEST(part, what_is_wrong_with_a_graph_ends_in_a_refusal) {
  graph unmatched = linear(pattern::gather, 4);
  unmatched.send(rank_id{1}, segment{0x9000, 8}, rank_id{2}, 5);
  EXPECT_EQ(parts_in_process(unmatched, 1).finding().why, part_refusal::unmatched);

  graph waits = linear(pattern::gather, 4);
  waits.recv(rank_id{2}, segment{0x9000, 8}, rank_id{1}, 5);
  EXPECT_EQ(parts_in_process(waits, 1).finding().why, part_refusal::stuck);

  graph cycle(3); // 0 and 1 send only after they have received
  for (const std::uint32_t r : {0u, 1u}) {
    const op_id got = cycle.recv(rank_id{r}, segment{0x100, 8}, rank_id{1 - r}, 0);
    cycle.depend(got, cycle.send(rank_id{r}, segment{0x200, 8}, rank_id{1 - r}, 0));
  }
  EXPECT_EQ(parts_in_process(cycle, 1).finding().why, part_refusal::stuck);

  graph lengths(3);
  lengths.send(rank_id{0}, segment{0x100, 8}, rank_id{1}, 0);
  lengths.recv(rank_id{1}, segment{0x100, 4}, rank_id{0}, 0);
  EXPECT_EQ(parts_in_process(lengths, 1).finding().why, part_refusal::lengths);

  graph races = linear(pattern::gather, 4);
  races.send(rank_id{1}, segment{0x9000, 8}, rank_id{2}, 5);
  races.recv(rank_id{2}, segment{0x9000, 8}, rank_id{1}, 5);
  races.copy(rank_id{2}, std::vector{segment{0xa000, 8}}, std::vector{segment{0x9004, 8}});
  EXPECT_EQ(parts_in_process(races, 1).finding().why, part_refusal::race);
}

/// What is wrong at one rank is told even if a lower one has what only makes the shape another one.
TEST(part, reasons_of_shape_hide_no_others) {
  graph both = linear(pattern::gather, 4);
  both.copy(rank_id{0}, std::vector{segment{0xb000, 8}}, std::vector{segment{0xc000, 8}});
  EXPECT_EQ(static_cast<part_refusal>(parts_in_process(both, 1).follow().why), part_refusal::local_moves);
  both.copy(rank_id{2}, std::vector{segment{0xb000, 8}}, std::vector{segment{0xc000, 8}});
  both.copy(rank_id{2}, std::vector{segment{0xa000, 8}}, std::vector{segment{0xc004, 8}});
  EXPECT_EQ(static_cast<part_refusal>(parts_in_process(both, 1).follow().why), part_refusal::race);
}

TEST(part, what_remains_is_refused_if_copies_overwrite_what_they_read) {
  const auto move = [](std::uint64_t from, std::uint64_t to, std::uint32_t source,
                       std::uint32_t destination) {
    return transfer{to, from, 8, rank_id{source}, rank_id{destination}};
  };
  const std::vector<transfer> swapped{move(0x1000, 0x1010, 0, 0), move(0x1010, 0x1000, 0, 0)};
  EXPECT_FALSE(remaining_graph(graph(3), swapped));
  const std::vector<transfer> exchanged{move(0x1000, 0x1000, 1, 0), move(0x1000, 0x1000, 0, 1)};
  const std::optional<graph> g = remaining_graph(graph(3), exchanged);
  ASSERT_TRUE(g);
  EXPECT_EQ(g->dependencies().size(), 2u);
  EXPECT_EQ(analysed(*g).moved.list.size(), 2u);
}

TEST(part, what_is_not_looked_at_ends_in_a_refusal) {
  graph computes = linear(pattern::gather, 4);
  computes.opaque(rank_id{2}, {}, std::vector{segment{0x9000, 8}});
  EXPECT_EQ(parts_in_process(computes, 1).finding().why, part_refusal::kinds);

  graph synchronizes = linear(pattern::gather, 4);
  synchronizes.send(rank_id{1}, std::vector<segment>{}, rank_id{2}, 5);
  synchronizes.recv(rank_id{2}, std::vector<segment>{}, rank_id{1}, 5);
  EXPECT_EQ(parts_in_process(synchronizes, 1).finding().why, part_refusal::synchronizing);

  graph declares = linear(pattern::gather, 4); // at a rank that gets nothing, so that nothing moves
  declares.live_out(rank_id{3}, segment{0x1000, 1});
  EXPECT_EQ(parts_in_process(declares, 1).finding().why, part_refusal::nothing_moves);

  EXPECT_EQ(parts_in_process(linear(pattern::gather, 2), 1).finding().why, part_refusal::few_ranks);
  EXPECT_EQ(parts_in_process(linear(pattern::gather, 5), 1, {3, 1u << 20}).finding().why,
            part_refusal::budget);
  EXPECT_EQ(parts_in_process(linear(pattern::alltoall, 65), 1).finding().why, part_refusal::too_many);
}

/// A planted fault: a rank whose steps put a block elsewhere.
TEST(part, steps_that_leave_other_bytes_fail_their_check) {
  const graph g = linear(pattern::alltoall, 4);
  parts_in_process parts(g, 1);
  const part_finding v = parts.finding();
  ASSERT_EQ(v.why, part_refusal::none);
  const graph mine = part_of_rank(g, rank_id{1});
  const own_part own{mine, rank_id{1}, parts.gets(1), {}};
  for (const std::uint64_t shift : {0u, 1u, 4096u}) {
    std::vector<graph> all;
    for (std::uint32_t r = 0; r < 4; ++r)
      all.push_back(part_of_rank(g, rank_id{r}));
    rank_plan steps;
    for (std::uint32_t i = 0; i < mine.size(); ++i) {
      const operation& o = mine.operations()[i];
      step s{.kind = o.kind == op_kind::send ? step_kind::send : step_kind::recv,
             .peer = o.peer,
             .reads = {},
             .writes = {},
             .sends = {},
             .receives = {},
             .after = {}};
      for (const segment& b : mine.reads(op_id{i}))
        s.reads.push_back(b);
      for (const segment& b : mine.writes(op_id{i}))
        s.writes.push_back({b.address + (o.peer == rank_id{2} ? shift : 0), b.length});
      steps.steps.push_back(std::move(s));
    }
    all[1] = steps_as_part(steps, own);
    const auto runs = parts.run_all(all);
    EXPECT_EQ(check_steps(steps, own, all[1], *runs[1]),
              shift == 0 ? part_refusal::none : part_refusal::check)
        << shift;
  }
}

} // namespace
} // namespace tacit::test
