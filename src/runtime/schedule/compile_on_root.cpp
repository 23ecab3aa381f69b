#include "runtime/schedule/compile_on_root.h"

#include "graphs/choice/generated_form.h"
#include "graphs/part/part_plan.h"
#include "graphs/part/remaining.h"
#include "neighbors/leftovers/leftovers.h"
#include "runtime/mpi/collective_calls.h"
#include "runtime/mpi/errors.h"
#include "runtime/run/tuned_run.h"
#include "runtime/schedule/compile_runs.h"
#include "runtime/schedule/known_machine.h"
#include "runtime/schedule/measured_before.h"
#include "vocabulary/base/function_ref.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sstream>

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

struct all_inputs {
  std::vector<rank_facts> facts;
  std::vector<local_graph> graphs;
};

all_inputs unpacked(std::vector<message> parts) {
  all_inputs out;
  for (message& bytes : parts) {
    rank_input one = unpacked_graph(bytes);
    out.facts.push_back(one.facts);
    out.graphs.push_back(std::move(one.graph));
    message().swap(bytes);
  }
  return out;
}

graphs::choice_request request_of(const std::vector<rank_facts>& ranks, const compile_request& wanted) {
  graphs::choice_request out;
  bool one_node = true, knows_caches = false;
  out.where.longest_in_memory = std::numeric_limits<std::uint64_t>::max();
  for (const rank_facts& r : ranks) {
    one_node = one_node && r.node == ranks.front().node;
    out.where.node.push_back(r.node);
    out.where.cache.push_back(r.cache);
    knows_caches = knows_caches || r.cache != 0;
    out.where.longest_in_memory = std::min(out.where.longest_in_memory, r.longest_in_memory);
    out.attended = out.attended && r.attended != 0;
  }
  if (one_node)
    out.where.node.clear();
  if (!knows_caches)
    out.where.cache.clear();
  out.where.cores = cores_here();
  out.costs = known_costs(one_node);
  out.prices = origin_of_costs(one_node);
  out.driver = wanted.driver;
  out.plan = wanted.plan;
  out.persistent = persistent_calls() != nullptr;
  out.replace_always = wanted.replace_always;
  out.leftovers = neighbors::with_neighborhoods;
  // The end of the trials waits for all ranks to start a run (run/tuned_run.h).
  const bool may_wait = wanted.compile.planning.progress == graphs::region_progress::collective;
  out.most = wanted.measures_all() && may_wait ? wanted.candidates : 1;
  // Each has a second communicator, of which some libraries have two thousand.
  constexpr std::size_t most_with_finalists = 256;
  out.finalists = wanted.measures == measuring::finalists && may_wait && !wanted.in_background() &&
                  tuned_run::of_graphs() < most_with_finalists;
  return out;
}

/// A plan that was asked for by name has to be there.
void refuse_unknown_plan(const graphs::choice& chosen, const std::string& plan) {
  if (plan.empty() || !chosen.variants.empty())
    return;
  std::string names;
  bool is_priced = false;
  for (const graphs::priced_variant& w : chosen.compared) {
    is_priced = is_priced || w.plan == plan;
    if (const std::string name = fmt::format("\"{}\"", w.plan);
        w.plan != plan && names.find(name) == std::string::npos)
      names += (names.empty() ? "" : ", ") + name;
  }
  const char* const why = is_priced
                              ? "which has not passed its check against this graph, whose other plans are"
                              : "but the plans of this graph are";
  throw call_error(call_error::kind::environment,
                   fmt::format("tacit_plan is \"{}\", {} {}", plan, why, names), true);
}

/// Whatever has no price, as what only a driver does that was asked for.
void add_unpriced(graphs::choice& chosen, const graphs::graph& g, const graphs::plan& schedule,
                  const std::string& driver) {
  if (!chosen.variants.empty())
    return;
  chosen.plans.push_back({schedule.as_written ? std::string(graphs::written_name) : "collectives",
                          graphs::with_ordered_by_messages(g, schedule)});
  chosen.variants.push_back({0, driver, -1});
}

