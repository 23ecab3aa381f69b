// The program, in the order in which it happens: read this first.
//
// Each pass is a function over plain values; `run_pass` announces it, times it, and skips it if it was
// switched off by name. A pass that reports an error ends the compilation: what comes after it may rely on
// what the comment says.
#include "graphs/compile/compile.h"

#include "graphs/compile/stages.h"
#include "graphs/detect/scratch_hint.h"
#include "graphs/flow/separate.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tacit::graphs {
namespace {

class pass_list {
public:
  pass_list(const graph& g, const compile_options& options, compilation& products)
      : empty_(g.size() == 0), options_(options), products_(products) {}

  /// False if it did not run.
  template <typename Pass>
  bool run_pass(std::string_view name, Pass&& pass) {
    if (has_errors(products_.problems) || is_off(name))
      return false;
    if (options_.progress)
      options_.progress(name);
    const auto start = std::chrono::steady_clock::now();
    pass();
    products_.times.push_back(
        {name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    return true;
  }

private:
  bool is_off(std::string_view name) const {
    // Without operations nothing can match, race or move, and all products but the plan stay empty: ranks
    // alone, be they millions, take no time.
    if (empty_ && name != "check" && name != "replace")
      return true;
    if (!options_.make_plan && (name == "replace" || name == "validate"))
      return true;
    if (!options_.check_races && name == "races")
      return true;
    return std::find(options_.disabled.begin(), options_.disabled.end(), name) != options_.disabled.end();
  }
  bool empty_;
  const compile_options& options_;
  compilation& products_;
};

/// Everything left where it is: what detection returns when it is switched off.
findings nothing_found(const transfers& t) {
  findings none;
  for (std::uint32_t i = 0; i < t.list.size(); ++i)
    none.residual.push_back({0, t.list[i].length, i});
  return none;
}

/// Where ranks may not wait for each other, reductions keep the waits of the graph.
combining combine_together(const graph& g, const transfers& t, const compile_options& options) {
  if (options.planning.progress == region_progress::collective)
    return find_reductions(g, t, options.detection, options.planning.reassociate);
  combining none;
  if (!t.reductions.empty())
    none.refused.push_back(
        {pattern::allreduce, world, reason::progress, "any member may wait for any other"});
  return none;
}

void add_reductions(compilation& c) {
  const combining& from = c.combined;
  c.found.found.insert(c.found.found.end(), from.found.begin(), from.found.end());
  c.found.refused.insert(c.found.refused.end(), from.refused.begin(), from.refused.end());
  c.found.groups.insert(c.found.groups.begin(), from.groups.begin(), from.groups.end());
}

/// A graph with communicators for groups: a copy, if there are any.
class with_more {
public:
  with_more(const graph& g, const std::vector<communicator>& groups)
      : extended_(groups.empty() ? std::nullopt : std::optional(with_groups(g, groups))),
        g_(extended_ ? &*extended_ : &g) {}
  with_more(const with_more&) = delete;
  with_more& operator=(const with_more&) = delete;
  const graph& operator*() const { return *g_; }

private:
  std::optional<graph> extended_;
  const graph* g_;
};

/// A plan that fails its check is a bug of ours: say so, and run the graph as written. One that cannot be checked is none.
void replace_if_wrong(const graph& g, compilation& c, const plan_options& options) {
  const std::string fault = validate(g, c.matched, c.order, c.moved, c.schedule, options);
  if (fault.empty())
    return;
  if (fault == too_many_to_compare) {
    c.schedule = plan_as_written(g, c.matched, c.order, reason::synchronization, fault);
    return;
  }
  c.problems.push_back({number(reason::validation_failed), severity::warning, no_rank, no_op,
                        "the plan failed its check and is not used: " + fault,
                        "please report this with the graph; it runs as written"});
  c.schedule = plan_as_written(g, c.matched, c.order, reason::validation_failed, fault);
}

} // namespace

compilation check_graph(const graph& g, const compile_options& options) {
  compilation c;
  pass_list passes(g, options, c);
  const auto run_pass = [&](std::string_view name, auto&& pass) { return passes.run_pass(name, pass); };

  run_pass("check", [&] {
    c.problems = check_operations(g);
    check_addresses(g, c.problems);
  });
  // From here on every operation is well formed by itself.
  run_pass("match", [&] { c.matched = match(g, c.problems); });
  // From here on every send and receive has its partner.
  run_pass("order", [&] { c.order = order_operations(g, c.matched, c.problems); });
  // From here on there is no cycle; `order` is one way to run everything.
  run_pass("rendezvous", [&] { check_rendezvous(g, c.matched, c.order, c.problems); });
  run_pass("races", [&] { check_races(g, c.matched, c.order, c.problems); });
  // From here on the graph is one simultaneous assignment, whatever the timing.
  return c;
}

compilation find_meaning(const graph& g, compilation checked, const compile_options& options) {
  compilation c = std::move(checked);
  pass_list passes(g, options, c);
  const auto run_pass = [&](std::string_view name, auto&& pass) { return passes.run_pass(name, pass); };

  run_pass("flow", [&] { c.moved = follow(g, c.matched, c.order, c.problems, options.flow); });
  // From here on it is known where every byte comes from.
  run_pass("reductions", [&] {
    if (g.has_computations() && c.moved.complete)
      c.apart = apart_from_computations(g, c.matched, c.order, c.moved);
    c.combined = combine_together(g, c.uncombined(), options);
  });
  // From here on what collectives combine is apart from what moves and from what is kept.
  const with_more named(g, c.combined.groups);
  const bool searched = run_pass("detect", [&] {
    c.found = detect(*named, c.matched, c.order, c.moves(), options.detection);
    hint_at_scratch(*named, c.matched, c.order, c.moves(), c.found, options.detection, c.problems);
  });
  if (!searched)
    c.found = nothing_found(c.moves());
  add_reductions(c);
  c.groups = c.found.groups;
  const with_more all_named(g, c.groups);
  const graph& known = *all_named;
  // From here on every byte of a transfer belongs to one finding or to the residual.
  if (!options.described.empty())
    run_pass("described",
             [&] { c.described = find_described(g, c.moves(), c.found.residual, options.described); });
  run_pass("replace",
           [&] { c.schedule = make_plan(known, c.matched, c.order, c.moves(), c.found, options.planning); });
  if (options.make_plan && c.schedule.ranks.empty() && !has_errors(c.problems))
    c.schedule = plan_as_written(known, c.matched, c.order, reason::none, "replacing is switched off");
  run_pass("validate", [&] { replace_if_wrong(known, c, options.planning); });
  // From here on the schedule does what the graph means, or is the graph itself.
  run_pass("stages", [&] {
    stage_cut cut = cut_in_stages(g, c.matched);
    // A layer of computations makes ranks wait for more than the graph does.
    if (options.planning.progress == region_progress::collective)
      cut = cut_at_computations(g, c.matched, std::move(cut));
    if (cut.stages > 1)
      c.in_stages = compile_stages(g, cut, options, c.groups);
    else
      c.in_stages.why_not = cut.why_not;
  });
  // From here on it is known what its parts mean, if it has any.
  return c;
}

compilation compile(const graph& g, const compile_options& options) {
  return find_meaning(g, check_graph(g, options), options);
}

} // namespace tacit::graphs
