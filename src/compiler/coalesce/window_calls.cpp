// Check mode: MPI's calls on windows, of the whole program, told to the window's log (window_log.h). An archive of its own, which
// only programs of `tacit cc --annotations=check` link (they ask for tacit_checks_windows): it stands before the MPI library, as profilers do.
#include "compiler/coalesce/region.h"
#include "compiler/coalesce/window_log.h"

#include <climits>
#include <cstdio>
#include <sched.h>
#include <tacit/coalesce.h>

using namespace tacit::compiler;

extern "C" const int tacit_checks_windows;
extern "C" const int tacit_checks_windows = 1;

namespace {

/// Long enough for others to come, who would have been kept out by the lock as it was written. They need MPI to be called here, where
/// locks are messages; MPICH moves nothing for a probe of MPI_COMM_SELF.
void wait_for_others() {
  constexpr double seconds = 2e-3;
  const double begun = MPI_Wtime();
  for (int found = 0; MPI_Wtime() - begun < seconds;) {
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    sched_yield();
  }
}

/// Of the lock that this thread takes next.
thread_local claim of_next_lock;

void told(MPI_Win win, int target, MPI_Aint from, std::size_t bytes, bool stores) {
  if (window_log* const log = window_log::of(win))
    log->copy(target, from, from + static_cast<MPI_Aint>(bytes),
              stores ? window_access::put : window_access::get);
}

bool have_different_units(MPI_Win win) {
  const window_log* const log = window_log::of(win);
  return log && log->units_differ();
}

__attribute__((constructor)) void begin() {
  compiled_to_check();
  units_differ = have_different_units;
  told_of_copies = told;
  sees_synchronizations = true;
}

void note_operation(MPI_Win win, int target, MPI_Aint disp, MPI_Count count, MPI_Datatype type,
                    window_access what, bool by_request = false) {
  if (window_log* const log = window_log::of(win))
    log->operation(target, disp, count, type, what, by_request);
}

/// MPI_NO_OP only reads.
window_access what_of(MPI_Op op) {
  return op == MPI_NO_OP ? window_access::get : window_access::accumulate;
}

/// In front of a call that completes operations: the run time's own calls have sent what was collected, but at fences that all processes
/// of the window come to together, where it is packed between.
void expect_nothing_collected(MPI_Win win, int target, const char* call) {
  if (claim_of_fence().says == claim::collective)
    return;
  const tacit_coalesce* const region = region_with_waiting(win, target);
  if (region && is_worth_saying({call, region->file, region->line}))
    std::fprintf(stderr,
                 "tacit: rank %d: %s:%d: %s does not complete what this region has collected, which was not "
                 "sent before it because an annotation says that nothing between synchronizes the window "
                 "[TACIT-202]\n",
                 world_rank(), region->file ? region->file : "?", region->line, call);
}

int made(int error, MPI_Win* win, MPI_Comm comm) {
  if (error == MPI_SUCCESS)
    window_log::make(*win, comm);
  return error;
}

template <typename F>
int completes(int error, MPI_Win win, F ended) {
  if (window_log* const log = error == MPI_SUCCESS ? window_log::of(win) : nullptr)
    ended(*log);
  return error;
}

template <typename F>
int synchronizes(int error, MPI_Win win, int target, F ended) {
  if (error == MPI_SUCCESS)
    synchronized(win, target);
  return completes(error, win, ended);
}

} // namespace

int tacit_checked_lock_type(const tacit_local* local, int lock_type, const char* file, int line) {
  const int type = tacit_local_lock_type(local, lock_type);
  if (type != lock_type)
    of_next_lock = {claim::locks, file, line};
  return type;
}

extern "C" {

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return made(PMPI_Win_create(base, size, unit, info, comm, win), win, comm);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return made(PMPI_Win_allocate(size, unit, info, comm, base, win), win, comm);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return made(PMPI_Win_allocate_shared(size, unit, info, comm, base, win), win, comm);
}
int MPI_Win_free(MPI_Win* win) {
  window_log::end(*win);
  return PMPI_Win_free(win);
}

