// One neighborhood collective, ready to be started: what callers of this room hold.
#pragma once

#include "neighbors/topology/topology.h"
#include "runtime/exchange/run_source.h"

#include <exception>
#include <memory>
#include <mpi.h>
#include <string>
#include <string_view>

namespace tacit::runtime {

class neighbor_communicator;

/// Blocking and nonblocking operations borrow their execution from what their communicator keeps, persistent
/// ones own it.
class neighbor_operation {
public:
  neighbor_operation() = default;
  /// `function`: static text. The communicator outlives its operations.
  neighbor_operation(std::shared_ptr<const neighbor_communicator> home, const char* function,
                     std::shared_ptr<run_source> source, bound_run run);
  neighbor_operation(neighbor_operation&&) = default;
  neighbor_operation& operator=(neighbor_operation&& other) noexcept;
  ~neighbor_operation() { release(); }

  execution& run() const { return *run_.run; }
  const char* function() const { return function_; }
  int rank() const;
  const neighbors::neighborhood& edges() const;
  MPI_Comm private_comm() const; ///< null while the communicator is being set up
  /// The driver that really runs it: "shm", "p2p", "rma", or "mpi" for the library's native call.
  std::string_view driver_name() const { return source_->driver(); }
  std::string steps() const { return source_->steps(); }
  /// A buffer of the call is in device memory, so that MPI copies all bytes; not known of persistent ones.
  bool in_device_memory() const { return source_->in_device_memory(); }
  /// What an exception says, with the edges that it concerns.
  std::string explain(std::exception_ptr failure) const;
  /// Text for people: neighborhood, driver, steps.
  std::string describe() const;

private:
  void release();

  std::shared_ptr<const neighbor_communicator> home_;
  std::shared_ptr<run_source> source_;
  bound_run run_;
  const char* function_ = "";
};

} // namespace tacit::runtime
