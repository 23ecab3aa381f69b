// Graphs that run as written while it is found out what they mean: all ranks go over at the same run, and every run does what the graph
// as written does, before, at and after that. Random graphs of messages, copies and computations; the seed is printed.
#include "mpi_main.h"
#include "own_cache.h"
#include "random_parts.h"

#include "oracle/fuzz_count.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/resumable_work.h"
#include "runtime/run/progress.h"
#include "runtime/schedule/background_run.h"
#include "runtime/schedule/compile_together.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tacit::runtime {
namespace {

using namespace test;

compile_request in_background() {
  compile_request wanted;
  wanted.background = true;
  return wanted;
}

compile_request as_written() {
  compile_request wanted;
  wanted.compile.disabled.emplace_back("replace");
  wanted.kept = 0;
  return wanted;
}

bool contains(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}
bool is_under_way(const explanation& why) {
  return contains(why.text, "\nanalysis: under way");
}
bool has_gone_over(const explanation& why) {
  return contains(why.text, "\nanalysis: done while the graph ran as written");
}

memory fresh_bytes(int round) {
  memory out(room);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = byte_of(rank_in_world(), i, round);
  return out;
}

/// The same bytes in place, as graphs name addresses.
void refill(memory& where, int round) {
  const memory bytes = fresh_bytes(round);
  std::copy(bytes.begin(), bytes.end(), where.begin());
}

memory run(schedule& s, memory& where, int& round, int number) {
  round = number;
  refill(where, number);
  s.start();
  s.wait();
  return where;
}

bool all_equal(std::uint64_t mine) {
  std::uint64_t words[2] = {mine, ~mine}, least[2];
  MPI_Allreduce(words, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least[0] == ~least[1];
}

oracle::random_recipe recipe() {
  oracle::random_recipe r;
  r.min_ranks = r.max_ranks = static_cast<std::uint32_t>(world_size());
  r.one_sided = r.communicators = r.declarations = r.high_addresses = false;
  return r;
}

/// Runs until the graph has gone over, and on; every run leaves what the graph as written leaves. Returns the first run of the new form.
int compare_runs(schedule& later, schedule& written, memory& where, int& round) {
  constexpr int beyond = 5;
  int gone_over = 0;
  for (int number = 1; gone_over == 0 || number < gone_over + beyond; ++number) {
    if (gone_over == 0 && !is_under_way(later.explain())) {
      ADD_FAILURE() << later.explain().text;
      break;
    }
    const memory expected = run(written, where, round, number);
    EXPECT_EQ(run(later, where, round, number), expected) << "run " << number;
    const explanation why = later.explain();
    EXPECT_NE(is_under_way(why), has_gone_over(why)) << why.text;
    if (gone_over == 0 && has_gone_over(why)) { // as of this run
      gone_over = number;
      EXPECT_TRUE(contains(why.text, ("from run " + std::to_string(number) + " on").c_str())) << why.text;
    }
  }
  return gone_over;
}

TEST(background, every_run_does_what_the_graph_does) {
  const std::uint64_t first = oracle::fuzz_seed();
  const std::uint64_t count = oracle::from_environment("TACIT_FUZZ_COUNT", mpi_progresses() ? 60 : 20);
  std::size_t compiled = 0;
  memory where(room);
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    compile_request wanted = in_background();
    wanted.replace_always = random() % 2 == 0;
    constexpr const char* drivers[] = {"", "", "shm", "p2p", "coll"};
    wanted.driver = drivers[random() % std::size(drivers)];
    const part_values v = values_of(oracle::random_graph(seed, recipe()), rank_in_world());
    int round = 0;
    std::unique_ptr<schedule> later, written;
    const auto compile = [&](const compile_request& how) {
      const graph_builder part = built(v, MPI_COMM_WORLD, where, round);
      return compile_together(part, "the test", [&] { return how; });
    };
    bool refused = false;
    try {
      written = compile(as_written());
    } catch (const call_error&) {
      refused = true;
    }
    try {
      later = compile(wanted);
      EXPECT_FALSE(refused);
    } catch (const call_error&) { // of wrong graphs at once, as without a thread
      EXPECT_TRUE(refused);
    }
    if (!later || !written)
      continue;
    ++compiled;
    EXPECT_TRUE(is_under_way(later->explain()));
    EXPECT_TRUE(all_equal(static_cast<std::uint64_t>(compare_runs(*later, *written, where, round))));
    later->end();
    written->end();
  }
  EXPECT_GT(compiled, count / 2);
}

/// To the next rank, from the one before.
struct ring {
  std::vector<int> out, in;
  explicit ring(std::size_t n) : out(n), in(n) {}
  graph_builder built(std::size_t messages = 1) {
    graph_builder part(MPI_COMM_WORLD);
    const int size = part.size(), rank = part.rank();
    const std::size_t n = out.size() / messages;
    for (std::size_t i = 0; i < messages; ++i) {
      const auto bytes = [&](std::vector<int>& v) {
        return graph_builder::bytes{{reinterpret_cast<std::uint64_t>(v.data() + i * n), n * sizeof(int)}};
      };
      part.recv(bytes(in), (rank + size - 1) % size, static_cast<int>(i));
      part.send(bytes(out), (rank + 1) % size, static_cast<int>(i));
    }
    return part;
  }
  bool arrives(schedule& s, int value) {
    const int size = world_size(), rank = rank_in_world();
    std::fill(out.begin(), out.end(), 1000 * rank + value);
    std::fill(in.begin(), in.end(), -1);
    s.start();
    s.wait();
    return std::all_of(in.begin(), in.end(),
                       [&](int x) { return x == 1000 * ((rank + size - 1) % size) + value; });
  }
};

std::unique_ptr<schedule> compiled(ring& r, const compile_request& wanted, std::size_t messages = 1) {
  const graph_builder part = r.built(messages);
  return compile_together(part, "the test", [&] { return wanted; });
}

/// What rank 0 finds is held back by the test until a run of its choice.
struct held_back {
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
};

/// Counts runs, and does nothing.
class counting_run : public execution {
public:
  explicit counting_run(int& runs) : runs_(runs) {}
  void start() override { ++runs_; }
  bool progress() override { return true; }
  void finish() override {}

private:
  int& runs_;
};

std::unique_ptr<bound_graph> counting(int& runs) {
  return std::make_unique<bound_graph>(rank_in_world(), "the test", nullptr,
                                       std::make_unique<counting_run>(runs), explanation{"", "{}"});
}

class going_over {
public:
  explicit going_over(background_analysis::work work) : own_(private_communicator::like(MPI_COMM_WORLD)) {
    auto analysis = rank_in_world() == 0 ? std::make_unique<background_analysis>(std::move(work)) : nullptr;
    run_ = std::make_unique<background_run>(
        counting(written), std::move(analysis),
        [this](const std::vector<message>& found) {
          found_ = found.size();
          if (connect)
            connect(own_.comm());
          if (cannot)
            throw call_error(call_error::kind::environment, "not here", true);
          return counting(replaced);
        },
        own_.comm());
  }
  ~going_over() { run_->end(); }
  void once() {
    run_->start();
    run_->finish();
  }
  std::string text() const { return run_->explain().text; }
  std::size_t found() const { return found_; }
  int written = 0, replaced = 0;
  bool cannot = false;
  std::function<void(MPI_Comm)> connect; ///< what all ranks do together, if anything

private:
  private_communicator own_;
  std::unique_ptr<background_run> run_;
  std::size_t found_ = 0;
};

/// Until rank 0 knows that its thread is over, so that what comes next does not depend on how fast it is.
void wait_for_rank_0(const std::function<bool()>& done) {
  while (rank_in_world() == 0 && !done())
    std::this_thread::yield();
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(background, asks_seldom_and_ever_more_seldom) {
  std::vector<std::uint64_t> asked;
  for (std::uint64_t run = 1; run <= 300; ++run)
    if (background_run::asks(run))
      asked.push_back(run);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 192, 256}));
}

