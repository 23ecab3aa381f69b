// Graphs that are told as affine runs: what loops over ranks write runs with the right bytes by every driver, ranks make the steps that
// rank 0 would tell them, and what travels for an alltoall of many ranks is small.
#include "graphs/affine/random_loops.h"
#include "mpi_main.h"
#include "own_cache.h"

#include "graphs/affine/affine_steps.h"
#include "graphs/choice/choose.h"
#include "graphs/choice/large_exchange.h"
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "runtime/schedule/compile_in_parts.h"
#include "runtime/schedule/compile_on_root.h"
#include "runtime/schedule/compile_runs.h"
#include "runtime/schedule/compile_together.h"

#include <numeric>
#include <sys/resource.h>
#include <vector>

namespace tacit::runtime {
namespace {

constexpr std::uint64_t memory_bytes = 0x10000;

std::byte value(std::size_t rank, std::uint64_t address, std::uint64_t seed) {
  return static_cast<std::byte>(rank * 37 + address * 11 + (address >> 8) * 5 + seed);
}

/// One rank's operations of a graph, in memory of its own.
class loops_in_memory {
public:
  /// `copies`: instead of messages to itself.
  loops_in_memory(const graphs::graph& g, std::uint64_t seed, bool copies)
      : part_(MPI_COMM_WORLD), memory_(memory_bytes) {
    std::vector<graphs::segment> own;
    for (std::uint64_t a = 0; a < memory_bytes; ++a)
      memory_[a] = value(static_cast<std::size_t>(part_.rank()), a, seed);
    for (const graphs::operation& o : g.operations()) {
      if (static_cast<int>(index(o.rank)) != part_.rank())
        continue;
      const graphs::segment here{reinterpret_cast<std::uint64_t>(memory_.data()) + o.data.address,
                                 o.data.length};
      const int peer = static_cast<int>(index(o.peer));
      if (copies && o.peer == o.rank) {
        own.insert(o.kind == graphs::op_kind::send ? own.begin() : own.end(), here);
        if (own.size() == 2)
          part_.copy({own[0]}, {own[1]});
        continue;
      }
      o.kind == graphs::op_kind::send ? part_.send({here}, peer, o.tag) : part_.recv({here}, peer, o.tag);
    }
  }
  graph_builder& part() { return part_; }
  std::byte at(std::uint64_t address) const { return memory_[address]; }

private:
  graph_builder part_;
  std::vector<std::byte> memory_;
};

/// The bytes that one rank has afterwards: each message comes from what its sender had before.
std::vector<std::byte> expected(const graphs::graph& g, std::uint32_t rank, std::uint64_t seed) {
  std::vector<std::byte> out(memory_bytes);
  for (std::uint64_t a = 0; a < memory_bytes; ++a)
    out[a] = value(rank, a, seed);
  for (const graphs::operation& in : g.operations()) {
    if (index(in.rank) != rank || in.kind != graphs::op_kind::recv)
      continue;
    for (const graphs::operation& from : g.operations())
      if (from.kind == graphs::op_kind::send && from.rank == in.peer && from.peer == in.rank)
        for (std::uint64_t i = 0; i < in.data.length; ++i)
          out[in.data.address + i] = value(index(from.rank), from.data.address + i, seed);
  }
  return out;
}

/// The most that this process has ever held, bytes.
long most_memory() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss * 1024;
}

/// A rank of a million knows nothing of the steps of the others. The first test, as others hold more.
TEST(compile_runs, a_rank_has_no_plans_of_the_others) {
  constexpr int ranks = 1'000'000;
  local_graph part;
  part.operations = local_operations(3, ranks);
  local_operation in;
  in.kind = local_kind::recv;
  in.peer = 0;
  in.writes = {{0x1000'0000, 64}};
  part.operations.push_back(in);
  told_collective told;
  told.what.kind = pattern::bcast;
  told.what.root = rank_id{0};
  told.what.bytes = 64;
  told.plans = {"as written"};
  told.variants = {{0, "p2p", 1}};
  const long before = most_memory();
  EXPECT_EQ(part_of_collective(told, part).candidates.front().steps.plan.steps.size(), 1u);
  EXPECT_LT(most_memory() - before, 64l << 20); // the members of the world, a few times
}

TEST(compile_runs, loops_of_programs_leave_the_right_bytes_by_every_driver) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const drivers[] = {"", "shm", "p2p", "coll"};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::loop_case made = test::loop_maker(seed).make(static_cast<std::uint32_t>(ranks), false);
    loops_in_memory mine(made.g, seed, seed % 5 < 2);
    compile_request wanted;
    wanted.by = compiled_by::central;
    wanted.driver = drivers[seed % 4];
    wanted.replace_always = seed % 3 == 0;
    const auto schedule = compile_together(mine.part(), "the test", [&] { return wanted; });
    for (int run = 0; run < 2; ++run) {
      schedule->start();
      schedule->wait();
    }
    const std::vector<std::byte> right = expected(made.g, static_cast<std::uint32_t>(rank), seed);
    for (std::uint64_t a = 0; a < memory_bytes; ++a)
      ASSERT_EQ(mine.at(a), right[a]) << "seed " << seed << ", byte " << a << ": " << made.what;
    schedule->end();
  }
}

std::vector<local_graph> parts_of(const graphs::affine_graph& g) {
  std::vector<local_graph> out;
  for (const graphs::affine_list& list : g.ranks)
    out.emplace_back().operations = local_operations(list, {});
  return out;
}

/// The same with copies instead of messages to itself, where each rank has one at most.
std::vector<local_graph> with_copies(const std::vector<local_graph>& parts) {
  std::vector<local_graph> out;
  for (const local_graph& part : parts) {
    const int self = static_cast<int>(index(part.operations.list().self()));
    local_graph& made = out.emplace_back();
    made.operations = local_operations(self, static_cast<int>(parts.size()));
    local_operation copy;
    copy.kind = local_kind::copy;
    for (const local_operation& op : part.operations) {
      if (op.peer != self) {
        made.operations.push_back(op);
        continue;
      }
      (op.kind == local_kind::send ? copy.reads : copy.writes) =
          op.kind == local_kind::send ? op.reads : op.writes;
      if (!copy.reads.empty() && !copy.writes.empty())
        made.operations.push_back(copy);
    }
  }
  return out;
}

std::vector<message> packed(const std::vector<local_graph>& parts, std::uint64_t longest_in_memory = 4096) {
  std::vector<message> out;
  for (const local_graph& part : parts)
    out.push_back(packed_graph({1, longest_in_memory, 1}, part));
  return out;
}

/// The steps that all ranks end up with: a plan for each candidate.
std::vector<graphs::plan> plans_told(const std::vector<message>& told, const std::vector<local_graph>& parts,
                                     bool& as_collective) {
  std::vector<graphs::plan> all;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const told_part what = unpacked_part(told[r + 1]);
    const auto* const collective = std::get_if<told_collective>(&what);
    as_collective = collective != nullptr;
    const rank_part part = collective ? part_of_collective(*collective, parts[r]) : std::get<rank_part>(what);
    EXPECT_TRUE(part.variants.size() == 1 || part.trial.of_finalists);
    all.resize(part.candidates.size());
    for (std::size_t c = 0; c < all.size(); ++c)
      all[c].ranks.push_back(part.candidates[c].steps.plan);
  }
  return all;
}

