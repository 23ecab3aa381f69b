#include "runtime/schedule/compile_on_root.h"

#include "runtime/mpi/errors.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

/// How many errors are told; one mistake in a loop makes thousands.
constexpr int errors_shown = 20;

/// "[operation 3 of rank 1]", as that rank numbers its operations.
std::string name_of(const joined_graph& all, op_id op) {
  const std::uint32_t rank = index(all.g[op].rank);
  const auto& names = all.names[rank];
  const auto local = std::find(names.begin(), names.end(), op);
  return local == names.end() ? std::string()
                              : fmt::format(" [operation {} of rank {}]", local - names.begin(), rank);
}

std::string describe_errors(const joined_graph& all, const diagnostics& problems) {
  std::string text;
  int shown = 0;
  for (const diagnostic& d : problems) {
    if (d.level != severity::error)
      continue;
    if (++shown > errors_shown)
      return text + "\n…";
    text += fmt::format("{}TACIT-{:03}: {}", text.empty() ? "" : "\n", d.code, d.message);
    if (d.op != no_op)
      text += name_of(all, d.op);
    if (!d.remedy.empty())
      text += ". " + d.remedy;
  }
  return text;
}

std::vector<local_graph> unpacked(std::vector<message> parts) {
  std::vector<local_graph> out;
  for (message& bytes : parts) {
    out.push_back(unpacked_graph(bytes));
    message().swap(bytes);
  }
  return out;
}

bool has_collectives(const graphs::plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const graphs::rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(),
                       [](const graphs::step& s) { return s.kind == graphs::step_kind::collective; });
  });
}

/// The plans that do what the graph means: as written, as straight messages, as collectives. Each has passed `validate` or is
/// the graph itself. The order counts: the first one stays unless another one is faster.
std::vector<named_plan> all_plans(const graphs::graph& g, const graphs::compilation& c,
                                  const graphs::compile_options& options) {
  std::vector<named_plan> out;
  out.push_back({"as written", graphs::plan_as_written(g, c.matched, c.order, reason::none, "")});
  if (c.schedule.as_written)
    return out;
  if (has_collectives(c.schedule)) {
    graphs::compile_options straight = options;
    straight.disabled.emplace_back("detect");
    if (graphs::compilation messages = graphs::compile(g, straight); !messages.schedule.as_written)
      out.push_back({"straight messages", std::move(messages.schedule)});
  }
  out.push_back({has_collectives(c.schedule) ? "collectives" : "straight messages", c.schedule});
  return out;
}

} // namespace

compiled_graph compile_parts(std::vector<message> parts, const compile_request& wanted) {
  compiled_graph out{join(unpacked(std::move(parts))), {}, {}, wanted.driver, {}};
  out.products = graphs::compile(out.all.g, wanted.compile);
  if (has_errors(out.products.problems))
    throw call_error(call_error::kind::graph, describe_errors(out.all, out.products.problems), true);
  out.why = explain(out.all.g, out.products);
  // The end of the trials waits for all ranks (run/tuned_run.h).
  if (wanted.tune && wanted.compile.planning.progress == graphs::region_progress::collective)
    out.candidates = all_plans(out.all.g, out.products, wanted.compile);
  return out;
}

rank_part part_of(const compiled_graph& compiled, std::uint32_t rank) {
  const graphs::graph& g = compiled.all.g;
  rank_part part{
      compiled.driver, compiled.why, make_program(g, compiled.products.schedule, rank_id{rank}), {}, {}};
  for (const named_plan& c : compiled.candidates)
    part.candidates.push_back({c.name, make_program(g, c.steps, rank_id{rank})});
  const auto& names = compiled.all.names[rank];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (g[names[i]].kind == graphs::op_kind::opaque)
      part.computations.emplace_back(names[i], static_cast<std::int32_t>(i));
  return part;
}

} // namespace tacit::runtime
