// Drivers: several ways to execute one plan behind one interface. List order is priority; a name forces one,
// and an unknown name is an error, never a silent fallback.
//
// Life of a schedule: every rank asks `can_run`, and the ranks agree (the caller's business: one reduction).
// `offer` gathers what the driver needs from other ranks, `connection::create` gets it (the only part in
// which ranks wait for each other), `prepare` makes an execution, and the execution is started and finished
// any number of times. A rank can fail in each part. So `offer` and `prepare` are local, and the caller
// agrees on success after each of the three: nobody enters `create` unless everybody does, nobody starts
// unless everybody can.
#pragma once

#include "runtime/mpi/await.h"
#include "runtime/run/program.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mpi.h>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace tacit::runtime {

/// A prepared program. Not copyable; owns its scratch memory, requests and datatypes. If start, progress or
/// finish throws (mpi_error, or what a computation throws), the execution has failed: it must not be used
/// again but may be destroyed.
class execution {
public:
  virtual ~execution() = default; ///< must not be active, unless it has failed; local
  /// Starts all steps that can start. Local, does not block. Must not be active.
  virtual void start() = 0;
  /// Advances; true when everything has completed. Local, does not block.
  virtual bool progress() = 0;
  /// Blocks until everything has completed. Progresses only this execution: see progress.h for several.
  virtual void finish() = 0;
  /// What is best done between two unsuccessful calls of progress, see take_pause. Must not run at the same
  /// time as progress. Local.
  virtual double pause() const { return 0; }
  /// Does it; whoever has `pause` from elsewhere may call this at any time.
  virtual void rest(double pause) const;
  /// Moves the buffers: from the next run on, all user memory that the plan reads lies `reads` bytes further
  /// than the plan given to `prepare` says, and all that it writes `writes` bytes (so 0, 0 is the way back);
  /// scratch memory stays. False: cannot, prepare anew. Must not be active. Local.
  virtual bool rebind(std::ptrdiff_t /*reads*/, std::ptrdiff_t /*writes*/) { return false; }

  /// What start, progress or finish has thrown; kept by progress.h for the owner of the execution.
  std::exception_ptr failure;
};

/// Keeps the core (negative), offers it to others (0), or sleeps for so many seconds.
inline void take_pause(double pause) {
  if (pause > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  else if (pause == 0)
    offer_core();
}

inline void execution::rest(double pause) const {
  take_pause(pause);
}

/// What a driver has set up with other ranks: communicators, memory of neighbors. Outlives the executions.
class connection {
public:
  virtual ~connection() = default; ///< local; what only all ranks together can free is kept for later
  /// Collective over the ranks that take part in the program. Throws mpi_error.
  virtual void create() = 0;
  /// Collective over the same ranks, the counterpart of `create`, where all free together: then nothing is
  /// kept. The executions must be gone.
  virtual void end() {}
  /// One line for the explanation: which peers are reached how. May be empty. After `create`.
  virtual std::string describe() const { return {}; }
};

class driver {
public:
  virtual ~driver() = default;
  virtual std::string_view name() const = 0;
  /// False: taken only if asked for by name. Ranks may differ; then it is not taken. Local.
  virtual bool automatic(const program&) const { return true; }
  /// Empty if this rank's program can be executed on `comm`, else why not. Local.
  virtual std::string can_run(const program& p, MPI_Comm comm) const = 0;
  /// Bytes of the longest message that this driver brings to a process of the same node through shared
  /// memory, without MPI; 0: none. `unattended`: of programs that nobody progresses. Local.
  virtual std::uint64_t longest_in_memory(bool /*unattended*/) const { return 0; }
  /// What `prepare` needs from other ranks, still to be created; null if nothing. Local. `comm` as in
  /// `prepare`; it must outlive the connection. Throws mpi_error and std::bad_alloc.
  virtual std::unique_ptr<connection> offer(const program&, MPI_Comm /*comm*/) const { return nullptr; }
  /// Local. `comm` must be private to the schedule (E6), return errors and, like `peers`, outlive the
  /// execution. `peers` is what `offer` of the same program gave, created; one execution each. Throws
  /// mpi_error and memory_error.
  virtual std::unique_ptr<execution> prepare(program p, MPI_Comm comm, connection* peers) const = 0;
};

/// All drivers by priority: shm (programs without collectives), coll, p2p; by name only rma, dry, pcoll.
inline constexpr std::size_t driver_count = 6;
std::span<const driver* const> drivers();

/// The driver of that name; null if there is none.
const driver* find_driver(std::string_view name);

} // namespace tacit::runtime
