#include "compiler/pass/pending_conflicts.h"

#include "compiler/pass/strip_mine.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace tacit::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;

constexpr unsigned max_ranges = 6;       // comparisons at one point
constexpr std::uint64_t close_by = 4096; // bytes between accesses that one comparison covers

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

} // namespace

pending_conflicts::pending_conflicts(llvm::ArrayRef<in_flight> operations, effects& effects,
                                     function_analyses& in, const options& options)
    : operations_(operations), effects_(effects), in_(in), options_(options),
      comparable_(options.has(stage::compare) &&
                  llvm::all_of(operations, [](const in_flight& one) { return one.comparable; })) {}

std::optional<conflict> pending_conflicts::at(Instruction& at, reach how) {
  // Posting anew into the slot: completed by the hook itself, so only the buffers of the operations count.
  for (const in_flight& operation : operations_)
    if (auto found = effects_.of(at, operation, how)) {
      if (!comparable_)
        found->checkable.reset();
      return found;
    }
  return std::nullopt;
}

std::optional<checked_range> pending_conflicts::checkable(const conflict& found, const Instruction* before) {
  if (!found.checkable)
    return std::nullopt;
  const auto range =
      range_of(found.checkable->pointer, found.checkable->bytes, nullptr, before, in_.evolution);
  if (!range || meets_for_sure(*range))
    return std::nullopt;
  return checked_range{*range, found.checkable->writes};
}

/// An access that begins inside the buffer of an operation needs no comparison: it has to wait.
bool pending_conflicts::meets_for_sure(const address_range& range) {
  return llvm::any_of(operations_, [&](const in_flight& operation) {
    const llvm::SCEV* offset = in_.evolution.getMinusSCEV(range.low, in_.evolution.getSCEV(operation.buffer));
    const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(offset);
    return constant && constant->getAPInt().ult(std::max<std::uint64_t>(operation.bytes, 1));
  });
}

loop_check pending_conflicts::of_loop(const Loop& loop, const Instruction& before, reach how) {
  loop_check check;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& at : *block) {
      const auto found = this->at(at, how);
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

checks pending_conflicts::in_iterations(const Loop& loop, reach how) {
  checks ranges;
  if (!options_.has(stage::chunks) || !can_be_chunked(loop))
    return ranges;
  bool same_memory = false;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& at : *block) {
      const auto found = this->at(at, how);
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

bool pending_conflicts::in_memory_of_operation(const llvm::SCEV* address) {
  const llvm::SCEV* base = in_.evolution.getPointerBase(address);
  return llvm::any_of(operations_, [&](const in_flight& operation) {
    return base == in_.evolution.getPointerBase(in_.evolution.getSCEV(operation.buffer));
  });
}

/// The first iterations of a nest begin inside the buffer (received blocks that are unpacked in their
/// order): no comparison within the nest would gain anything.
bool pending_conflicts::needed_at_entry(const plain_access& access, BasicBlock& block, const Loop& nest) {
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

void pending_conflicts::add_range(checks& ranges, const checked_range& more) {
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

std::optional<conflict> pending_conflicts::may_wait(const Loop& loop) {
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
bool pending_conflicts::lets_progress(const Loop& loop) const {
  const BasicBlock* latch = loop.getLoopLatch();
  return latch && llvm::any_of(loop.blocks(), [&](BasicBlock* block) {
           return in_.dominators.dominates(block, latch) && llvm::any_of(*block, [](Instruction& at) {
                    auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
                    const auto site = call ? recognise(*call) : std::nullopt;
                    return site && progresses(site->row->kind);
                  });
         });
}

} // namespace tacit::compiler
