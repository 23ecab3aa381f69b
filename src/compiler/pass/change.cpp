#include "compiler/pass/change.h"

#include "compiler/pass/loop_cost.h"
#include "compiler/pass/pending_tests.h"
#include "compiler/pass/strip_mine.h"
#include "compiler/pass/watch.h"

namespace tacit::compiler {

namespace {

bool uses_ranges(const placement& placed) {
  return llvm::any_of(placed.completions, [](const completion& one) { return !one.unless_apart.empty(); });
}

} // namespace

void changer::apply(const decision& made) {
  if (made.becomes == outcome::copied) {
    complete_copies(*made.placed, in_, copies_complete_);
    rename_send(made.site);
    copies_ = true;
    return changed();
  }
  if (made.becomes != outcome::split && made.becomes != outcome::started && made.becomes != outcome::moved)
    return;
  const slot into = new_slot(*made.site.call);
  complete_at(*made.placed, into);
  const unseen_results lost = unseen_by(made.site);
  llvm::CallInst& hook = made.becomes == outcome::split     ? split_call(made.site, into)
                         : made.becomes == outcome::started ? start_collective(made.site, into, made.pending)
                         : made.site.is(mpi_call::Wait)
                             ? defer_wait(made.site, into, made.pending, uses_ranges(*made.placed))
                             : defer_waitall(made.site, into, made.pending, uses_ranges(*made.placed));
  if (options_.check)
    watch_results(hook, into, lost);
  changed();
}

void changer::take_out(const mpi_site& waitall, unsigned which, llvm::Value* request, const element& one) {
  const slot into = new_slot(*waitall.call);
  complete_at(one.placed, into);
  defer_element(waitall, request, into, one.pending, uses_ranges(one.placed));
  if (options_.check)
    watch_status_of_element(*waitall.call, into, unseen_by(waitall), which);
  changed();
}

bool changer::finish() {
  if (options_.has(stage::tests))
    hoist_pending_tests(slots_, in_);
  promote_buffers(slots_, in_.dominators);
  insert_splits(splits_);
  // What was one loop runs in chunks now: the number of its iterations is no longer that of the inner one.
  for (window& one : windows_)
    if (llvm::any_of(splits_, [&](const split_loop& split) { return split.loop == one.loop; }))
      one.iterations = nullptr;
  insert_pokes(windows_);
  if (options_.check)
    watch_slots(in_.function, slots_, copies_);
  return changed_;
}

slot changer::new_slot(const llvm::Instruction& site) {
  slots_.push_back(make_slot(site, options_.check));
  return slots_.back();
}

void changer::complete_at(const placement& placed, const slot& into) {
  insert_completions(into, placed, in_, splits_, guards_);
  if (options_.poke && !in_.function.getName().contains(".omp_")) // outlined for threads
    for (llvm::Loop* loop : placed.behind)
      windows_.push_back({into, loop, iteration_cost(*loop, in_.evolution), loop_cost(*loop, in_.evolution),
                          trip_count(*loop, in_.evolution)});
}

void changer::changed() {
  changed_ = true;
  in_.evolution.forgetBlockAndLoopDispositions();
}

} // namespace tacit::compiler
