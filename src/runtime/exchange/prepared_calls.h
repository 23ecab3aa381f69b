// Blocking calls on a communicator whose user has said that all ranks repeat their calls alike
// (tacit_persistent = sizes or buffers): the first call with some counts, displacements and datatypes
// prepares what an _init call would, together with all ranks; every later one starts that, without
// communication of its own. Other buffers than at first are no miss: the prepared operation is moved
// (execution::rebind). What happens if the ranks do not repeat their calls alike is said in call_notices.h.
//
// Cost: a new call pays the preparation and the notices, a repeated one a look-up.
#pragma once

#include "runtime/exchange/call_notices.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/prepare.h"
#include "runtime/exchange/run_source.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tacit::runtime {

/// What all ranks have prepared together for a blocking call, and repeat alike.
class prepared_call : public run_source {
public:
  /// `made`, with its steps. `notices` outlives this.
  prepared_call(prepared_exchange made, call_notices& notices);
  /// The call that it was made for. Needs no memory.
  void belongs_to(call_signature signature, const call_buffers& buffers) noexcept {
    signature_ = std::move(signature);
    buffers_ = buffers;
  }

  const call_signature& signature() const { return signature_; }
  /// False: it is lent, or its execution has failed.
  bool can_lend() const { return run_.run != nullptr; }
  /// The execution for these buffers. Local. Throws neighbor_error and mpi_error.
  bound_run lend(const call_buffers& buffers, MPI_Comm comm);

  void take_back(bound_run run) override;
  std::string_view driver() const override { return made_.report.driver; }
  std::string steps() const override { return made_.report.steps; }
  std::string remarks() const override;
  bool in_device_memory() const override { return signature_.in_device_memory(); }

private:
  call_signature signature_;
  call_buffers buffers_{neighbor_call()}; ///< for which it was made
  prepared_exchange made_;
  call_notices& notices_;
  bound_run run_; ///< after the connection in `made_`
};

class prepared_calls {
public:
  /// The one with this signature, or null. `call`: its number, equal on all ranks.
  std::shared_ptr<prepared_call> find(const call_signature& signature, std::uint64_t call);
  /// Before `keep`, which then needs no memory.
  void make_room();
  /// In place of the one that was not used for longest, if there are many: the same one on all ranks.
  void keep(std::shared_ptr<prepared_call> made, std::uint64_t call);

private:
  struct entry {
    std::shared_ptr<prepared_call> call;
    std::uint64_t last_use = 0;
  };
  std::vector<entry> entries_;
};

} // namespace tacit::runtime
