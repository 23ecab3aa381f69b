#include "compiler/pass/placement.h"

#include "compiler/pass/loop_cost.h"
#include "compiler/pass/options.h"
#include "compiler/pass/strip_mine.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <queue>
#include <tuple>
#include <vector>

namespace tacit::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;

using checks = llvm::SmallVector<checked_range, 4>;

constexpr unsigned max_ranges = 6;                // comparisons at one point
constexpr std::uint64_t close_by = 4096;          // bytes between accesses that one comparison covers
constexpr unsigned max_straight_checks = 4;       // comparisons outside loops, for one wait
constexpr std::uint64_t worth_a_comparison = 400; // instructions of a loop that runs again and again

bool progresses(call_class kind) {
  switch (kind) {
  case call_class::send:
  case call_class::recv:
  case call_class::sendrecv:
  case call_class::probe:
  case call_class::mprobe:
  case call_class::mrecv:
  case call_class::complete:
  case call_class::request_query:
  case call_class::collective:
  case call_class::neighbor:
    return true;
  default:
    return false;
  }
}

class placer {
public:
  placer(Instruction& wait, llvm::ArrayRef<in_flight> operations, effects& effects, function_analyses& in,
         const options& options)
      : wait_(wait), operations_(operations), effects_(effects), in_(in), options_(options),
        home_(in.loops.getLoopFor(wait.getParent())),
        comparable_(options.has(stage::compare) &&
                    llvm::all_of(operations, [](const in_flight& one) { return one.comparable; })) {}

  placement run() {
    scan(*wait_.getParent(), std::next(wait_.getIterator()), reach::same_iteration);
    while (!work_.empty()) {
      const arrival next = work_.top();
      work_.pop();
      distance_ = next.distance;
      scan(*next.block, next.block->begin(), reached_[next.block]);
    }
    drop_superseded();
    result_.soon = share_soon(*wait_.getParent(), std::next(wait_.getIterator()), 1, 0);
    return std::move(result_);
  }

private:
  /// The nearest block is scanned first, so that the distance of every completion is the shortest one.
  struct arrival {
    std::uint64_t distance; ///< instructions from the wait
    std::uint64_t order;    ///< of arrival, to make ties deterministic
    BasicBlock* block;
    bool operator>(const arrival& other) const {
      return std::tie(distance, order) > std::tie(other.distance, other.order);
    }
  };

  [[nodiscard]] bool around_wait(const Loop* loop) const { return loop && loop->contains(&wait_); }

  std::optional<conflict> conflict_at(Instruction& at, reach how) {
    // Posting anew into the slot: completed by the hook itself, so only the buffers of the operations count.
    for (const in_flight& operation : operations_)
      if (auto found = effects_.of(at, operation, how)) {
        if (!comparable_)
          found->checkable.reset();
        return found;
      }
    return std::nullopt;
  }

  void add(completion made) {
    const BasicBlock* at = made.before ? made.before->getParent() : made.from;
    if (made.unless_apart.empty() &&
        (!home_ || (home_->contains(at) && (!made.to || home_->contains(made.to)))))
      result_.shortest = std::min(result_.shortest, distance_);
    result_.completions.push_back(std::move(made));
  }

  void advance(std::uint64_t instructions) {
    distance_ += instructions;
    result_.window += instructions;
  }

