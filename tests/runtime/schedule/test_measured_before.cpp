// What tuning has measured is there in later runs, for equal graphs only, on all ranks alike, and whatever is wrong with its file costs
// nothing but a remark. A later run is one whose communicator has no compiled graph yet.
#include "mpi_main.h"
#include "own_cache.h"

#include "graphs/platform/graph_measurements.h"
#include "graphs/platform/model_file.h"
#include "runtime/mpi/library_version.h"
#include "runtime/schedule/compile_together.h"
#include "runtime/schedule/measured_before.h"

#include <fstream>
#include <vector>

namespace tacit::runtime {
namespace {

std::string library() {
  return graphs::short_library_name(library_version());
}

/// Everybody sends everybody else a block, on a communicator of its own.
class exchange {
public:
  /// `ordered`: what a rank sends has been sent before it receives. `sums`: what it gets is added to what is there.
  explicit exchange(std::size_t bytes, bool ordered = false, bool sums = false) : bytes_(bytes) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    part_ = std::make_unique<graph_builder>(comm_);
    mine_.resize(bytes);
    got_.resize(bytes * static_cast<std::size_t>(part_->size()));
    for (int r = 0; r < part_->size(); ++r) {
      if (r == part_->rank())
        continue;
      const graph_builder::bytes into{{reinterpret_cast<std::uint64_t>(block(r)), bytes}};
      const int sent = part_->send({{reinterpret_cast<std::uint64_t>(mine_.data()), bytes}}, r, 0);
      const int got = sums ? part_->recv_reduce(into, MPI_SUM, MPI_DOUBLE, r, 0) : part_->recv(into, r, 0);
      if (ordered)
        part_->depend(sent, got);
    }
  }
  ~exchange() {
    if (made_)
      made_->end();
    made_.reset();
    part_.reset();
    MPI_Comm_free(&comm_);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  schedule& compile(const compile_request& wanted) {
    made_ = compile_together(*part_, "the test", [&] { return wanted; });
    return *made_;
  }
  /// Compares every byte.
  void run(int times) {
    for (int t = 0; t < times; ++t, ++round_) {
      std::fill(mine_.begin(), mine_.end(), value(part_->rank()));
      made_->start();
      made_->wait();
      for (int r = 0; r < part_->size(); ++r)
        for (std::size_t i = 0; r != part_->rank() && i < bytes_; ++i)
          ASSERT_EQ(block(r)[i], value(r)) << round_ << " from " << r << " at " << i;
    }
  }
  void run_unchecked(int times) {
    for (int t = 0; t < times; ++t) {
      made_->start();
      made_->wait();
    }
  }
  /// Until the ranks have decided.
  void tune() {
    for (int turn = 0; turn < 1000 && !says("feedback after"); ++turn)
      run(5);
    ASSERT_TRUE(says("feedback after")) << text();
  }
  std::string text() const { return made_->explain().text; }
  bool says(const std::string& what) const { return text().find(what) != std::string::npos; }
  int rank() const { return part_->rank(); }
  int size() const { return part_->size(); }

private:
  char value(int rank) const { return static_cast<char>('A' + (7 * rank + 3 * round_) % 26); }
  char* block(int r) { return got_.data() + static_cast<std::size_t>(r) * bytes_; }

  std::size_t bytes_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<graph_builder> part_;
  std::vector<char> mine_, got_;
  std::unique_ptr<schedule> made_;
  int round_ = 0;
};

compile_request tuning() {
  compile_request wanted;
  wanted.measures = measuring::all;
  return wanted;
}

class measured_before_runs : public testing::Test {
protected:
  /// The one measurement that rank 0 has kept.
  static graphs::graph_measurement only_measurement() {
    const auto all = graphs::load_graph_measurements(library());
    EXPECT_EQ(all.list.size(), 1u) << all.trouble;
    return all.list.empty() ? graphs::graph_measurement() : all.list.front();
  }
  test::own_cache cache;
};

TEST_F(measured_before_runs, what_was_fastest_is_taken_without_measuring) {
  std::string fastest;
  {
    exchange first(64);
    first.compile(tuning());
    EXPECT_TRUE(first.says("feedback: ")) << first.text();
    EXPECT_FALSE(first.says("earlier run")) << first.text();
    first.tune();
    EXPECT_EQ(first.says("\nkept for later runs in " + cache.folder.string()), first.rank() == 0)
        << first.text();
    if (first.rank() == 0) {
      fastest = only_measurement().variant;
      EXPECT_TRUE(first.says("stays with " + fastest) || first.says("changed to " + fastest)) << first.text();
    }
  }
  exchange again(64); // its buffers are others
  again.compile(tuning());
  EXPECT_TRUE(again.says("\nmeasured in an earlier run (20")) << again.text();
  EXPECT_FALSE(again.says("feedback")) << again.text();
  if (again.rank() == 0) {
    EXPECT_TRUE(again.says("): " + fastest)) << again.text();
  }
  EXPECT_TRUE(again.says("; not ")) << again.text();
  again.run(20);

  exchange anew(64);
  compile_request wanted = tuning();
  wanted.measures = measuring::all_again;
  anew.compile(wanted);
  EXPECT_TRUE(anew.says("feedback: ") && !anew.says("earlier run")) << anew.text();
}

TEST_F(measured_before_runs, other_graphs_and_other_options_are_measured) {
  {
    exchange first(64);
    first.compile(tuning());
    first.tune();
  }
  exchange longer(65);
  longer.compile(tuning());
  EXPECT_EQ(longer.says("earlier run"), longer.size() == 1) << longer.text(); // alone, the graph is empty
  exchange strict(64);
  compile_request wanted = tuning();
  wanted.compile.planning.policy = graphs::sync_policy::keep_sync;
  strict.compile(wanted);
  EXPECT_FALSE(strict.says("earlier run")) << strict.text();
  exchange untuned(64);
  untuned.compile({});
  EXPECT_FALSE(untuned.says("earlier run")) << untuned.text();
}

TEST_F(measured_before_runs, long_runs_are_measured_by_default_and_not_kept) {
  exchange is_long(100'000), is_short(8);
  is_short.compile({});
  EXPECT_FALSE(is_short.says("feedback")) << is_short.text();
  is_long.compile({});
  EXPECT_EQ(is_long.says("feedback: "), is_long.size() > 1) << is_long.text();
  if (is_long.size() > 1)
    is_long.tune();
  EXPECT_FALSE(is_long.says("later runs")) << is_long.text();
  EXPECT_TRUE(graphs::load_graph_measurements(library()).list.empty());
  exchange untuned(100'000);
  compile_request wanted;
  wanted.measures = measuring::nothing;
  untuned.compile(wanted);
  EXPECT_FALSE(untuned.says("feedback")) << untuned.text();
}

/// Another variant may need more of MPI's buffers than the one that was chosen, or round otherwise.
TEST_F(measured_before_runs, what_may_not_end_or_differ_by_another_variant_is_not_measured) {
  exchange ordered(100'000, true), sums(100'000, false, true);
  if (ordered.size() < 2)
    return;
  ordered.compile({});
  EXPECT_TRUE(ordered.says("TACIT-005")) << ordered.text();
  EXPECT_FALSE(ordered.says("feedback")) << ordered.text();
  sums.compile({});
  EXPECT_TRUE(sums.says("feedback")) << sums.text();
  compile_request wanted;
  wanted.compile.planning.reassociate = true;
  exchange rounded(100'000, false, true);
  rounded.compile(wanted);
  EXPECT_FALSE(rounded.says("feedback")) << rounded.text();
}

int number_behind(const std::string& words, const std::string& text) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + words.size()));
}

/// Where ranks share cores that would take a minute.
TEST_F(measured_before_runs, long_runs_are_measured_again) {
  exchange one(300'000);
  if (one.size() != 2)
    return;
  one.compile({});
  one.tune();
  const int first = number_behind("feedback after ", one.text()),
            again = number_behind("measured again after ", one.text());
  if (again < 0)
    return; // all others were far slower here
  ASSERT_GT(again, 50 * first) << one.text();
  one.run_unchecked(again - first - 10);
  EXPECT_EQ(number_behind("feedback after ", one.text()), first) << one.text();
  one.run(first + 10);
  const int second = number_behind("feedback after ", one.text());
  EXPECT_TRUE(second > again && second < again + first) << one.text();
}

TEST_F(measured_before_runs, a_schedule_in_trial_may_be_freed_at_any_run) {
  for (int runs = 0; runs < 300; runs += 1 + runs / 7) {
    exchange one(100'000);
    compile_request wanted;
    wanted.kept = runs % 2 == 0 ? 0 : 16;
    one.compile(wanted);
    one.run_unchecked(runs);
  }
}

/// Each driver in turn stands in rank 0's file alone, and is taken by every rank.
TEST_F(measured_before_runs, all_ranks_take_what_rank_0_has_read) {
  {
    exchange first(1000);
    first.compile(tuning());
    first.tune();
  }
  const graphs::graph_measurement kept = graphs::load_graph_measurements(library()).list.empty()
                                             ? graphs::graph_measurement()
                                             : only_measurement();
  const int size = exchange(1).size();
  std::vector<std::pair<std::string, std::string>> variants{{"as written", "p2p"}, {"as written", "shm"}};
  if (size > 2)
    variants.emplace_back("collectives", "coll");
  for (const auto& [plan, driver] : variants) {
    exchange again(1000);
    if (again.rank() == 0) {
      graphs::graph_measurement other = kept;
      other.variant = name_of_variant(plan, driver);
      ASSERT_EQ(graphs::keep_graph_measurement(library(), other), "");
    }
    again.compile(tuning());
    EXPECT_TRUE(again.says("earlier run")) << again.text();
    EXPECT_TRUE(again.says("\ndriver " + driver)) << again.text();
    EXPECT_EQ(again.says("runs as written"), plan == "as written") << again.text();
    again.run(10);
  }
}

TEST_F(measured_before_runs, a_variant_that_is_none_any_more_is_measured_again) {
  {
    exchange first(64);
    first.compile(tuning());
    first.tune();
  }
  exchange again(64);
  if (again.rank() == 0) {
    graphs::graph_measurement other = only_measurement();
    other.variant = "by pigeon (coll)";
    ASSERT_EQ(graphs::keep_graph_measurement(library(), other), "");
  }
  again.compile(tuning());
  EXPECT_TRUE(again.says("by pigeon") && again.says("is no candidate now")) << again.text();
  EXPECT_TRUE(again.says("feedback: ")) << again.text();
  again.run(20);
}

TEST_F(measured_before_runs, a_damaged_file_is_a_remark_and_is_replaced) {
  std::filesystem::create_directories(graphs::graph_measurement_file(library()).parent_path());
  std::ofstream(graphs::graph_measurement_file(library())) << "{}\n";
  exchange first(64);
  first.compile(tuning());
  EXPECT_TRUE(first.says("\nmeasurements of earlier runs: ") && first.says("is ignored")) << first.text();
  first.tune();
  if (first.rank() == 0) {
    EXPECT_NE(only_measurement().variant, "");
  }
}

TEST_F(measured_before_runs, where_nothing_can_be_kept_that_is_a_remark) {
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  exchange first(64);
  first.compile(tuning());
  first.tune();
  EXPECT_EQ(first.says("\nnot kept for later runs: could not make /proc/nowhere"), first.rank() == 0)
      << first.text();
  first.run(20);
}

local_graph one_message(std::uint64_t from, std::uint64_t length) {
  local_graph g;
  local_operation op;
  op.kind = local_kind::send;
  op.peer = 1;
  op.reads = {{from, length}};
  g.operations.push_back(op);
  return g;
}

TEST(verdict_key, ignores_where_buffers_are_and_what_nodes_are_called) {
  const std::vector<rank_facts> facts{{11, 5, 1}, {11, 5, 1}, {12, 5, 1}};
  const std::vector<local_graph> parts{one_message(100, 8), {}, {}};
  const auto key = verdict_key(facts, parts, {});
  EXPECT_EQ(key, verdict_key({{7, 5, 1}, {7, 5, 1}, {3, 5, 1}}, {one_message(200, 8), {}, {}}, {}));
  compile_request wanted;
  wanted.measures = measuring::all_again;
  wanted.candidates = 2;
  EXPECT_EQ(key, verdict_key(facts, parts, wanted));
}

TEST(verdict_key, depends_on_the_graph_the_nodes_and_the_options) {
  const std::vector<rank_facts> facts{{11, 5, 1}, {11, 5, 1}, {12, 5, 1}};
  const std::vector<local_graph> parts{one_message(100, 8), {}, {}};
  const auto key = verdict_key(facts, parts, {});
  EXPECT_NE(key, verdict_key(facts, {one_message(100, 9), {}, {}}, {}));
  EXPECT_NE(key, verdict_key(facts, {{}, one_message(100, 8), {}}, {}));
  EXPECT_NE(key, verdict_key({{11, 5, 1}, {12, 5, 1}, {11, 5, 1}}, parts, {}));
  EXPECT_NE(key, verdict_key({{11, 5, 1}, {11, 5, 1}, {11, 5, 1}}, parts, {}));
  EXPECT_NE(key, verdict_key({{11, 5, 1}, {11, 0, 1}, {12, 5, 1}}, parts, {}));
  EXPECT_NE(key, verdict_key({{11, 5, 1}, {11, 5, 1}, {12, 5, 1}, {12, 5, 1}}, {parts[0], {}, {}, {}}, {}));
  compile_request wanted;
  wanted.replace_always = true;
  EXPECT_NE(key, verdict_key(facts, parts, wanted));
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
