// A compiled graph as this rank executes it.
#pragma once

#include "runtime/mpi/private_communicator.h"
#include "runtime/run/tuned_run.h"
#include "runtime/schedule/schedule.h"

#include <memory>
#include <utility>
#include <vector>

namespace tacit::runtime {

class bound_graph : public bound_plan {
public:
  /// `peers` is what the driver has connected, null if nothing; `run` uses it.
  bound_graph(int rank, const char* made_by, std::unique_ptr<connection> peers,
              std::unique_ptr<execution> run, explanation why)
      : rank_(rank), made_by_(made_by), peers_(std::move(peers)), run_(std::move(run)), why_{std::move(why)} {
  }
  /// Of candidates that are measured in place, which have a communicator for themselves; an explanation for each.
  bound_graph(int rank, const char* made_by, std::unique_ptr<tuned_run> run, std::vector<explanation> why)
      : rank_(rank), made_by_(made_by), tuned_(run.get()), run_(std::move(run)), why_(std::move(why)) {}
  /// The communicator that it uses, to be freed by `end`. Not freed by the destructor, which is local.
  void take(private_communicator own) noexcept { comm_ = own.release(); }
  /// Those of the candidates, likewise.
  void take(std::vector<private_communicator> of_candidates) noexcept {
    of_candidates_ = std::move(of_candidates);
  }
  ~bound_graph() override {
    for (private_communicator& c : of_candidates_) // freeing them is collective, this is local
      c.release();
  }

  execution& run() override { return *run_; }
  const char* made_by() const override { return made_by_; }
  int rank() const override { return rank_; }
  MPI_Comm comm() const override { return comm_; }
  explanation explain() const override {
    return tuned_ ? with_measured(why_[tuned_->candidate()], tuned_->describe()) : why_.front();
  }
  void end() noexcept override { end_but_communicator(); }
  /// Some rank has failed, so that none may be waited for.
  void give_up() noexcept { given_up_ = true; }
  /// As `end`, but its communicator is the caller's then, if it can be used again.
  private_communicator end_but_communicator() noexcept {
    if (tuned_) {
      tuned_->end(!given_up_ && !run_->failure);
      if (tuned_->is_agreeing())
        comm_ = MPI_COMM_NULL; // MPI still needs it
    }
    tuned_ = nullptr;
    run_.reset();
    of_candidates_.clear();
    if (peers_)
      peers_->end();
    peers_.reset();
    private_communicator own;
    *own.address() = std::exchange(comm_, MPI_COMM_NULL);
    return own;
  }

private:
  int rank_;
  const char* made_by_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool given_up_ = false;
  std::vector<private_communicator> of_candidates_;
  std::unique_ptr<connection> peers_;
  tuned_run* tuned_ = nullptr;     ///< `run_`, if candidates are measured
  std::unique_ptr<execution> run_; ///< after `peers_`, which it uses
  std::vector<explanation> why_;
};

} // namespace tacit::runtime
