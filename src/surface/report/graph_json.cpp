// The analysis of a graph for machines; the fields are described in docs/cli.md. Addresses are numbers, ranks
// are ranks of the graph. Strings that are no UTF-8 are repaired.
#include "graphs/detect/other_numbers.h"
#include "surface/report/graph_page.h"
#include "vocabulary/calls/reasons.h"

#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

using json = nlohmann::ordered_json;

json rank_or_null(rank_id rank) {
  return rank == no_rank ? json(nullptr) : json(index(rank));
}

template <typename Slices>
json slices_json(const Slices& slices) {
  json list = json::array();
  for (const graphs::slice s : slices)
    list.push_back(json::array({s.transfer, s.offset, s.length}));
  return list;
}

json problem_json(const graph_analysis& a, const diagnostic& d) {
  constexpr const char* levels[] = {"error", "warning", "remark"};
  const bool known_line = d.op != no_op && index(d.op) < a.lines.size();
  return {{"level", levels[static_cast<int>(d.level)]},
          {"code", reason_label(reason{d.code})},
          {"rank", rank_or_null(d.rank)},
          {"operation", d.op == no_op ? json(nullptr) : json(index(d.op))},
          {"line", known_line ? json(a.lines[index(d.op)]) : json(nullptr)},
          {"message", d.message},
          {"remedy", d.remedy}};
}

json finding_json(const graphs::graph& g, const graphs::finding& f) {
  json x = {{"pattern", name(f.kind)},      {"communicator", g.communicators()[index(f.comm)].name},
            {"root", rank_or_null(f.root)}, {"bytes_per_block", f.bytes},
            {"pieces_per_block", f.blocks}, {"slices", slices_json(f.slices)}};
  if (!is_reduction(f.kind))
    return x;
  x["by"] = describe(g.reducers()[index(f.by)]);
  x["order"] = f.order.empty() ? json(nullptr) : json(graphs::describe(f.order));
  x["combined"] = json::array();
  for (const graphs::combined_piece& p : f.combined) {
    json piece = {{"length", p.length}, {"operands", p.operands}, {"results", p.results}};
    if (is_scan(f.kind)) // the first member gets nothing
      piece["results"][0] = nullptr;
    if (p.owner != no_rank)
      piece["owner"] = index(p.owner);
    x["combined"].push_back(std::move(piece));
  }
  return x;
}

json transfer_json(const graphs::transfer& t) {
  json x = {{"destination", index(t.destination)},
            {"destination_address", t.destination_address},
            {"length", t.length}};
  x["source"] = rank_or_null(t.source);
  x[t.source == no_rank ? "computed_by" : "source_address"] = t.source_address;
  return x;
}

/// Operands are lists of pieces in order: bytes of a rank, or of what another reduction makes.
json reductions_json(const graph_analysis& a) {
  const auto piece = [&](rank_id source, std::uint64_t address, std::uint64_t length) {
    json x = {{"length", length}};
    if (source != graphs::combined) {
      x["source"] = rank_or_null(source);
      x[source == no_rank ? "computed_by" : "source_address"] = address;
      return x;
    }
    const graphs::reduction& made = made_by(a.c.moved, address);
    x["reduced_by"] = index(made.op);
    x["offset"] = address - made.base;
    return x;
  };
  const auto pieces = [&](const std::vector<graphs::fragment>& list) {
    json out = json::array();
    for (const graphs::fragment& f : list)
      out.push_back(piece(f.source, f.source_address, f.length));
    return out;
  };
  json out = {{"kept_operations", json::array()}, {"list", json::array()}, {"leave", json::array()}};
  for (const op_id op : a.c.moves().kept_operations)
    out["kept_operations"].push_back(index(op));
  for (const graphs::reduction& r : a.c.moved.reductions)
    out["list"].push_back({{"operation", index(r.op)},
                           {"by", describe(a.g.reducers()[index(a.g.reduces_by(r.op))])},
                           {"length", r.length},
                           {"left", pieces(r.left)},
                           {"right", pieces(r.right)}});
  for (const graphs::transfer& t : a.c.moved.kept) {
    json x = piece(t.source, t.source_address, t.length);
    x["destination"] = index(t.destination);
    x["destination_address"] = t.destination_address;
    out["leave"].push_back(std::move(x));
  }
  return out;
}