/// What the compilation says is what runs.
void note_choice(graphs::compilation& c, const graphs::choice& chosen, const char* as_who_says) {
  const graphs::named_plan& taken = chosen.plans[chosen.variants.front().plan];
  if (taken.name.ends_with(graphs::in_stages)) {
    c.schedule.as_written = false;
    c.schedule.not_used = c.in_stages.schedule.not_used;
    return;
  }
  if (!taken.name.starts_with(graphs::written_name) || c.schedule.as_written) // whole or in pieces
    return;
  c.schedule.as_written = true;
  c.schedule.why_as_written = reason::not_faster;
  c.schedule.detail = as_who_says;
}

/// A graph in the file of measurements.
std::string words_for(const compiled_graph& c) {
  return fmt::format("{} ranks, {} operations, {} transfers", c.all.g.ranks(), c.all.g.size(),
                     c.products.moved.list.size());
}

} // namespace

namespace {

/// What is wrong with the file is a note for those who ask, and nothing that a program should fail for.
std::vector<graphs::described_pattern> patterns_of(const std::string& file, diagnostics& notes) {
  if (file.empty())
    return {};
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    notes.push_back({.code = number(reason::bad_file),
                     .level = severity::warning,
                     .message = fmt::format("no patterns can be read from {}", file),
                     .remedy = "TACIT_PATTERNS names a file that rank 0 can read"});
    return {};
  }
  diagnostics problems;
  auto known = graphs::read_patterns(text.str(), problems);
  for (diagnostic& d : problems) {
    d.level = severity::warning;
    d.message = file + ": " + d.message;
    notes.push_back(std::move(d));
  }
  return known ? *std::move(known) : std::vector<graphs::described_pattern>();
}

} // namespace

namespace {

checked_graph check_inputs(const all_inputs& in, const compile_request& wanted) {
  checked_graph out{join(in.graphs), {}, wanted, {}, {}, {}};
  out.wanted.compile.described = patterns_of(wanted.patterns, out.notes);
  out.products = graphs::check_graph(out.all.g, out.wanted.compile);
  if (has_errors(out.products.problems))
    throw call_error(call_error::kind::graph, describe_errors(out.all, out.products.problems), true);
  out.where = request_of(in.facts, wanted);
  if (out.where.most > 1)
    out.measured_as.key = verdict_key(in.facts, in.graphs, wanted);
  return out;
}

} // namespace

checked_graph check_parts(std::vector<message> parts, const compile_request& wanted) {
  return check_inputs(unpacked(std::move(parts)), wanted);
}

namespace {

/// So many variants are kept that there is one that may be taken where the cheapest may not.
constexpr std::size_t many_variants = 32;

/// False if there is none; the others are as if they had not been compared.
bool take_first(graphs::choice& chosen, function_ref<bool(const graphs::named_plan&)> may_be_taken) {
  for (const graphs::named_plan& p : chosen.plans)
    if (!may_be_taken(p))
      std::erase_if(chosen.compared, [&](const graphs::priced_variant& w) { return w.plan == p.name; });
  std::erase_if(chosen.variants,
                [&](const graphs::variant& w) { return !may_be_taken(chosen.plans[w.plan]); });
  if (chosen.variants.empty())
    return false;
  graphs::variant first = chosen.variants.front();
  graphs::named_plan steps = std::move(chosen.plans[first.plan]);
  first.plan = 0;
  chosen.variants.assign(1, first);
  chosen.plans.clear();
  chosen.plans.push_back(std::move(steps));
  return true;
}

bool is_of_all(const graphs::graph& g, comm_id comm) {
  const auto& members = g.communicators()[index(comm)].members;
  std::uint32_t rank = 0;
  return members.size() == g.ranks() &&
         std::all_of(members.begin(), members.end(), [&](rank_id r) { return index(r) == rank++; });
}

/// Communicators of some ranks are made in MPI, which no other call than tacit_compile may wait for.
bool needs_communicators(const graphs::graph& g, const graphs::plan& steps) {
  return std::any_of(steps.ranks.begin(), steps.ranks.end(), [&](const graphs::rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(), [&](const graphs::step& s) {
      return s.kind == graphs::step_kind::collective && !is_of_all(g, s.comm);
    });
  });
}

