// Who has waited for the tasks of all ranks may call MPI_Finalize, during which no other thread may be in MPI: said by a main thread that does
// something else for longer than the executor's threads sleep, and counted by their calls.
#include "mpi_main.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <tacit/tasks.hpp>
#include <thread>

namespace {

const std::thread::id main_thread = std::this_thread::get_id();
std::atomic<long> calls = 0; ///< of other threads

void count() {
  if (std::this_thread::get_id() != main_thread)
    ++calls;
}

} // namespace

// What the executor's threads call without a task.
extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  count();
  return PMPI_Test(request, done, status);
}
extern "C" double MPI_Wtime() {
  count();
  return PMPI_Wtime();
}

namespace tacit {
namespace {

/// Other ranks have to wait for it.
void add_up(buffer<int, 1>& values, queue& q) {
  const range<1> all = values.get_range();
  q.submit([&](handler& h) {
    accessor to(values, h, access::one_to_one(), write_only, no_init);
    h.parallel_for<class makes>(all, [=](std::size_t i) { to[i] = int(i); });
  });
  q.submit([&](handler& h) {
    accessor from(values, h, access::all(), read_only);
    accessor to(values, h, access::one_to_one(), write_only);
    h.parallel_for<class takes>(all, [=](std::size_t i) { to[i] = from[0] + from[all[0] - 1]; });
  });
}

/// Longer than the executor's threads sleep while something is under way.
long calls_of_a_while() {
  const long before = calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  return calls - before;
}

constexpr int often = 20;

TEST(quiet, after_the_last_queue_no_thread_calls_mpi) {
  for (int n = 0; n < often; ++n) {
    {
      queue q;
      buffer<int, 1> values(64);
      add_up(values, q);
    }
    EXPECT_EQ(calls_of_a_while(), 0);
  }
}

TEST(quiet, after_a_wait_for_all_ranks_no_thread_calls_mpi) {
  queue q;
  buffer<int, 1> values(64);
  for (int n = 0; n < often; ++n) {
    add_up(values, q);
    q.wait(barrier);
    EXPECT_EQ(calls_of_a_while(), 0);
  }
}

TEST(quiet, a_buffer_that_goes_after_the_last_queue_calls_nobody_into_mpi) {
  for (int n = 0; n < often; ++n) {
    std::optional<queue> q(std::in_place);
    std::optional<buffer<int, 1>> values(std::in_place, 64);
    add_up(*values, *q);
    q.reset();
    EXPECT_EQ(calls_of_a_while(), 0);
    values.reset();
    EXPECT_EQ(calls_of_a_while(), 0);
  }
}

} // namespace
} // namespace tacit

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int failed = tacit::test::run_tests(argc, argv);
  MPI_Finalize();
  return failed;
}
