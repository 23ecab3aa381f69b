// Graphs that are compiled again: those that are equal are not compiled, those that differ in anything are, and what they do is what
// a fresh compilation does. Random graphs of messages, copies and computations; the seed is printed.
#include "mpi_main.h"
#include "own_cache.h"
#include "random_parts.h"

#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/schedule/compile_together.h"
#include "runtime/schedule/graph_communicators.h"
#include "runtime/schedule/graph_signature.h"

#include <array>
#include <functional>
#include <optional>
#include <thread>

namespace tacit::runtime {
namespace {

using namespace test;

/// What a compilation came to.
struct outcome {
  bool refused = false;
  bool kept = false, as_it_was = false; ///< as the explanation says
  std::vector<memory> bytes;            ///< after each run
};

class loop {
public:
  loop(MPI_Comm comm, const compile_request& wanted) : comm_(comm), wanted_(wanted) {}

  std::unique_ptr<schedule> compiled(const part_values& v, memory& where) {
    const graph_builder part = built(v, comm_, where, round_);
    return compile_together(part, "the test", [&] { return wanted_; });
  }
  memory run(schedule& s, memory& where, int round) {
    round_ = round;
    for (std::size_t i = 0; i < where.size(); ++i)
      where[i] = byte_of(rank_in_world(), i, round);
    s.start();
    s.wait();
    return where;
  }
  outcome all(const part_values& v, memory& where) {
    outcome out;
    try {
      const auto made = compiled(v, where);
      const explanation why = made->explain();
      out.kept = why.text.find("\nkept: ") != std::string::npos;
      out.as_it_was = why.text.find("\nkept: compiled before") != std::string::npos;
      EXPECT_EQ(out.kept, why.json.find("\"kept\":") != std::string::npos);
      for (const int round : {1, 2})
        out.bytes.push_back(run(*made, where, round));
      made->end();
    } catch (const call_error&) {
      out.refused = true;
    }
    return out;
  }

private:
  MPI_Comm comm_;
  compile_request wanted_;
  int round_ = 0;
};

oracle::random_recipe recipe() {
  oracle::random_recipe r;
  r.min_ranks = r.max_ranks = static_cast<std::uint32_t>(world_size());
  r.one_sided = r.communicators = r.declarations = r.high_addresses = false;
  return r;
}

compile_request random_request(std::mt19937_64& random) {
  compile_request wanted;
  constexpr std::array<const char*, 6> drivers{"", "", "", "shm", "p2p", "coll"};
  wanted.driver = drivers[random() % drivers.size()];
  wanted.replace_always = random() % 3 == 0;
  wanted.measures = random() % 12 == 0 ? measuring::all : measuring::finalists;
  return wanted;
}

constexpr int one_byte_further = 4;

/// Alters one thing on one rank; false: there is nothing of the kind. All ranks draw the same numbers.
bool alter(part_values& v, int kind, bool here, std::mt19937_64& random) {
  const std::uint64_t pick = random(), other = random();
  if (!here)
    return false;
  auto& ops = v.operations;
  const std::size_t n = ops.size();
  const auto some = [&](auto&& fits) -> part_values::operation* {
    for (std::size_t i = 0; i < n; ++i)
      if (auto& op = ops[(pick + i) % n]; fits(op))
        return &op;
    return nullptr;
  };
  switch (kind) {
  case 0: // one byte less is sent
    if (auto* op = some([](auto& o) {
          return o.kind == graphs::op_kind::send && !o.reads.empty() && o.reads[0].length > 0;
        })) {
      --op->reads[0].length;
      return true;
    }
    return false;
  case 1: { // one dependency more
    if (n < 2)
      return false;
    const int after = 1 + static_cast<int>(pick % (n - 1));
    v.dependencies.emplace_back(static_cast<int>(other % static_cast<std::uint64_t>(after)), after);
    return true;
  }
  case 2: // one less
    if (v.dependencies.empty())
      return false;
    v.dependencies.erase(v.dependencies.begin() + static_cast<std::ptrdiff_t>(pick % v.dependencies.size()));
    return true;
  case 3: // another tag
    if (auto* op = some([](auto& o) { return o.kind == graphs::op_kind::send; })) {
      op->tag += 5;
      return true;
    }
    return false;
  case one_byte_further:
    if (auto* op = some([](auto& o) {
          return o.kind == graphs::op_kind::send && !o.reads.empty() && o.reads[0].length > 0;
        })) {
      ++op->reads[0].address;
      return true;
    }
    return false;
  case 5: // one operation more
    ops.push_back({graphs::op_kind::copy, {}, {}, 0, 0});
    return true;
  default: // to another rank
    if (auto* op = some([](auto& o) { return o.kind == graphs::op_kind::send; }); op && world_size() > 1) {
      op->peer = (op->peer + 1) % world_size();
      return true;
    }
    return false;
  }
}

bool any_rank(bool here) {
  int mine = here ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all != 0;
}

std::uint64_t rounds() {
  return oracle::from_environment("TACIT_FUZZ_COUNT", mpi_progresses() ? 100 : 40);
}

TEST(kept_graphs, do_what_a_fresh_compilation_does_and_near_misses_are_compiled) {
  const duplicate_of_world keeping, forgetting;
  memory here(room), elsewhere(room);
  const int rank = rank_in_world();
  std::size_t again = 0, moved = 0, near = 0;
  const std::uint64_t first = oracle::fuzz_seed();
  for (std::uint64_t seed = first; seed < first + rounds() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const compile_request wanted = random_request(random);
    compile_request fresh_request = wanted;
    fresh_request.kept = 0;
    loop kept(keeping.get(), wanted), fresh(forgetting.get(), fresh_request);
    part_values v = values_of(oracle::random_graph(seed, recipe()), rank);
    v.scratch = {
        {room - 1000, 1 + (seed - first) % 900}}; // touched by nothing: graphs of different seeds differ

    const outcome truth = fresh.all(v, here);
    EXPECT_FALSE(truth.kept);
    const outcome once = kept.all(v, here);
    EXPECT_FALSE(once.kept);
    EXPECT_EQ(once.refused, truth.refused);
    EXPECT_EQ(once.bytes, truth.bytes);
    const outcome twice = kept.all(v, here);
    EXPECT_EQ(twice.as_it_was, !truth.refused);
    EXPECT_EQ(twice.refused, truth.refused);
    EXPECT_EQ(twice.bytes, truth.bytes);
    again += twice.as_it_was ? 1 : 0;

    const bool moves =
        random() % 2 == 0 || rank == static_cast<int>(random() % static_cast<unsigned>(world_size()));
    const bool any_moves = any_rank(moves);
    const outcome other_place = kept.all(v, moves ? elsewhere : here);
    EXPECT_EQ(other_place.kept, !truth.refused);
    EXPECT_EQ(other_place.as_it_was, !truth.refused && !any_moves);
    EXPECT_EQ(other_place.bytes, truth.bytes);
    moved += other_place.kept && !other_place.as_it_was ? 1 : 0;

    part_values altered = v;
    const int kind = static_cast<int>(random() % 7);
    const bool mine = rank == static_cast<int>(random() % static_cast<unsigned>(world_size()));
    if (any_rank(alter(altered, kind, mine, random))) {
      const outcome wants = fresh.all(altered, here), gets = kept.all(altered, here);
      EXPECT_FALSE(gets.as_it_was) << "alteration " << kind;
      if (kind != one_byte_further) { // of a buffer by itself that is another place
        EXPECT_FALSE(gets.kept) << "alteration " << kind;
      }
      EXPECT_EQ(gets.refused, wants.refused) << "alteration " << kind;
      EXPECT_EQ(gets.bytes, wants.bytes) << "alteration " << kind;
      near += gets.refused ? 0 : 1;
    }
    const outcome back = kept.all(v, here); // the near miss has changed nothing
    EXPECT_EQ(back.kept, !truth.refused);
    EXPECT_EQ(back.bytes, truth.bytes);
  }
  if (rounds() >= 40) {
    EXPECT_GT(again, rounds() / 2);
    EXPECT_GT(moved, rounds() / 4);
    EXPECT_GT(near, rounds() / 5);
  }
}

/// To the next rank, from the one before.
struct ring {
  std::vector<int> out, in;
  explicit ring(std::size_t n) : out(n), in(n) {}
  graph_builder built(MPI_Comm comm) {
    graph_builder part(comm);
    const int size = part.size(), rank = part.rank();
    const auto bytes = [](std::vector<int>& v) {
      return graph_builder::bytes{{reinterpret_cast<std::uint64_t>(v.data()), v.size() * sizeof(int)}};
    };
    part.send(bytes(out), (rank + 1) % size, 0);
    part.recv(bytes(in), (rank + size - 1) % size, 0);
    return part;
  }
  void fill(int with) { std::fill(out.begin(), out.end(), with * 100 + rank_in_world()); }
  void expect(int with) const {
    const int from = (rank_in_world() + world_size() - 1) % world_size();
    for (const int x : in)
      ASSERT_EQ(x, with * 100 + from);
  }
};

std::unique_ptr<schedule> compiled(const graph_builder& part, const compile_request& wanted = {}) {
  return compile_together(part, "the test", [&] { return wanted; });
}

std::string kept_line(const schedule& s) {
  const std::string text = s.explain().text;
  const std::size_t at = text.find("\nkept: ");
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(kept_graphs, schedules_that_exist_at_once_share_nothing) {
  const duplicate_of_world comm;
  ring a(100), b(100), c(100);
  const auto first = compiled(a.built(comm.get())), second = compiled(b.built(comm.get())),
             third = compiled(c.built(comm.get())), same = compiled(a.built(comm.get()));
  EXPECT_EQ(kept_line(*first), "");
  for (const auto* s : {&second, &third, &same})
    EXPECT_NE(kept_line(**s).find("its steps are used"), std::string::npos) << (*s)->explain().text;
  for (int round = 0; round < 20; ++round) {
    a.fill(round), b.fill(round + 50), c.fill(round + 90);
    const std::array<schedule*, 3> order{first.get(), second.get(), third.get()};
    for (std::size_t i = 0; i < 3; ++i)
      order[(i + static_cast<std::size_t>(round)) % 3]->start();
    for (std::size_t i = 0; i < 3; ++i)
      order[(i + static_cast<std::size_t>(rank_in_world())) % 3]->wait();
    a.expect(round), b.expect(round + 50), c.expect(round + 90);
    a.fill(round + 7);
    same->start();
    same->wait();
    a.expect(round + 7);
  }
  for (const auto* s : {&third, &first, &same, &second})
    (*s)->end();
  const auto again = compiled(b.built(comm.get()));
  EXPECT_NE(kept_line(*again).find("compiled before"), std::string::npos) << again->explain().text;
  again->end();
}

TEST(kept_graphs, computations_are_those_of_the_graph_that_is_compiled) {
  const duplicate_of_world comm;
  int x = 0;
  for (int k = 1; k < 5; ++k) {
    graph_builder part(comm.get());
    part.compute([&x, k] { x = k; }, {}, {{reinterpret_cast<std::uint64_t>(&x), sizeof x}});
    const auto made = compiled(part);
    EXPECT_EQ(kept_line(*made).empty(), k == 1);
    made->start();
    made->wait();
    EXPECT_EQ(x, k);
    made->end();
  }
}

TEST(kept_graphs, other_options_are_another_compilation) {
  const duplicate_of_world comm;
  ring a(10);
  compile_request wanted;
  compiled(a.built(comm.get()), wanted)->end();
  wanted.driver = "p2p";
  const auto other = compiled(a.built(comm.get()), wanted);
  EXPECT_EQ(kept_line(*other), "");
  other->end();
  wanted.driver.clear();
  if (rank_in_world() > 0)
    wanted.driver = "coll"; // only rank 0's options count
  const auto same = compiled(a.built(comm.get()), wanted);
  EXPECT_NE(kept_line(*same), "");
  same->end();
}

TEST(kept_graphs, the_ones_not_used_for_longest_go_first_and_none_are_kept_if_so_wanted) {
  const duplicate_of_world comm;
  compile_request wanted;
  wanted.kept = 3;
  std::vector<ring> rings;
  for (std::size_t i = 0; i < 5; ++i)
    rings.emplace_back(i + 1);
  const auto is_kept = [&](std::size_t i) {
    const auto made = compiled(rings[i].built(comm.get()), wanted);
    const bool kept = !kept_line(*made).empty();
    rings[i].fill(static_cast<int>(i));
    made->start();
    made->wait();
    rings[i].expect(static_cast<int>(i));
    made->end();
    return kept;
  };
  for (const std::size_t i : {0, 1, 2})
    EXPECT_FALSE(is_kept(i));
  EXPECT_TRUE(is_kept(0));
  EXPECT_FALSE(is_kept(3)); // in place of 1
  EXPECT_TRUE(is_kept(0));
  EXPECT_TRUE(is_kept(2));
  EXPECT_FALSE(is_kept(1));
  wanted.kept = 0;
  EXPECT_FALSE(is_kept(0));
  wanted.kept = 3;
  EXPECT_FALSE(is_kept(0));
}

TEST(kept_graphs, more_schedules_than_are_kept_are_freed_as_always) {
  const duplicate_of_world comm;
  compile_request wanted;
  wanted.kept = 2;
  ring a(30);
  std::vector<std::unique_ptr<schedule>> list;
  for (int i = 0; i < 6; ++i)
    list.push_back(compiled(a.built(comm.get()), wanted));
  for (int i = 0; i < 6; ++i) {
    a.fill(i);
    list[static_cast<std::size_t>(i)]->start();
    list[static_cast<std::size_t>(i)]->wait();
    a.expect(i);
  }
  for (const auto& s : list)
    s->end();
}

TEST(kept_graphs, schedules_outlive_the_communicator_that_keeps_them) {
  ring a(10);
  std::unique_ptr<schedule> made;
  {
    const duplicate_of_world comm;
    made = compiled(a.built(comm.get()));
    compiled(a.built(comm.get()))->end();
  }
  a.fill(3);
  made->start();
  made->wait();
  a.expect(3);
  made->end();
}

TEST(kept_graphs, a_schedule_that_failed_on_one_rank_is_used_by_none) {
  const duplicate_of_world comm;
  bool fails = false;
  int x = 0;
  const char* const expected[] = {"", "compiled before", "its steps are used", "compiled before"};
  for (int k = 0; k < 4; ++k) {
    graph_builder part(comm.get());
    part.compute(
        [&] {
          if (fails)
            throw std::runtime_error("as planned");
          ++x;
        },
        {}, {{reinterpret_cast<std::uint64_t>(&x), sizeof x}});
    const auto made = compiled(part);
    const std::string line = kept_line(*made);
    EXPECT_EQ(line.empty(), k == 0);
    EXPECT_NE(line.find(expected[k]), std::string::npos) << k << line;
    fails = k == 1 && rank_in_world() == world_size() - 1;
    try {
      made->start();
      made->wait();
      EXPECT_FALSE(fails);
    } catch (const call_error&) {
      EXPECT_TRUE(fails);
    }
    made->end();
  }
}

TEST(kept_graphs, added_communicators_are_known_again) {
  const duplicate_of_world comm;
  MPI_Comm half = MPI_COMM_NULL, reversed = MPI_COMM_NULL;
  MPI_Comm_split(comm.get(), rank_in_world() % 2, 0, &half);
  MPI_Comm_split(comm.get(), 0, -rank_in_world(), &reversed);
  int out = 0, in = 0;
  const auto build = [&](MPI_Comm on) {
    graph_builder part(comm.get());
    const int added = add_communicator(on, [&]() -> graph_builder& { return part; });
    int rank = 0, size = 1;
    MPI_Comm_rank(on, &rank);
    MPI_Comm_size(on, &size);
    part.send({{reinterpret_cast<std::uint64_t>(&out), 4}}, (rank + 1) % size, 0, added);
    part.recv({{reinterpret_cast<std::uint64_t>(&in), 4}}, (rank + size - 1) % size, 0, added);
    return std::pair(
        std::move(part),
        part.values().communicators[0].members[static_cast<std::size_t>((rank + size - 1) % size)]);
  };
  for (int k = 0; k < 4; ++k) {
    const auto [part, from] = build(k < 2 ? half : reversed);
    const auto made = compiled(part);
    if (world_size() > 2) {
      EXPECT_EQ(kept_line(*made).empty(), k % 2 == 0) << k;
    }
    out = 10 * k + rank_in_world();
    made->start();
    made->wait();
    EXPECT_EQ(in, 10 * k + from);
    made->end();
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

TEST(kept_graphs, what_one_rank_throws_leaves_them_as_they_are) {
  const duplicate_of_world comm;
  ring a(10);
  compiled(a.built(comm.get()))->end();
  EXPECT_THROW(compile_together(a.built(comm.get()), "the test",
                                []() -> compile_request {
                                  if (rank_in_world() == world_size() - 1)
                                    throw call_error(call_error::kind::environment, "no luck");
                                  return {};
                                }),
               call_error);
  const auto made = compiled(a.built(comm.get()));
  EXPECT_NE(kept_line(*made).find("used 1 times"), std::string::npos) << kept_line(*made);
  made->end();
}

TEST(kept_graphs, threads_with_a_communicator_each_do_not_disturb_each_other) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE)
    GTEST_SKIP() << "MPI without threads";
  const duplicate_of_world one, two;
  const auto work = [](MPI_Comm comm, int number) {
    ring a(static_cast<std::size_t>(number)), b(static_cast<std::size_t>(number) + 1);
    for (int k = 0; k < 30; ++k) {
      ring& r = k % 3 == 0 ? b : a;
      const auto made = compiled(r.built(comm));
      r.fill(k + number);
      made->start();
      made->wait();
      r.expect(k + number);
      made->end();
    }
  };
  std::thread other([&] { work(two.get(), 40); });
  work(one.get(), 10);
  other.join();
}

// Signatures.

local_graph two_buffers(std::uint64_t first, std::uint64_t second) {
  local_graph g;
  g.operations.push_back({local_kind::send, 0, 1, 0, {{first, 8}, {first + 16, 8}}, {}});
  g.operations.push_back({local_kind::recv, 0, 1, 0, {}, {{second, 32}}});
  g.scratch = {{second + 8, 4}, {7, 0}};
  return g;
}

/// Changes one operation.
template <typename Change>
void edit(local_graph& g, std::size_t number, Change&& change) {
  std::vector<local_operation> all = g.operations.one_by_one();
  change(all[number]);
  g.operations = {};
  for (local_operation& op : all)
    g.operations.push_back(std::move(op));
}

TEST(graph_signature, buffers_may_lie_anywhere_unless_they_touch) {
  const auto is_same = [](const local_graph& a, const local_graph& b) {
    const bool same = without_places({}, a).signature == without_places({}, b).signature;
    EXPECT_TRUE(!same || hash_without_places(a) == hash_without_places(b));
    return same;
  };
  const local_graph g = two_buffers(1000, 2000);
  EXPECT_TRUE(is_same(g, two_buffers(5000, 100))); // also in another order
  EXPECT_TRUE(is_same(g, two_buffers(1000, 2000)));
  EXPECT_FALSE(is_same(g, two_buffers(1000, 1024))); // they have come to touch
  EXPECT_FALSE(is_same(g, two_buffers(1000, 1008)));
  local_graph other = g;
  edit(other, 0, [](local_operation& op) {
    op.reads[1].address += 1;
  }); // a buffer of its own, with another gap: no gap counts
  EXPECT_TRUE(is_same(g, other));
  edit(other, 0, [](local_operation& op) { op.reads[1].address = 1008; }); // no gap
  EXPECT_FALSE(is_same(g, other));
  other = g;
  other.scratch[0].address += 1;
  EXPECT_FALSE(is_same(g, other));
  EXPECT_FALSE(signature_of({}, g) == signature_of({}, two_buffers(1000, 2001)));
  EXPECT_FALSE(signature_of({std::byte{1}}, g) == signature_of({}, g));
  EXPECT_TRUE(without_places(signature_of({std::byte{1}}, g)).signature ==
              without_places({std::byte{1}}, g).signature);
}

TEST(graph_signature, hashes_without_places_tell_all_else) {
  const local_graph g = two_buffers(1000, 2000);
  const std::function<void(local_graph&)> changes[] = {
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { op.kind = local_kind::copy; }); },
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { op.comm = 1; }); },
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { op.peer = 2; }); },
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { op.tag = 1; }); },
      [](local_graph& other) { edit(other, 1, [](local_operation& op) { op.reducer = 0; }); },
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { op.reads[0].length = 7; }); },
      [](local_graph& other) { edit(other, 0, [](local_operation& op) { std::swap(op.reads, op.writes); }); },
      [](local_graph& other) { other.dependencies = {{0, 1}}; },
      [](local_graph& other) { other.scratch.pop_back(); },
      [](local_graph& other) { std::swap(other.scratch, other.live_out); }};
  for (const auto& change : changes) {
    local_graph other = g;
    change(other);
    EXPECT_NE(hash_without_places(g), hash_without_places(other)) << "change " << &change - changes;
  }
  EXPECT_EQ(hash_without_places(g), hash_without_places(two_buffers(1000, 1024)));
}

