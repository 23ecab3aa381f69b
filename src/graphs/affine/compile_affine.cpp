#include "graphs/affine/compile_affine.h"

#include "vocabulary/calls/reasons.h"

#include <chrono>

namespace tacit::graphs {
namespace {

template <typename Pass>
void run_pass(affine_compilation& c, std::string_view name, Pass&& pass) {
  const auto start = std::chrono::steady_clock::now();
  pass();
  c.times.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
}

} // namespace

bool may_compile_affine(const compile_options& options) {
  return options.disabled.empty() && options.described.empty() && options.make_plan && options.check_races &&
         options.detection.smallest_group <= 3 && options.planning.policy == sync_policy::data &&
         options.planning.progress == region_progress::collective;
}

affine_compilation compile(const affine_graph& g) {
  affine_compilation c;
  run_pass(c, "meaning", [&] {
    affine_search found = find_meaning(g);
    c.why = found.why;
    c.meaning = std::move(found.found);
  });
  if (c.why != affine_refusal::none)
    return c;
  // From here on the graph is known to be one collective, which is its plan.
  run_pass(c, "validate", [&] {
    const std::string fault = fault_of(g, c.meaning);
    if (!fault.empty())
      c.problems.push_back({number(reason::validation_failed), severity::warning, no_rank, no_op,
                            "the plan failed its check and is not used: " + fault,
                            "please report this with the graph; it is compiled message by message"});
  });
  return c;
}

part_finding finding_of(const affine_meaning& m) {
  part_finding out;
  out.kind = m.kind;
  out.root = m.root;
  out.bytes = m.bytes;
  out.whole = true;
  return out;
}

} // namespace tacit::graphs
