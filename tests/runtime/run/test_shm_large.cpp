// Driver `shm` with messages that are read straight from the memory of their source: allowed, switched off by
// the user, forbidden by the system from the start, and forbidden in the middle. The last is for good, so the
// order of the cases matters.
#include "large_messages.h"
#include "mpi_main.h"

#include <cstddef>
#include <cstdlib>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace tacit::test {
namespace {

/// From here on process_vm_readv fails in this process, as in containers that forbid it.
void forbid_reading() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), // EPERM
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

TEST_F(large, one_way_and_both_ways) {
  for (const bool both : {false, true}) {
    connect(both);
    for (int round = 0; round < 4; ++round)
      exchange(round);
  }
}

TEST_F(large, switched_off_on_one_rank) {
  if (rank == 0)
    setenv("TACIT_SHM", "copy", 1);
  connect(true);
  unsetenv("TACIT_SHM");
  const std::string text = peers->describe();
  EXPECT_EQ(text.find("copied twice (TACIT_SHM=copy)") != std::string::npos, rank == 0) << text;
  for (int round = 0; round < 4; ++round)
    exchange(round);
}

TEST_F(large, forbidden_in_the_middle_and_from_the_start) {
  connect(true);
  exchange(0);
  exchange(1);
  if (rank == 0)
    forbid_reading();
  for (int round = 2; round < 6; ++round)
    exchange(round);
  for (const bool both : {false, true}) {
    connect(both);
    const std::string text = peers->describe();
    if (rank == 0) {
      EXPECT_NE(text.find("copied twice (process_vm_readv: Operation not permitted)"), std::string::npos)
          << text;
    }
    for (int round = 0; round < 4; ++round)
      exchange(round);
  }
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
