// Schedules of neighborhood exchanges: calls on a communicator with a topology (exchange/neighbor_call.h).
#pragma once

#include "runtime/exchange/neighbor_call.h"
#include "runtime/schedule/schedule.h"

#include <functional>
#include <memory>
#include <mpi.h>

namespace tacit::runtime {

/// Blocks until this rank's part of the exchange is complete. The first call on a communicator waits for all
/// its members.
void exchange_now(const neighbor_call& call, MPI_Comm comm);

/// A schedule for one run, still to be started. Local.
std::unique_ptr<schedule> exchange_once(const neighbor_call& call, MPI_Comm comm);

/// `keep` gets a schedule for any number of runs, and makes of it what the caller holds. Collective, blocks;
/// errors are equal on all ranks, also those of `keep`.
void prepare_exchange(const neighbor_call& call, MPI_Comm comm, MPI_Info info,
                      const std::function<void(std::unique_ptr<schedule>)>& keep);

} // namespace tacit::runtime