int MPI_Win_fence(int assertion, MPI_Win win) {
  expect_nothing_collected(win, TACIT_ALL_TARGETS, "MPI_Win_fence");
  const claim by = claim_of_fence();
  return synchronizes(PMPI_Win_fence(assertion, win), win, TACIT_ALL_TARGETS, [&](window_log& log) {
    log.fenced(by);
    log.completed(TACIT_ALL_TARGETS);
    log.compare();
  });
}
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  return completes(PMPI_Win_start(group, assertion, win), win, [](window_log& log) { log.start(); });
}
int MPI_Win_complete(MPI_Win win) {
  expect_nothing_collected(win, TACIT_ALL_TARGETS, "MPI_Win_complete");
  return synchronizes(PMPI_Win_complete(win), win, TACIT_ALL_TARGETS,
                      [](window_log& log) { log.started_epoch_completed(); });
}
int MPI_Win_lock(int type, int target, int assertion, MPI_Win win) {
  const claim by = of_next_lock;
  of_next_lock = {};
  return completes(PMPI_Win_lock(type, target, assertion, win), win,
                   [&](window_log& log) { log.lock(target, type == MPI_LOCK_EXCLUSIVE, by); });
}
int MPI_Win_lock_all(int assertion, MPI_Win win) {
  return completes(PMPI_Win_lock_all(assertion, win), win, [](window_log& log) { log.lock_all(); });
}
int MPI_Win_unlock(int target, MPI_Win win) {
  expect_nothing_collected(win, target, "MPI_Win_unlock");
  if (window_log* const log = window_log::of(win)) {
    if (log->is_relaxed(target))
      wait_for_others();
    log->loads_and_stores_end(target);
  }
  return synchronizes(PMPI_Win_unlock(target, win), win, target,
                      [&](window_log& log) { log.unlocked(target); });
}
int MPI_Win_unlock_all(MPI_Win win) {
  expect_nothing_collected(win, TACIT_ALL_TARGETS, "MPI_Win_unlock_all");
  return synchronizes(PMPI_Win_unlock_all(win), win, TACIT_ALL_TARGETS,
                      [](window_log& log) { log.unlocked_all(); });
}
int MPI_Win_flush(int target, MPI_Win win) {
  expect_nothing_collected(win, target, "MPI_Win_flush");
  return synchronizes(PMPI_Win_flush(target, win), win, target,
                      [&](window_log& log) { log.completed(target); });
}
int MPI_Win_flush_all(MPI_Win win) {
  expect_nothing_collected(win, TACIT_ALL_TARGETS, "MPI_Win_flush_all");
  return synchronizes(PMPI_Win_flush_all(win), win, TACIT_ALL_TARGETS,
                      [](window_log& log) { log.completed(TACIT_ALL_TARGETS); });
}

int MPI_Put(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
            int count, MPI_Datatype type, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::put);
  return PMPI_Put(origin, origin_count, origin_type, target, disp, count, type, win);
}
int MPI_Get(void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int count,
            MPI_Datatype type, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::get);
  return PMPI_Get(origin, origin_count, origin_type, target, disp, count, type, win);
}
int MPI_Accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
                   int count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::accumulate);
  return PMPI_Accumulate(origin, origin_count, origin_type, target, disp, count, type, op, win);
}
int MPI_Get_accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, void* result,
                       int result_count, MPI_Datatype result_type, int target, MPI_Aint disp, int count,
                       MPI_Datatype type, MPI_Op op, MPI_Win win) {
  note_operation(win, target, disp, count, type, what_of(op));
  return PMPI_Get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target,
                             disp, count, type, op, win);
}
int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint disp,
                     MPI_Op op, MPI_Win win) {
  note_operation(win, target, disp, 1, type, what_of(op));
  return PMPI_Fetch_and_op(origin, result, type, target, disp, op, win);
}
int MPI_Compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type, int target,
                         MPI_Aint disp, MPI_Win win) {
  note_operation(win, target, disp, 1, type, window_access::accumulate);
  return PMPI_Compare_and_swap(origin, compare, result, type, target, disp, win);
}
int MPI_Rput(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
             int count, MPI_Datatype type, MPI_Win win, MPI_Request* request) {
  note_operation(win, target, disp, count, type, window_access::put, true);
  return PMPI_Rput(origin, origin_count, origin_type, target, disp, count, type, win, request);
}
int MPI_Rget(void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int count,
             MPI_Datatype type, MPI_Win win, MPI_Request* request) {
  note_operation(win, target, disp, count, type, window_access::get, true);
  return PMPI_Rget(origin, origin_count, origin_type, target, disp, count, type, win, request);
}
int MPI_Raccumulate(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
                    int count, MPI_Datatype type, MPI_Op op, MPI_Win win, MPI_Request* request) {
  note_operation(win, target, disp, count, type, window_access::accumulate, true);
  return PMPI_Raccumulate(origin, origin_count, origin_type, target, disp, count, type, op, win, request);
}
int MPI_Rget_accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, void* result,
                        int result_count, MPI_Datatype result_type, int target, MPI_Aint disp, int count,
                        MPI_Datatype type, MPI_Op op, MPI_Win win, MPI_Request* request) {
  note_operation(win, target, disp, count, type, what_of(op), true);
  return PMPI_Rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target,
                              disp, count, type, op, win, request);
}

#if MPI_VERSION >= 4
int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return made(PMPI_Win_create_c(base, size, unit, info, comm, win), win, comm);
}
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return made(PMPI_Win_allocate_c(size, unit, info, comm, base, win), win, comm);
}
int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                              MPI_Win* win) {
  return made(PMPI_Win_allocate_shared_c(size, unit, info, comm, base, win), win, comm);
}
int MPI_Put_c(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
              MPI_Count count, MPI_Datatype type, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::put);
  return PMPI_Put_c(origin, origin_count, origin_type, target, disp, count, type, win);
}
int MPI_Get_c(void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
              MPI_Count count, MPI_Datatype type, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::get);
  return PMPI_Get_c(origin, origin_count, origin_type, target, disp, count, type, win);
}
int MPI_Accumulate_c(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target,
                     MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  note_operation(win, target, disp, count, type, window_access::accumulate);
  return PMPI_Accumulate_c(origin, origin_count, origin_type, target, disp, count, type, op, win);
}
int MPI_Get_accumulate_c(const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, void* result,
                         MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                         MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  note_operation(win, target, disp, count, type, what_of(op));
  return PMPI_Get_accumulate_c(origin, origin_count, origin_type, result, result_count, result_type, target,
                               disp, count, type, op, win);
}
#endif
}