/// What ranks can connect while the program goes on. If nothing had a price when it was chosen first, nothing has one now: then what was
/// taken instead (add_unpriced) is all there is.
void choose_for_background(compiled_graph& c, const checked_graph& graph) {
  const auto connects = [&](const graphs::named_plan& p) { return !needs_communicators(c.all.g, p.steps); };
  if (c.chosen.variants.empty() || connects(c.chosen.plans[c.chosen.variants.front().plan]))
    return;
  graphs::choice_request request = graph.where;
  request.most = many_variants;
  c.chosen = graphs::choose(c.all.g, c.products, graph.wanted.compile, request);
  if (!take_first(c.chosen, connects))
    throw call_error(call_error::kind::environment,
                     "all that could replace it needs communicators of some ranks, which are made only in "
                     "tacit_compile",
                     true);
}

} // namespace

/// Messages straight from origin to destination, one behind the other, may need buffers of MPI where those of the program need none.
bool relies_on_buffers(const diagnostic& d) {
  return d.code == number(reason::relies_on_buffering);
}

/// Whether a run by another variant is as good as one by what is taken: it must end where that does, and round alike.
bool may_be_measured(const graphs::compilation& products, const compile_request& wanted) {
  const bool relies = std::any_of(products.problems.begin(), products.problems.end(), relies_on_buffers);
  return !relies && !(wanted.compile.planning.reassociate && !products.moved.reductions.empty());
}

compiled_graph find_meaning(checked_graph graph, std::function<void()> go_on) {
  const compile_request& wanted = graph.wanted;
  graphs::compile_options options = wanted.compile;
  if (go_on)
    options.progress = [&go_on](std::string_view) { go_on(); };
  compiled_graph out{std::move(graph.all), {}, {}, wanted.driver, {}, !wanted.measures_all(), {}};
  out.products = graphs::find_meaning(out.all.g, std::move(graph.products), options);
  out.products.problems.insert(out.products.problems.end(), graph.notes.begin(), graph.notes.end());
  if (has_errors(out.products.problems))
    throw call_error(call_error::kind::graph, describe_errors(out.all, out.products.problems), true);
  out.all.g = graphs::with_groups(std::move(out.all.g), out.products.groups);
  if (go_on)
    go_on();
  graph.where.finalists = graph.where.finalists && may_be_measured(out.products, wanted);
  out.chosen = graphs::choose(out.all.g, out.products, wanted.compile, graph.where);
  refuse_unknown_plan(out.chosen, wanted.plan);
  add_unpriced(out.chosen, out.all.g, out.products.schedule, wanted.driver);
  if (go_on)
    choose_for_background(out, graph);
  measured_before earlier;
  if (out.chosen.variants.size() > 1 && wanted.measures_all()) {
    out.measured_as = {graph.measured_as.key, words_for(out)};
    if (wanted.measures != measuring::all_again)
      earlier = take_measured_before(out.chosen, out.measured_as.key);
  }
  note_choice(out.products, out.chosen,
              earlier.taken          ? "as an earlier run has measured"
              : !wanted.plan.empty() ? "as tacit_plan asks"
                                     : "as far as predictions tell");
  out.why = explain(out.all.g, out.products, out.chosen, graph.where.prices);
  if (!earlier.words.empty())
    out.why = with_measured_before(out.why, earlier.words);
  return out;
}

namespace {

compiled_graph compile_inputs(const all_inputs& in, const compile_request& wanted) {
  compiled_graph out = find_meaning(check_inputs(in, wanted));
  if (wanted.background && !wanted.in_background())
    out.why = with_note(out.why, "not in the background", wanted.not_in_background());
  return out;
}

} // namespace

