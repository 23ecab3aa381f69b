#include "surface/cli/analyze_scaling.h"

#include "graphs/platform/model_file.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace tacit::surface {
namespace {

using graphs::form_price;
using graphs::scaled_prices;

std::string time_text(double ns) {
  return ns < 1e4    ? fmt::format("{:.2f} us", ns / 1e3)
         : ns < 1e7  ? fmt::format("{:.1f} us", ns / 1e3)
         : ns < 1e10 ? fmt::format("{:.1f} ms", ns / 1e6)
                     : fmt::format("{:.1f} s", ns / 1e9);
}

const form_price* cheapest(const scaled_prices& on) {
  const form_price* best = nullptr;
  for (const form_price& one : on.forms)
    if (one.ns >= 0 && !one.at_least && (!best || one.ns < best->ns))
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
      if (one.ns >= 0 && one.at_least)
        forms[std::string(graphs::name(one.form))] = {
            {"at_least_ns", one.ns}, {"driver", one.driver}, {"not_played", one.why}};
      else if (one.ns >= 0)
        forms[std::string(graphs::name(one.form))] = {{"ns", one.ns}, {"driver", one.driver}};
      else
        forms[std::string(graphs::name(one.form))] = {{"not_priced", one.why}};
    made["predictions"].push_back({{"ranks", on.ranks}, {"forms", forms}});
  }
  return made.dump(1) + "\n";
}

/// What is believed about the machine, and how to say it.
struct believed_machine {
  graphs::machine_costs costs;
  std::vector<std::string_view> drivers;
  std::string words;
};

/// Several models are a list, as of a machine whose cores share several caches; there is no prediction by those between caches.
std::vector<graphs::machine_model> models_of_list(const std::string& file) {
  std::vector<graphs::machine_model> out;
  const nlohmann::json all = nlohmann::json::parse(read_file(file), nullptr, false);
  try {
    for (std::size_t i = 0; all.is_array() && i < all.size(); ++i)
      if (graphs::machine_model model = graphs::parse_model(all[i].dump());
          model.between() != graphs::pair_class::other_cache)
        out.push_back(std::move(model));
  } catch (const graphs::model_error& e) {
    throw user_error(input_has_errors,
                     fmt::format("{} is no list of models of a machine: {}", file, e.what()));
  }
  return out;
}

graphs::machine_model model_in(const std::string& file) {
  graphs::loaded_model found = graphs::load_model(file, nullptr);
  if (!found.measured) {
    const std::string_view why = "because "; // the defaults are taken elsewhere
    throw user_error(
        input_has_errors,
        fmt::format("{} is no model of a machine, which 'tacit platform --json -o FILE' writes: {}", file,
                    found.origin.substr(found.origin.find(why) + why.size())));
  }
  return std::move(found.model);
}

/// What no model says is the default.
believed_machine by_models(const scaling_request& request) {
  graphs::machine_costs costs;
  std::vector<std::string> names;
  std::array<bool, 2> known{}; // between hosts, of one
  for (const std::string& file : request.models) {
    std::vector<graphs::machine_model> models = models_of_list(file);
    if (models.empty())
      models.push_back(model_in(file));
    for (graphs::machine_model& model : models) {
      if (std::exchange(known[model.one_host], true))
        throw user_error(
            wrong_usage,
            fmt::format("--platform names two models {}; give one of one host, one between two, or both",
                        model.one_host ? "of one host" : "between two hosts"));
      names.push_back(file + (model.busy() ? ", measured on a busy machine" : ""));
      (model.one_host ? costs.within_node : costs.between_nodes) = std::move(model);
    }
  }
  const bool one_node = std::ranges::max(request.ranks) <= request.ranks_per_node;
  return {graphs::costs_of(costs.within_node, costs.between_nodes, one_node),
          {"p2p", "shm"},
          fmt::format("by {}, within nodes by MPI's messages or through shared memory, whichever is faster",
                      fmt::join(names, " and "))};
}

believed_machine machine_of(const scaling_request& request) {
  if (!request.models.empty())
    return by_models(request);
  const graphs::message_cost c = request.cost.value_or(graphs::message_cost());
  return {graphs::costs_of(c),
          {"p2p"},
          fmt::format("with messages of overhead {:g} ns, latency {:g} ns and {:g} ns a byte, of which {:g} "
                      "within a node",
                      c.overhead, c.latency, c.byte, c.node_share)};
}

std::string line_of(const form_price& one, const form_price& now, const form_price* best) {
  const std::string marks =
      fmt::format("{}{}", &one == &now ? "  as written" : "", &one == best ? "  fastest" : "");
  if (one.ns < 0)
    return fmt::format("  {:<20} {:>12}  {}{}\n", graphs::name(one.form), "-", one.why, marks);
  if (one.at_least)
    return fmt::format("  {:<20} {:>12}  at least: {}{}\n", graphs::name(one.form), time_text(one.ns),
                       one.why, marks);
  const std::string through = one.driver == "p2p" ? "" : fmt::format("  {}", one.driver);
  const std::string gain =
      now.ns <= 0
          ? ""
          : fmt::format("  {}{:.2f}x", now.at_least && &one != &now ? "at least " : "", now.ns / one.ns);
  return fmt::format("  {:<20} {:>12}{}{}{}\n", graphs::name(one.form), time_text(one.ns), gain, through,
                     marks);
}

std::string text_of(const std::string& name, const graphs::recipe& r, const std::vector<scaled_prices>& all,
                    const scaling_request& request, const believed_machine& machine) {
  std::string out = wrapped(
      fmt::format(
          "{}: {}. Times by the cost model, from the start of all ranks to the end of the last one, {}; "
          "{} rank(s) on each node. What the MPI library does in its own collectives is not modelled.",
          name, title(r), machine.words, request.ranks_per_node),
      100);
  out += "\n";
  for (const scaled_prices& on : all) {
    const form_price& now = written(on, r);
    const form_price* best = cheapest(on);
    out += fmt::format("{} ranks\n", on.ranks);
    for (const form_price& one : on.forms)
      out += line_of(one, now, best);
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
            "'tacit generate --help' lists those it knows{}",
            name,
            g.reducers().empty() || request.reassociates
                ? ""
                : ". Reductions that round are known only if --allow-reassociation lets collectives take "
                  "their place"));
  const believed_machine machine = machine_of(request);
  std::vector<scaled_prices> all;
  for (const std::uint32_t ranks : request.ranks) {
    progress.show(fmt::format("{} ranks", ranks), 0);
    all.push_back(graphs::prices_on(*recipe, ranks, machine.costs,
                                    {request.ranks_per_node, request.ranks_per_node}, machine.drivers));
  }
  return json ? json_of(*recipe, all) : text_of(name, *recipe, all, request, machine);
}

} // namespace tacit::surface
