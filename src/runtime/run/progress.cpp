// One list under one mutex (none if MPI was initialized for one thread at a time). If only one execution is
// under way and MPI was not initialized for several threads, waiting is MPI's own blocking wait; else it is a
// loop that progresses everything, gives other threads the mutex between two rounds if they want it, and
// gives the core away as the execution advises. So executions may be started by several threads at once, each
// by its own, but are progressed one at a time. An execution that fails is removed and keeps its error for
// its owner, who may not be the one that progressed it.
//
// The MPI library may call us from inside any of its calls (called_by_mpi): also from those that an execution
// makes while it is progressed, which must not come back to it, and from those of a thread while another one
// progresses, where there is nothing to do.
#include "runtime/run/progress.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/resumable_work.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tacit::runtime {
namespace {

std::recursive_mutex guard;    // recursive: computations run inside progress, and may look at other schedules
std::atomic<int> entering = 0; // threads that want the mutex
std::vector<execution*> under_way;
std::atomic<bool> any_under_way = false; // for those who do not have the mutex
bool progressing = false;
thread_local bool inside_mpi = false;

/// Whether MPI was initialized for several threads at once; if not, nobody may call us at once either.
bool several_threads() {
  static std::atomic<int> known = -1;
  if (const int level = known.load(std::memory_order_relaxed); level >= 0)
    return level == MPI_THREAD_MULTIPLE;
  int begun = 0, over = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (!begun || over)
    return true; // cannot be asked
  MPI_Query_thread(&level);
  known.store(level, std::memory_order_relaxed);
  return level == MPI_THREAD_MULTIPLE;
}

/// Locks only if there may be several threads.
class entry {
public:
  entry() : locked_(several_threads()) {
    if (!locked_ || guard.try_lock())
      return;
    entering.fetch_add(1, std::memory_order_relaxed);
    guard.lock();
    entering.fetch_sub(1, std::memory_order_relaxed);
  }
  ~entry() {
    any_under_way.store(!under_way.empty(), std::memory_order_relaxed);
    if (locked_)
      guard.unlock();
  }
  entry(const entry&) = delete;
  entry& operator=(const entry&) = delete;

private:
  bool locked_;
};

bool is_under_way(const execution& e) {
  return std::find(under_way.begin(), under_way.end(), &e) != under_way.end();
}

void remove(const execution& e) {
  under_way.erase(std::remove(under_way.begin(), under_way.end(), &e), under_way.end());
}

void progress_each() {
  const bool nested = std::exchange(progressing, true); // a computation may look at other schedules
  for (std::size_t i = 0; i < under_way.size();) {
    execution* const e = under_way[i];
    bool done = true;
    try {
      done = e->progress();
    } catch (...) {
      e->failure = std::current_exception();
    }
    if (done)
      remove(*e);
    else
      ++i;
  }
  progressing = nested;
}

/// How many executions have completed.
int called_by_mpi() {
  if (!any_under_way.load(std::memory_order_relaxed) || resumable_work::is_inside())
    return 0;
  const bool locked = several_threads();
  if (locked && !guard.try_lock())
    return 0;
  const std::size_t before = under_way.size();
  const bool nested = std::exchange(inside_mpi, true);
  if (!progressing)
    progress_each();
  inside_mpi = nested;
  const std::size_t after = under_way.size();
  any_under_way.store(after != 0, std::memory_order_relaxed);
  if (locked)
    guard.unlock();
  return static_cast<int>(before - after);
}

/// While this process waits for requests of its own (await.h). With several threads more may come at any
/// time.
bool progress_meanwhile() {
  const entry lock;
  progress_each();
  return several_threads() || !under_way.empty();
}

} // namespace

void begin_progress(execution& e) {
  const entry lock;
  go_on_meanwhile(progress_meanwhile);
  call_in_progress(called_by_mpi);
  under_way.push_back(&e);
}

void end_progress(execution& e) {
  const entry lock;
  remove(e);
}

void progress_under_way() {
  if (resumable_work::pause())
    return;
  const entry lock;
  progress_each();
}

namespace {

/// As progress_all; says also what to do if `wanted` has not completed, which other threads may progress as
/// soon as the mutex is free.
bool progress_once(execution& wanted, double& pause) {
  const entry lock;
  progress_each();
  if (wanted.failure)
    std::rethrow_exception(wanted.failure);
  if (!is_under_way(wanted))
    return true;
  pause = wanted.pause();
  return false;
}

} // namespace

bool is_inside_mpi() {
  return inside_mpi;
}

bool progress_all(execution& wanted) {
  double unused = 0;
  return progress_once(wanted, unused);
}

void wait_unregistered(execution& wanted) {
  try {
    for (bool done = false; !done;) {
      {
        const entry lock;
        if (under_way.empty() && !several_threads()) {
          wanted.finish();
          return;
        }
        done = wanted.progress();
        progress_each();
      }
      if (!done)
        wanted.rest(wanted.pause());
    }
  } catch (...) {
    wanted.failure = std::current_exception();
    throw;
  }
}

void wait_for(execution& wanted) {
  {
    const entry lock;
    if (under_way.size() == 1 && is_under_way(wanted) && !several_threads()) {
      remove(wanted);
      try {
        wanted.finish();
      } catch (...) {
        wanted.failure = std::current_exception();
        throw;
      }
      return;
    }
  }
  for (double pause = 0; !progress_once(wanted, pause);)
    wanted.rest(entering.load(std::memory_order_relaxed) > 0 ? 0 : pause); // else they never see it free
}

} // namespace tacit::runtime
