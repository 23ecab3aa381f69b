#include "interpose/takeover/blocking_trial.h"

#include <algorithm>

namespace tacit::interpose {

blocking_trial::turn blocking_trial::next() {
  const std::uint64_t number = calls_++;
  if (number < trial_at_)
    return {library_goes_on_, false, false};
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

/// Who is as fast as we are leaves it to us: what is right with us may be wrong in another version of the library.
blocking_trial::turn blocking_trial::decide(std::uint64_t ours, std::uint64_t library) {
  library_goes_on_ = library < ours - ours / 32;
  trial_at_ = between * calls_;
  return {library_goes_on_, false, false};
}

} // namespace tacit::interpose
