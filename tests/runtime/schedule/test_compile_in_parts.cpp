// Graphs that all ranks compile together: what is found is what rank 0 alone finds, every byte is where it belongs, and whatever is wrong
// with a graph ends in the error that rank 0 has for it.
#include "built_parts.h"
#include "mpi_main.h"
#include "own_cache.h"

#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "graphs/part/disguised_collective.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tacit::runtime {
namespace {

bool in_parts(const schedule& made) {
  return lines_of(made, "analysis: ") == "analysis: all ranks together, each with its own part\n";
}

bool from_what_remained(const schedule& made) {
  return lines_of(made, "analysis: all ranks").find("what remained was compiled by one rank") !=
         std::string::npos;
}

/// Runs it and compares all bytes that somebody may read.
std::string wrong_bytes(schedule& made, const graphs::graph& g, const graphs::transfers& moved,
                        real_memory& memory, int round) {
  const auto me = static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD));
  std::vector<unsigned char> expected(memory.size());
  for (std::uint64_t a = 0; a < memory.size(); ++a)
    memory[a] = expected[a] = initial(me, a, round);
  for (const graphs::transfer& t : moved.list)
    for (std::uint64_t i = 0; i < t.length && index(t.destination) == me; ++i)
      expected[t.destination_address + i] = initial(index(t.source), t.source_address + i, round);
  made.start();
  made.wait();
  const std::vector<bool> unread = unread_bytes(g, memory.size());
  for (std::uint64_t a = 0; a < memory.size(); ++a)
    if (!unread[a] && memory[a] != expected[a])
      return "rank " + std::to_string(me) + " byte " + std::to_string(a);
  return {};
}

bool on_communicators(const graphs::graph& g) {
  return std::ranges::any_of(g.operations(), [](const graphs::operation& o) { return o.comm != world; });
}

constexpr const char* drivers_tried[] = {"", "p2p", "coll", "shm"};

TEST(compile_in_parts, finds_what_rank_0_finds_and_moves_every_byte) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  int together = 0, alone = 0, vectors = 0, declared = 0, elsewhere = 0;
  const auto cases = static_cast<int>(oracle::from_environment("TACIT_FUZZ_COUNT", 40));
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + static_cast<std::uint64_t>(i);
    test::disguised_collective maker(seed);
    const graphs::graph g = maker.make(p, p, seed % 4 == 0);
    graphs::compile_options options;
    options.make_plan = false;
    const graphs::compilation c = graphs::compile(g, options);
    real_memory memory(1u << 15);
    const graph_builder part = built(g, memory);
    const auto by_all = compiled(part, compiled_by::distributed, drivers_tried[i % 4]);
    const auto by_one = compiled(part, compiled_by::central);
    EXPECT_EQ(lines_of(*by_all, "found: "), lines_of(*by_one, "found: ")) << "seed " << seed;
    EXPECT_EQ(lines_of(*by_one, "analysis: "), "");
    ++(in_parts(*by_all) ? together : alone);
    vectors += in_parts(*by_all) && !is_uniform(maker.kind);
    declared += in_parts(*by_all) && maker.declared;
    elsewhere += in_parts(*by_all) && on_communicators(g);
    for (int round = 0; round < 2; ++round)
      ASSERT_EQ(wrong_bytes(*by_all, g, c.moved, memory, round), "") << "seed " << seed << "\n"
                                                                     << by_all->explain().text;
    by_all->end();
    by_one->end();
  }
  if (p < 3) {
    EXPECT_EQ(together, 0);
    return;
  }
  EXPECT_GT(together, cases / 2);
  EXPECT_GT(vectors, cases / 16);
  EXPECT_GT(declared, cases / 16);
  EXPECT_GT(elsewhere, cases / 16);
  EXPECT_GT(alone, 0);
}

struct remaining_counts {
  int remained = 0, beside = 0, on_communicators = 0;
};

/// What is more than one collective of all ranks: made by rank 0 from what all ranks get in the end.
void compare_what_remains(const graphs::graph& g, std::uint64_t seed, remaining_counts& counts) {
  graphs::compile_options options;
  options.make_plan = false;
  const graphs::compilation c = graphs::compile(g, options);
  if (has_errors(c.problems))
    return;
  real_memory memory(1u << 16);
  const graph_builder part = built(g, memory);
  const auto by_all = compiled(part, compiled_by::distributed, drivers_tried[seed % 4]);
  const auto by_one = compiled(part, compiled_by::central);
  EXPECT_EQ(lines_of(*by_all, "found: "), lines_of(*by_one, "found: ")) << "seed " << seed;
  if (from_what_remained(*by_all)) {
    ++counts.remained;
    counts.beside += !c.found.found.empty() && !c.found.residual.empty();
    counts.on_communicators += on_communicators(g);
  }
  for (int round = 0; round < 2; ++round)
    ASSERT_EQ(wrong_bytes(*by_all, g, c.moved, memory, round), "") << "seed " << seed << "\n"
                                                                   << by_all->explain().text;
  by_all->end();
  by_one->end();
}

