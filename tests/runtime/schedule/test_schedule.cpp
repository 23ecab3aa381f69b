// Building, compiling, starting and explaining schedules without a handle of the C API.
#include "mpi_main.h"
#include "own_cache.h"

#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/schedule/compile_together.h"
#include "runtime/schedule/computations.h"
#include "runtime/schedule/wire.h"

#include <vector>

namespace tacit::runtime {
namespace {

graph_builder::bytes bytes_at(const void* at, std::size_t length) {
  return {{reinterpret_cast<std::uint64_t>(at), length}};
}

std::unique_ptr<schedule> compiled(const graph_builder& part, const compile_request& wanted = {}) {
  return compile_together(part, "the test", [&] { return wanted; });
}

/// Everybody sends its number to everybody else.
struct everybody_to_everybody {
  graph_builder part{MPI_COMM_WORLD};
  int mine = 0;
  std::vector<int> got;

  everybody_to_everybody() : got(static_cast<std::size_t>(part.size()), -1) {
    for (int i = 0; i < part.size(); ++i) {
      if (i == part.rank())
        continue;
      part.send(bytes_at(&mine, sizeof mine), i, 3);
      part.recv(bytes_at(&got[static_cast<std::size_t>(i)], sizeof mine), i, 3);
    }
  }
};

TEST(schedule, runs_any_number_of_times) {
  everybody_to_everybody all;
  const auto made = compiled(all.part);
  for (int round = 0; round < 3; ++round) {
    all.mine = 10 * round + all.part.rank();
    made->start();
    EXPECT_TRUE(made->active());
    if (round == 1)
      while (!made->test()) {
      }
    made->wait();
    EXPECT_FALSE(made->active());
    for (int i = 0; i < all.part.size(); ++i)
      EXPECT_EQ(all.got[static_cast<std::size_t>(i)], i == all.part.rank() ? -1 : 10 * round + i);
  }
  const explanation why = made->explain();
  EXPECT_NE(why.text.find("driver "), std::string::npos) << why.text;
  EXPECT_EQ(why.text.find("\nfound: allgather") != std::string::npos, all.part.size() > 2) << why.text;
  made->end();
}

/// The runs of the trials decide; before, meanwhile and afterwards the data is right.
TEST(schedule, candidates_are_measured_in_place) {
  everybody_to_everybody all;
  compile_request wanted;
  wanted.measures = measuring::all;
  const auto made = compiled(all.part, wanted);
  const auto says = [&](const char* what) { return made->explain().text.find(what) != std::string::npos; };
  EXPECT_TRUE(says("feedback: ")) << made->explain().text; // also alone: shm and p2p
  constexpr int most =
      8 * 5 * 100 + 100; // of 8 ways in 5 turns of 100 runs, and until all ranks know the times
  for (int round = 0; round < most && (round % 100 != 0 || !says("feedback after ")); ++round) {
    all.mine = 10 * round + all.part.rank();
    made->start();
    if (round % 3 == all.part.rank() % 3)
      while (!made->test()) {
      }
    made->wait();
    for (int i = 0; i < all.part.size(); ++i)
      ASSERT_EQ(all.got[static_cast<std::size_t>(i)], i == all.part.rank() ? -1 : 10 * round + i) << round;
  }
  EXPECT_TRUE(says("feedback after ")) << made->explain().text;
  EXPECT_NE(made->explain().json.find("as written ("), std::string::npos) << made->explain().json;
  EXPECT_TRUE(says("(predicted ")) << made->explain().text;
  made->end();
}

/// A pattern with blocks of so many bytes; `run` compares every byte.
class pattern_run {
public:
  /// Vector forms: of the n-th rank's block only n of `size` parts, and at least a byte.
  pattern_run(pattern kind, std::size_t bytes)
      : kind_(uniform(kind)), is_vector_(kind_ != kind), bytes_(bytes) {
    const auto n = static_cast<std::size_t>(part_.size());
    mine_.resize(n * bytes);
    got_.resize(n * bytes);
    for (int r = 0; r < part_.size(); ++r) {
      if (moves(r, part_.rank()))
        part_.recv(bytes_at(target(r), length(r, part_.rank())), r, 0);
      if (moves(part_.rank(), r))
        part_.send(bytes_at(source(r), length(part_.rank(), r)), r, 0);
    }
  }
  const graph_builder& part() const { return part_; }
  void run(schedule& s, int round) {
    for (std::size_t i = 0; i < mine_.size(); ++i)
      mine_[i] = value(part_.rank(), i, round);
    std::fill(got_.begin(), got_.end(), 'x');
    s.start();
    s.wait();
    for (int r = 0; r < part_.size(); ++r)
      for (std::size_t i = 0; moves(r, part_.rank()) && i < length(r, part_.rank()); ++i)
        ASSERT_EQ(target(r)[i], value(r, place(part_.rank()) + i, round))
            << round << " from " << r << " at " << i;
  }

private:
  static pattern uniform(pattern kind) {
    switch (kind) {
    case pattern::scatterv:
      return pattern::scatter;
    case pattern::gatherv:
      return pattern::gather;
    case pattern::allgatherv:
      return pattern::allgather;
    case pattern::alltoallv:
      return pattern::alltoall;
    default:
      return kind;
    }
  }
  std::size_t length(int from, int to) const {
    if (!is_vector_)
      return bytes_;
    const auto n = static_cast<std::size_t>(part_.size());
    const auto which = static_cast<std::size_t>(kind_ == pattern::scatter    ? to
                                                : kind_ == pattern::alltoall ? from + to
                                                                             : from) %
                       n;
    return std::max<std::size_t>(bytes_ * (which + 1) / n, 1);
  }
  bool moves(int from, int to) const {
    if (from == to)
      return false;
    const int root = part_.size() - 1;
    if (kind_ == pattern::bcast || kind_ == pattern::scatter)
      return from == root;
    return kind_ != pattern::gather || to == root;
  }
  static char value(int rank, std::size_t at, int round) {
    return static_cast<char>(
        'A' + (static_cast<std::size_t>(rank) * 7 + at * 3 + static_cast<std::size_t>(round)) % 23);
  }
  std::size_t place(int to) const {
    return kind_ == pattern::scatter || kind_ == pattern::alltoall ? static_cast<std::size_t>(to) * bytes_
                                                                   : 0;
  }
  char* source(int to) { return mine_.data() + place(to); }
  char* target(int from) { return got_.data() + static_cast<std::size_t>(from) * bytes_; }

