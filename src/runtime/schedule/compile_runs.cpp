#include "runtime/schedule/compile_runs.h"

#include "graphs/affine/affine_steps.h"
#include "graphs/choice/large_exchange.h"
#include "runtime/mpi/errors.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <tuple>

namespace tacit::runtime {
namespace {

/// Questions to which runs know no answer.
bool asks_beyond_runs(const compile_request& r) {
  return r.measures_all() || r.background || !r.plan.empty() || !r.patterns.empty() ||
         !graphs::may_compile_affine(r.compile);
}

std::uint64_t messages_of(const graphs::affine_graph& g) {
  std::uint64_t ends = 0;
  for (const graphs::affine_list& list : g.ranks)
    ends += list.size();
  return ends / 2;
}

std::uint64_t runs_of(const graphs::affine_graph& g) {
  std::uint64_t all = 0;
  for (const graphs::affine_list& list : g.ranks)
    all += list.runs().size();
  return all;
}

bool is_same(const graphs::step& a, const graphs::step& b) {
  return a.kind == b.kind && a.collective == b.collective && a.comm == b.comm && a.peer == b.peer &&
         a.tag == b.tag && a.reads == b.reads && a.writes == b.writes && a.sends == b.sends &&
         a.receives == b.receives && a.largest_block == b.largest_block &&
         a.largest_total == b.largest_total && a.after == b.after;
}

/// Steps that wait for nothing in one order, whoever lists them; others as they are, as they name each other by number.
std::vector<const graphs::step*> in_order(const graphs::rank_plan& p) {
  std::vector<const graphs::step*> out;
  bool free = true;
  for (const graphs::step& s : p.steps) {
    out.push_back(&s);
    free = free && s.after.empty();
  }
  const auto address = [](std::span<const graphs::segment> list) {
    return list.empty() ? 0 : list.front().address;
  };
  const auto key = [&](const graphs::step* s) {
    return std::tuple(s->kind, s->peer, s->tag, address(s->reads), address(s->writes));
  };
  if (free)
    std::stable_sort(out.begin(), out.end(),
                     [&](const graphs::step* x, const graphs::step* y) { return key(x) < key(y); });
  return out;
}

bool is_same(const graphs::rank_plan& a, const graphs::rank_plan& b) {
  const std::vector<const graphs::step*> mine = in_order(a), other = in_order(b);
  return a.scratch_bytes == b.scratch_bytes &&
         std::equal(mine.begin(), mine.end(), other.begin(), other.end(),
                    [](const graphs::step* x, const graphs::step* y) { return is_same(*x, *y); });
}

/// Algorithms that forward are made for all ranks by each of them, so that is left to rank 0 where there are many.
constexpr std::uint32_t most_ranks_of_forwarding = 64;

bool forwards(std::string_view plan) {
  return plan != graphs::written_name && plan != graphs::straight_name && plan != "collectives";
}

/// Of forwarding algorithms some go by nodes, which would have to be told of all ranks to all of them.
bool is_made_of_own_runs(std::string_view plan, std::uint32_t ranks, const graphs::process_map& where) {
  if (!forwards(plan))
    return true;
  const bool on_one_node =
      std::adjacent_find(where.node.begin(), where.node.end(), std::not_equal_to<>()) == where.node.end();
  return ranks <= most_ranks_of_forwarding && on_one_node;
}

/// Ranks whose steps rank 0 makes to compare them: what a rank does depends on whether it is the root, beside it, or at an end. (Where it
/// forwards, also on its number, so that all are looked at in another way.)
std::vector<std::uint32_t> looked_at(const graphs::affine_meaning& m) {
  const std::uint32_t root = m.root == no_rank ? 0 : index(m.root), last = m.ranks - 1;
  std::vector<std::uint32_t> out{0,   std::min(1u, last), root, (root + 1) % m.ranks, (root + last) % m.ranks,
                                 last};
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool leads_to(const graphs::part_finding& what, const graphs::named_plan& plan, const whole_runs& runs) {
  const auto& steps = plan.steps.ranks;
  for (const std::uint32_t r : looked_at(runs.compiled.meaning)) {
    const auto made = graphs::steps_of(runs.g.ranks[r], what, plan.name);
    if (!made || (!steps.empty() && !is_same(*made, steps[r])))
      return false;
  }
  for (std::uint32_t r = 0; forwards(plan.name) && r < steps.size(); ++r)
    if (!graphs::keeps_to(steps[r], runs.g.ranks[r]))
      return false;
  return true;
}

} // namespace

std::optional<whole_runs> whole_runs_of(const std::vector<local_graph>& parts,
                                        const compile_request& wanted) {
  if (asks_beyond_runs(wanted))
    return std::nullopt;
  std::optional<graphs::affine_graph> g = affine_form(parts);
  if (!g)
    return std::nullopt;
  graphs::affine_compilation compiled = graphs::compile(*g);
  if (!compiled.is_whole())
    return std::nullopt;
  std::uint64_t operations = 0;
  for (const local_graph& part : parts)
    operations += part.operations.size();
  return whole_runs{*std::move(g), std::move(compiled), operations};
}

std::optional<graphs::choice> choose_at_sight(const whole_runs& runs, const graphs::choice_request& where) {
  const graphs::affine_meaning& m = runs.compiled.meaning;
  return graphs::choose_large_exchange(m.kind, m.ranks, m.bytes, where);
}

explanation explain_at_sight(const whole_runs& runs, const graphs::choice& chosen, std::string_view prices) {
  const graphs::affine_meaning& m = runs.compiled.meaning;
  graphs::compilation known; // as far as it is told
  known.problems = runs.compiled.problems;
  known.times = runs.compiled.times;
  graphs::finding f;
  f.kind = m.kind;
  f.root = m.root;
  f.bytes = m.bytes;
  known.found.found.push_back(std::move(f));
  known.schedule.as_written = true;
  known.schedule.why_as_written = reason::not_faster;
  known.schedule.detail = "as far as predictions tell";
  const explanation why = explain(graphs::graph(m.ranks), known, chosen, prices,
                                  graph_size{runs.operations, messages_of(runs.g)});
  return with_note(
      why, "runs",
      fmt::format("{} of messages that advance together, which were not expanded", runs_of(runs.g)));
}

std::optional<std::vector<message>> told_as_collective(const whole_runs& runs, const explanation& why,
                                                       const graphs::choice& chosen, const std::string& asked,
                                                       const graphs::process_map& where) {
  told_collective told{finding_of(runs.compiled.meaning), asked, {}, {}, chosen.crowded};
  constexpr std::size_t left_out = ~std::size_t{0};
  std::vector<std::size_t> number;
  for (const graphs::named_plan& p : chosen.plans) {
    const bool may_be_told = is_made_of_own_runs(p.name, runs.compiled.meaning.ranks, where);
    const bool is_told = may_be_told && leads_to(told.what, p, runs);
    if (may_be_told && !is_told && !p.steps.ranks.empty())
      return std::nullopt; // its steps are there to be told, and it would not be measured
    number.push_back(is_told ? told.plans.size() : left_out);
    if (is_told)
      told.plans.push_back(p.name);
  }
  if (number[chosen.variants.front().plan] == left_out)
    return std::nullopt;
  for (const graphs::variant& w : chosen.variants)
    if (number[w.plan] != left_out)
      told.variants.push_back({number[w.plan], w.driver, w.predicted});
  std::vector<message> out{packed_explanation(why)};
  out.resize(1 + runs.g.ranks.size(), packed_collective(told));
  return out;
}

rank_part part_of_collective(const told_collective& told, const local_graph& part) {
  const std::optional<graphs::affine_list> messages = messages_alone(part.operations);
  if (!messages)
    throw call_error(call_error::kind::environment,
                     "this rank's part is no list of messages any more; please report this with the graph",
                     true);
  const graphs::affine_list& runs = *messages;
  rank_part out;
  out.driver = told.asked;
  for (const std::string& name : told.plans) {
    std::optional<graphs::rank_plan> steps = graphs::steps_of(runs, told.what, name);
    if (!steps)
      throw call_error(
          call_error::kind::environment,
          fmt::format("this rank has no steps for the plan \"{}\"; please report this with the graph", name),
          true);
    out.candidates.push_back(
        {name, make_program(graphs::graph(runs.ranks()), *std::move(steps), runs.self())});
  }
  out.variants = told.variants;
  out.trial = {out.variants.size() > 1, told.crowded};
  return out;
}

} // namespace tacit::runtime
