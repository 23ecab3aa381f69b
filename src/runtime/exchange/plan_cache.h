// Plans of earlier blocking and nonblocking calls, found again by signature: counts, displacements and
// layouts of the datatypes, not by buffers, which are rebound. Making such a plan never communicates, so a
// rank that finds its plan and a rank that must make one can meet in the same call.
#pragma once

#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/run_source.h"
#include "runtime/run/program.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string_view>
#include <vector>

namespace tacit::runtime {

/// A plan and the executions of it that are not in use.
class cached_plan : public run_source {
public:
  /// `steps`: for `buffers`; `driver`: the name of the one that runs it, p2p or dry.
  cached_plan(call_signature signature, program steps, const call_buffers& buffers, std::string_view driver);

  const call_signature& signature() const { return signature_; }
  /// The plan for these buffers.
  graphs::rank_plan plan_for(const call_buffers& buffers) const {
    return moved(steps_, buffers.reads_from(buffers_), buffers.writes_from(buffers_)).plan;
  }
  /// An execution for these buffers. Local. Throws mpi_error and std::bad_alloc.
  bound_run lend(const call_buffers& buffers, MPI_Comm comm);

  void take_back(bound_run run) override;
  std::string_view driver() const override { return driver_; }
  std::string steps() const override { return summarize(steps_); }
  bool in_device_memory() const override { return steps_.in_device; }

  bool checked = false; ///< with those of all ranks, in check mode

private:
  call_signature signature_;
  program steps_;
  call_buffers buffers_;
  std::string_view driver_;
  std::vector<bound_run> idle_;
};

class plan_cache {
public:
  /// The plan with this signature, or null.
  std::shared_ptr<cached_plan> find(const call_signature& signature);
  /// In place of the one that was not used for longest, if there are many.
  void keep(std::shared_ptr<cached_plan> plan);
  void clear() { entries_.clear(); }

private:
  struct entry {
    std::shared_ptr<cached_plan> plan;
    std::uint64_t last_use = 0;
  };
  std::vector<entry> entries_;
  std::uint64_t uses_ = 0;
};

} // namespace tacit::runtime
