#include "runtime/executor/variant_trials.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacit::runtime {

namespace {

/// Ranks up to which messages are at least as fast as a collective: with two there is nothing that it could share out. Of 24 to
/// 393,000 bytes among 2 ranks of one node, MPI_Iallgatherv took as long to 2.1 times as long under Open MPI 4.1, to 8 times under
/// MPICH 4.0.
constexpr int most_by_messages = 4;
/// A rank with more messages than this for each round of a tree is better served by the tree, whatever a round costs: a collective
/// of two ranks, which has one, took up to 8 times as long as a message.
constexpr int messages_worth_a_round = 8;

/// By its own messages the busiest rank has one for each other rank.
bool messages_may_be_faster(int ranks) {
  const int rounds = std::bit_width(static_cast<unsigned>(ranks - 1));
  return ranks - 1 <= messages_worth_a_round * rounds;
}

/// Whatever else runs on the machine only adds.
double best(const std::vector<double>& times) {
  return *std::ranges::min_element(times);
}
double second_best(std::vector<double> times) {
  std::ranges::nth_element(times, times.begin() + 1);
  return times[1];
}

} // namespace

known_variant variant_for(int ranks, bool crowded) {
  if (ranks <= most_by_messages)
    return {exchange_variant::messages, true};
  const bool open = messages_may_be_faster(ranks);
  return {open && crowded ? exchange_variant::messages : exchange_variant::collective, !open};
}

exchange_variant variant_trials::next(const std::shared_ptr<tried_exchange>& of, double now) {
  ++begun_;
  ++of->uses;
  if (of->settled || !may_try(of))
    return of->variant;
  last_use_ = begun_;
  if (const std::uint64_t before = run_ - 1; run_ > 0 && plan_.counts(before))
    turns_[plan_.candidate(before)][plan_.turn(before)] += now - began_;
  began_ = now;
  if (run_ <= plan_.last())
    return static_cast<exchange_variant>(plan_.candidate(run_++));
  finish();
  return of->variant;
}

/// Whether this is the exchange that is tried, or becomes it.
bool variant_trials::may_try(const std::shared_ptr<tried_exchange>& of) {
  constexpr std::uint64_t uses_before = 2; // what is used once or twice has nothing to gain
  constexpr std::uint64_t most_between =
      256; // exchanges between two uses: more than a round of most loops has
  if (trying_ && begun_ - last_use_ > most_between)
    std::exchange(trying_, nullptr)->settled = true;
  if (of->settled)
    return false;
  if (!trying_ && of->uses > uses_before) {
    trying_ = of;
    run_ = 0;
    turns_.assign(plan_.candidates, std::vector<double>(trial_plan::turns, 0));
  }
  return trying_ == of;
}

void variant_trials::finish() {
  const auto decided = std::exchange(trying_, nullptr);
  decided->settled = decided->agreeing = true;
  agree_({best(turns_[0]), second_best(turns_[1])}, [decided](const std::vector<double>& slowest) {
    decided->variant = static_cast<exchange_variant>(fastest_or(slowest, {true, false}));
    decided->agreeing = false;
  });
}

} // namespace tacit::runtime
