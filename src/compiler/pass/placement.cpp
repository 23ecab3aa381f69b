#include "compiler/pass/placement.h"

#include "compiler/pass/loop_cost.h"
#include "compiler/pass/options.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <queue>
#include <tuple>
#include <vector>

namespace tacit::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;

constexpr unsigned max_straight_checks = 4;       // comparisons outside loops, for one wait
constexpr std::uint64_t worth_a_comparison = 400; // instructions of a loop that runs again and again

class placer {
public:
  placer(Instruction& wait, llvm::ArrayRef<in_flight> operations, effects& effects, function_analyses& in,
         const options& options)
      : wait_(wait), operations_(operations), conflicts_(operations, effects, in, options), in_(in),
        options_(options), home_(in.loops.getLoopFor(wait.getParent())) {}

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
      if (const auto found = conflicts_.at(at, how)) {
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
    auto range = conflicts_.checkable(found, &at);
    straight_checks_ += range ? 1 : 0;
    return range;
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
    if (const auto found = conflicts_.may_wait(loop))
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

  void enter_loop(BasicBlock& from, BasicBlock& to, Loop& loop, reach how) {
    if (const auto seen = entered_.find(&loop); seen != entered_.end() && seen->second >= how)
      return;
    entered_[&loop] = how;
    if (const auto found = conflicts_.may_wait(loop)) {
      complete_on_edge(from, to, *found, &*to.getFirstNonPHIOrDbg());
      return;
    }
    loop_check check = conflicts_.of_loop(loop, *from.getTerminator(), how);
    if (check.cause.why != reason::none)
      if (checks iterations = conflicts_.in_iterations(loop, how); !iterations.empty()) {
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

  void complete_within(Loop& loop, BasicBlock& from, loop_check check, checks iterations) {
    completion made{from.getTerminator(),   nullptr,      nullptr, std::move(iterations), &loop,
                    std::move(check.cause), check.blocker};
    add(std::move(made));
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
          conflicts_.add_range(same->unless_apart, range);
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
  pending_conflicts conflicts_;
  function_analyses& in_;
  const options& options_;
  const Loop* home_; ///< the innermost loop of the wait
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
