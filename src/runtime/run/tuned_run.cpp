#include "runtime/run/tuned_run.h"

#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace tacit::runtime {
namespace {

/// Another candidate must be faster by so much.
constexpr double worth_a_change = 0.95;
/// And of compiled graphs, than one that is preferred.
constexpr double worth_leaving = 0.97;
/// So many runs a rank may be ahead of another one without waiting for it.
constexpr std::uint64_t runs_ahead = 16;
/// Trials are repeated after so many times their own length.
constexpr std::uint64_t trials_between = 100;
/// What took so many times as long as what is taken is not tried again.
constexpr double tried_again_within = 4;
/// A turn should take so long, in seconds, many times what a change of process takes, and has so many runs at most.
struct turn_bounds {
  double seconds, most;
};
constexpr double fewest_runs = 4;
constexpr turn_bounds turns_of_a_core_each{600e-6, 50};
/// A rank runs ahead of those that wait for its core, as far as messages are buffered: a few runs only show what changes of process cost.
constexpr turn_bounds turns_of_shared_cores{6.4e-3, 100};

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double second_best(std::vector<double> times) {
  const std::ptrdiff_t at = times.size() > 1 ? 1 : 0;
  std::nth_element(times.begin(), times.begin() + at, times.end());
  return times[static_cast<std::size_t>(at)];
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double least_prediction(const std::vector<tuned_candidate>& candidates) {
  double least = -1;
  for (const tuned_candidate& c : candidates)
    if (c.predicted >= 0)
      least = least < 0 ? c.predicted : std::min(least, c.predicted);
  return least;
}

std::atomic<std::size_t> living_of_graphs = 0;

} // namespace

std::size_t tuned_run::of_graphs() {
  return living_of_graphs;
}

std::uint64_t runs_in_a_turn(double seconds, bool crowded) {
  const turn_bounds& turn = crowded ? turns_of_shared_cores : turns_of_a_core_each;
  const double runs = seconds < 0 ? fewest_runs : turn.seconds / std::max(seconds, 1e-9);
  return static_cast<std::uint64_t>(std::clamp(runs, fewest_runs, turn.most));
}

std::size_t fastest_or(const std::vector<double>& seconds, const std::vector<bool>& preferred) {
  const auto least = std::min_element(seconds.begin(), seconds.end());
  std::size_t stays = seconds.size();
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (preferred[i] && (stays == seconds.size() || seconds[i] < seconds[stays]))
      stays = i;
  return stays < seconds.size() && !(*least < worth_leaving * seconds[stays])
             ? stays
             : static_cast<std::size_t>(least - seconds.begin());
}

std::size_t fastest(const std::vector<double>& seconds) {
  const auto least = std::min_element(seconds.begin(), seconds.end());
  return *least < worth_a_change * seconds.front() ? static_cast<std::size_t>(least - seconds.begin()) : 0;
}

tuned_run::tuned_run(std::vector<tuned_candidate> candidates, std::uint64_t after, MPI_Comm comm, int tag)
    : candidates_(std::move(candidates)), plan_{after, candidates_.size()}, comm_(comm), tag_(tag),
      tried_(candidates_.size()), now_(steady_seconds), times_(candidates_.size()) {
  std::iota(tried_.begin(), tried_.end(), std::size_t{0});
  for (std::vector<double>& times : times_)
    times.reserve(trial_plan::turns * plan_.runs_per_turn);
}

tuned_run::tuned_run(std::vector<tuned_candidate> candidates, const graph_trials& trials, MPI_Comm comm)
    : tuned_run(std::move(candidates), trials.after, comm, 0) {
  by_turns_ = true;
  repeated_ = trials.repeated;
  plan_.runs_per_turn = runs_in_a_turn(least_prediction(candidates_), trials.crowded);
  plan_.runs_to_agree = runs_ahead;
  ++living_of_graphs;
}

tuned_run::~tuned_run() {
  if (by_turns_)
    --living_of_graphs;
}

void tuned_run::end(bool waits) noexcept {
  try {
    while (waits && agreement_ && !agreement_->progress())
      take_pause(0);
    if (waits)
      agreement_.reset();
  } catch (...) { // an error of MPI concerns nobody who has no use for the result
  }
  for (tuned_candidate& c : candidates_) {
    c.run.reset();
    if (c.peers)
      c.peers->end();
    c.peers.reset();
  }
}

void tuned_run::start() {
  moved_ = false;
  candidate_ = taken_;
  if (plan_.tries(run_)) {
    candidate_ = tried_[plan_.candidate(run_)];
    started_ = now_();
  }
  current().start();
  if (by_turns_ && run_ == plan_.last() + 1)
    agreement_ = std::make_unique<maxima>(comm_, own_times());
}

bool tuned_run::progress() {
  if (!moved_ && !current().progress())
    return false;
  return complete();
}

void tuned_run::finish() {
  if (!moved_)
    current().finish();
  while (!complete())
    take_pause(0);
}

double tuned_run::pause() const {
  return moved_ ? 0 : current().pause();
}

void tuned_run::note_time() {
  const double seconds = now_() - started_;
  if (!by_turns_) {
    if (plan_.counts(run_))
      times_[candidate_].push_back(seconds);
    return;
  }
  turn_ = plan_.counts(run_) ? turn_ + seconds : 0;
  if ((run_ + 1 - plan_.after) % plan_.runs_per_turn == 0)
    times_[candidate_].push_back(turn_ / static_cast<double>(plan_.runs_per_turn - 1));
}

std::vector<double> tuned_run::own_times() const {
  std::vector<double> out;
  for (const std::size_t i : tried_)
    if (by_turns_)
      out.insert(out.end(), times_[i].begin(), times_[i].end());
    else
      out.push_back(median(times_[i]));
  return out;
}

std::vector<double> tuned_run::times_of_the_slowest() const {
  const std::vector<double>& told = agreement_->values();
  if (!by_turns_)
    return told;
  std::vector<double> out = slowest_; // of those that are not tried any more it is what it was
  out.resize(candidates_.size());
  auto turn = told.begin();
  for (const std::size_t i : tried_) {
    out[i] = second_best({turn, turn + trial_plan::turns});
    turn += trial_plan::turns;
  }
  return out;
}

/// The messages of this run have arrived: true when nothing else is left to do.
bool tuned_run::complete() {
  if (!moved_) {
    moved_ = true;
    if (plan_.tries(run_))
      note_time();
    if (run_ == plan_.last() && !by_turns_)
      agreement_ = std::make_unique<maxima>(comm_, tag_, own_times());
  }
  const bool agreed = agreement_ && agreement_->progress();
  if (agreement_ && run_ == plan_.decides()) {
    if (!agreed)
      return false;
    decide();
  }
  ++run_;
  return true;
}

void tuned_run::decide() {
  {
    const std::lock_guard lock(decision_);
    slowest_ = times_of_the_slowest();
    const std::size_t before = std::exchange(taken_, fastest_candidate());
    changed_ = taken_ != before;
    decided_after_ = run_ + 1;
    if (repeated_)
      repeat_trials();
  }
  agreement_.reset();
  if (!repeated_)
    let_others_go();
  tell();
}

/// After the run that is complete now.
void tuned_run::repeat_trials() {
  std::erase_if(tried_, [&](std::size_t i) { return slowest_[i] > tried_again_within * slowest_[taken_]; });
  repeated_ = tried_.size() > 1;
  plan_.candidates = tried_.size();
  runs_between_ = changed_ || runs_between_ == 0 ? trials_between * plan_.length() : 2 * runs_between_;
  plan_.after = decided_after_ + runs_between_;
  for (std::vector<double>& times : times_)
    times.clear();
}

void tuned_run::let_others_go() {
  candidate_ = taken_;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (i != taken_) {
      candidates_[i].run.reset();
      if (!by_turns_) // those of graphs may have communicators, which only `end` frees together
        candidates_[i].peers.reset();
    }
}

std::size_t tuned_run::fastest_candidate() const {
  if (!by_turns_)
    return fastest(slowest_);
  std::vector<bool> preferred;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    preferred.push_back(decided_after_ == 0 ? candidates_[i].preferred : i == taken_);
  return fastest_or(slowest_, preferred);
}

/// Whatever fails in it is no reason for the run to fail.
void tuned_run::tell() noexcept {
  const auto then = std::exchange(then_, nullptr);
  std::string told;
  try {
    if (then)
      told = then(*this);
  } catch (...) {
    told.clear();
  }
  const std::lock_guard lock(decision_);
  told_ = std::move(told);
}

std::size_t tuned_run::candidate() const {
  const std::lock_guard lock(decision_);
  return taken_;
}

std::string tuned_run::timed(std::size_t i) const {
  const double predicted = candidates_[i].predicted;
  return fmt::format("{} {}{}", candidates_[i].name, readable_seconds(slowest_[i]),
                     predicted < 0 ? "" : " (predicted " + readable_seconds(predicted) + ")");
}

std::string tuned_run::words_of_others() const {
  std::string text;
  for (std::size_t i = 0; i < slowest_.size(); ++i)
    if (i != taken_)
      text += (text.empty() ? "" : ", ") + timed(i);
  return text;
}

std::string tuned_run::describe() const {
  const std::lock_guard lock(decision_);
  if (slowest_.empty())
    return run_ < plan_.after || run_ == 0
               ? fmt::format("feedback: {} variants will be tried after {} runs\n", candidates_.size(),
                             plan_.after)
               : fmt::format("feedback: {} variants are tried until run {}\n", candidates_.size(),
                             plan_.decides() + 1);
  const std::string others = words_of_others();
  std::string later;
  if (repeated_)
    later = run_ < plan_.after ? fmt::format(", measured again after {}", plan_.after)
                               : fmt::format(", measured again until run {}", plan_.decides() + 1);
  return fmt::format("feedback after {} runs: {}{}{}{} ({} of the slowest rank{})\n{}", decided_after_,
                     changed_ ? "changed to " : "stays with ", timed(taken_), others.empty() ? "" : "; not ",
                     others, by_turns_ ? "runs" : "median run", later, told_);
}

} // namespace tacit::runtime
