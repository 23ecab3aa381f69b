// Feedback at run time: a persistent operation that has been run for a while tries the ways that the model
// did not choose, and goes on with the one that was fastest.
//
// Problem: a model predicts ranks that have the machine for themselves and arrive together; programs are not
// like that. Idea: all ways are prepared beforehand, each with tags and connections of its own. As all ranks
// run the operation equally often, the number of the run alone says which way it goes:
//
//     first `after` runs    as predicted
//     trials                in turn each way for a few runs, several times over, so that what disturbs the
//                           machine disturbs all alike; the first run of each turn is not counted
//     then                  the way whose median run took the slowest rank the least time; the predicted one
//                           unless another one is faster by a twentieth
//
// The last run of the trials is complete on a rank when it also knows the maxima over all ranks (maxima.h),
// so no rank starts the next run before it knows the way, and all know the same. A run of one way cannot meet
// one of another: their messages have different tags, or go through different channels. Within a way, runs
// follow each other as they would without the others in between.
//
// It terminates if the program does with collectives that synchronize, which MPI allows neighborhood
// collectives to do (MPI-4.1 section 6.1): every rank starts the run, and whoever waits for anything of ours
// progresses the maxima, too. Cost: without feedback nothing; with it a call and a comparison per run.
#pragma once

#include "runtime/exchange/maxima.h"
#include "runtime/run/driver.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

class neighbor_operation;

/// When which way is tried: pure arithmetic, the same on all ranks.
struct trial_plan {
  std::uint64_t after = 0; ///< runs before
  std::uint64_t ways = 1;
  static constexpr std::uint64_t turns = 5, runs_per_turn = 4; ///< per way

  std::uint64_t last() const { return after + ways * turns * runs_per_turn - 1; } ///< run of the trials
  bool tries(std::uint64_t run) const { return run >= after && run <= last(); }
  std::uint64_t way(std::uint64_t run) const { return (run - after) / runs_per_turn % ways; }
  bool counts(std::uint64_t run) const { return (run - after) % runs_per_turn != 0; }
};

/// Position of the time to go on with; the first is the way so far.
std::size_t fastest(const std::vector<double>& seconds);

class feedback_run : public execution {
public:
  /// `ways`: operations that do the same, the predicted one first. `comm` and `tag`: for the agreement.
  feedback_run(std::vector<neighbor_operation> ways, std::uint64_t after, MPI_Comm comm, int tag);
  ~feedback_run() override;

  void start() override;
  bool progress() override;
  void finish() override;
  double pause() const override;

  const neighbor_operation& current() const { return ways_[way_]; }
  /// For people: what was measured, or that nothing has been yet.
  std::string describe() const;

private:
  using clock = std::chrono::steady_clock;
  bool complete();
  void decide();

  std::vector<neighbor_operation> ways_;
  trial_plan plan_;
  MPI_Comm comm_;
  int tag_;
  std::uint64_t run_ = 0; ///< number of the run that is under way, or that comes next
  std::size_t way_ = 0;
  bool moved_ = false; ///< the messages of this run have arrived
  clock::time_point started_;
  std::vector<std::vector<double>> times_; ///< per way, seconds
  std::unique_ptr<maxima> agreement_;
  std::vector<std::string> names_; ///< of the ways, once decided
  std::vector<double> slowest_;
  std::size_t taken_ = 0;
};

} // namespace tacit::runtime