std::vector<message> compile_and_tell(std::vector<message> parts, const compile_request& wanted) {
  all_inputs in = unpacked(std::move(parts));
  const std::optional<whole_runs> runs = whole_runs_of(in.graphs, wanted);
  if (!runs)
    return told_to_all(compile_inputs(in, wanted));
  const graphs::choice_request where = request_of(in.facts, wanted);
  if (const auto chosen = choose_at_sight(*runs, where))
    if (auto told = told_as_collective(*runs, explain_at_sight(*runs, *chosen, where.prices), *chosen,
                                       wanted.driver, where.where))
      return *std::move(told);
  const compiled_graph compiled = compile_inputs(in, wanted);
  if (auto told = told_as_collective(*runs, compiled.why, compiled.chosen, compiled.driver, where.where))
    return *std::move(told);
  return told_to_all(compiled);
}

std::vector<message> told_meanwhile(checked_graph& graph) {
  compiled_graph now{std::move(graph.all), {}, {}, graph.wanted.driver, {}, false, {}};
  constexpr const char* connects_nothing =
      "p2p"; // to connect each message of a large graph takes longer than to find out what it means
  now.products.schedule = graphs::plan_as_written(now.all.g, graph.products.matched, graph.products.order,
                                                  reason::none, "for the time being");
  add_unpriced(now.chosen, now.all.g, now.products.schedule,
               now.driver.empty() ? connects_nothing : now.driver);
  now.why = explain_unknown(now.all.g);
  std::vector<message> told = told_to_all(now);
  graph.all = std::move(now.all);
  return told;
}

namespace {

/// What was compared is not the graph as it was written, but has the same bytes straight from origin to destination.
void call_straight(graphs::choice& chosen) {
  const auto rename = [](std::string& plan) {
    if (plan == graphs::written_name)
      plan = graphs::straight_name;
  };
  for (graphs::priced_variant& w : chosen.compared)
    rename(w.plan);
  for (graphs::named_plan& p : chosen.plans)
    rename(p.name);
}

constexpr const char* together = "all ranks together, each with its own part";

std::vector<graphs::transfer> transfers_of(const std::vector<local_graph>& parts) {
  std::vector<graphs::transfer> out;
  for (std::uint32_t r = 0; r < parts.size(); ++r)
    for (const local_operation& op : parts[r].operations) {
      const auto from = op.kind == local_kind::get ? static_cast<std::uint32_t>(op.peer) : r;
      for (std::size_t i = 0; i < op.writes.size(); ++i)
        out.push_back(
            {op.writes[i].address, op.reads[i].address, op.writes[i].length, rank_id{from}, rank_id{r}});
    }
  return out;
}

} // namespace

std::optional<compiled_graph> compile_remaining(std::vector<message> parts, const compile_request& wanted,
                                                const graph_size& whole) {
  all_inputs in = unpacked(std::move(parts));
  const std::size_t ranks = in.graphs.size();
  std::optional<graphs::graph> remaining =
      graphs::remaining_graph(ranks_of(in.graphs), transfers_of(in.graphs));
  if (!remaining)
    return std::nullopt;
  compiled_graph out{{*std::move(remaining), {}, {}}, {}, {}, wanted.driver, {}, true, {}};
  out.all.names.resize(ranks);
  out.all.reducers.resize(ranks);
  out.products = graphs::compile(out.all.g, wanted.compile);
  if (has_errors(out.products.problems) || out.products.schedule.as_written)
    return std::nullopt;
  out.all.g = graphs::with_groups(std::move(out.all.g), out.products.groups);
  graphs::choice_request request = request_of(in.facts, wanted);
  const bool buffers = std::erase_if(out.products.problems, relies_on_buffers) > 0;
  if (buffers) {
    request.most = many_variants;
    request.finalists = false;
  }
  out.chosen = graphs::choose(out.all.g, out.products, wanted.compile, request);
  add_unpriced(out.chosen, out.all.g, out.products.schedule, wanted.driver);
  if (buffers &&
      !take_first(out.chosen, [](const graphs::named_plan& p) { return p.name != graphs::written_name; }))
    return std::nullopt;
  call_straight(out.chosen);
  out.why = with_note(explain(out.all.g, out.products, out.chosen, request.prices, whole), "analysis",
                      fmt::format("{}; what remained was compiled by one rank", together));
  return out;
}

