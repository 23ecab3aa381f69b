#include "interpose/takeover/blocking_trial.h"

#include <algorithm>
#include <utility>

namespace tacit::interpose {

std::uint64_t blocking_trial::settle(std::uint64_t& left) {
  const std::uint64_t came = std::exchange(unseen_, 0) - std::exchange(left, 0);
  calls_ += came;
  return came;
}

/// Between two trials.
blocking_trial::turn blocking_trial::settled() {
  unseen_ = library_goes_on_ ? trial_at_ - calls_ : 0;
  return {library_goes_on_, false, false, unseen_};
}

blocking_trial::turn blocking_trial::next() {
  const std::uint64_t number = calls_++;
  if (number < trial_at_)
    return settled();
  const std::uint64_t in_trial = number - trial_at_;
  if (in_trial == blocks * block_calls)
    return {library_goes_on_, false, true};
  library_in_block_ = in_trial / block_calls % 2 == 1;
  if (in_trial == 0)
    fastest_[0] = fastest_[1] = never;
  if (in_trial % block_calls == 0)
    block_ticks_ = calls_in_block_ = 0;
  return {library_in_block_, true, false};
}

void blocking_trial::add(std::uint64_t ticks) {
  block_ticks_ += ticks;
  if (++calls_in_block_ == block_calls)
    fastest_[library_in_block_] = std::min(fastest_[library_in_block_], block_ticks_);
}

blocking_trial::turn blocking_trial::decide(std::uint64_t ours, std::uint64_t library) {
  const std::uint64_t alike = ours / 32;
  library_goes_on_ = library < (saves_ ? ours - alike : ours + alike);
  trial_at_ = between * calls_;
  return settled();
}

} // namespace tacit::interpose
