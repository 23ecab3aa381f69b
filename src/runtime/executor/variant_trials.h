// Whether a repeated exchange of all ranks goes as messages or as one collective of MPI: measured in place, where it is not known.
//
// Problem: a collective saves steps, but whoever passes on what it gets there needs a core in each of them. Which counts more depends on
// the library, on lengths and on how many ranks share cores; no model says what a library does. Idea, as in run/tuned_run.h: both
// variants bring the same, and all ranks begin the same exchanges in the same order, so that the number of a use alone says which
// variant it takes. From its third use on an exchange takes both in turns; then all ranks agree on the largest of their times, by a
// reduction that begins with the use after the last turn. The use after that one waits for the result, which needs nothing but that
// all ranks have begun the one before it.
//
// A use lasts until the next one begins: what the program does in between belongs to it, so that a variant is faster if the
// program is, and not if it only lets somebody else wait. As this holds for other exchanges, too, one is tried at a time; one whose
// uses stop meanwhile makes room. Messages are what the program would do without discovery: a collective has to be faster than they are
// by more than 3 % (fastest_or), so that discovery does not make a program slower for long; and twice what messages were once, as
// turns of ranks that share cores differ by more than that.
//
// Cost: a comparison a use, a reduction of two numbers an exchange, and that half the uses of a trial take the slower variant. So it is
// not tried where the slower one is known.
#pragma once

#include "runtime/run/tuned_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tacit::runtime {

enum class exchange_variant : std::uint8_t { messages, collective };

/// What an exchange of so many ranks takes as long as nothing was measured, and whether that is worth it. `crowded`: some node has more
/// ranks than cores.
struct known_variant {
  exchange_variant first = exchange_variant::messages;
  bool settled = true;
};
known_variant variant_for(int ranks, bool crowded);

/// Of one exchange.
struct tried_exchange {
  exchange_variant variant = exchange_variant::messages; ///< outside of its trial
  bool settled = true;                                   ///< there will be no trial
  std::uint64_t uses = 0;
  bool agreeing = false; ///< the next use has to wait
};

class variant_trials {
public:
  /// Gets the largest of all ranks' numbers to `then`, later or at once. All ranks call it in the same order.
  using maximum_of_all =
      std::function<void(std::vector<double> mine, std::function<void(const std::vector<double>&)> then)>;
  explicit variant_trials(maximum_of_all agree) : agree_(std::move(agree)) {}

  /// The variant of the use that begins. All ranks call it for the same exchanges in the same order. `now`: seconds.
  exchange_variant next(const std::shared_ptr<tried_exchange>& of, double now);

private:
  bool may_try(const std::shared_ptr<tried_exchange>& of);
  void finish();

  maximum_of_all agree_;
  trial_plan plan_{.after = 0, .candidates = 2, .runs_per_turn = 6};
  std::uint64_t begun_ = 0, last_use_ = 0; ///< numbers of exchanges
  std::shared_ptr<tried_exchange> trying_;
  std::uint64_t run_ = 0; ///< of the trial
  double began_ = 0;
  std::vector<std::vector<double>> turns_; ///< by variant: seconds of each turn's uses that count
};

} // namespace tacit::runtime