TEST(compile_in_parts, finds_in_what_remains_what_rank_0_finds) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  const auto cases = static_cast<int>(oracle::from_environment("TACIT_FUZZ_COUNT", 40));
  remaining_counts counts;
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + static_cast<std::uint64_t>(i);
    test::disguised_collective maker(seed);
    compare_what_remains(maker.make_several(p, p), seed, counts);
  }
  RecordProperty("remained", counts.remained);
  RecordProperty("with_messages_beside", counts.beside);
  RecordProperty("on_communicators", counts.on_communicators);
  if (p < 3)
    return;
  EXPECT_GT(counts.remained, cases / 2);
  EXPECT_GT(counts.on_communicators, cases / 8);
  EXPECT_GT(counts.beside, p < 4 ? -1 : cases / 16);
}

/// Everybody sends what it overwrites with what comes, by way of other memory: the same bytes straight would wait for each other.
TEST(compile_in_parts, straight_messages_in_place_need_no_buffers) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  graphs::graph g(p);
  constexpr std::uint64_t bytes = 1 << 19;
  constexpr graphs::segment own{0, bytes}, other{bytes, bytes};
  for (std::uint32_t r = 0; r < p; ++r) {
    const op_id sent = g.send(rank_id{r}, own, rank_id{(r + 1) % p});
    const op_id came = g.recv(rank_id{r}, other, rank_id{(r + p - 1) % p});
    const op_id copied = g.copy(rank_id{r}, std::vector{other}, std::vector{own});
    g.depend(sent, copied);
    g.depend(came, copied);
    g.scratch(rank_id{r}, other);
  }
  graphs::compile_options options;
  options.make_plan = false;
  const graphs::compilation c = graphs::compile(g, options);
  real_memory memory(2 * bytes);
  const graph_builder part = built(g, memory);
  for (const char* driver : {"", "p2p", "shm"}) {
    const auto made = compiled(part, compiled_by::distributed, driver);
    EXPECT_EQ(from_what_remained(*made), p > 2) << made->explain().text;
    EXPECT_EQ(wrong_bytes(*made, g, c.moved, memory, 1), "") << made->explain().text;
    made->end();
  }
}

/// Where a graph ends in the memory of any rank.
std::size_t memory_of(const graphs::graph& g) {
  std::size_t end = 0;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    for (const auto& list : {g.reads(op_id{i}), g.writes(op_id{i})})
      for (const graphs::segment& s : list)
        end = std::max<std::size_t>(end, s.address + s.length);
  return end;
}

/// Runs it until it has been measured; the bytes of some runs are compared. Returns what the measurement says, on all ranks alike.
std::string measured_in(schedule& made, const graphs::graph& g, const graphs::transfers& moved,
                        real_memory& memory) {
  constexpr int most_runs = 20'000, compared_every = 61, asked_every = 500;
  for (int run = 0; run < most_runs; ++run) {
    if (run % compared_every == 0) {
      EXPECT_EQ(wrong_bytes(made, g, moved, memory, run), "") << "run " << run << "\n" << made.explain().text;
    } else {
      made.start();
      made.wait();
    }
    if (run % asked_every == asked_every - 1)
      if (const std::string said = lines_of(made, "feedback after"); !said.empty())
        return said;
  }
  return {};
}

/// One collective of all ranks, and one beside a message that is none.
TEST(compile_in_parts, measures_several_variants_in_place) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  if (p < 3)
    GTEST_SKIP() << "two ranks compile by one";
  int measured = 0;
  for (const pattern kind : {pattern::bcast, pattern::gather, pattern::allgather, pattern::alltoall})
    for (const bool beside : {false, true}) {
      graphs::recipe r;
      r.kind = kind;
      r.ranks = p;
      r.block = 1 << 16;
      diagnostics problems;
      graphs::graph g = *graphs::generate(r, problems);
      if (beside) {
        const std::uint64_t end = memory_of(g);
        g.send(rank_id{1}, graphs::segment{end, 24}, rank_id{2}, 5);
        g.recv(rank_id{2}, graphs::segment{end + 32, 24}, rank_id{1}, 5);
      }
      graphs::compile_options options;
      options.make_plan = false;
      const graphs::compilation c = graphs::compile(g, options);
      real_memory memory(memory_of(g));
      const graph_builder part = built(g, memory);
      const auto made = compiled(part, compiled_by::distributed);
      EXPECT_EQ(in_parts(*made), !beside) << made->explain().text;
      EXPECT_EQ(from_what_remained(*made), beside) << made->explain().text;
      if (!lines_of(*made, "feedback").empty()) {
        ++measured;
        EXPECT_NE(measured_in(*made, g, c.moved, memory), "") << made->explain().text;
      }
      made->end();
    }
  EXPECT_GT(measured, 3);
}

