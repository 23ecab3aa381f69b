// Check mode: who accesses which bytes of a window when, and which accesses of different processes meet although an annotation says
// that none do. Each process keeps what it does itself; where all come together, in MPI_Win_fence and MPI_Win_free, it goes to the
// processes whose memory it was, and they compare. Two accesses of one byte meet
//
//     in one epoch of fences                              always
//     in epochs of passive target, or of start, complete  if both times overlap, and neither lock is exclusive
//     if they are operations of one process               if both times overlap, in whatever lock; what one region does twice it sees itself
//
// An operation takes from its call to the call that completes it; loads and stores take as long as the lock is held. Overlapping times
// prove that nothing has put the two in an order. The reverse is not true: accesses that could meet another time are found only when
// they do. Therefore a lock that was relaxed is held a little longer.
#pragma once

#include "compiler/coalesce/accesses.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/memory.h"
#include "compiler/coalesce/own_communicator.h"

#include <cstdint>
#include <mpi.h>
#include <pthread.h>

namespace tacit::compiler {

enum class window_access : unsigned char { load, store, get, put, accumulate };

/// As it travels.
struct access_record {
  MPI_Aint from, to;
  long long begun, ended; ///< nanoseconds of one node's clock; 0: it goes on
  int target, origin;     ///< in the window's group
  int region;             ///< of the origin's, its number
  window_access what;
  claim::kind says;
  bool exclusive, fenced;
  bool by_request; ///< MPI_Rget and its like, which a request may complete
  char where[44];  ///< "file.c:17", its end if it is longer; empty: no claim
};

/// Loads and stores of this process in the memory of a target while it holds a lock there.
struct lock_epoch : watch {
  bool held = false, exclusive = false;
  claim by;
  long long begun = 0;
  struct run {
    const char *from, *to;
    bool stores;
  };
  growable<run> runs;
  bool lost = false;
  const char* base = nullptr; ///< of the memory as this process sees it; null: it does not
};

class window_log {
public:
  /// Collective over the processes of the window. Null if one of them has no memory, or does not check.
  static window_log* make(MPI_Win win, MPI_Comm comm);
  /// Null: the window is not checked.
  static window_log* of(MPI_Win win);
  /// Collective.
  static void end(MPI_Win win);

  void lock(int target, bool exclusive, const claim& by);
  void lock_all();
  void start();
  bool is_relaxed(int target) const;
  /// The processes have different displacement units.
  bool units_differ() const;
  /// In front of MPI_Win_unlock.
  void loads_and_stores_end(int target);
  void unlocked(int target);
  void unlocked_all();
  void operation(int target, MPI_Aint disp, MPI_Count count, MPI_Datatype type, window_access what,
                 bool by_request = false);
  void copy(int target, MPI_Aint from, MPI_Aint to, window_access what);
  /// What was begun for this target (TACIT_ALL_TARGETS: all) is complete.
  void completed(int target);
  void started_epoch_completed();
  /// Collective. Says if a fence that all processes should have passed by the same annotation was not so for one of them.
  void fenced(const claim& by);
  /// Collective. Says what is false, and forgets what is complete.
  void compare();

private:
  class locked;
  // With the mutex.
  void note(int target, MPI_Aint from, MPI_Aint to, window_access what, bool by_request);
  void complete(int target);
  void push(const access_record& r);
  access_record blank(int target, window_access what, const claim& by) const;
  void release();
  bool find_processes(MPI_Win win);
  access_record* arrivals(const int* sent, const int* from, int* got, std::size_t& count);

  mutable pthread_mutex_t guard_ = PTHREAD_MUTEX_INITIALIZER;
  own_communicator own_;
  int* world_ = nullptr;           ///< of each process: its rank in MPI_COMM_WORLD
  int* units_ = nullptr;           ///< and its displacement unit
  std::uint64_t* nodes_ = nullptr; ///< whose clocks can be compared
  lock_epoch* epochs_ = nullptr;   ///< for each target
  bool all_locked_ = false, started_ = false, lost_ = false;
  growable<access_record> records_;
};

} // namespace tacit::compiler
