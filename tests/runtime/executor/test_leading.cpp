// Who leads while a kernel runs on an executor's thread: new tasks run beside it, and nothing that comes meanwhile is lost.
#include "task_main.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace {

TEST(leading, a_kernel_on_the_leaders_thread_does_not_hold_up_tasks_that_come_later) {
  tacit::queue queue;
  std::atomic<bool> open = false, ended = false;
  int ranks = 1; // one item for each, so that of several kernel threads only one is held
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto items = static_cast<std::size_t>(ranks);
  tacit::buffer<int, 1> slow{tacit::range<1>(items)}, quick{tacit::range<1>(64)};
  queue.submit([&](tacit::handler& h) {
    tacit::accessor to(slow, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for<class waits>(items, [=, &open, &ended](std::size_t i) {
      while (!open)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      to[i] = 1;
      ended = true;
    });
  });
  for (int repeated = 0; repeated < 3; ++repeated) {
    queue.submit([&](tacit::handler& h) {
      tacit::accessor to(quick, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
      h.parallel_for<class goes_on>(64, [=](std::size_t i) { to[i] = int(i) + repeated; });
    });
    const auto values = queue.fence(quick).get(); // of all ranks: each of them has its kernel under way
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_EQ(values.get_data()[i], int(i) + repeated);
    EXPECT_FALSE(ended);
  }
  open = true;
  queue.wait();
  EXPECT_TRUE(ended);
}

TEST(leading, long_and_short_kernels_and_messages_in_turns_leave_what_one_thread_would) {
  tacit::queue queue;
  constexpr std::size_t n = 97;
  std::vector<long> expected(n, 1);
  tacit::buffer<long, 1> values(expected.data(), n);
  for (int step = 0; step < 60; ++step) {
    queue.submit([&](tacit::handler& h) {
      tacit::accessor a(values, h, tacit::access::one_to_one(), tacit::read_write);
      h.parallel_for<class sleeps>(n, [=](std::size_t i) {
        if (step % 7 == 0 && i % 16 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(300));
        a[i] += long(i) % 5 + step;
      });
    });
    queue.submit([&](tacit::handler& h) { // wants what all ranks have
      tacit::accessor from(values, h, tacit::access::all(), tacit::read_only);
      tacit::accessor to(values, h, tacit::access::one_to_one(), tacit::write_only);
      h.parallel_for<class nothing>(n, [=](std::size_t i) { to[i] = from[i]; });
    });
    for (std::size_t i = 0; i < n; ++i)
      expected[i] += long(i) % 5 + step;
  }
  const auto found = queue.fence(values).get();
  EXPECT_EQ(std::vector<long>(found.get_data(), found.get_data() + n), expected);
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
