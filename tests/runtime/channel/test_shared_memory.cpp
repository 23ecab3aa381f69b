// Regions between processes: opened by a child, refused where they must be, gone when their owner is.
#include "runtime/channel/shared_memory.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::test {

using namespace runtime;
namespace {

TEST(shared_memory, a_child_writes_what_the_owner_reads) {
  shared_region mine;
  ASSERT_EQ(mine.make(8192), "");
  const region_address where = mine.address();
  const process_identity owner = this_process();
  auto& word = *reinterpret_cast<std::uint64_t*>(mine.at(region_header));
  const pid_t child = fork();
  if (child == 0) {
    shared_region theirs;
    if (!theirs.open(owner, where).empty())
      _exit(1);
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(theirs.at(region_header))).store(7);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::atomic_ref(word).load(), 7u);
}

TEST(shared_memory, what_is_not_the_promised_region_is_refused) {
  shared_region mine;
  ASSERT_EQ(mine.make(8192), "");
  region_address wrong = mine.address();
  ++wrong.secret;
  EXPECT_NE(shared_region().open(this_process(), wrong), "");
  wrong = mine.address();
  wrong.bytes += 4096;
  EXPECT_NE(shared_region().open(this_process(), wrong), "");
  wrong = mine.address();
  mine.close_descriptor();
  EXPECT_NE(shared_region().open(this_process(), wrong), "");
}

TEST(shared_memory, limits_are_reasons_and_not_signals) {
  EXPECT_NE(shared_region().make(std::size_t{1} << 60), "");
  const pid_t child = fork();
  if (child == 0) {
    rlimit none{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &none);
    if (shared_region().make(8192).empty())
      _exit(1);
    none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    _exit(shared_region().make(4096).empty() ? 2 : 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(shared_memory, knows_who_lives_and_who_is_elsewhere) {
  const process_identity me = this_process();
  EXPECT_NE(me.started, 0u);
  EXPECT_FALSE(has_ended(me));
  EXPECT_EQ(apart(me, me), "the same process");
  process_identity other = me;
  other.pid += 1;
  EXPECT_EQ(apart(me, other), "");
  other.boot += 1;
  EXPECT_EQ(apart(me, other), "another host");
  other = me;
  other.started -= 1; // the number has been given to a new process
  EXPECT_TRUE(has_ended(other));

  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const process_identity it = this_process();
    if (write(ready[1], &it, sizeof it) != sizeof it)
      _exit(1);
    pause();
    _exit(0);
  }
  process_identity it;
  ASSERT_EQ(read(ready[0], &it, sizeof it), static_cast<ssize_t>(sizeof it));
  EXPECT_FALSE(has_ended(it));
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT); // dead, but not reaped
  EXPECT_TRUE(has_ended(it));
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended(it));
}

} // namespace
} // namespace tacit::test