TEST(compile_runs, every_rank_makes_steps_that_are_right_together) {
  int told_as_collectives = 0, told = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::loop_case made = test::loop_maker(seed).make(0, seed % 2 == 0);
    const std::optional<graphs::affine_graph> runs = graphs::affine_form(made.g);
    const graphs::compilation c = graphs::compile(made.g);
    if (!runs || has_errors(c.problems))
      continue;
    std::vector<local_graph> parts = parts_of(*runs);
    if (seed % 5 < 2)
      parts = with_copies(parts);
    compile_request wanted;
    wanted.replace_always = seed % 3 == 0;
    bool as_collective = false;
    const auto all = plans_told(compile_and_tell(packed(parts), wanted), parts, as_collective);
    const graphs::graph known = graphs::with_groups(made.g, c.groups);
    for (const graphs::plan& p : all) {
      ASSERT_EQ(p.ranks.size(), parts.size());
      ASSERT_EQ(graphs::validate(known, c.matched, c.order, c.moved, p), "")
          << "seed " << seed << ": " << made.what;
    }
    told_as_collectives += as_collective;
    ++told;
  }
  EXPECT_GT(told_as_collectives, told / 2) << "of " << told;
}

/// Who makes its own steps copies its own block; then the graph as written is told as it is, and is measured.
TEST(compile_runs, a_message_to_oneself_is_no_reason_to_measure_nothing) {
  constexpr std::uint64_t block = 8192;
  graphs::graph loops(4);
  for (std::uint32_t me = 0; me < 4; ++me)
    for (std::uint32_t peer = 0; peer < 4; ++peer) {
      loops.recv(rank_id{me}, {0x2000'0000 + peer * block, block}, rank_id{peer}, 0);
      loops.send(rank_id{me}, {0x1000'0000 + peer * block, block}, rank_id{peer}, 0);
    }
  const std::vector<local_graph> parts = parts_of(*graphs::affine_form(loops));
  const std::vector<message> told = compile_and_tell(packed(parts, 2 * block), {});
  const told_part mine = unpacked_part(told[1]);
  const auto* const collective = std::get_if<told_collective>(&mine);
  const rank_part part = collective ? part_of_collective(*collective, parts[0]) : std::get<rank_part>(mine);
  EXPECT_TRUE(part.trial.of_finalists);
  EXPECT_GT(part.variants.size(), 1u);
  EXPECT_TRUE(std::any_of(part.variants.begin(), part.variants.end(), [&](const program_variant& v) {
    return v.driver == "p2p" && part.candidates[v.candidate].name == graphs::written_name;
  }));
}

TEST(compile_runs, a_copy_of_the_own_block_is_no_reason_to_expand) {
  const graphs::graph messages = graphs::expanded([] {
    graphs::affine_graph g =
        graphs::generate_runs({.kind = pattern::alltoall, .ranks = 5, .block = 64}).value();
    for (std::uint32_t r = 0; r < 5; ++r) {
      g.ranks[r].add({graphs::op_kind::recv, world, g.ranks[r].runs()[0].tag, rank_id{r}, {0x9000'0000, 64}});
      g.ranks[r].add({graphs::op_kind::send, world, g.ranks[r].runs()[0].tag, rank_id{r}, {0x8000'0000, 64}});
    }
    return g;
  }());
  std::vector<local_graph> parts = with_copies(parts_of(*graphs::affine_form(messages)));
  const std::optional<whole_runs> runs = whole_runs_of(parts, {});
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->operations, 5u * 9u);
  EXPECT_NE(explain_at_sight(*runs, *graphs::choose_large_exchange(pattern::alltoall, 5, 64, {}, 0), "")
                .text.find("5 ranks, 45 operations, 25 transfers"),
            std::string::npos);
  local_operation more = parts[2].operations.others().front();
  more.writes.front().address += 4096;
  parts[2].operations.push_back(more);
  EXPECT_FALSE(whole_runs_of(parts, {})) << "two copies";
}

/// Of several plans each rank makes its steps, whichever are measured.
TEST(compile_runs, every_rank_makes_the_steps_of_all_finalists) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::loop_case made = test::loop_maker(seed).make(0, seed % 2 == 0);
    const std::optional<graphs::affine_graph> g = graphs::affine_form(made.g);
    const graphs::compilation c = graphs::compile(made.g);
    if (!g || has_errors(c.problems))
      continue;
    const std::vector<local_graph> parts = parts_of(*g);
    const std::optional<whole_runs> runs = whole_runs_of(parts, {});
    if (!runs)
      continue;
    graphs::choice chosen;
    chosen.crowded = seed % 2 == 0;
    for (const char* const name : {"straight messages", "as written", "collectives"}) {
      chosen.variants.push_back({chosen.plans.size(), "p2p", 1000.0 + static_cast<double>(seed)});
      chosen.plans.push_back({name, {}});
    }
    const auto words = told_as_collective(*runs, {}, chosen, "", {});
    ASSERT_TRUE(words) << "seed " << seed << ": " << made.what;
    bool as_collective = false;
    const auto all = plans_told(*words, parts, as_collective);
    ASSERT_EQ(all.size(), 3u);
    for (const graphs::plan& p : all)
      ASSERT_EQ(graphs::validate(made.g, c.matched, c.order, c.moved, p), "")
          << "seed " << seed << ": " << made.what;
    const rank_part mine =
        part_of_collective(std::get<told_collective>(unpacked_part((*words)[1])), parts[0]);
    EXPECT_EQ(mine.trial.crowded, chosen.crowded);
    EXPECT_EQ(mine.variants[2].candidate, 2u);
    EXPECT_EQ(mine.variants[1].predicted, chosen.variants[1].predicted);
    ++told;
  }
  EXPECT_GT(told, 50);
}

/// What a rank does in an algorithm that forwards depends on its number, so that all ranks have to be asked.
TEST(compile_runs, every_rank_makes_the_steps_of_every_algorithm) {
  int told = 0;
  for (const pattern kind :
       {pattern::bcast, pattern::scatter, pattern::gather, pattern::allgather, pattern::alltoall})
    for (std::uint32_t ranks = 3; ranks <= 9; ++ranks)
      for (const std::uint64_t block : {64u, 1u << 16}) {
        const graphs::affine_graph g =
            graphs::generate_runs({.kind = kind, .ranks = ranks, .block = block, .root = ranks / 2}).value();
        const std::vector<local_graph> parts = parts_of(g);
        const std::optional<whole_runs> runs = whole_runs_of(parts, {});
        ASSERT_TRUE(runs);
        const graphs::graph messages = graphs::expanded(g);
        const graphs::compilation c = graphs::compile(messages);
        graphs::choice_request wanted;
        wanted.where.longest_in_memory = 1 << 30;
        for (const graphs::priced_variant& w : graphs::choose(messages, c, {}, wanted).compared) {
          graphs::choice_request by_name = wanted;
          by_name.plan = w.plan;
          const graphs::choice chosen = graphs::choose(messages, c, {}, by_name);
          const auto words = told_as_collective(*runs, {}, chosen, "", {});
          EXPECT_TRUE(words) << w.plan << " of " << name(kind) << " on " << ranks;
          if (!words)
            continue;
          bool as_collective = false;
          for (const graphs::plan& p : plans_told(*words, parts, as_collective))
            EXPECT_EQ(graphs::validate(messages, c.matched, c.order, c.moved, p), "")
                << w.plan << " of " << name(kind) << " on " << ranks;
          ++told;
        }
      }
  EXPECT_GT(told, 400);
}

/// An exchange that is too large to be looked at message by message, on so few ranks that its steps can be.
TEST(compile_runs, steps_of_exchanges_chosen_at_sight_are_right) {
  for (const pattern kind : {pattern::alltoall, pattern::allgather}) {
    const graphs::affine_graph g = graphs::generate_runs({.kind = kind, .ranks = 9, .block = 40'000}).value();
    const std::vector<local_graph> parts = parts_of(g);
    const std::optional<whole_runs> runs = whole_runs_of(parts, {});
    ASSERT_TRUE(runs);
    graphs::choice_request where;
    where.where.longest_in_memory = 4096;
    EXPECT_FALSE(choose_at_sight(*runs, where)); // there are few messages
    where.finalists = true;
    const auto chosen = graphs::choose_large_exchange(kind, 9, 40'000, where, 0);
    ASSERT_TRUE(chosen);
    const auto told = told_as_collective(*runs, explain_at_sight(*runs, *chosen, ""), *chosen, "", {});
    ASSERT_TRUE(told);
    bool as_collective = false;
    const auto all = plans_told(*told, parts, as_collective);
    EXPECT_TRUE(as_collective);
    EXPECT_EQ(all.size(), 2u) << "the graph as written, and MPI's collective to be measured";
    const graphs::graph expanded = graphs::expanded(g);
    const graphs::compilation c = graphs::compile(expanded);
    for (const graphs::plan& p : all)
      EXPECT_EQ(graphs::validate(expanded, c.matched, c.order, c.moved, p), "");
  }
}

TEST(compile_runs, an_alltoall_of_many_ranks_is_told_in_few_bytes) {
  constexpr std::uint32_t ranks = 2048;
  const graphs::affine_graph g =
      graphs::generate_runs({.kind = pattern::alltoall, .ranks = ranks, .block = 64}).value();
  const std::vector<local_graph> parts = parts_of(g);
  const std::vector<message> bytes = packed(parts);
  for (const message& m : bytes)
    ASSERT_LT(m.size(), 400u);
  const std::vector<message> told = compile_and_tell(bytes, {});
  ASSERT_EQ(told.size(), ranks + 1u);
  EXPECT_LT(told[1].size(), 400u);
  const explanation why = unpacked_explanation(told[0]);
  EXPECT_NE(why.text.find(
                "2048 ranks, 8384512 operations, 4192256 transfers\nfound: alltoall among 2048 ranks, 64 B "
                "per block"),
            std::string::npos)
      << why.text;
  EXPECT_NE(why.text.find("runs: 4096 of messages"), std::string::npos) << why.text;
  const told_part what = unpacked_part(told[1000]);
  ASSERT_TRUE(std::holds_alternative<told_collective>(what));
  const rank_part mine = part_of_collective(std::get<told_collective>(what), parts[999]);
  EXPECT_EQ(mine.candidates.front().steps.plan.steps.size(), 2u * (ranks - 1));
  EXPECT_EQ(mine.candidates.front().steps.rank, 999);
}

TEST(compile_runs, an_exchange_in_runs_of_many_ranks_is_left_to_one_rank) {
  const auto refused = [](std::uint32_t ranks, compiled_by by) {
    const auto g = graphs::generate_runs({.kind = pattern::alltoall, .ranks = ranks, .block = 64}).value();
    compile_request wanted;
    wanted.by = by;
    const parts_question said = parts_question::of(0, static_cast<int>(ranks), wanted, parts_of(g).front());
    return (said.refused & 0xffffffffu) == static_cast<std::uint64_t>(graphs::part_refusal::too_many);
  };
  EXPECT_TRUE(refused(5000, compiled_by::size));
  EXPECT_FALSE(refused(5000, compiled_by::distributed)); // who asks for it gets it
  EXPECT_FALSE(refused(60, compiled_by::size));
}

/// What a program adds one by one takes memory and bytes by what is in the bodies of its loops.
TEST(compile_runs, a_part_is_as_long_as_its_loops) {
  local_graph part;
  part.operations = local_operations(3, 100'000);
  for (int q = 0; q < 100'000; ++q) {
    if (q == 3)
      continue;
    local_operation in, out;
    in.kind = local_kind::recv;
    out.kind = local_kind::send;
    in.peer = out.peer = q;
    in.writes = {{0x1000'0000 + 64 * static_cast<std::uint64_t>(q), 64}};
    out.reads = {{0x1000, 64}};
    part.operations.push_back(in);
    part.operations.push_back(out);
  }
  EXPECT_EQ(part.operations.size(), 199'998u);
  const message bytes = packed_graph({}, part);
  EXPECT_LT(bytes.size(), 400u);
  const local_graph again = unpacked_graph(bytes).graph;
  const std::vector<local_operation> all = again.operations.one_by_one();
  ASSERT_EQ(all.size(), 199'998u);
  EXPECT_EQ(all[7].kind, local_kind::send);
  EXPECT_EQ(all[7].peer, 4);
  EXPECT_EQ(all[7].reads, (std::vector<graphs::segment>{{0x1000, 64}}));
  EXPECT_EQ(packed_graph({}, again), bytes);
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  const tacit::test::own_cache cache;
  return tacit::test::mpi_main(argc, argv);
}