namespace {

/// Reducers of its steps that the rank does not bring itself.
void add_others_reducers(const graphs::graph& g, rank_part& part) {
  std::vector<bool> known(g.reducers().size(), false);
  for (const auto& [global, local] : part.reducers)
    known[index(global)] = true;
  for (const named_program& p : part.candidates)
    for (const graphs::step& s : p.steps.plan.steps)
      if (s.by != graphs::no_reducer && !known[index(s.by)]) {
        known[index(s.by)] = true;
        part.others_reducers.emplace_back(s.by, g.reducers()[index(s.by)]);
      }
}

/// What one rank has to know.
rank_part part_of(const compiled_graph& compiled, std::uint32_t rank) {
  const graphs::graph& g = compiled.all.g;
  rank_part part;
  part.driver = compiled.driver;
  for (const graphs::named_plan& p : compiled.chosen.plans)
    part.candidates.push_back({p.name, make_program(g, p.steps.ranks[rank], rank_id{rank})});
  for (const graphs::variant& w : compiled.chosen.variants)
    part.variants.push_back({w.plan, w.driver, w.predicted});
  part.trial = {compiled.of_finalists, compiled.chosen.crowded};
  if (rank == 0 && part.variants.size() > 1)
    part.measured_as = compiled.measured_as;
  const auto& names = compiled.all.names[rank];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (g[names[i]].kind == graphs::op_kind::opaque)
      part.computations.emplace_back(names[i], static_cast<std::int32_t>(i));
  const auto& reducers = compiled.all.reducers[rank];
  for (std::size_t i = 0; i < reducers.size(); ++i)
    part.reducers.emplace_back(reducers[i], static_cast<std::int32_t>(i));
  add_others_reducers(g, part);
  return part;
}

} // namespace

std::vector<message> told_to_all(const compiled_graph& compiled) {
  std::vector<message> out{packed_explanation(compiled.why)};
  for (std::uint32_t r = 0; r < compiled.all.g.ranks(); ++r)
    out.push_back(packed_part(part_of(compiled, r)));
  return out;
}

namespace {

bool is_just(const graphs::findings& f, const graphs::part_finding& what) {
  return f.residual.empty() && f.found.size() == 1 && f.found.front().comm == world &&
         f.found.front().kind == what.kind && f.found.front().root == what.root &&
         f.found.front().bytes == what.bytes;
}

} // namespace

std::optional<chosen_variants> choose_for(const graphs::part_finding& what, std::uint64_t operations,
                                          std::uint64_t transfers, const std::vector<rank_facts>& ranks,
                                          const compile_request& wanted) {
  const graphs::graph g = graphs::stand_in(what, static_cast<std::uint32_t>(ranks.size()));
  const graphs::compilation products = graphs::compile(g, wanted.compile);
  if (has_errors(products.problems) || products.schedule.as_written || !is_just(products.found, what))
    return std::nullopt;
  const graphs::choice_request request = request_of(ranks, wanted);
  graphs::choice chosen = graphs::choose(g, products, wanted.compile, request);
  add_unpriced(chosen, g, products.schedule, wanted.driver);
  call_straight(chosen);
  chosen_variants out;
  for (const graphs::named_plan& p : chosen.plans)
    out.plans.push_back(p.name);
  for (const graphs::variant& w : chosen.variants)
    out.variants.push_back({w.plan, w.driver, w.predicted});
  out.crowded = chosen.crowded;
  out.why = with_note(explain(g, products, chosen, request.prices, graph_size{operations, transfers}),
                      "analysis", together);
  return out;
}

} // namespace tacit::runtime
