// Tuning at run time: several executions that do the same are measured in place, while the program runs, and
// all ranks go on with the one that was fastest.
//
// Problem: a model predicts ranks that have the machine for themselves and arrive together; programs are not
// like that. Idea: all candidates are prepared beforehand, each with tags and connections of its own. As all
// ranks run the operation equally often, the number of the run alone says which candidate runs:
//
//     first `after` runs    the first one, which was predicted to be the fastest
//     trials                in turn each of them for a few runs, several times over, so that what disturbs
//                           the machine disturbs all alike; the first run of each turn is not counted
//     then                  the one whose median run took the slowest rank the least time; the predicted one
//                           unless another one is faster by a twentieth
//
// The last run of the trials is complete on a rank when it also knows the maxima over all ranks (maxima.h),
// so no rank starts the next run before it knows the candidate, and all know the same. A run of one cannot
// meet one of another: their messages have different tags, or go through different channels. Runs of one
// candidate follow each other as they would without the others in between.
//
// It terminates if the program does when every rank starts every run and whoever waits for anything of ours
// progresses the maxima, too: then a run may wait for all ranks. Cost: a call and a comparison per run.
#pragma once

#include "runtime/run/driver.h"
#include "runtime/run/maxima.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

/// When which candidate runs: pure arithmetic, the same on all ranks.
struct trial_plan {
  std::uint64_t after = 0; ///< runs before
  std::uint64_t candidates = 1;
  static constexpr std::uint64_t turns = 5, runs_per_turn = 4; ///< per candidate

  std::uint64_t last() const { return after + candidates * turns * runs_per_turn - 1; } ///< run of the trials
  bool tries(std::uint64_t run) const { return run >= after && run <= last(); }
  std::uint64_t candidate(std::uint64_t run) const { return (run - after) / runs_per_turn % candidates; }
  bool counts(std::uint64_t run) const { return (run - after) % runs_per_turn != 0; }
};

/// Position of the time to go on with; the first is the candidate so far.
std::size_t fastest(const std::vector<double>& seconds);

/// One of several executions that do the same.
struct tuned_candidate {
  std::string name; ///< for people
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run; ///< after `peers`, which it uses
};

class tuned_run : public execution {
public:
  /// `candidates`: at least one, the predicted one first, in the same order on all ranks. `comm` (which must
  /// return errors and outlive this) and `tag` are for the agreement. Local.
  tuned_run(std::vector<tuned_candidate> candidates, std::uint64_t after, MPI_Comm comm, int tag);
  ~tuned_run() override;

  void start() override;
  bool progress() override;
  void finish() override;
  double pause() const override;

  /// Gives up what is left, together: collective, as the `end` of connections is. Must not be active.
  void end();

  /// Position, in the list that was given, of the candidate that runs now or ran last.
  std::size_t candidate() const { return candidate_; }
  /// For people: what was measured, or that nothing has been yet.
  std::string describe() const;

private:
  using clock = std::chrono::steady_clock;
  execution& current() const { return *candidates_[candidate_].run; }
  bool complete();
  void decide();

  std::vector<tuned_candidate> candidates_; ///< once decided, only one of them still has its execution
  trial_plan plan_;
  MPI_Comm comm_;
  int tag_;
  std::uint64_t run_ = 0; ///< number of the run that is under way, or that comes next
  std::size_t candidate_ = 0;
  bool moved_ = false; ///< the messages of this run have arrived
  clock::time_point started_;
  std::vector<std::vector<double>> times_; ///< per candidate, seconds
  std::unique_ptr<maxima> agreement_;
  std::vector<double> slowest_;
};

} // namespace tacit::runtime
