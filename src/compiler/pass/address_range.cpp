// An affine access {start, +, step} of a loop that runs n + 1 times touches its extremes in the first and the
// last iteration. In a nest whose inner trip counts do not depend on the outer loops the iteration space is a
// box, so the extremes are at its corners, and the two ends can be followed through the loops one at a time,
// from the expression of the address outwards. A loop that does not run makes its end meaningless, but then
// (the box is empty) the access does not happen either. An end that wraps around is caught at run time: low >
// high counts as an overlap.
//
// Fortran forbids that integers overflow (Fortran 2018, 10.1.5.2.4), but flang 19 does not tell LLVM: there
// sext(i32 a + i) is widened to sext(a) + sext(i) here, without which no subscript that is computed in
// default integers would be affine.
#include "compiler/pass/address_range.h"

#include "compiler/pass/fortran_variables.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace tacit::compiler {

namespace {

using llvm::SCEV;

class widened : public llvm::SCEVRewriteVisitor<widened> {
public:
  explicit widened(llvm::ScalarEvolution& evolution) : SCEVRewriteVisitor(evolution) {}

  const SCEV* visitSignExtendExpr(const llvm::SCEVSignExtendExpr* extended) {
    const SCEV* narrow = extended->getOperand();
    const auto wide = [&](const SCEV* part) {
      return visit(SE.getSignExtendExpr(part, extended->getType()));
    };
    if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(narrow);
        recurrence && recurrence->isAffine())
      return SE.getAddRecExpr(wide(recurrence->getStart()), wide(recurrence->getStepRecurrence(SE)),
                              recurrence->getLoop(), SCEV::FlagAnyWrap);
    if (!llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(narrow))
      return SCEVRewriteVisitor::visitSignExtendExpr(extended);
    llvm::SmallVector<const SCEV*, 4> parts;
    for (const SCEV* part : llvm::cast<llvm::SCEVNAryExpr>(narrow)->operands())
      parts.push_back(wide(part));
    return llvm::isa<llvm::SCEVAddExpr>(narrow) ? SE.getAddExpr(parts) : SE.getMulExpr(parts);
  }
};

class box {
public:
  /// `kept`: the iterations of this loop are told apart.
  box(const llvm::Loop* nest, llvm::ScalarEvolution& evolution, const llvm::Loop* kept = nullptr)
      : nest_(nest), kept_(kept), se_(evolution) {}

  std::optional<address_range> ends_of(const SCEV* value) {
    if (!nest_ || se_.isLoopInvariant(value, nest_))
      return address_range{value, value};
    if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value))
      return ends_of_recurrence(*recurrence);
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value))
      return ends_of_sum(*sum);
    return std::nullopt;
  }

private:
  std::optional<address_range> ends_of_recurrence(const llvm::SCEVAddRecExpr& recurrence) {
    if (!recurrence.isAffine())
      return std::nullopt;
    if (recurrence.getLoop() == kept_)
      return address_range{&recurrence, &recurrence};
    const SCEV* trips = se_.getBackedgeTakenCount(recurrence.getLoop());
    const SCEV* step = recurrence.getStepRecurrence(se_);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(trips) || !se_.isLoopInvariant(trips, nest_) ||
        !se_.isLoopInvariant(step, nest_))
      return std::nullopt;
    const auto start = ends_of(recurrence.getStart());
    if (!start)
      return std::nullopt;
    llvm::Type* width = se_.getEffectiveSCEVType(recurrence.getType());
    if (se_.getTypeSizeInBits(trips->getType()) > se_.getTypeSizeInBits(width))
      return std::nullopt;
    const SCEV* distance = se_.getMulExpr(se_.getNoopOrZeroExtend(trips, width), step);
    const SCEV* zero = se_.getZero(width);
    const SCEV* down = se_.isKnownNonNegative(step)   ? zero
                       : se_.isKnownNonPositive(step) ? distance
                                                      : se_.getSMinExpr(distance, zero);
    const SCEV* up = se_.isKnownNonNegative(step)   ? distance
                     : se_.isKnownNonPositive(step) ? zero
                                                    : se_.getSMaxExpr(distance, zero);
    return address_range{se_.getAddExpr(start->low, down), se_.getAddExpr(start->high, up)};
  }

  std::optional<address_range> ends_of_sum(const llvm::SCEVAddExpr& sum) {
    llvm::SmallVector<const SCEV*, 4> low, high;
    for (const SCEV* operand : sum.operands()) {
      const auto ends = ends_of(operand);
      if (!ends)
        return std::nullopt;
      low.push_back(ends->low);
      high.push_back(ends->high);
    }
    return address_range{se_.getAddExpr(low), se_.getAddExpr(high)};
  }

  const llvm::Loop* nest_;
  const llvm::Loop* kept_;
  llvm::ScalarEvolution& se_;
};

} // namespace

std::optional<address_range> range_of(llvm::Value* pointer, std::uint64_t bytes, const llvm::Loop* nest,
                                      const llvm::Instruction* before, llvm::ScalarEvolution& evolution) {
  const SCEV* address = evolution.getSCEV(pointer);
  if (is_fortran(*before->getFunction()))
    address = widened(evolution).visit(address);
  auto ends = box(nest, evolution).ends_of(address);
  if (!ends)
    return std::nullopt;
  ends->high = evolution.getAddExpr(
      ends->high, evolution.getConstant(evolution.getEffectiveSCEVType(address->getType()), bytes));
  const llvm::SCEVExpander expander(evolution, before->getModule()->getDataLayout(), "tacit");
  if (!expander.isSafeToExpandAt(ends->low, before) || !expander.isSafeToExpandAt(ends->high, before))
    return std::nullopt;
  return ends;
}

const llvm::SCEV* first_value(const llvm::SCEV* end) {
  const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(end);
  return recurrence ? recurrence->getStart() : end;
}

const llvm::SCEV* step_of(const llvm::SCEV* end, llvm::ScalarEvolution& evolution) {
  const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(end);
  return recurrence ? recurrence->getStepRecurrence(evolution)
                    : evolution.getZero(evolution.getEffectiveSCEVType(end->getType()));
}

std::optional<address_range> range_in_iteration(llvm::Value* pointer, std::uint64_t bytes,
                                                const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const SCEV* address = evolution.getSCEV(pointer);
  auto ends = box(&loop, evolution, &loop).ends_of(address);
  const llvm::BasicBlock* before = loop.getLoopPreheader();
  if (!ends || !before)
    return std::nullopt;
  ends->high = evolution.getAddExpr(
      ends->high, evolution.getConstant(evolution.getEffectiveSCEVType(address->getType()), bytes));
  if (step_of(ends->low, evolution) != step_of(ends->high, evolution))
    return std::nullopt;
  const llvm::SCEVExpander expander(evolution, before->getModule()->getDataLayout(), "tacit");
  for (const SCEV* needed : {first_value(ends->low), first_value(ends->high), step_of(ends->low, evolution)})
    if (!evolution.isLoopInvariant(needed, &loop) ||
        !expander.isSafeToExpandAt(needed, before->getTerminator()))
      return std::nullopt;
  return ends;
}

} // namespace tacit::compiler