  graph_builder part_{MPI_COMM_WORLD};
  pattern kind_;
  bool is_vector_;
  std::size_t bytes_;
  std::vector<char> mine_, got_;
};

TEST(schedule, every_candidate_moves_the_same_bytes) {
  std::size_t tried = 0;
  for (const pattern kind :
       {pattern::bcast, pattern::scatter, pattern::gather, pattern::allgather, pattern::alltoall,
        pattern::scatterv, pattern::gatherv, pattern::allgatherv, pattern::alltoallv})
    for (const std::size_t bytes : {std::size_t{5}, std::size_t{100'000}}) {
      pattern_run all(kind, bytes);
      compile_request wanted;
      wanted.measures = measuring::all;
      wanted.candidates = 40;
      const auto made = compiled(all.part(), wanted);
      const std::string text = made->explain().text;
      for (std::size_t at = text.find("predicted: "); at < text.find('\n', text.find("predicted: "));
           at = text.find(", ", at + 1))
        ++tried;
      // At least a turn of most of them. Oversubscribed ranks take milliseconds a run under MPICH.
      const int rounds = !mpi_progresses() ? 60 : bytes > 10'000 ? 100 : 800;
      for (int round = 0; round < rounds && !testing::Test::HasFatalFailure(); ++round)
        all.run(*made, round);
      made->end();
    }
  if (size_of(MPI_COMM_WORLD) > 2 && mpi_progresses()) {
    EXPECT_GT(tried, 110u);
  }
}

TEST(schedule, the_choice_is_explained) {
  everybody_to_everybody all;
  for (const bool always : {false, true}) {
    compile_request wanted;
    wanted.replace_always = always;
    const auto made = compiled(all.part, wanted);
    const explanation why = made->explain();
    if (all.part.size() > 1) {
      EXPECT_NE(why.text.find("\npredicted: "), std::string::npos) << why.text;
      EXPECT_NE(why.json.find("\"nanoseconds\":"), std::string::npos) << why.json;
    }
    EXPECT_EQ(why.text.find("TACIT-049") != std::string::npos, !always || all.part.size() < 3) << why.text;
    made->end();
  }
}

TEST(schedule, nothing_is_measured_where_no_rank_may_wait_for_others) {
  everybody_to_everybody all;
  compile_request wanted;
  wanted.measures = measuring::all;
  wanted.compile.planning.progress = graphs::region_progress::as_written;
  const auto made = compiled(all.part, wanted);
  EXPECT_EQ(made->explain().text.find("feedback"), std::string::npos);
  made->end();
}

TEST(schedule, starting_an_active_one_is_an_error_of_state) {
  everybody_to_everybody all;
  const auto made = compiled(all.part);
  made->start();
  try {
    made->start();
    ADD_FAILURE() << "started twice";
  } catch (const call_error& e) {
    EXPECT_EQ(e.why, call_error::kind::state);
  }
  made->wait();
  made->end();
}

TEST(schedule, what_one_rank_throws_all_throw) {
  everybody_to_everybody all;
  try {
    compile_together(all.part, "the test", [&]() -> compile_request {
      if (all.part.rank() == all.part.size() - 1)
        throw call_error(call_error::kind::environment, "no luck");
      return {};
    });
    ADD_FAILURE() << "compiled";
  } catch (const call_error& e) {
    EXPECT_EQ(e.why, call_error::kind::environment);
    EXPECT_NE(std::string(e.what()).find("the test"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("no luck"), std::string::npos) << e.what();
  }
}

TEST(schedule, a_builder_refuses_what_it_can_see_and_adds_nothing) {
  graph_builder part(MPI_COMM_WORLD);
  const int x = 0;
  EXPECT_THROW(part.send(bytes_at(&x, 4), part.size(), 0), call_error);
  EXPECT_THROW(part.send(bytes_at(&x, 4), 0, -1), call_error);
  EXPECT_THROW(part.copy(bytes_at(&x, 4), bytes_at(&x, 2)), call_error);
  EXPECT_THROW(part.fence(1), call_error);
  EXPECT_THROW(part.compute({}, {}, {}), call_error);
  EXPECT_THROW(part.depend(0, 1), call_error);
  EXPECT_TRUE(part.values().operations.empty());
}

TEST(schedule, computations_run_on_every_rank_and_know_that_they_do) {
  graph_builder part(MPI_COMM_WORLD);
  int x = 0;
  bool known = false;
  part.compute(
      [&] {
        ++x;
        known = running_computation::on_this_thread();
      },
      {}, bytes_at(&x, sizeof x));
  const auto made = compiled(part);
  for (int round = 1; round <= 2; ++round) {
    made->start();
    made->wait();
    EXPECT_EQ(x, round);
  }
  EXPECT_TRUE(known);
  EXPECT_FALSE(running_computation::on_this_thread());
  made->end();
}

/// Nothing orders the two, so a rank may ask for what it sends itself before it sends it.
TEST(schedule, a_message_to_the_own_rank_may_be_asked_for_before_it_is_sent) {
  for (const char* driver : {"", "shm", "p2p", "coll", "rma"}) {
    graph_builder part(MPI_COMM_WORLD);
    const int right = (part.rank() + 1) % part.size(), left = (part.rank() + part.size() - 1) % part.size();
    int mine = 0, kept = -1, other = 0, passed = -1;
    const int asked = part.recv(bytes_at(&kept, sizeof kept), part.rank(), 7);
    part.depend(asked, part.send(bytes_at(&kept, sizeof kept), right, 8));
    part.recv(bytes_at(&passed, sizeof passed), left, 8);
    part.send(bytes_at(&mine, sizeof mine), part.rank(), 7);
    part.send(bytes_at(&other, sizeof other), part.rank(), 9);
    part.depend(asked, part.recv(bytes_at(&other, sizeof other), part.rank(), 9)); // of the same bytes
    compile_request wanted;
    wanted.driver = driver;
    const auto made = compiled(part, wanted);
    for (int round = 1; round <= 3; ++round) {
      mine = 100 * round + part.rank();
      other = round;
      made->start();
      made->wait();
      EXPECT_EQ(kept, 100 * round + part.rank()) << driver;
      EXPECT_EQ(passed, 100 * round + left) << driver;
      EXPECT_EQ(other, round) << driver;
    }
    made->end();
  }
}

TEST(schedule, a_graph_knows_when_its_communicator_is_freed) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  graph_builder part(other);
  EXPECT_EQ(part.comm(), other);
  EXPECT_EQ(part.rank(), rank_in(MPI_COMM_WORLD));
  EXPECT_EQ(part.size(), size_of(MPI_COMM_WORLD));
  MPI_Comm_free(&other);
  EXPECT_EQ(part.comm(), MPI_COMM_NULL);
  EXPECT_THROW(compiled(part), call_error);
}

TEST(wire, a_part_arrives_as_it_was_and_other_versions_are_refused) {
  local_graph g;
  g.communicators.push_back({7, {0, 2}, "pair"});
  g.operations.push_back({local_kind::send, 1, 2, 5, {{100, 8}, {200, 1}}, {}});
  g.operations.push_back({local_kind::fence, 0, -1, 0, {}, {}});
  g.operations.push_back({local_kind::reduce, 0, -1, 0, {{300, 8}}, {{400, 8}}, 0});
  g.reducers.push_back({"sum", "int", 4, true, false});
  g.dependencies.emplace_back(0, 1);
  g.scratch = {{100, 8}};
  message bytes = packed_graph({7, 8, 1}, g);
  const auto [facts, got] = unpacked_graph(bytes);
  EXPECT_EQ(facts.node, 7u);
  EXPECT_EQ(facts.longest_in_memory, 8u);
  const std::vector<local_operation> operations = got.operations.one_by_one(),
                                     given = g.operations.one_by_one();
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0].reads, given[0].reads);
  EXPECT_EQ(operations[0].comm, 1);
  EXPECT_EQ(operations[1].kind, local_kind::fence);
  EXPECT_EQ(operations[1].reducer, -1);
  EXPECT_EQ(operations[2].reducer, 0);
  EXPECT_EQ(got.reducers, g.reducers);
  EXPECT_EQ(got.dependencies, g.dependencies);
  EXPECT_EQ(got.scratch, g.scratch);
  EXPECT_EQ(got.communicators[0].members, g.communicators[0].members);
  EXPECT_EQ(got.communicators[0].name, "pair");
  bytes[0] ^= std::byte{1};
  EXPECT_THROW(unpacked_graph(bytes), call_error);
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  const tacit::test::own_cache nothing_is_known;
  return tacit::test::mpi_main(argc, argv);
}
