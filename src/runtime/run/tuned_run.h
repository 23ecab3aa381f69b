// Tuning at run time: several executions that do the same are measured in place, while the program runs, and
// all ranks go on with the one that was fastest.
//
// Problem: a model predicts ranks that have the machine for themselves and arrive together; programs are not
// like that. Idea: all candidates are prepared beforehand, each with connections of its own. As all
// ranks run the operation equally often, the number of the run alone says which candidate runs:
//
//     first `after` runs    the first one, which was predicted to be the fastest
//     trials                in turn each of them for a few runs, several times over, so that what disturbs
//                           the machine disturbs all alike; the first run of each turn is not counted
//     then                  the one whose median run took the slowest rank the least time; the predicted one
//                           unless another one is faster by a twentieth
//
// Of a compiled graph the trials may be repeated, as what was right for one state of the machine is not for the next: after a hundred times
// their own length, and after twice as many runs whenever nothing has changed, of those that were at most four times as slow. So they
// cost some hundredths at most, and less the longer a program runs.
//
// The last run of the trials is complete on a rank when it also knows the maxima over all ranks (maxima.h),
// so no rank starts the next run before it knows the candidate, and all know the same. Where the candidates are those of a
// compiled graph the maxima are a reduction of MPI's that begins with the run behind the last one, and is waited for some runs later; the
// first candidate runs meanwhile: nobody waits for more than that no rank is so many runs behind, and MPI's own calls carry it on. A run of one
// cannot meet one of another: their messages have different tags, go through different channels, or match in the order of the runs. Runs of
// one candidate follow each other as they would without the others in between.
//
// It terminates if the program does when every rank starts every run and whoever waits for anything of ours
// progresses the maxima, too: then a run may wait for all ranks. Cost: a call and a comparison per run.
//
// Candidates of a compiled graph are measured over many runs at once: one run by itself may be over before its messages have left, and a
// rank that only sends pays in a later run. A turn took what the slowest rank took for it; of the turns the second best counts, as whatever
// disturbs a machine only adds. Where ranks share cores turns are longer: a rank runs ahead of others while it has the core, and
// shows in a few runs only what a change of process costs.
#pragma once

#include "runtime/run/driver.h"
#include "runtime/run/maxima.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <string>
#include <vector>

namespace tacit::runtime {

/// When which candidate runs: pure arithmetic, the same on all ranks.
struct trial_plan {
  std::uint64_t after = 0; ///< runs before
  std::uint64_t candidates = 1;
  std::uint64_t runs_per_turn = 4;          ///< of a candidate
  std::uint64_t runs_to_agree = 0;          ///< behind the trials
  static constexpr std::uint64_t turns = 5; ///< of each candidate

  std::uint64_t length() const { return candidates * turns * runs_per_turn; }
  std::uint64_t last() const { return after + length() - 1; } ///< run of the trials
  std::uint64_t decides() const {
    return last() + runs_to_agree;
  } ///< the run that is complete when all know the candidate
  bool tries(std::uint64_t run) const { return run >= after && run <= last(); }
  std::uint64_t candidate(std::uint64_t run) const { return (run - after) / runs_per_turn % candidates; }
  std::uint64_t turn(std::uint64_t run) const { return (run - after) / runs_per_turn / candidates; }
  bool counts(std::uint64_t run) const { return (run - after) % runs_per_turn != 0; }
};

/// Runs in a turn of candidates of which the quickest is predicted to take so many seconds; `crowded`: ranks share cores.
std::uint64_t runs_in_a_turn(double seconds, bool crowded);

/// Position of the time to go on with; the first is the candidate so far.
std::size_t fastest(const std::vector<double>& seconds);
/// The same where some are preferred: another one must be faster than the fastest of them by more than 3 %.
std::size_t fastest_or(const std::vector<double>& seconds, const std::vector<bool>& preferred);

/// One of several executions that do the same.
struct tuned_candidate {
  std::string name; ///< for people
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run; ///< after `peers`, which it uses
  double predicted = -1;          ///< seconds; negative: no prediction
  bool preferred =
      false; ///< stays unless another one is clearly faster; in later trials what was taken is preferred
};

/// How the candidates of a compiled graph are measured; alike on all ranks.
struct graph_trials {
  std::uint64_t after = 0; ///< runs before the first ones
  bool crowded = false;    ///< ranks share cores
  bool repeated = false;   ///< again and again, ever more rarely
};

class tuned_run : public execution {
public:
  /// `candidates`: at least one, the predicted one first, in the same order on all ranks. `comm` (which must
  /// return errors and outlive this) and `tag` are for the agreement. Local.
  tuned_run(std::vector<tuned_candidate> candidates, std::uint64_t after, MPI_Comm comm, int tag);
  /// Of a compiled graph: `comm` is used by nobody else, and the predictions, alike on all ranks, say how often each is run.
  tuned_run(std::vector<tuned_candidate> candidates, const graph_trials& trials, MPI_Comm comm);
  ~tuned_run() override;