/// In which bytes are read, overwritten and passed on at the same places, so that not all of them can be told apart.
TEST(compile_in_parts, finds_in_random_graphs_what_rank_0_finds) {
  oracle::random_recipe recipe;
  recipe.opaques = recipe.one_sided = false;
  recipe.high_addresses = false;
  recipe.min_ranks = recipe.max_ranks = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  const auto cases = static_cast<int>(oracle::from_environment("TACIT_FUZZ_COUNT", 40)) * 4;
  remaining_counts counts;
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + static_cast<std::uint64_t>(i);
    recipe.declarations = i % 2 == 0;
    compare_what_remains(oracle::random_graph(seed, recipe), seed, counts);
  }
  RecordProperty("remained", counts.remained);
  EXPECT_GT(counts.remained, recipe.min_ranks < 3 ? -1 : 0);
}

graphs::graph linear(pattern kind) {
  graphs::recipe r;
  r.kind = kind;
  r.ranks = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  diagnostics problems;
  return *graphs::generate(r, problems);
}

std::string error_of(const graph_builder& part, compiled_by by) {
  try {
    const auto made = compiled(part, by);
    made->end();
  } catch (const call_error& e) {
    return e.what();
  }
  return {};
}

TEST(compile_in_parts, whatever_is_wrong_ends_in_the_error_of_rank_0) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  if (p < 3)
    GTEST_SKIP() << "two ranks compile by one";
  graphs::graph unmatched = linear(pattern::gather);
  unmatched.send(rank_id{1}, graphs::segment{0x9000, 8}, rank_id{2}, 5);
  graphs::graph waits = linear(pattern::gather);
  waits.recv(rank_id{2}, graphs::segment{0x9000, 8}, rank_id{1}, 5);
  graphs::graph cycle(p);
  for (const std::uint32_t r : {0u, 1u}) {
    const op_id got = cycle.recv(rank_id{r}, graphs::segment{0x100, 8}, rank_id{1 - r}, 0);
    cycle.depend(got, cycle.send(rank_id{r}, graphs::segment{0x200, 8}, rank_id{1 - r}, 0));
  }
  graphs::graph truncated = linear(pattern::gather);
  truncated.send(rank_id{1}, graphs::segment{0x9000, 8}, rank_id{2}, 5);
  truncated.recv(rank_id{2}, graphs::segment{0x9000, 4}, rank_id{1}, 5);
  for (const graphs::graph* g : {&unmatched, &waits, &cycle, &truncated}) {
    real_memory memory(1u << 16);
    const graph_builder part = built(*g, memory); // errors name addresses
    const std::string error = error_of(part, compiled_by::distributed);
    EXPECT_NE(error, "");
    EXPECT_EQ(error, error_of(part, compiled_by::central));
  }
}

/// The graph with one thing changed: an operation is missing, has another tag, or other bytes; or nothing orders the operations of a rank.
graphs::graph with_mistake(const graphs::graph& g, std::uint64_t seed) {
  graphs::graph out = test::ranks_of(g);
  const std::uint32_t at = static_cast<std::uint32_t>(seed * 0x9e3779b97f4a7c15 >> 33) % g.size();
  const std::uint64_t kind = seed % 5;
  std::vector<op_id> now(g.size(), no_op);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const graphs::operation& o = g.operations()[i];
    const bool here = i == at;
    if (here && kind == 0)
      continue;
    const std::int32_t tag = o.tag + (here && kind == 1 ? 7 : 0);
    std::vector<graphs::segment> reads(g.reads(op_id{i}).begin(), g.reads(op_id{i}).end()),
        writes(g.writes(op_id{i}).begin(), g.writes(op_id{i}).end());
    for (std::vector<graphs::segment>* const list : {&reads, &writes})
      if (here && kind == 2 && !list->empty())
        list->front().length += 2;
      else if (here && kind == 3 && !list->empty())
        list->front().address = 0x1000;
    if (o.kind == graphs::op_kind::send)
      now[i] = out.send(o.rank, reads, o.peer, tag, o.comm);
    else if (o.kind == graphs::op_kind::recv)
      now[i] = out.recv(o.rank, writes, o.peer, tag, o.comm);
    else
      now[i] = out.copy(o.rank, reads, writes);
  }
  for (const graphs::dependency& d : g.dependencies())
    if (now[index(d.before)] != no_op && now[index(d.after)] != no_op &&
        !(kind == 4 && g[d.before].rank == g.operations()[at].rank))
      out.depend(now[index(d.before)], now[index(d.after)]);
  for (const auto& [rank, bytes] : g.scratch_bytes())
    out.scratch(rank, bytes);
  for (const auto& [rank, bytes] : g.live_out_bytes())
    out.live_out(rank, bytes);
  return out;
}