TEST(background, goes_over_after_the_next_question) {
  for (const int ready_before : {1, 2, 3, 5, 20, 65, 130}) {
    held_back result;
    std::atomic<bool> over{false};
    going_over both([&](const std::function<void()>&) {
      result.open.wait();
      over = true;
      return std::vector<message>(1);
    });
    int expected = ready_before;
    while (!background_run::asks(static_cast<std::uint64_t>(expected)))
      ++expected;
    for (int number = 1; number <= expected + 3; ++number) {
      if (number == ready_before) {
        result.gate.set_value();
        wait_for_rank_0([&] { return over.load(); });
        // The thread says so a moment later; the next question may just miss it, the one after it does not.
      }
      both.once();
    }
    while (both.replaced == 0)
      both.once();
    const int last = both.written;
    EXPECT_GT(last, expected);
    EXPECT_TRUE(background_run::asks(static_cast<std::uint64_t>(last - 1))) << last; // one more to connect
    EXPECT_TRUE(all_equal(static_cast<std::uint64_t>(last)));
    EXPECT_TRUE(contains(both.text(), ("from run " + std::to_string(last + 1) + " on").c_str()))
        << both.text();
    EXPECT_EQ(both.found(), rank_in_world() == 0 ? 1u : 0u);
    both.once();
    EXPECT_EQ(both.written, last);
  }
}

