// Who waits for messages beside the thread that submits yields to it, and sleeps beside a stranger; said by a program whose other rank
// comes late, and counted by what sleeps.
#include "mpi_main.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <sched.h>
#include <sys/syscall.h>
#include <tacit/tasks.hpp>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<long> sleeps = 0;

} // namespace

extern "C" int nanosleep(const timespec* length, timespec* rest) {
  ++sleeps;
  return static_cast<int>(syscall(SYS_nanosleep, length, rest));
}

namespace tacit {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

/// Of all its threads.
double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed))
      cores.push_back(core);
  return cores;
}

void go_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores)
    CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

class submitting : public testing::Test {
protected:
  submitting() { MPI_Comm_rank(MPI_COMM_WORLD, &rank_); }

  struct told {
    double had_cores = 0; ///< the process, in times of one core's
    long slept = 0;
  };
  /// Rank 0 waits for a message of rank 1 and submits meanwhile, for 100 ms and more; rank 1 comes when that is done.
  told submit_while_waiting(queue& q) {
    constexpr int more = 2000;
    buffer<int, 1> late(2), sink(2), own(2);
    told out;
    if (rank_ == 1)
      wait_for_rank_0();
    q.submit([&](handler& h) {
      accessor to(late, h, access::one_to_one(), write_only, no_init);
      h.parallel_for<class makes>(2, [=](std::size_t i) { to[i] = int(i); });
    });
    q.submit([&](handler& h) {
      accessor from(late, h, access::all(), read_only);
      accessor to(sink, h, access::one_to_one(), write_only, no_init);
      h.parallel_for<class takes>(2, [=](std::size_t i) { to[i] = from[0] + from[1]; });
    });
    const auto begun = steady_clock::now();
    const double had_run = process_seconds();
    const long slept = sleeps;
    for (int n = 0; n < more; ++n) {
      q.submit([&](handler& h) {
        accessor to(own, h, access::one_to_one(), write_only, no_init);
        h.parallel_for<class goes_on>(2, [=](std::size_t i) { to[i] = n; });
      });
      if (rank_ == 0)
        compute(microseconds(50));
    }
    const std::chrono::duration<double> took = steady_clock::now() - begun;
    out.had_cores = (process_seconds() - had_run) / took.count();
    out.slept = sleeps - slept;
    if (rank_ == 0)
      MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    q.wait();
    return out;
  }

  static void compute(microseconds length) {
    for (const auto end = steady_clock::now() + length; steady_clock::now() < end;) {
    }
  }

  /// Without the core that rank 0 needs.
  static void wait_for_rank_0() {
    for (int there = 0; !there;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  /// Of rank 0.
  template <typename Value>
  static Value told_to_all(Value mine) {
    MPI_Bcast(&mine, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    return mine;
  }

  int rank_ = 0;
};

/// Without its yields it sleeps some 4,000 times. If others take part of the core, sleeping is right: then once more.
TEST_F(submitting, on_the_core_of_who_waits_is_not_slept_beside) {
  const std::vector<int> cores = allowed_cores();
  if (rank_ == 0)
    go_to({cores[0]});
  queue q;
  const auto undisturbed = [](const told& seen) { return seen.had_cores > 0.98; };
  told seen;
  for (int attempt = 0; attempt < 10 && !undisturbed(seen); ++attempt)
    seen = told_to_all(submit_while_waiting(q));
  if (rank_ == 0)
    go_to(cores);
  if (!undisturbed(seen))
    GTEST_SKIP() << "others took part of the core";
  EXPECT_LE(seen.slept, 1000);
}

TEST_F(submitting, on_another_core_does_not_hide_a_stranger) {
  const std::vector<int> cores = allowed_cores();
  if (told_to_all(cores.size()) < 2)
    GTEST_SKIP() << "one core only";
  std::atomic<bool> stop = false;
  std::optional<std::thread> stranger;
  if (rank_ == 0) {
    go_to({cores[0]});
    stranger.emplace([&stop] {
      while (!stop) {
      }
    });
  }
  queue q; // its threads stay on the stranger's core
  if (rank_ == 0)
    go_to({cores[1]});
  const told seen = told_to_all(submit_while_waiting(q));
  stop = true;
  if (stranger)
    stranger->join();
  go_to(cores);
  EXPECT_GT(seen.slept, 0);
}

} // namespace
} // namespace tacit

int main(int argc, char** argv) {
  // Open MPI's own yields, while it looks for messages, would come first.
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  setenv("OMPI_MCA_mpi_oversubscribe", "0", 1);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int failed = tacit::test::run_tests(argc, argv);
  MPI_Finalize();
  return failed;
}