TEST(compile_in_parts, random_mistakes_end_in_the_error_of_rank_0_or_in_its_findings) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  if (p < 3)
    GTEST_SKIP() << "two ranks compile by one";
  const auto cases = static_cast<int>(oracle::from_environment("TACIT_FUZZ_COUNT", 40));
  int errors = 0, found = 0;
  for (int i = 0; i < cases; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + static_cast<std::uint64_t>(i);
    test::disguised_collective maker(seed);
    const graphs::graph g =
        with_mistake(i % 2 == 0 ? maker.make(p, p, false) : maker.make_several(p, p), seed);
    real_memory memory(1u << 16);
    const graph_builder part = built(g, memory);
    const std::string error = error_of(part, compiled_by::central);
    ASSERT_EQ(error_of(part, compiled_by::distributed), error) << "seed " << seed;
    ++(error.empty() ? found : errors);
    if (!error.empty())
      continue;
    const auto by_all = compiled(part, compiled_by::distributed),
               by_one = compiled(part, compiled_by::central);
    EXPECT_EQ(lines_of(*by_all, "found: "), lines_of(*by_one, "found: ")) << "seed " << seed;
    by_all->end();
    by_one->end();
  }
  RecordProperty("errors", errors);
  EXPECT_GT(errors, cases / 4);
  EXPECT_GT(found, 0);
}

TEST(compile_in_parts, says_which_rank_has_what_is_not_looked_at) {
  if (size_of(MPI_COMM_WORLD) < 3)
    GTEST_SKIP() << "two ranks compile by one";
  const graphs::graph g = linear(pattern::alltoall);
  real_memory memory(1u << 16);
  graph_builder part = built(g, memory);
  int worked = 0;
  if (part.rank() == 2)
    part.compute([&] { ++worked; }, {}, {});
  const auto made = compiled(part, compiled_by::distributed);
  const std::string analysis = lines_of(*made, "analysis: ");
  EXPECT_NE(analysis.find("(rank 2)"), std::string::npos) << made->explain().text;
  made->start();
  made->wait();
  EXPECT_EQ(worked, part.rank() == 2 ? 1 : 0);
  made->end();
}

/// What a rank wants that is not rank 0 does not keep it from saying what it has.
TEST(compile_in_parts, says_so_whatever_the_rank_itself_wants) {
  if (size_of(MPI_COMM_WORLD) < 3)
    GTEST_SKIP() << "two ranks compile by one";
  const graphs::graph g = linear(pattern::alltoall);
  real_memory memory(1u << 16);
  graph_builder part = built(g, memory);
  if (part.rank() == 2)
    part.compute([] {}, {}, {});
  const auto made = compiled(part, part.rank() == 0 ? compiled_by::distributed : compiled_by::central);
  EXPECT_FALSE(in_parts(*made));
  EXPECT_NE(lines_of(*made, "analysis: ").find("(rank 2)"), std::string::npos) << made->explain().text;
  made->end();
}

/// One rank finds only when it looks closely that it cannot take part; the others are already waiting for its messages.
TEST(compile_in_parts, a_rank_that_refuses_late_leaves_nobody_waiting) {
  if (size_of(MPI_COMM_WORLD) < 3)
    GTEST_SKIP() << "two ranks compile by one";
  std::uint32_t first = 0;
  graphs::graph marked = linear(pattern::alltoall);
  while (marked.operations()[first].rank != rank_id{1})
    ++first;
  marked.depend(op_id{first}, marked.copy(rank_id{1}, {}, {}));
  real_memory memory(1u << 16);
  const graph_builder part = built(marked, memory);
  const auto made = compiled(part, compiled_by::distributed);
  EXPECT_NE(lines_of(*made, "analysis: ").find("marks between stages (rank 1)"), std::string::npos)
      << made->explain().text;
  made->end();
}

