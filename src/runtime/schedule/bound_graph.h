// A compiled graph as this rank executes it.
#pragma once

#include "runtime/mpi/private_communicator.h"
#include "runtime/schedule/schedule.h"

#include <memory>

namespace tacit::runtime {

class bound_graph : public bound_plan {
public:
  /// `peers` is what the driver has connected, null if nothing; `run` uses it.
  bound_graph(int rank, const char* made_by, std::unique_ptr<connection> peers,
              std::unique_ptr<execution> run, explanation why)
      : rank_(rank), made_by_(made_by), peers_(std::move(peers)), run_(std::move(run)), why_(std::move(why)) {
  }
  /// The communicator that it uses, to be freed by `end`. Not freed by the destructor, which is local.
  void take(private_communicator own) noexcept { comm_ = own.release(); }

  execution& run() override { return *run_; }
  const char* made_by() const override { return made_by_; }
  int rank() const override { return rank_; }
  MPI_Comm comm() const override { return comm_; }
  explanation explain() const override { return why_; }
  void end() noexcept override {
    run_.reset();
    if (peers_)
      peers_->end();
    peers_.reset();
    private_communicator::free(comm_);
  }

private:
  int rank_;
  const char* made_by_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<connection> peers_;
  std::unique_ptr<execution> run_; ///< after `peers_`, which it uses
  explanation why_;
};

} // namespace tacit::runtime
