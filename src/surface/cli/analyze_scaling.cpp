#include "surface/cli/analyze_scaling.h"

#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

using graphs::form_price;
using graphs::scaled_prices;

std::string time_text(double ns) {
  return ns < 1e4   ? fmt::format("{:.2f} us", ns / 1e3)
         : ns < 1e7 ? fmt::format("{:.1f} us", ns / 1e3)
                    : fmt::format("{:.1f} ms", ns / 1e6);
}

const form_price* cheapest(const scaled_prices& on) {
  const form_price* best = nullptr;
  for (const form_price& one : on.forms)
    if (one.ns >= 0 && (!best || one.ns < best->ns))
      best = &one;
  return best;
}

const form_price& written(const scaled_prices& on, const graphs::recipe& r) {
  return *std::ranges::find(on.forms, r.form, &form_price::form);
}

std::string title(const graphs::recipe& r) {
  return fmt::format("{} by the {} algorithm, {} B per block", name(r.kind), graphs::name(r.form), r.block);
}

std::string json_of(const graphs::recipe& r, const std::vector<scaled_prices>& all) {
  nlohmann::ordered_json made{{"pattern", name(r.kind)}, {"form", graphs::name(r.form)}, {"bytes", r.block}};
  for (const scaled_prices& on : all) {
    nlohmann::ordered_json forms = nlohmann::ordered_json::object();
    for (const form_price& one : on.forms)
      if (one.ns >= 0)
        forms[std::string(graphs::name(one.form))] = {{"ns", one.ns}};
      else
        forms[std::string(graphs::name(one.form))] = {{"not_priced", one.why}};
    made["predictions"].push_back({{"ranks", on.ranks}, {"forms", forms}});
  }
  return made.dump(1) + "\n";
}

std::string text_of(const std::string& name, const graphs::recipe& r, const std::vector<scaled_prices>& all,
                    const scaling_request& request) {
  const graphs::message_cost& c = request.cost;
  std::string out = wrapped(
      fmt::format(
          "{}: {}. Times by the cost model, from the start of all ranks to the end of the last one, "
          "with messages of overhead {:g} ns, latency {:g} ns and {:g} ns a byte, of which {:g} within a "
          "node of {} rank(s); what the MPI library does in its own collectives is not modelled.",
          name, title(r), c.overhead, c.latency, c.byte, c.node_share, request.ranks_per_node),
      100);
  out += "\n";
  for (const scaled_prices& on : all) {
    const form_price& now = written(on, r);
    const form_price* best = cheapest(on);
    out += fmt::format("{} ranks\n", on.ranks);
    for (const form_price& one : on.forms) {
      const std::string marks =
          fmt::format("{}{}", &one == &now ? "  as written" : "", &one == best ? "  fastest" : "");
      if (one.ns < 0)
        out += fmt::format("  {:<20} {:>12}  {}{}\n", graphs::name(one.form), "-", one.why, marks);
      else if (now.ns > 0)
        out += fmt::format("  {:<20} {:>12}  {:.2f}x{}\n", graphs::name(one.form), time_text(one.ns),
                           now.ns / one.ns, marks);
      else
        out += fmt::format("  {:<20} {:>12}{}\n", graphs::name(one.form), time_text(one.ns), marks);
    }
  }
  return out;
}

} // namespace

std::string predicted_scaling(const std::string& name, const graphs::graph& g, const graphs::findings& found,
                              const scaling_request& request, bool json, progress_line& progress) {
  const auto recipe = graphs::recipe_of(g, found);
  if (!recipe)
    throw user_error(
        input_has_errors,
        fmt::format(
            "{} is no algorithm that tacit knows, so what it does on other numbers of ranks is not known; "
            "'tacit generate --help' lists those it knows",
            name));
  std::vector<scaled_prices> all;
  for (const std::uint32_t ranks : request.ranks) {
    progress.show(fmt::format("{} ranks", ranks), 0);
    const graphs::machine_costs costs = graphs::costs_of(request.cost);
    all.push_back(graphs::prices_on(*recipe, ranks, costs, {request.ranks_per_node, request.ranks_per_node}));
  }
  return json ? json_of(*recipe, all) : text_of(name, *recipe, all, request);
}

} // namespace tacit::surface
