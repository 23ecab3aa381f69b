// Waiting for memory that another process writes.
//
// A rank that spins on a flag does nothing for MPI, gives its core to nobody and would wait for ever for a
// process that has died. So in rounds that bring nothing new it does, from time to time,
//   a probe         progresses MPI: the peer may wait for the end of a message of the program's;
//   a look around   once a second: an error names a peer that has ended instead of waiting for ever.
// None of this costs anything while messages arrive.
#pragma once

#include "run/shm_peers.h"
#include "run/task_run.h"

#include <cstdint>
#include <functional>
#include <mpi.h>
#include <sched.h>

namespace tacit {

class shm_wait {
public:
  shm_wait(MPI_Comm comm, const shm_peers& peers);
  /// A round has brought something new.
  void news() { rounds_ = 0; }
  /// A round has brought nothing. `each_pending(visit)` calls `visit(note)` for each message awaited through
  /// shared memory. Throws mpi_error if one of their peers has ended.
  template <typename EachPending>
  void nothing_new(EachPending&& each_pending) {
    if (++rounds_ % rounds_per_probe == 0 && probe_and_look())
      each_pending([this](const task_note& note) { check(note); });
  }
  /// Between two rounds of a blocking wait.
  void relax() const {
    if (rounds_ > (oversubscribed_ ? rounds_before_yield_oversubscribed : rounds_before_yield))
      sched_yield();
  }

private:
  /// A round of one neighbor takes some 5 ns, a probe some 100 ns.
  static constexpr std::uint32_t rounds_per_probe = 512;
  /// Some milliseconds. Who yields to another program of the machine gets the core back only after a time
  /// slice, and so does the peer that waits for it: yielding after 20 us made messages of 256 KiB 16 times
  /// slower on a busy machine.
  static constexpr std::uint32_t rounds_before_yield = 1 << 18;
  static constexpr std::uint32_t rounds_before_yield_oversubscribed = 64;

  /// True about once a second.
  bool probe_and_look();
  void check(const task_note& note);

  MPI_Comm comm_;
  const shm_peers& peers_;
  bool oversubscribed_;
  std::uint32_t rounds_ = 0;
  double looked_ = 0; ///< MPI_Wtime
  int ended_ = -1;    ///< a peer that had ended at the last look
};

} // namespace tacit
