#include "compiler/pass/inlining_plan.h"

namespace tacit::compiler {

namespace {

/// A window has to become this many times as long to be worth a copy of a routine.
constexpr std::uint64_t much_longer = 2;

using windows_by_call = llvm::DenseMap<unsigned, std::uint64_t>;

windows_by_call longest(const trial& one) {
  windows_by_call found;
  for (const auto& [function, calls] : one.windows)
    for (const auto& [call, window] : calls)
      found[call] = std::max(found.lookup(call), window);
  return found;
}

bool gains(const windows_by_call& calls, const windows_by_call& before) {
  return llvm::any_of(calls, [&](const auto& one) {
    const auto known = before.find(one.first);
    return one.first == 0 || known == before.end() || one.second > much_longer * known->second;
  });
}

/// Follows what came into the function, also through routines that had taken in others before.
void take_in(const llvm::Function& function, const trial& from, inlining_plan& plan) {
  const auto bodies = from.taken_in.find(&function);
  if (bodies == from.taken_in.end() || !plan.takes_in.insert(&function).second)
    return;
  for (const llvm::Function* routine : bodies->second) {
    plan.inlined.insert(routine);
    take_in(*routine, from, plan);
  }
}

} // namespace

inlining_plan plan_of(const trial& with_inlining) {
  inlining_plan plan;
  plan.messengers = with_inlining.messengers;
  plan.changes = with_inlining.changed;
  for (const llvm::Function* function : with_inlining.changed)
    take_in(*function, with_inlining, plan);
  return plan;
}

inlining_plan plan_of(const trial& with_inlining, const trial& without) {
  inlining_plan plan;
  plan.messengers = with_inlining.messengers;
  plan.changes = without.changed;
  const windows_by_call before = longest(without);
  for (const auto& [function, calls] : with_inlining.windows)
    if (with_inlining.taken_in.contains(function) && gains(calls, before)) {
      plan.changes.insert(function);
      take_in(*function, with_inlining, plan);
    }
  return plan;
}

call_numbers moved_by(const inlining_plan& plan, const trial& one) {
  call_numbers found;
  for (const auto& [function, calls] : one.windows)
    if (plan.changes.contains(function))
      for (const auto& [call, window] : calls)
        found.insert(call);
  return found;
}

} // namespace tacit::compiler
