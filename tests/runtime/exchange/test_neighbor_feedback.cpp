// Feedback at run time: whatever variant runs, its results are right; all ranks run the same one; and it
// ends in all orders of waiting and testing. Which one is fastest here is nobody's business.
#include "mpi_main.h"
#include "neighbor_oracle.h"

#include <random>
#include <string>
#include <unistd.h>

namespace tacit::test {
namespace {

MPI_Info with_feedback(const std::string& runs) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_neighbor_feedback", runs.c_str());
  return info;
}

/// The two neighbors in a ring, each by two edges, and the rank itself: all groupings are different variants.
MPI_Comm ring() {
  const int dims[] = {world_size()}, periods[] = {1}, offsets[] = {-1, 1, -1, 1, 0};
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(tacit_topology_stencil(1, dims, periods, 5, offsets, &t), TACIT_SUCCESS);
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS) << tacit_last_error();
  tacit_topology_free(&t);
  return comm;
}

class exchange {
public:
  exchange(MPI_Comm comm, int count, MPI_Info info)
      : count_(count), out_(5 * static_cast<std::size_t>(count)), in_(out_.size()) {
    EXPECT_EQ(tacit_neighbor_alltoall_init(out_.data(), count, MPI_INT, in_.data(), count, MPI_INT, comm,
                                           info, &schedule),
              TACIT_SUCCESS)
        << tacit_last_error();
  }
  ~exchange() { tacit_schedule_free(&schedule); }

  void start() {
    ++run_;
    for (std::size_t i = 0; i < out_.size(); ++i)
      out_[i] = value(world_rank(), i);
    std::fill(in_.begin(), in_.end(), -1);
    ASSERT_EQ(tacit_start(schedule), TACIT_SUCCESS) << tacit_last_error();
  }
  void wait() {
    ASSERT_EQ(tacit_wait(schedule), TACIT_SUCCESS) << tacit_last_error();
    check();
  }
  void test_until_done() {
    for (int done = 0; !done;)
      ASSERT_EQ(tacit_test(schedule, &done), TACIT_SUCCESS) << tacit_last_error();
    check();
  }
  void check() const {
    const int p = world_size(), left = (world_rank() + p - 1) % p, right = (world_rank() + 1) % p;
    // What leaves at offset -1 arrives from the right.
    const int from[] = {right, left, right, left, world_rank()};
    for (std::size_t i = 0; i < in_.size(); ++i)
      ASSERT_EQ(in_[i], value(from[i / static_cast<std::size_t>(count_)], i))
          << "run " << run_ << ", element " << i;
  }
  std::string said() const {
    std::vector<char> text(6000);
    EXPECT_EQ(tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
    return text.data();
  }
  std::string feedback() const {
    const std::string text = said();
    const std::size_t at = text.find("feedback");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;

private:
  int value(int rank, std::size_t i) const { return rank * 100000 + static_cast<int>(i) * 10 + run_ % 10; }
  int count_, run_ = 0;
  std::vector<int> out_, in_;
};

/// The same on all ranks.
void expect_alike(const std::string& text) {
  std::vector<char> first(1000);
  text.copy(first.data(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first.data());
}

TEST(feedback, tries_all_variants_and_goes_on_with_one) {
  MPI_Comm comm = ring();
  for (const int count : {1, 3000, 40000}) {
    MPI_Info info = with_feedback("3");
    exchange e(comm, count, info);
    MPI_Info_free(&info);
    EXPECT_EQ(e.feedback(), "feedback: 6 variants will be tried after 3 runs");
    std::mt19937 random(static_cast<unsigned>(world_rank() + count));
    for (int run = 0; run < 150; ++run) {
      if (random() % 40 == 0)
        usleep(random() % 2000);
      e.start();
      e.wait();
      if (HasFatalFailure())
        return;
    }
    const std::string after = e.feedback();
    EXPECT_EQ(after.rfind("feedback after ", 0), 0u) << after;
    EXPECT_NE(after.find("(median run of the slowest rank)"), std::string::npos) << after;
    expect_alike(after);
  }
  MPI_Comm_free(&comm);
}

TEST(feedback, ends_in_all_orders) {
  MPI_Comm comm = ring();
  MPI_Info info = with_feedback("1"), later = with_feedback("7");
  exchange a(comm, 2, info), b(comm, 500, later), plain(comm, 4, MPI_INFO_NULL);
  for (int run = 0; run < 160; ++run) {
    a.start();
    b.start();
    plain.start();
    if ((world_rank() + run) % 3 == 0) {
      a.wait();
      b.wait();
      plain.wait();
    } else if ((world_rank() + run) % 3 == 1) {
      plain.wait();
      b.test_until_done();
      a.wait();
    } else {
      b.wait();
      a.test_until_done();
      plain.test_until_done();
    }
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(plain.feedback(), "");
  expect_alike(a.feedback());
  expect_alike(b.feedback());
  MPI_Info_free(&info);
  MPI_Info_free(&later);
  MPI_Comm_free(&comm);
}

TEST(feedback, may_be_freed_at_any_time) {
  MPI_Comm comm = ring();
  MPI_Info info = with_feedback("2");
  for (const int runs : {0, 1, 2, 3, 17, 121, 122, 123}) {
    exchange e(comm, 10, info);
    for (int run = 0; run < runs; ++run) {
      e.start();
      e.wait();
    }
  }
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

TEST(feedback, names_what_is_wrong) {
  MPI_Comm comm = ring();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int out[5], in[5];
  const std::string other_here = world_rank() == 0 ? "5" : "6";
  for (const std::string& runs : {std::string("-1"), std::string("3x"), std::string("soon"), other_here}) {
    if (runs == other_here && world_size() == 1)
      continue;
    MPI_Info info = with_feedback(runs);
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    EXPECT_NE(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, info, &s), TACIT_SUCCESS);
    EXPECT_NE(std::string(tacit_last_error()).find("tacit_neighbor_feedback"), std::string::npos)
        << tacit_last_error();
    MPI_Info_free(&info);
  }
  MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // which variants are compared must not depend on the machine
  return tacit::test::mpi_main(argc, argv);
}