TEST(graph_signature, programs_move_with_their_buffers) {
  const relative_graph from = without_places({}, two_buffers(1000, 2000)),
                       to = without_places({}, two_buffers(900, 50));
  const moved_buffers map(from.buffers, to.buffers);
  program p;
  graphs::step s;
  s.reads = {{1004, 4}, {1016, 8}, {graphs::scratch_base + 8, 8}};
  s.sends.push_back(rank_id{0}, graphs::segment{2031, 1});
  p.plan.steps.push_back(s);
  ASSERT_TRUE(map.hold(p));
  map.move(p);
  EXPECT_EQ(p.plan.steps[0].reads, (std::vector<segment>{{904, 4}, {916, 8}, {graphs::scratch_base + 8, 8}}));
  EXPECT_EQ(p.plan.steps[0].sends.front().bytes.front(), (segment{81, 1}));
  p.plan.steps[0].reads = {{1004, 5}}; // into the gap
  p.plan.steps[0].sends.clear();
  EXPECT_FALSE(moved_buffers(from.buffers, to.buffers).hold(p));
}

TEST(graph_signature, memory_of_other_ranks_does_not_move) {
  local_graph g = two_buffers(1000, 2000);
  EXPECT_TRUE(is_movable(g));
  g.operations.push_back({local_kind::put, 0, 1, 0, {{1000, 8}}, {{64, 8}}});
  EXPECT_FALSE(is_movable(g));
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  const tacit::test::own_cache nothing_is_known;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int failed = tacit::test::run_tests(argc, argv);
  MPI_Finalize();
  return failed;
}
