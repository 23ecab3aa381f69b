#include "runtime/run/tuned_run.h"

#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

/// Another candidate must be faster by so much.
constexpr double worth_a_change = 0.95;

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

} // namespace

std::size_t fastest(const std::vector<double>& seconds) {
  const auto least = std::min_element(seconds.begin(), seconds.end());
  return *least < worth_a_change * seconds.front() ? static_cast<std::size_t>(least - seconds.begin()) : 0;
}

tuned_run::tuned_run(std::vector<tuned_candidate> candidates, std::uint64_t after, MPI_Comm comm, int tag)
    : candidates_(std::move(candidates)), plan_{after, candidates_.size()}, comm_(comm), tag_(tag),
      times_(candidates_.size()) {
  for (std::vector<double>& times : times_)
    times.reserve(trial_plan::turns * trial_plan::runs_per_turn);
}

tuned_run::~tuned_run() = default;

void tuned_run::end() {
  for (tuned_candidate& c : candidates_) {
    c.run.reset();
    if (c.peers)
      c.peers->end();
    c.peers.reset();
  }
}

void tuned_run::start() {
  moved_ = false;
  if (plan_.tries(run_)) {
    candidate_ = plan_.candidate(run_);
    started_ = clock::now();
  }
  current().start();
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

/// The messages of this run have arrived: true when nothing else is left to do.
bool tuned_run::complete() {
  if (!moved_) {
    moved_ = true;
    if (plan_.tries(run_) && plan_.counts(run_))
      times_[candidate_].push_back(std::chrono::duration<double>(clock::now() - started_).count());
    if (run_ == plan_.last()) {
      std::vector<double> medians;
      for (const std::vector<double>& times : times_)
        medians.push_back(median(times));
      agreement_ = std::make_unique<maxima>(comm_, tag_, std::move(medians));
    }
  }
  if (agreement_) {
    if (!agreement_->progress())
      return false;
    decide();
  }
  ++run_;
  return true;
}

void tuned_run::decide() {
  slowest_ = agreement_->values();
  agreement_.reset();
  candidate_ = fastest(slowest_);
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (i != candidate_) {
      candidates_[i].run.reset();
      candidates_[i].peers.reset();
    }
}

std::string tuned_run::describe() const {
  if (slowest_.empty())
    return fmt::format("feedback: {} variants will be tried after {} runs\n", candidates_.size(),
                       plan_.after);
  const auto timed = [&](std::size_t i) {
    return fmt::format("{} {}", candidates_[i].name, readable_seconds(slowest_[i]));
  };
  std::string text = fmt::format("feedback after {} runs: {}{}", plan_.last() + 1,
                                 candidate_ == 0 ? "stays with " : "changed to ", timed(candidate_));
  const char* before = "; not ";
  for (std::size_t i = 0; i < slowest_.size(); ++i)
    if (i != candidate_) {
      text += before + timed(i);
      before = ", ";
    }
  return text + " (median run of the slowest rank)\n";
}

} // namespace tacit::runtime
