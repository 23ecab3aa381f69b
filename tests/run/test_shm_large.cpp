// Driver `shm` with messages that are read straight from the memory of their source: allowed, switched off by
// the user, forbidden by the system from the start, and forbidden in the middle. The last is for good, so the
// order of the cases matters.
#include "run/driver.h"

#include "mpi_main.h"
#include "run/progress.h"
#include "run/shm_peers.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>

namespace tacit::test {
namespace {

constexpr std::size_t bytes = 1200001;

/// A ring of ranks, in one direction or in both.
class large : public ::testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  void TearDown() override {
    run.reset();
    peers.reset();
    MPI_Comm_free(&comm);
  }
  void connect(bool both_ways) {
    run.reset();
    program p;
    p.rank = rank;
    out.assign(bytes + 100, 0);
    const auto add = [&](step_kind kind, int peer, std::vector<unsigned char>& memory, std::int32_t tag) {
      step s;
      s.kind = kind;
      s.peer = rank_id{static_cast<std::uint32_t>(peer)};
      s.tag = tag;
      const auto at = reinterpret_cast<std::uint64_t>(memory.data());
      auto& list = kind == step_kind::send ? s.reads : s.writes;
      list = {{at, 1000}, {at + 1010, bytes - 1000}}; // a gap, on both sides alike
      p.plan.steps.push_back(s);
    };
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    in.assign(both_ways ? 2 : 1, std::vector<unsigned char>(bytes + 100));
    add(step_kind::send, next, out, 0);
    add(step_kind::recv, before, in[0], 0);
    if (both_ways) {
      add(step_kind::send, before, out, 1);
      add(step_kind::recv, next, in[1], 1);
    }
    const driver* d = find_driver("shm");
    peers = d->offer(p, comm);
    peers->create();
    run = d->prepare(p, comm, peers.get());
  }
  static unsigned char value(int from, std::size_t i, int round) {
    return static_cast<unsigned char>(from * 71 + static_cast<int>(i % 251) * 7 + round * 101 + 1);
  }
  std::vector<unsigned char> expected(int from, int round) const {
    std::vector<unsigned char> all(bytes + 100, 0);
    for (std::size_t i = 0; i < bytes; ++i)
      all[i < 1000 ? i : i + 10] = value(from, i, round);
    return all;
  }
  void exchange(int round) {
    const auto sent = expected(rank, round);
    std::copy(sent.begin(), sent.end(), out.begin()); // in place
    for (auto& memory : in)
      std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0));
    run->start();
    begin_progress(*run);
    wait_for(*run);
    ASSERT_TRUE(in[0] == expected((rank + size - 1) % size, round)) << "round " << round;
    if (in.size() == 2) {
      ASSERT_TRUE(in[1] == expected((rank + 1) % size, round)) << "round " << round;
    }
  }

  int rank = 0, size = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<unsigned char> out;
  std::vector<std::vector<unsigned char>> in;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run;
};

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
