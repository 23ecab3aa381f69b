// One list under one mutex. If only one execution is under way and MPI was not initialized for several
// threads, waiting is MPI's own blocking wait; else it is a loop that progresses everything, gives other
// threads the mutex between two rounds, and yields the core as the execution advises. An execution that fails
// is removed and keeps its error for its owner, who may not be the one that progressed it.
#include "run/progress.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace tacit {
namespace {

std::recursive_mutex guard; // recursive: computations run inside progress, and may look at other schedules
std::vector<execution*> under_way;

bool several_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

bool is_under_way(const execution& e) {
  return std::find(under_way.begin(), under_way.end(), &e) != under_way.end();
}

void remove(const execution& e) {
  under_way.erase(std::remove(under_way.begin(), under_way.end(), &e), under_way.end());
}

void progress_each() {
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
}

} // namespace

void begin_progress(execution& e) {
  const std::lock_guard lock(guard);
  under_way.push_back(&e);
}

void end_progress(execution& e) {
  const std::lock_guard lock(guard);
  remove(e);
}

void progress_under_way() {
  const std::lock_guard lock(guard);
  progress_each();
}

bool progress_all(execution& wanted) {
  const std::lock_guard lock(guard);
  progress_each();
  if (wanted.failure)
    std::rethrow_exception(wanted.failure);
  return !is_under_way(wanted);
}

void wait_for(execution& wanted) {
  {
    const std::lock_guard lock(guard);
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
  const bool several = several_threads();
  while (!progress_all(wanted))
    if (several)
      std::this_thread::yield(); // else the mutex would never be seen free
    else
      wanted.relax();
}

} // namespace tacit
