// The MPI library's native neighborhood collective as one more variant of a persistent operation.
//
// The libraries' calls are wrong on some topologies (docs/neighborhood.md), so this variant is offered only
// where `tacit selftest` has shown that the call is right for nonblocking calls and on the kind of topology
// at hand (platform/selftest_verdict.h), as rank 0 finds it (agreed_model.h). It has no price, because nobody
// knows what the library does; it is taken by name (TACIT_DRIVER=mpi) or after a trial (run/tuned_run.h).
//
// A run starts the nonblocking call (MPI_Ineighbor_alltoallv and so on) with copies of the user's arguments,
// on a duplicate of the communicator that belongs to this operation alone (native_communicators.h). MPI
// itself progresses it, so it may run unattended. Calls go by their PMPI_ names: what tacit does in an
// unmodified program must not be taken over by tacit again.
#pragma once

#include "graphs/platform/selftest_verdict.h"
#include "runtime/exchange/native_communicators.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/run/driver.h"

#include <memory>
#include <mpi.h>
#include <string>

namespace tacit::runtime {

/// The kind of MPI's calls that is used, as `tacit selftest` names it.
inline constexpr const char* native_call_kind = "nonblocking";

/// Empty, or why this rank cannot take MPI's native call for `call`, which has passed describe_call. `comm`:
/// a duplicate of the user's communicator; `ours`: its topology is one of tacit's. Local. Throws mpi_error.
std::string why_no_native_call(const neighbor_call& call, const neighbors::neighborhood& n, int rank,
                               MPI_Comm comm, bool ours, const graphs::selftest_verdict& verdict);

/// For one operation. The call's arrays and handles must outlive it, but not what it prepares.
class native_call_driver : public driver {
public:
  native_call_driver(const neighbor_call& call, const neighbors::neighborhood& n,
                     std::shared_ptr<native_communicators> comms)
      : call_(call), n_(n), comms_(std::move(comms)) {}

  std::string_view name() const override;
  /// Has been found out before: why_no_native_call.
  std::string can_run(const program&, MPI_Comm) const override { return {}; }
  std::unique_ptr<connection> offer(const program&, MPI_Comm comm) const override;
  std::unique_ptr<execution> prepare(program, MPI_Comm, connection* peers) const override;
  /// In place of the steps of a plan.
  std::string steps() const;

private:
  const neighbor_call& call_;
  const neighbors::neighborhood& n_;
  std::shared_ptr<native_communicators> comms_;
};

} // namespace tacit::runtime
