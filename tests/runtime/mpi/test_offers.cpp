// Who offers its core while it waits: it yields to threads that work for it, and sleeps beside those that only use the core up.
#include "runtime/mpi/await.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>

namespace tacit::runtime {
namespace {

/// Sleeps are such; yields are not.
long voluntary_switches() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

/// This thread and one that never rests, on one core.
class shared_core {
public:
  shared_core() : allowed_(allowed()) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &allowed_))
        CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    busy_ = std::thread([this] {
      while (!stop_)
        ++turns_;
    });
    while (turns_ == 0)
      sched_yield();
  }
  ~shared_core() {
    stop_ = true;
    busy_.join();
    sched_setaffinity(0, sizeof allowed_, &allowed_);
  }

private:
  static cpu_set_t allowed() {
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    return now;
  }
  cpu_set_t allowed_;
  std::atomic<bool> stop_ = false;
  std::atomic<long> turns_ = 0;
  std::thread busy_;
};

TEST(offers, sleep_beside_a_thread_that_keeps_the_core) {
  const shared_core core;
  const long before = voluntary_switches();
  while (voluntary_switches() == before) // ends: the other one sometime has a whole slice
    offer_core();
}

TEST(offers, yield_to_a_thread_that_works_for_this_one) {
  const shared_core core;
  keep_yielding(); // whatever was before
  const long before = voluntary_switches();
  for (int offers = 0; offers < 100; ++offers) {
    offer_core();
    keep_yielding();
  }
  EXPECT_EQ(voluntary_switches(), before);
}

} // namespace
} // namespace tacit::runtime