  void start() override;
  bool progress() override;
  void finish() override;
  double pause() const override;

  /// Gives up what is left, together: collective, as the `end` of connections is. If the ranks are about to agree it waits for that, which
  /// it must not where some rank has failed and may have no part in it. Must not be active.
  void end(bool waits = true) noexcept;
  /// After `end`: the communicator is in use for good.
  bool is_agreeing() const { return agreement_ != nullptr; }
  /// How many of this process measure, or have measured, graphs.
  static std::size_t of_graphs();

  /// Position, in the list that was given, of the candidate that is taken: whenever none is tried, it runs.
  std::size_t candidate() const;
  const std::string& name(std::size_t candidate) const { return candidates_[candidate].name; }
  /// For people: what was measured, or that nothing has been yet.
  std::string describe() const;
  /// For people: what was measured of the candidates that are not taken, "number 2 1.3 us, …".
  std::string words_of_others() const;
  /// Seconds since some time, by which runs are measured; otherwise by a steady clock.
  void take_time_from(std::function<double()> now) { now_ = std::move(now); }
  /// Called once, when all times are known here; what it returns, a line for people, is said by `describe`. Must not start anything.
  void when_decided(std::function<std::string(const tuned_run&)> then) { then_ = std::move(then); }
  /// Seconds of each candidate, of the slowest rank; empty as long as the first trials last.
  const std::vector<double>& measured() const { return slowest_; }

private:
  execution& current() const { return *candidates_[candidate_].run; }
  bool complete();
  void note_time();
  std::vector<double> own_times() const;
  std::vector<double> times_of_the_slowest() const;
  std::string timed(std::size_t candidate) const;
  void decide();
  void repeat_trials();
  void let_others_go();
  std::size_t fastest_candidate() const;
  void tell() noexcept;

  std::vector<tuned_candidate>
      candidates_; ///< where no trials will follow, only one of them still has its execution
  trial_plan plan_;
  MPI_Comm comm_;
  int tag_;
  std::uint64_t run_ = 0;          ///< number of the run that is under way, or that comes next
  std::size_t candidate_ = 0;      ///< of this run
  std::size_t taken_ = 0;          ///< outside of trials
  std::vector<std::size_t> tried_; ///< in trials, by turns
  bool moved_ = false;             ///< the messages of this run have arrived
  double started_ = 0;
  std::function<double()> now_;
  std::vector<std::vector<double>>
      times_;             ///< per candidate: seconds of its runs; of a compiled graph: mean of each turn
  bool by_turns_ = false; ///< of a compiled graph
  bool repeated_ = false;
  std::uint64_t runs_between_ = 0;  ///< these trials and the next ones
  std::uint64_t decided_after_ = 0; ///< runs, as of the last trials; 0: nothing yet
  bool changed_ = false;            ///< by the last trials
  double turn_ = 0;                 ///< seconds of this turn's runs that count
  std::unique_ptr<maxima> agreement_;
  /// Whoever waits for any schedule may decide about this one while its owner asks what is known.
  mutable std::mutex decision_;
  std::vector<double> slowest_;
  std::function<std::string(const tuned_run&)> then_;
  std::string told_; ///< what `then_` has said
};

} // namespace tacit::runtime
