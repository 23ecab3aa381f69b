// Drivers: several ways to execute one plan behind one interface. List order is priority; a name forces one,
// and an unknown name is an error, never a silent fallback.
//
// Life of a schedule: every rank asks `can_run`, the ranks agree (the caller's business: one reduction),
// `prepare` makes an execution (collective over the communicator: it creates communicators and persistent
// requests), and the execution is started and finished any number of times. Only MPI failures throw
// (mpi_error).
#pragma once

#include "run/program.h"

#include <memory>
#include <mpi.h>
#include <span>
#include <string>
#include <string_view>

namespace tacit {

/// A prepared program. Not copyable; owns its scratch memory, requests, datatypes and sub-communicators.
class execution {
public:
  virtual ~execution() = default; ///< must not be active; collective if the driver made communicators
  /// Starts all steps that can start. Local, does not block. Must not be active.
  virtual void start() = 0;
  /// Advances; true when everything has completed. Local, does not block.
  virtual bool progress() = 0;
  /// Blocks until everything has completed. Progresses only this execution: see progress.h for several.
  virtual void finish() = 0;
};

class driver {
public:
  virtual ~driver() = default;
  virtual std::string_view name() const = 0;
  /// False: taken only if asked for by name.
  virtual bool automatic() const { return true; }
  /// Empty if this rank's program can be executed on `comm`, else why not. Local.
  virtual std::string can_run(const program& p, MPI_Comm comm) const = 0;
  /// Collective over `comm`, which must be private to the schedule (E6), return errors and outlive the
  /// execution.
  virtual std::unique_ptr<execution> prepare(program p, MPI_Comm comm) const = 0;
};

/// All drivers by priority: coll, p2p, dry.
std::span<const driver* const> drivers();

/// By name, or nullptr.
const driver* find_driver(std::string_view name);

} // namespace tacit