json wait_sets_json(const graph_analysis& a) {
  if (a.c.order.order.size() != a.g.size() || a.c.matched.partner.size() != a.g.size() ||
      a.g.ranks() > most_wait_sets)
    return nullptr;
  const graphs::wait_sets all =
      graphs::compute_wait_sets(a.g, a.c.matched, a.c.order, graphs::sync_paths::all);
  json sets = json::array();
  for (std::uint32_t r = 0; r < a.g.ranks(); ++r) {
    json one = json::array();
    for (std::uint32_t other = 0; other < a.g.ranks(); ++other)
      if (all.contains(rank_id{r}, rank_id{other}))
        one.push_back(other);
    sets.push_back(std::move(one));
  }
  return sets;
}

json plan_json(const graphs::plan& p) {
  if (p.ranks.empty())
    return nullptr;
  json steps = json::array();
  for (const graphs::rank_plan& r : p.ranks)
    steps.push_back(r.steps.size());
  return {{"as_written", p.as_written},
          {"reason", p.why_as_written == reason::none ? json(nullptr) : json(reason_label(p.why_as_written))},
          {"detail", p.detail},
          {"steps_per_rank", std::move(steps)}};
}

/// Patterns of the user's own, if any were looked for.
void add_described(json& out, const graph_analysis& a) {
  if (a.c.described.found.empty() && a.c.described.missed.empty())
    return;
  json& found = out["described"] = json::array();
  for (const graphs::described_finding& f : a.c.described.found) {
    json lengths = json::object();
    for (const auto& [name, bytes] : f.lengths)
      lengths[name] = bytes;
    found.push_back({{"pattern", f.name},
                     {"says", f.says},
                     {"communicator", a.g.communicators()[index(f.comm)].name},
                     {"root", rank_or_null(f.root)},
                     {"lengths", std::move(lengths)},
                     {"of", f.leftover ? "residual" : "transfers"}});
  }
  json& missed = out["described_not_found"] = json::array();
  for (const graphs::described_miss& m : a.c.described.missed)
    missed.push_back({{"pattern", m.name}, {"detail", m.detail}});
}

} // namespace

std::string json_of(const graph_analysis& a) {
  json out = {{"tacit", "graph analysis"},
              {"format", 1},
              {"name", a.name},
              {"ranks", a.g.ranks()},
              {"operations", a.g.size()}};
  json& communicators = out["communicators"] = json::array();
  for (const graphs::communicator& c : a.g.communicators()) {
    json members = json::array();
    for (const rank_id r : c.members)
      members.push_back(index(r));
    communicators.push_back({{"name", c.name}, {"members", std::move(members)}});
  }
  json& problems = out["problems"] = json::array();
  for (const diagnostic& d : a.c.problems)
    problems.push_back(problem_json(a, d));
  json& found = out["findings"] = json::array();
  for (const graphs::finding& f : a.c.found.found) {
    found.push_back(finding_json(a.g, f));
    const std::string why = graphs::why_on_this_number_only(a.g, a.c.moves(), f);
    found.back()["perhaps_on_this_number_only"] = why.empty() ? json(nullptr) : json(why);
  }
  out["residual"] = slices_json(a.c.found.residual);
  add_described(out, a);
  if (!a.c.in_stages.stages.empty()) {
    json& stages = out["stages"] = json::array();
    for (const graphs::stage& s : a.c.in_stages.stages) {
      json of_stage = json::array();
      for (const graphs::finding& f : s.found.found)
        of_stage.push_back(finding_json(a.g, f));
      stages.push_back({{"findings", std::move(of_stage)}, {"residual", slices_json(s.found.residual)}});
    }
  }
  json& refused = out["refused"] = json::array();
  for (const graphs::refusal& r : a.c.found.refused)
    refused.push_back({{"pattern", name(r.kind)},
                       {"communicator", a.g.communicators()[index(r.comm)].name},
                       {"code", reason_label(r.why)},
                       {"detail", r.detail}});
  out["transfers_complete"] = a.c.moved.complete;
  json& moved = out["transfers"] = json::array();
  for (const graphs::transfer& t : a.c.moves().list)
    moved.push_back(transfer_json(t));
  if (a.g.has_reductions())
    out["reductions"] = reductions_json(a);
  out["wait_sets"] = wait_sets_json(a);
  out["plan"] = plan_json(a.c.schedule);
  json& passes = out["passes"] = json::array();
  for (const graphs::pass_time& pass : a.c.times)
    passes.push_back({{"name", pass.name}, {"seconds", pass.seconds}});
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace tacit::surface
