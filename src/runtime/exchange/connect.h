// The last steps of preparing together: the ranks agree on a driver that can run everywhere, it connects
// them, and each prepares its execution.
#pragma once

#include "runtime/exchange/variants.h"
#include "runtime/mpi/agreement.h"
#include "runtime/run/driver.h"

#include <memory>
#include <mpi.h>

namespace tacit::runtime {

/// A driver that all ranks take, and what it has to connect.
struct agreed_driver {
  const driver* chosen = nullptr;
  std::unique_ptr<connection> peers; ///< null: nothing to connect on this rank
  bool connects = false;             ///< some rank has something to connect
};

/// Each rank offers to connect by the driver that it expects, the first of `wanted` that it can run; mostly
/// that is the one that all agree on, and one reduction is enough. Collective. Throws neighbor_error on all
/// ranks alike.
agreed_driver agree_on_driver(const program& steps, const driver_list& wanted, MPI_Comm comm, agreement& all);

/// Creates the connection where there is one. Collective; keeps what it throws in `all`.
void connect(agreed_driver& d, agreement& all);

} // namespace tacit::runtime