TEST(background, goes_on_as_written_where_nothing_comes_of_it) {
  going_over fails(
      [](const std::function<void()>&) -> std::vector<message> { throw std::runtime_error("no way"); });
  while (contains(fails.text(), "under way"))
    fails.once();
  EXPECT_TRUE(contains(fails.text(), "came to nothing on rank 0"));
  EXPECT_EQ(contains(fails.text(), "no way"), rank_in_world() == 0);
  for (int i = 0; i < 70; ++i)
    fails.once();
  EXPECT_EQ(fails.replaced, 0);

  going_over lacks([](const std::function<void()>&) { return std::vector<message>(); });
  lacks.cannot = true;
  while (contains(lacks.text(), "under way"))
    lacks.once();
  EXPECT_TRUE(contains(lacks.text(), "goes on as written: ")) << lacks.text();
  const int before = lacks.written;
  lacks.once();
  EXPECT_EQ(lacks.written, before + 1);
}

TEST(background, is_not_waited_for_by_who_wants_nothing_of_it) {
  for (const int runs : {0, 1, 3}) { // it would never end by itself
    going_over both([](const std::function<void()>& go_on) -> std::vector<message> {
      for (;; std::this_thread::yield())
        go_on();
    });
    for (int i = 0; i < runs; ++i)
      both.once();
    EXPECT_TRUE(contains(both.text(), "analysis: under way"));
  }
}

TEST(background, schedules_are_freed_at_any_time) {
  ring r(2048);
  for (int runs = 0; runs < 6; ++runs) {
    const auto made = compiled(r, in_background(), 512);
    for (int i = 0; i < runs; ++i)
      EXPECT_TRUE(r.arrives(*made, i));
    made->end();
  }
}

