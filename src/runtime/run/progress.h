// All executions of this process that are under way. Whoever waits for one must progress the others too: two
// ranks that wait for two schedules in opposite order would otherwise starve each other. Where the MPI
// library lets us (library_progress.h), its own calls that wait progress them as well.
#pragma once

#include "runtime/run/driver.h"

namespace tacit::runtime {

/// Registers a started execution; it must be removed before it is destroyed. Thread-safe, as are the others.
void begin_progress(execution& e);
/// Removes it; nothing if it is not there.
void end_progress(execution& e);
/// Progresses all registered executions once. True if `wanted` has completed; completed ones are removed. An
/// execution that fails is removed, too, and keeps what it threw until its owner asks: throws only what
/// `wanted` has thrown. Does not block.
bool progress_all(execution& wanted);
/// Progresses all registered executions once: for whoever waits for something else. Does not block.
void progress_under_way();
/// Whether this thread progresses executions because the MPI library has called: then nothing may be done that MPI might do by such calls.
bool is_inside_mpi();
/// Blocks until `wanted` has completed, progressing all. Throws as progress_all.
void wait_for(execution& wanted);
/// The same for an execution that has started but is not registered, which needs memory: for those that
/// others wait for. Only this thread progresses it.
void wait_unregistered(execution& wanted);

} // namespace tacit::runtime