  /// A call that starts another message and waits for a partner: the two messages are under way together,
  /// which is worth a window even if the program computes nothing meanwhile.
  static bool talks_meanwhile(Instruction& at) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
    const auto site = call ? recognise(*call) : std::nullopt;
    return site &&
           (site->is(call_class::send) || site->is(call_class::recv) || site->is(call_class::sendrecv));
  }

  void scan(BasicBlock& block, BasicBlock::iterator from, reach how) {
    for (Instruction& at : llvm::make_range(from, block.end())) {
      if (&at ==
          &wait_) { // the next operation of this slot starts here; the hook completes the pending one first
        result_.shortest = std::min(result_.shortest, distance_);
        return;
      }
      if (at.isTerminator() &&
          (llvm::isa<llvm::ReturnInst, llvm::ResumeInst, llvm::UnreachableInst>(at) || at.isEHPad())) {
        if (!llvm::isa<llvm::UnreachableInst>(at) && is_checked(condition::control))
          add({&at,
               nullptr,
               nullptr,
               {},
               nullptr,
               {reason::function_ends, wording(remark::function_returns), {}},
               &at});
        return;
      }
      if (const auto found = conflict_at(at, how)) {
        const auto range = checkable_here(*found, at);
        add({&at, nullptr, nullptr, range ? checks{*range} : checks{}, nullptr, *found, &at});
        if (!range)
          return;
      }
      advance(at.isDebugOrPseudoInst() ? 0 : 1);
      if (talks_meanwhile(at)) {
        result_.window += handshake;
        ++result_.exchanges;
      }
    }
    for (BasicBlock* next : llvm::successors(&block))
      follow(block, *next, how);
  }

  /// A single access outside the loops that are passed as one step.
  std::optional<checked_range> checkable_here(const conflict& found, const Instruction& at) {
    if (straight_checks_ >= max_straight_checks)
      return std::nullopt;
    auto range = checkable(found, nullptr, &at);
    straight_checks_ += range ? 1 : 0;
    return range;
  }

  std::optional<checked_range> checkable(const conflict& found, const Loop* nest, const Instruction* before) {
    if (!found.checkable)
      return std::nullopt;
    const auto range =
        range_of(found.checkable->pointer, found.checkable->bytes, nest, before, in_.evolution);
    if (!range || meets_for_sure(*range))
      return std::nullopt;
    return checked_range{*range, found.checkable->writes};
  }

  /// An access that begins inside the buffer of an operation needs no comparison: it has to wait.
  bool meets_for_sure(const address_range& range) {
    return llvm::any_of(operations_, [&](const in_flight& operation) {
      const llvm::SCEV* offset =
          in_.evolution.getMinusSCEV(range.low, in_.evolution.getSCEV(operation.buffer));
      const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(offset);
      return constant && constant->getAPInt().ult(std::max<std::uint64_t>(operation.bytes, 1));
    });
  }

  void follow(BasicBlock& from, BasicBlock& to, reach how) {
    Loop* inner = in_.loops.getLoopFor(&to);
    const bool enters = inner && inner->getHeader() == &to && !inner->contains(&from);
    if (enters && !around_wait(inner)) {
      enter_loop(from, to, *inner, how);
      return;
    }
    if (inner && inner->getHeader() == &to && inner->contains(&from) && around_wait(inner))
      how = next_iteration(from, to, *inner, how);
    else if (const Loop* left = in_.loops.getLoopFor(&from); left && left->contains(&wait_) &&
                                                             !left->contains(&to) &&
                                                             options_.mode == motion::conservative) {
      complete_on_edge(from, to, {reason::interval_ends, wording(remark::loop_ends), {}},
                       from.getTerminator());
      return;
    }
    if (how != reach::none)
      arrive(to, how);
  }

  void arrive(BasicBlock& at, reach how) {
    reach& known = reached_[&at];
    if (known >= how)
      return;
    known = how;
    work_.push({distance_, arrivals_++, &at});
  }

  /// Crossing the back edge of a loop around the wait.
  reach next_iteration(BasicBlock& from, BasicBlock& to, const Loop& loop, reach how) {
    const auto stop = [&](reason why, std::string detail) {
      complete_on_edge(from, to, {why, std::move(detail), {}}, from.getTerminator());
      return reach::none;
    };
    if (options_.mode == motion::conservative)
      return stop(reason::interval_ends, wording(remark::iteration_ends));
    if (const auto found = may_wait(loop))
      return stop(found->why, found->detail);
    for (const in_flight& operation : operations_) {
      if (operation.from_copy)
        continue;
      if (!loop.isLoopInvariant(operation.object))
        return stop(reason::buffer_varies, wording(remark::next_buffer));
      if (!loop.isLoopInvariant(operation.buffer))
        how = reach::next_iteration;
    }
    return how;
  }

  /// Comparisons in front of the inner loops cost little compared with what these loops do.
  [[nodiscard]] bool comparisons_are_cheap(const Loop& loop) {
    return llvm::all_of(
        loop, [&](const Loop* inner) { return loop_cost(*inner, in_.evolution) >= worth_a_comparison; });
  }

  enum class loop_conflict : std::uint8_t { clear, unknown, hard };

  /// What a loop as a whole does to the operations: nothing but accesses with these ranges (clear), also
  /// accesses whose ranges are not known before it (unknown), or something that no comparison can clear
  /// (hard).
  struct loop_check {
    loop_conflict how = loop_conflict::clear;
    checks ranges;
    conflict cause;
    Instruction* blocker = nullptr;
  };

  /// A loop (or one inside it) that may go on until others have done something, without a call that would let
  /// MPI progress: one without an exit, and one that asks for the time again and again, if nothing says how
  /// often. (Atomic and volatile accesses conflict by themselves; what a loop of other accesses computes no
  /// other thread or rank may change meanwhile.)
  std::optional<conflict> may_wait(const Loop& loop) {
    for (const Loop* inner : loop)
      if (auto found = may_wait(*inner))
        return found;
    if (lets_progress(loop))
      return std::nullopt;
    llvm::SmallVector<BasicBlock*, 4> exits;
    loop.getExitingBlocks(exits);
    if (exits.empty())
      return conflict{reason::unknown_effect, wording(remark::may_never_end), {}};
    if (!llvm::isa<llvm::SCEVCouldNotCompute>(in_.evolution.getSymbolicMaxBackedgeTakenCount(&loop)))
      return std::nullopt;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& at : *block)
        if (effects_.asks_the_time(at))
          return conflict{reason::unknown_effect, wording(remark::may_wait), {}};
    return std::nullopt;
  }

  /// True if every iteration calls MPI so that messages under way get on.
  [[nodiscard]] bool lets_progress(const Loop& loop) const {
    const BasicBlock* latch = loop.getLoopLatch();
    return latch && llvm::any_of(loop.blocks(), [&](BasicBlock* block) {
             return in_.dominators.dominates(block, latch) && llvm::any_of(*block, [](Instruction& at) {
                      auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
                      const auto site = call ? recognise(*call) : std::nullopt;
                      return site && progresses(site->row->kind);
                    });
           });
  }

  void enter_loop(BasicBlock& from, BasicBlock& to, Loop& loop, reach how) {
    if (const auto seen = entered_.find(&loop); seen != entered_.end() && seen->second >= how)
      return;
    entered_[&loop] = how;
    if (const auto found = may_wait(loop)) {
      complete_on_edge(from, to, *found, &*to.getFirstNonPHIOrDbg());
      return;
    }
    loop_check check = check_loop(loop, *from.getTerminator(), how);
    if (check.cause.why != reason::none)
      if (checks iterations = iterations_apart(loop, how); !iterations.empty()) {
        complete_within(loop, from, std::move(check), std::move(iterations));
        return leave_loop(loop, how);
      }
    // Its inner loops may have ranges of their own, one iteration of this loop at a time.
    if (check.how == loop_conflict::unknown && !loop.isInnermost() && comparisons_are_cheap(loop))
      return arrive(to, how);
    if (check.how == loop_conflict::hard || check.how == loop_conflict::unknown) {
      complete_on_edge(from, to, check.cause, check.blocker);
      return;
    }
    if (!check.ranges.empty()) {
      complete_on_edge(from, to, check.cause, check.blocker, std::move(check.ranges));
    }
    leave_loop(loop, how);
  }

  /// Goes on behind a loop that runs while the operation is pending.
  void leave_loop(Loop& loop, reach how) {
    const std::uint64_t before = distance_;
    pass_loop(loop);
    llvm::SmallVector<std::pair<BasicBlock*, BasicBlock*>, 4> exits;
    loop.getExitEdges(exits);
    for (const auto& [inside, outside] : exits)
      follow(*inside, *outside, how);
    distance_ = before;
  }

  /// What single iterations of the loop access, if that moves on with the iterations and begins outside the
  /// buffer: then some may run while the operation is pending. Else, or if the accesses are probably
  /// elsewhere anyway (one comparison before the loop is cheaper), nothing.
  checks iterations_apart(const Loop& loop, reach how) {
    checks ranges;
    if (!options_.has(stage::chunks) || !can_be_chunked(loop))
      return ranges;
    bool same_memory = false;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& at : *block) {
        const auto found = conflict_at(at, how);
        if (!found)
          continue;
        if (!found->checkable)
          return {};
        const plain_access& access = *found->checkable;
        const auto range = range_in_iteration(access.pointer, access.bytes, loop, in_.evolution);
        if (!range || meets_for_sure({first_value(range->low), first_value(range->high)}) ||
            needed_at_entry(access, *block, loop))
          return {};
        same_memory |= in_memory_of_operation(range->low);
        add_range(ranges, {*range, access.writes});
        if (ranges.size() > max_ranges)
          return {};
      }
    return same_memory ? ranges : checks{};
  }

  bool in_memory_of_operation(const llvm::SCEV* address) {
    const llvm::SCEV* base = in_.evolution.getPointerBase(address);
    return llvm::any_of(operations_, [&](const in_flight& operation) {
      return base == in_.evolution.getPointerBase(in_.evolution.getSCEV(operation.buffer));
    });
  }

  void complete_within(Loop& loop, BasicBlock& from, loop_check check, checks iterations) {
    completion made{from.getTerminator(),   nullptr,      nullptr, std::move(iterations), &loop,
                    std::move(check.cause), check.blocker};
    add(std::move(made));
  }

  loop_check check_loop(const Loop& loop, const Instruction& before, reach how) {
    loop_check check;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& at : *block) {
        const auto found = conflict_at(at, how);
        if (!found || (found->checkable && check.how == loop_conflict::unknown))
          continue; // of an unknown loop only what no comparison can clear is still of interest
        const auto range = found->checkable ? range_of(found->checkable->pointer, found->checkable->bytes,
                                                       &loop, &before, in_.evolution)
                                            : std::nullopt;
        const bool hard = !found->checkable || (range && meets_for_sure(*range)) ||
                          needed_at_entry(*found->checkable, *block, loop);
        if (hard || check.cause.why == reason::none)
          check.cause = *found, check.blocker = &at;
        if (hard) {
          check.how = loop_conflict::hard;
          return check;
        }
        const checked_range checked{range.value_or(address_range{}), found->checkable->writes};
        if (range)
          add_range(check.ranges, checked);
        if (!range || check.ranges.size() > max_ranges)
          check.how = loop_conflict::unknown;
        if (check.how == loop_conflict::unknown && loop.isInnermost())
          return check; // is completed before, like a hard one
      }
    return check;
  }

  /// The first iterations of a nest begin inside the buffer (received blocks that are unpacked in their
  /// order): no comparison within the nest would gain anything.
  bool needed_at_entry(const plain_access& access, BasicBlock& block, const Loop& nest) {
    const Loop* innermost = in_.loops.getLoopFor(&block);
    const BasicBlock* latch = innermost->getLoopLatch();
    if (!latch || !in_.dominators.dominates(&block, latch))
      return false;
    const llvm::SCEV* first = in_.evolution.getSCEV(access.pointer);
    for (const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(first);
         moving && nest.contains(moving->getLoop()); moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(first))
      first = moving->getStart();
    return meets_for_sure({first, first});
  }

  /// Adds a range, as part of one that begins close to it if there is one: an unrolled loop makes dozens of
  /// neighbours.
  void add_range(checks& ranges, const checked_range& more) {
    llvm::ScalarEvolution& evolution = in_.evolution;
    for (checked_range& one : ranges) {
      const auto* distance =
          llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(more.bytes.low, one.bytes.low));
      const auto* growth =
          llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(more.bytes.high, one.bytes.high));
      if (!distance || !growth || one.writes != more.writes || distance->getAPInt().abs().ugt(close_by))
        continue;
      if (distance->getAPInt().isNegative())
        one.bytes.low = more.bytes.low;
      if (growth->getAPInt().isStrictlyPositive())
        one.bytes.high = more.bytes.high;
      return;
    }
    ranges.push_back(more);
  }

  void pass_loop(Loop& loop) {
    if (!llvm::is_contained(result_.passed, &loop))
      result_.passed.push_back(&loop);
    Loop* outermost = &loop;
    while (outermost->getParentLoop() && !around_wait(outermost->getParentLoop()))
      outermost = outermost->getParentLoop();
    if (!llvm::is_contained(result_.behind, outermost))
      result_.behind.push_back(outermost);
    advance(loop_cost(loop, in_.evolution));
  }

  void complete_on_edge(BasicBlock& from, BasicBlock& to, conflict cause, Instruction* blocker,
                        checks unless_apart = {}) {
    completion made{from.getTerminator(), nullptr, nullptr, std::move(unless_apart), nullptr,
                    std::move(cause),     blocker};
    if (to.isEHPad() || (is_checked(condition::control) && to.getUniquePredecessor() == &from)) {
      made.before = &*to.getFirstInsertionPt(); // completing twice does no harm
    } else if (!from.getSingleSuccessor()) {
      made.before = nullptr;
      made.from = &from;
      made.to = &to;
    }
    add(std::move(made));
  }

  /// The same point can be found twice, once per reach: the stricter completion (without ranges) stands for
  /// both.
  void drop_superseded() {
    llvm::SmallVector<completion, 4> kept;
    for (completion& one : result_.completions) {
      auto same = llvm::find_if(kept, [&](const completion& other) {
        return other.before == one.before && other.from == one.from && other.to == one.to &&
               other.within == one.within;
      });
      if (same == kept.end()) {
        kept.push_back(std::move(one));
        continue;
      }
      if (one.unless_apart.empty())
        *same = std::move(one);
      else if (!same->unless_apart.empty())
        for (const checked_range& range : one.unless_apart)
          add_range(same->unless_apart, range);
    }
    result_.completions = std::move(kept);
  }

  /// The share of the executions that get here, `distance` instructions behind the wait, of which the
  /// operation has to be complete before the least window has passed. Follows whoever is more than one in a
  /// hundred.
  double share_soon(BasicBlock& block, BasicBlock::iterator from, double share, std::uint64_t distance) {
    for (Instruction& at : llvm::make_range(from, block.end())) {
      if (&at == &wait_ || has_to_be_complete(&at, nullptr, nullptr))
        return share;
      if (++distance >= options_.min_window || talks_meanwhile(at))
        return 0;
    }
    double soon = 0;
    for (BasicBlock* next : llvm::successors(&block)) {
      const auto taken = in_.frequencies.getBPI()->getEdgeProbability(&block, next);
      const double part = share * taken.getNumerator() / llvm::BranchProbability::getDenominator();
      const Loop* inner = in_.loops.getLoopFor(next);
      const bool passes = inner && llvm::is_contained(result_.passed, inner) && !inner->contains(&block);
      if (has_to_be_complete(nullptr, &block, next))
        soon += part;
      else if (part > 0.01 && !(passes && distance + loop_cost(*inner, in_.evolution) >= options_.min_window))
        soon += share_soon(*next, next->begin(), part, distance);
    }
    return soon;
  }

  [[nodiscard]] bool has_to_be_complete(const Instruction* before, const BasicBlock* from,
                                        const BasicBlock* to) const {
    return llvm::any_of(result_.completions, [&](const completion& one) {
      return one.unless_apart.empty() && one.before == before && one.from == from && one.to == to;
    });
  }

  Instruction& wait_;
  llvm::ArrayRef<in_flight> operations_;
  effects& effects_;
  function_analyses& in_;
  const options& options_;
  const Loop* home_;      ///< the innermost loop of the wait
  const bool comparable_; ///< whether accesses disturb the operations may be left to comparisons
  placement result_;
  llvm::DenseMap<BasicBlock*, reach> reached_;
  llvm::DenseMap<const Loop*, reach> entered_;
  std::priority_queue<arrival, std::vector<arrival>, std::greater<>> work_;
  std::uint64_t distance_ = 0; ///< of what is being looked at
  std::uint64_t arrivals_ = 0;
  unsigned straight_checks_ = 0;
};

} // namespace

placement place_completions(Instruction& wait, llvm::ArrayRef<in_flight> operations, effects& effects,
                            function_analyses& in, const options& options) {
  return placer(wait, operations, effects, in, options).run();
}

} // namespace tacit::compiler