TEST(background, a_process_made_by_fork_has_no_thread_to_wait_for) {
  auto analysis =
      std::make_unique<background_analysis>([](const std::function<void()>& go_on) -> std::vector<message> {
        for (;; std::this_thread::yield())
          go_on();
      });
  if (const pid_t child = fork(); child == 0) {
    analysis->stop();
    _exit(7);
  } else {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}

TEST(background, several_at_once_and_others_beside_them) {
  ring a(64), b(4096), c(16);
  const auto first = compiled(a, in_background()), second = compiled(b, in_background(), 64),
             third = compiled(c, as_written());
  for (int i = 0; i < 40; ++i) {
    first->start();
    second->start();
    EXPECT_TRUE(c.arrives(*third, i));
    rank_in_world() % 2 == 0 ? first->wait() : second->wait();
    rank_in_world() % 2 == 0 ? second->wait() : first->wait();
  }
  EXPECT_TRUE(a.arrives(*first, 7));
  EXPECT_TRUE(b.arrives(*second, 8));
  for (const auto* s : {&first, &second, &third})
    (*s)->end();
}

/// Ranks that come to the start from different sides of a barrier: one that waited for the others would wait for ever.
void start_on_both_sides(schedule& s, int round) {
  const bool first = (rank_in_world() + round) % 2 == 0;
  if (!first)
    MPI_Barrier(MPI_COMM_WORLD);
  s.start();
  if (first)
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST(background, no_start_waits_for_another_rank) {
  for (const char* driver : {"", "shm", "p2p", "coll"}) {
    ring r(4096);
    compile_request wanted = in_background();
    wanted.driver = driver;
    wanted.replace_always = true;
    wanted.kept = 0;
    const auto made = compiled(r, wanted, 64);
    for (int i = 0; is_under_way(made->explain()); ++i) {
      start_on_both_sides(*made, i);
      made->wait();
      ASSERT_LT(i, 100000) << made->explain().text;
    }
    EXPECT_TRUE(has_gone_over(made->explain())) << made->explain().text;
    EXPECT_TRUE(r.arrives(*made, 9));
    made->end();
  }
}

TEST(background, ranks_that_connect_are_waited_for_by_who_frees) {
  ring r(4096);
  for (int further = 0; further < 3; ++further) {
    compile_request wanted = in_background();
    wanted.kept = 0;
    const auto made = compiled(r, wanted, 64);
    while (!contains(made->explain().text, "the ranks connect") && is_under_way(made->explain()))
      EXPECT_TRUE(r.arrives(*made, 1));
    for (int i = 0; i < further; ++i)
      EXPECT_TRUE(r.arrives(*made, 2));
    made->end();
  }
}

/// Answers one message of another rank when it is progressed.
class answering_run : public execution {
public:
  explicit answering_run(int from) : from_(from) {}
  void start() override { MPI_Irecv(&word_, 1, MPI_INT, from_, 1, MPI_COMM_WORLD, &request_); }
  bool progress() override {
    int there = 0;
    MPI_Test(&request_, &there, MPI_STATUS_IGNORE);
    if (there)
      MPI_Send(&word_, 1, MPI_INT, from_, 2, MPI_COMM_WORLD);
    return there != 0;
  }
  void finish() override {}

private:
  int from_, word_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

bool is_answered(int by) {
  int word = 7, there = 0;
  MPI_Send(&word, 1, MPI_INT, by, 1, MPI_COMM_WORLD);
  for (const double begun = MPI_Wtime(); !there && MPI_Wtime() < begun + 5;)
    MPI_Iprobe(by, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

/// As in a wait of MPI's, or else a rank that waits for this one in another schedule never comes to free its own.
TEST(background, what_is_under_way_goes_on_while_ranks_that_connect_are_waited_for) {
  if (world_size() < 2)
    GTEST_SKIP() << "one rank waits for nobody";
  const int rank = rank_in_world();
  bool may_connect = rank != 1;
  auto both =
      std::make_unique<going_over>([](const std::function<void()>&) { return std::vector<message>(1); });
  both->connect = [&](MPI_Comm comm) {
    while (!may_connect)
      resumable_work::pause();
    int mine = 0, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm, &request);
    await(request, "MPI_Iallreduce");
  };
  while (!contains(both->text(), "the ranks connect"))
    both->once();
  answering_run beside(1);
  if (rank == 0) {
    beside.start();
    begin_progress(beside);
  }
  if (rank == 1) {
    EXPECT_TRUE(is_answered(0));
    may_connect = true;
  }
  both.reset();
  int word = 0;
  if (rank == 0)
    wait_for(beside);
  if (rank == 1)
    MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Notes from where it is progressed, and does nothing; one sends this process a message at some time.
class watching_run : public execution {
public:
  explicit watching_run(bool sends) : sends_(sends) {}
  void start() override {}
  bool progress() override {
    constexpr int long_enough = 20;
    only_inside = only_inside && is_inside_mpi();
    int there = 0, word = 0;
    if (request_ == MPI_REQUEST_NULL)
      MPI_Irecv(nullptr, 0, MPI_INT, 0, 3, MPI_COMM_SELF, &request_);
    MPI_Test(&request_, &there, MPI_STATUS_IGNORE);
    if (++rounds == long_enough && sends_)
      MPI_Send(&word, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
    return false;
  }
  void finish() override {}
  void cancel() {
    MPI_Cancel(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  int rounds = 0;
  bool only_inside = true;

private:
  bool sends_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

TEST(background, it_is_known_what_mpi_calls_also_behind_what_calls_mpi_in_turn) {
  if (!mpi_progresses())
    GTEST_SKIP() << "MPI's own calls progress nothing";
  watching_run first(true), second(false);
  begin_progress(first);
  begin_progress(second);
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  end_progress(first);
  end_progress(second);
  EXPECT_GT(second.rounds, 0);
  EXPECT_TRUE(first.only_inside);
  EXPECT_TRUE(second.only_inside);
  first.cancel();
  second.cancel();
}

/// Every rank of a half gets a number from every other one of its half.
TEST(background, communicators_of_some_ranks_are_not_made_meanwhile) {
  const int size = world_size(), rank = rank_in_world();
  if (size < 4)
    GTEST_SKIP() << "two halves need four ranks";
  const int half = rank < size / 2 ? 0 : 1;
  const int low = half == 0 ? 0 : size / 2, high = half == 0 ? size / 2 : size;
  for (const char* driver : {"", "coll"}) {
    std::vector<int> out(static_cast<std::size_t>(size)), in(static_cast<std::size_t>(size));
    graph_builder part(MPI_COMM_WORLD);
    const auto one = [](std::vector<int>& v, int at) {
      return graph_builder::bytes{{reinterpret_cast<std::uint64_t>(&v[static_cast<std::size_t>(at)]), 4}};
    };
    for (int other = low; other < high; ++other)
      if (other != rank) {
        part.recv(one(in, other), other, 0);
        part.send(one(out, other), other, 0);
      }
    compile_request wanted = in_background();
    wanted.driver = driver;
    wanted.replace_always = true;
    wanted.kept = 0;
    const auto made = compile_together(part, "the test", [&] { return wanted; });
    for (int i = 0; is_under_way(made->explain()); ++i) {
      std::fill(out.begin(), out.end(), 100 * i + rank);
      start_on_both_sides(*made, i);
      made->wait();
      for (int other = low; other < high; ++other)
        EXPECT_EQ(in[static_cast<std::size_t>(other)], other == rank ? 0 : 100 * i + other);
      ASSERT_LT(i, 100000) << made->explain().text;
    }
    EXPECT_TRUE(all_equal(has_gone_over(made->explain()) ? 1 : 0));
    made->end();
  }
}

TEST(background, its_end_is_given_up_once_however_often_it_comes) {
  int runs = 0;
  private_communicator own = private_communicator::like(MPI_COMM_WORLD);
  background_graph graph(rank_in_world(), "the test",
                         std::make_unique<background_run>(counting(runs), nullptr, nullptr, own.comm()));
  graph.run().start();
  graph.run().finish();
  graph.end();
  graph.end();
  EXPECT_EQ(runs, 1);
}

TEST(background, says_why_not) {
  ring r(8);
  compile_request wanted = in_background();
  wanted.kept = 0;
  wanted.plan = "as written";
  auto made = compiled(r, wanted);
  EXPECT_TRUE(contains(made->explain().text, "\nnot in the background: a plan was asked for by its name\n"));
  EXPECT_TRUE(r.arrives(*made, 1));
  made->end();
  wanted.plan.clear();
  wanted.compile.planning.progress = graphs::region_progress::as_written;
  made = compiled(r, wanted);
  EXPECT_TRUE(contains(made->explain().text, "\nnot in the background: no rank may wait"));
  made->end();
}

TEST(background, takes_the_steps_of_an_equal_graph_that_is_kept) {
  ring r(24);
  const auto at_once = compiled(r, {});
  const auto again = compiled(r, in_background());
  EXPECT_FALSE(contains(again->explain().text, "\nanalysis: under way"));
  EXPECT_TRUE(contains(again->explain().text, "\nkept: "));
  EXPECT_TRUE(r.arrives(*again, 3));
  again->end();
  at_once->end();
}

TEST(background, wrong_graphs_are_refused_at_once) {
  graph_builder part(MPI_COMM_WORLD);
  std::vector<int> one(1);
  if (part.rank() == 0)
    part.send({{reinterpret_cast<std::uint64_t>(one.data()), sizeof(int)}}, 0, 3);
  EXPECT_THROW(compile_together(part, "the test", [] { return in_background(); }), call_error);
}

/// A schedule whose ranks connect, perhaps: it is never freed, and MPI_Finalize completes what is under way.
schedule* left_connecting(ring& r) {
  compile_request wanted = in_background();
  wanted.kept = 0;
  auto made = compiled(r, wanted, 64);
  while (is_under_way(made->explain()) && !contains(made->explain().text, "the ranks connect"))
    r.arrives(*made, 1);
  return made.release();
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  {
    const tacit::test::own_cache cache;
    failed = tacit::test::run_tests(argc, argv);
  }
  static tacit::runtime::ring* const r = new tacit::runtime::ring(4096);
  static tacit::runtime::schedule* volatile connecting = nullptr;
  connecting = tacit::runtime::left_connecting(*r);
  // One that is never freed: MPI_Finalize waits for its thread, which looks after each step whether it is wanted.
  static std::atomic<bool> ended{false};
  // Volatile, because LeakSanitizer looks for the pointer.
  static const tacit::runtime::background_analysis* volatile never_freed = nullptr;
  never_freed = new tacit::runtime::background_analysis(
      [](const std::function<void()>& go_on) -> std::vector<tacit::runtime::message> {
        struct at_end {
          ~at_end() { ended = true; }
        } const says;
        for (;; std::this_thread::yield())
          go_on();
      });
  MPI_Finalize();
  if (!ended)
    std::fprintf(stderr, "MPI_Finalize has not waited for the thread\n");
  return failed || !ended;
}
