// A schedule: something that all ranks of a communicator do together, any number of times, whoever made it.
//
// What is done is a bound plan: a plan with the driver and the connections that execute it. Compiled graphs
// and neighborhood exchanges each make theirs; everything else (starting, completing, failing, explaining,
// taking part in the progress of the whole process) is the same for both and stands here.
//
// A schedule in which something has failed on this rank is neither active nor complete: MPI cannot say what
// has become of the other messages. Every later call throws the same error until the schedule is destroyed.
#pragma once

#include "runtime/mpi/errors.h"
#include "runtime/run/driver.h"
#include "runtime/schedule/explain.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>

namespace tacit::runtime {

/// A plan with the driver and the connections that execute it on one rank. Its destruction is local.
class bound_plan {
public:
  virtual ~bound_plan() = default;
  /// The same one until `end`.
  virtual execution& run() = 0;
  /// The function of the API that made it, for errors.
  virtual const char* made_by() const = 0;
  /// This process in `comm`.
  virtual int rank() const = 0;
  /// The communicator of its own on which it runs; MPI_COMM_NULL while that is being set up.
  virtual MPI_Comm comm() const = 0;
  /// What is known now; it may change from run to run.
  virtual explanation explain() const = 0;
  /// What the execution has thrown, as text that says what it concerns; `e` is the same as an error of ours.
  virtual std::string explain_failure(const call_error& e, const std::exception_ptr& thrown) const;
  /// Gives back what only all ranks can free together. Collective if the plan was compiled from a graph.
  virtual void end() noexcept {}
};

class schedule {
public:
  enum class runs : std::uint8_t { any_number, one };

  explicit schedule(std::unique_ptr<bound_plan> plan, runs how_many = runs::any_number)
      : plan_(std::move(plan)), run_(&plan_->run()), how_many_(how_many) {}
  /// Local; must not be active. Use `end` before, where all ranks free the schedule together.
  ~schedule();
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;

  /// Starts a run on this rank. Local, does not block. Throws call_error: `state` if it is active or may not
  /// be started again, otherwise what the execution fails with; so do `test` and `wait`.
  void start();
  /// Progresses everything that is under way in this process; true if this schedule is not active any more.
  /// Does not block.
  bool test();
  /// Blocks until the schedule is not active any more, progressing everything that is under way.
  void wait();

  bool active() const { return active_; }
  int rank() const { return plan_->rank(); }
  MPI_Comm comm() const { return plan_->comm(); }
  explanation explain() const { return plan_->explain(); }

  /// Gives back what only all ranks can free together; nothing but destruction may follow. Collective if the
  /// schedule was compiled from a graph, else local. Must not be active.
  void end() noexcept;

private:
  template <typename Body>
  void advance(Body&& body);
  void keep_failure();

  std::unique_ptr<bound_plan> plan_;
  execution* run_; ///< null after `end`
  runs how_many_;
  bool active_ = false, started_ = false;
  std::unique_ptr<const call_error> failure_;
};

} // namespace tacit::runtime
