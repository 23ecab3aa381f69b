// Sites are taken in program order: what is decided for one of them is carried out before the next one is
// looked at, so that every decision is about the program as it is by then.
#include "compiler/pass/overlap.h"

#include "compiler/pass/change.h"
#include "compiler/pass/explain.h"

namespace tacit::compiler {

namespace {

bool is_post(const mpi_site& site) {
  return site.is(call_class::isend) || site.is(call_class::irecv) || site.is(call_class::start);
}

/// Takes the requests of a Waitall out of it that may complete later; returns how many. The first is as
/// decided; the next ones have to be placed anew, for the program has changed.
unsigned take_apart(const decision& made, decider& decides, changer& changes) {
  const request_addresses addresses(made.site);
  unsigned taken = 0;
  for (std::size_t i = 0; i < made.elements.size(); ++i) {
    element one = made.elements[i];
    if (!one.known)
      continue;
    if (taken > 0)
      one.placed = decides.place(made.site, one.pending);
    if (!decides.worthwhile(one.placed))
      continue;
    changes.take_out(made.site, static_cast<unsigned>(i), addresses[i], one);
    ++taken;
  }
  return taken;
}

} // namespace

scouting scout(function_context& context, effects& effects, options options) {
  options.act = action::report;
  const function_calls calls = calls_in(context.analyses.function);
  decider decides(context, effects, options, calls.sites);
  scouting found;
  llvm::SmallPtrSet<const llvm::CallBase*, 16> matched;
  for (const mpi_site& site : calls.sites) {
    const decision made = decides.decide(site);
    found.sites++;
    found.for_callers += made.for_callers ? 1 : 0;
    found.blocking.insert(made.blocking.begin(), made.blocking.end());
    matched.insert(made.matched.begin(), made.matched.end());
  }
  // Posts whose completion is elsewhere.
  for (const mpi_site& site : calls.sites)
    if (is_post(site) && !matched.contains(site.call)) {
      found.sites++;
      found.for_callers++;
    }
  return found;
}

void explain_obstacle(function_context& context, const options& options, const std::string& what) {
  const function_calls calls = calls_in(context.analyses.function);
  for (const decision& one : calls.unreadable)
    explain(one, context.remarks, options);
  for (const mpi_site& site : calls.sites)
    if (is_considered(site))
      explain(stays(site, {reason::unknown_effect, what}), context.remarks, options);
}

bool overlap_function(function_context& context, effects& effects, const options& options,
                      wait_graph& graph) {
  const function_calls calls = calls_in(context.analyses.function);
  decider decides(context, effects, options, calls.sites);
  changer changes(context.analyses, options);
  for (const decision& one : calls.unreadable)
    explain(one, context.remarks, options);
  for (const mpi_site& site : calls.sites) {
    decision made = decides.decide(site);
    if (!options.graph.empty())
      draw(made, graph);
    if (options.act == action::apply && made.becomes == outcome::taken_apart)
      made.elements_moved = take_apart(made, decides, changes);
    explain(made, context.remarks, options);
    if (options.act == action::apply)
      changes.apply(made);
  }
  return changes.finish();
}

} // namespace tacit::compiler
