#include "runtime/exchange/feedback.h"

#include "runtime/exchange/neighbor_communicator.h"
#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

/// Another way must be faster by so much.
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

feedback_run::feedback_run(std::vector<neighbor_operation> ways, std::uint64_t after, MPI_Comm comm, int tag)
    : ways_(std::move(ways)), plan_{after, ways_.size()}, comm_(comm), tag_(tag), times_(ways_.size()) {
  for (std::vector<double>& times : times_)
    times.reserve(trial_plan::turns * trial_plan::runs_per_turn);
}

feedback_run::~feedback_run() = default;

void feedback_run::start() {
  moved_ = false;
  if (plan_.tries(run_)) {
    way_ = plan_.way(run_);
    started_ = clock::now();
  }
  ways_[way_].run().start();
}

bool feedback_run::progress() {
  if (!moved_ && !ways_[way_].run().progress())
    return false;
  return complete();
}

void feedback_run::finish() {
  if (!moved_)
    ways_[way_].run().finish();
  while (!complete())
    take_pause(0);
}

double feedback_run::pause() const {
  return moved_ ? 0 : ways_[way_].run().pause();
}

/// The messages of this run have arrived: true when nothing else is left to do.
bool feedback_run::complete() {
  if (!moved_) {
    moved_ = true;
    if (plan_.tries(run_) && plan_.counts(run_))
      times_[way_].push_back(std::chrono::duration<double>(clock::now() - started_).count());
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

void feedback_run::decide() {
  slowest_ = agreement_->values();
  agreement_.reset();
  for (const neighbor_operation& w : ways_)
    names_.push_back(w.way_name());
  taken_ = fastest(slowest_);
  neighbor_operation keep = std::move(ways_[taken_]);
  ways_.clear();
  ways_.push_back(std::move(keep));
  way_ = 0;
}

std::string feedback_run::describe() const {
  if (slowest_.empty())
    return fmt::format("feedback: {} ways will be tried after {} runs\n", ways_.size(), plan_.after);
  const auto timed = [&](std::size_t i) {
    return fmt::format("{} {}", names_[i], readable_seconds(slowest_[i]));
  };
  std::string text = fmt::format("feedback after {} runs: {}{}", plan_.last() + 1,
                                 taken_ == 0 ? "stays with " : "changed to ", timed(taken_));
  const char* before = "; not ";
  for (std::size_t i = 0; i < slowest_.size(); ++i)
    if (i != taken_) {
      text += before + timed(i);
      before = ", ";
    }
  return text + " (median run of the slowest rank)\n";
}

} // namespace tacit::runtime
