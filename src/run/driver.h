// Drivers: several ways to execute one plan behind one interface. List order is priority; a name forces one,
// and an unknown name is an error, never a silent fallback.
//
// Life of a schedule: every rank asks `can_run`, the ranks agree (the caller's business: one reduction), the
// communicators of the groups are made if the driver wants them (collective, see communicators.h), `prepare`
// makes an execution, and the execution is started and finished any number of times. `prepare` is local, so
// that a rank that fails in it leaves nobody waiting; the caller agrees on success before anyone starts.
#pragma once

#include "run/communicators.h"
#include "run/program.h"

#include <exception>
#include <memory>
#include <mpi.h>
#include <span>
#include <string>
#include <string_view>

namespace tacit {

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

  /// What start, progress or finish has thrown; kept by progress.h for the owner of the execution.
  std::exception_ptr failure;
};

class driver {
public:
  virtual ~driver() = default;
  virtual std::string_view name() const = 0;
  /// False: taken only if asked for by name.
  virtual bool automatic() const { return true; }
  /// Empty if this rank's program can be executed on `comm`, else why not. Local.
  virtual std::string can_run(const program& p, MPI_Comm comm) const = 0;
  /// True: `prepare` needs a communicator for each group of the program.
  virtual bool wants_communicators() const { return false; }
  /// Local. `comm` must be private to the schedule (E6), return errors and, like `groups`, outlive the
  /// execution. Throws mpi_error and memory_error.
  virtual std::unique_ptr<execution> prepare(program p, MPI_Comm comm,
                                             const group_communicators& groups) const = 0;
};

/// All drivers by priority: coll, p2p, dry.
std::span<const driver* const> drivers();

/// By name, or nullptr.
const driver* find_driver(std::string_view name);

} // namespace tacit
