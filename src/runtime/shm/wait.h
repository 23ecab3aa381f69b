// Waiting for memory that another process writes.
//
// A rank that spins on a flag does nothing for MPI, gives its core to nobody and would wait for ever for a
// process that has died. So in rounds that bring nothing new it does, from time to time,
//   a probe         progresses MPI: the peer may wait for the end of a message of the program's;
//   a look around   once a second: an error names a peer that has ended instead of waiting for ever.
// None of this costs anything while messages arrive. A blocking wait gives the core away in three stages:
//   spins           for some milliseconds. Who yields to another program gets the core back only after a time
//                   slice, and so does the peer: on two cores with 20 other busy processes an exchange of one
//                   line took 0.3-0.6 us (195-490 us with 30 us of work between) if ranks spun 2 ms or
//                   longer, and 0.8-1.7 ms if they yielded after 5-500 us; spinning for 5 ms costs up to 9 ms
//                   where both ranks have been put on one core, 2 ms up to 2.6 ms;
//   yields;
//   sleeps          after a long wait, for a small part of the time that has passed, so that a wait that
//                   takes seconds takes no core and ends at most 2 % later than it could.
//
// With more ranks than cores the question is whether the peer has a core. Each rank says in its shared memory
// when it gives its own away. Who waits for such a peer yields at once: nothing can come before
// that peer gets a core, perhaps this one. Who waits for peers that have a core spins for 64 rounds, less
// time than a change of processes takes. (With 512 rounds pairs of four and eight ranks were sometimes slower
// than by MPI's messages, which yield at once, and products of matrices 2-7 % slower: a peer that has a core
// may compute for long. With 15 rounds pairs lose each other.) So two ranks that once meet on two cores stay
// there and go on at full speed, run after run, while the others wait for their turn; and where three or more
// depend on each other every change of processes finds the messages of all that had the core in between. What
// a rank says about itself is a hint that may be old or wrong (it may wait inside MPI): a wrong one costs a
// spin or a yield, never progress. Sleeping until a peer wakes one (futex) was measured and is not done: two
// ranks on two virtual cores that other programs use, too, then take 4 us instead of time slices, but a wake
// costs 4 us of computing, and eight ranks on a torus 22-40 us where yields take 4-12.
#pragma once

#include "runtime/mpi/tags.h"
#include "runtime/run/action_run.h"
#include "runtime/shm/peers.h"

#include <cstdint>
#include <mpi.h>

namespace tacit::runtime {

/// Between two polls: a line that is looked at all the time has to be fetched back from its reader before its
/// writer has finished. An exchange of one line between cores that share no cache takes 0.165 us with this
/// and 0.205 us without.
inline void let_lines_arrive() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class shm_wait {
public:
  shm_wait(MPI_Comm comm, const shm_peers& peers);
  void begin() {
    spun_ = 0;
    news();
  }
  /// A round has brought something new.
  void news() {
    rounds_ = 0;
    stage_ = stage::spin;
  }
  /// A round has brought nothing. `each_pending(visit)` calls `visit(note)` for each message awaited through
  /// shared memory. Throws mpi_error if one of their peers has ended.
  template <typename EachPending>
  void nothing_new(EachPending&& each_pending) {
    ++spun_;
    if (++rounds_ % rounds_per_probe[static_cast<int>(stage_)] == 0 && probe_and_look())
      each_pending([this](const action_note& note) { check(note); });
  }
  /// Between two rounds of a blocking wait, as execution::pause. `absent()` is true if a peer whose message
  /// is awaited has given its core away.
  template <typename Absent>
  double pause(Absent&& absent) const {
    if (stage_ == stage::sleep)
      return nap();
    if (!oversubscribed_)
      return stage_ == stage::yield ? 0 : -1;
    return spun_ > spins_for_present || (spun_ > spins_for_absent && absent()) ? 0 : -1;
  }
  /// Gives the core away for so many seconds, as execution::rest does.
  void rest(double pause) const;

private:
  enum class stage : std::uint8_t { spin, yield, sleep };
  /// By stage. A round of one neighbor takes some 5 ns, a probe some 100 ns, a yield 1 us or more.
  static constexpr std::uint32_t rounds_per_probe[] = {512, 16, 1};
  /// Of a whole run, with more ranks than cores.
  static constexpr std::uint32_t spins_for_absent = 1, spins_for_present = 64;
  /// In seconds, since something was new.
  static constexpr double wait_before_yield = 0.002, wait_before_sleep = 0.02;

  /// True about once a second. Sets the stage.
  bool probe_and_look();
  void check(const action_note& note);
  double nap() const;

  library_probe let_mpi_progress_;
  const shm_peers& peers_;
  bool oversubscribed_;
  stage stage_ = stage::spin;
  std::uint32_t rounds_ = 0; ///< since something was new
  std::uint32_t spun_ = 0;   ///< rounds of this run that brought nothing
  double since_ = 0;         ///< MPI_Wtime of the first probe since something was new
  double waited_ = 0;        ///< until the last probe
  double looked_ = 0;        ///< MPI_Wtime
  int ended_ = -1;           ///< a peer that had ended at the last look
};

} // namespace tacit::runtime