/// One rank doubles what it got of two bytes until its bytes come from more places than a part may follow, and tells another one. That rank
/// alone has too much; the analysis of all by rank 0 has a budget of its own, and the graph runs as written.
TEST(compile_in_parts, a_rank_that_has_too_much_to_follow_leaves_the_graph_to_rank_0) {
  constexpr int doubled = 22;
  constexpr std::size_t room = std::size_t{2} << doubled;
  std::vector<unsigned char> bytes(room), mine(2);
  graph_builder part(MPI_COMM_WORLD);
  if (part.size() < 3)
    GTEST_SKIP() << "two ranks compile by one";
  const auto at = [](const unsigned char* from, std::size_t length) -> graph_builder::bytes {
    return {{reinterpret_cast<std::uint64_t>(from), length}};
  };
  if (part.rank() == 0)
    part.send(at(mine.data(), 2), 1, 0);
  if (part.rank() == 1) {
    int last = part.recv(at(bytes.data(), 2), 0, 0);
    for (int i = 0; i < doubled; ++i) {
      const std::size_t so_far = std::size_t{2} << i;
      const int copied = part.copy(at(bytes.data(), so_far), at(bytes.data() + so_far, so_far));
      part.depend(last, copied);
      last = copied;
    }
    part.depend(last, part.send(at(bytes.data(), room), 2, 0));
  }
  if (part.rank() == 2)
    part.recv(at(bytes.data(), room), 1, 0);
  compile_request wanted;
  wanted.by = compiled_by::distributed;
  wanted.compile.flow.fragment_budget = 1000; // rank 0's own
  const auto made = compile_together(part, "the test", [&] { return wanted; });
  EXPECT_NE(lines_of(*made, "analysis: ").find("more fragments or memory than a part may (rank 1)"),
            std::string::npos)
      << made->explain().text;
  EXPECT_NE(made->explain().text.find("TACIT-008"), std::string::npos) << made->explain().text;
  if (part.rank() == 0)
    mine = {17, 99};
  made->start();
  made->wait();
  for (std::size_t i = 0; i < room && (part.rank() == 1 || part.rank() == 2); ++i)
    ASSERT_EQ(bytes[i], i % 2 == 0 ? 17 : 99) << i;
  made->end();
}

/// What was compiled in parts is kept as other graphs are, and its steps are moved with the buffers.
TEST(compile_in_parts, keeps_what_was_compiled_and_moves_it) {
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  compile_request wanted;
  wanted.by = compiled_by::distributed;
  const auto compiled_here = [&](const graph_builder& part) {
    return compile_together(part, "the test", [&] { return wanted; });
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    test::disguised_collective maker(seed);
    const graphs::graph g = maker.make(p, p, false);
    graphs::compile_options options;
    options.make_plan = false;
    const graphs::compilation c = graphs::compile(g, options);
    real_memory one(1u << 15), other(1u << 15);
    const auto first = compiled_here(built(g, one));
    const auto second = compiled_here(built(g, other));
    EXPECT_NE(lines_of(*second, "kept: "), "") << second->explain().text;
    EXPECT_EQ(in_parts(*first), in_parts(*second));
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(wrong_bytes(*first, g, c.moved, one, round), "") << "seed " << seed;
      ASSERT_EQ(wrong_bytes(*second, g, c.moved, other, round), "") << "seed " << seed;
    }
    second->end();
    first->end();
    const auto again = compiled_here(built(g, one));
    ASSERT_EQ(wrong_bytes(*again, g, c.moved, one, 3), "") << "seed " << seed;
    again->end();
  }
}

/// Only rank 0's options count.
TEST(compile_in_parts, asks_rank_0_who_shall_compile) {
  const graphs::graph g = linear(pattern::alltoall);
  real_memory memory(1u << 16);
  const graph_builder part = built(g, memory);
  const auto made = compiled(part, part.rank() == 0 ? compiled_by::distributed : compiled_by::size);
  EXPECT_EQ(in_parts(*made), part.size() > 2) << made->explain().text;
  made->end();
  const auto other = compiled(part, part.rank() == 0 ? compiled_by::central : compiled_by::distributed);
  EXPECT_FALSE(in_parts(*other));
  other->end();
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  const tacit::test::own_cache nothing_is_known;
  return tacit::test::mpi_main(argc, argv);
}
