// Driver `shm` without the capability to trace other processes, where the kernel itself forbids one process
// to read another one's memory: a process that is not dumpable may be read by nobody of its user. That
// happens in the middle of a schedule, after its channels have been connected, and before another one is
// connected.
#include "large_messages.h"
#include "mpi_main.h"

#include <cerrno>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tacit::test {
namespace {

class uncapable : public large {
protected:
  void TearDown() override {
    prctl(PR_SET_DUMPABLE, 1);
    large::TearDown();
  }
  /// Of all ranks; collective. True if the kernel then refuses to let each of them read the next one.
  bool forbid_everybody() {
    prctl(PR_SET_DUMPABLE, 0);
    MPI_Barrier(comm);
    return everywhere(error_of_reading_next() == EPERM);
  }
  void allow_everybody() {
    prctl(PR_SET_DUMPABLE, 1);
    MPI_Barrier(comm);
  }
  bool everywhere(bool here) {
    int mine = here ? 1 : 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
    return all != 0;
  }
  /// As the system says it, without tacit; 0: it can be read.
  int error_of_reading_next() {
    static int word = 0;
    struct {
      long process;
      std::uint64_t address;
    } mine{getpid(), reinterpret_cast<std::uint64_t>(&word)}, theirs{};
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (rank + size - 1) % size, 0, &theirs, sizeof theirs, MPI_BYTE,
                 (rank + 1) % size, 0, comm, MPI_STATUS_IGNORE);
    int seen = 0;
    iovec local{&seen, sizeof seen}, remote{reinterpret_cast<void*>(theirs.address), sizeof seen};
    const bool read = ::process_vm_readv(static_cast<pid_t>(theirs.process), &local, 1, &remote, 1, 0) > 0;
    const int error = read ? 0 : errno;
    MPI_Barrier(comm);
    return error;
  }
};

const char* const still_allowed =
    "this machine lets ranks read a process that is not dumpable: is CAP_SYS_PTRACE still there?";

/// Comes first: what a rank has once opened stays open.
TEST_F(uncapable, permission_is_missing_from_the_start) {
  if (!forbid_everybody())
    GTEST_SKIP() << still_allowed;
  for (const bool both : {false, true}) {
    connect(both);
    const std::string text = peers->describe();
    EXPECT_NE(text.find("Permission denied"), std::string::npos) << text;
    EXPECT_NE(text.find("by messages"), std::string::npos) << text;
    for (int round = 0; round < 4; ++round)
      exchange(round);
  }
  allow_everybody();
  connect(true);
  for (int round = 0; round < 4; ++round)
    exchange(round);
}

TEST_F(uncapable, permission_is_taken_away_between_runs) {
  connect(true);
  if (!everywhere(error_of_reading_next() == 0))
    GTEST_SKIP() << "reading other processes is never allowed here";
  EXPECT_EQ(peers->describe().find("copied twice"), std::string::npos) << peers->describe();
  exchange(0);
  exchange(1);
  if (!forbid_everybody())
    GTEST_SKIP() << still_allowed;
  for (int round = 2; round < 8; ++round)
    exchange(round);
  allow_everybody();
  for (int round = 8; round < 10; ++round)
    exchange(round);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
