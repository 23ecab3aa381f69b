// Translation validation: is this plan really the graph?
//
// Nothing here trusts how the plan was made. The plan is expanded into a graph of its own, in which every
// collective is what MPI says it means: a broadcast is a message from the root to every other member, a
// barrier makes every member wait for every other one. That graph goes through the same rooms as the original
// (match, order, races, flow), and the two results must be equal byte for byte (E1, E3). (A plan whose steps can all happen at once
// needs no expansion: what it leaves can be read off, at_once.cpp.) Then: no step writes
// a byte that the graph leaves alone (E2), wait sets keep what the policy asks for (E4), and everything
// completes although no message is buffered (E5).
#include "graphs/plan/at_once.h"
#include "graphs/plan/expansion.h"
#include "graphs/plan/plan.h"
#include "graphs/plan/same_results.h"
#include "graphs/plan/shape.h"
#include "graphs/plan/synchronization.h"
#include "graphs/plan/waiting.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {
namespace {

std::string first_error(const expansion& e, const diagnostics& problems, fault_location& where) {
  for (const diagnostic& d : problems)
    if (d.level == severity::error) {
      where = d.op == no_op ? fault_location{d.rank, 0} : location_of(e.g, d.op);
      return d.message;
    }
  return {};
}

/// Messages of a plan are received in full; only the graph itself may have receives that are longer.
std::string check_lengths(const expansion& e, const matching& m, bool as_written, fault_location& where) {
  if (as_written)
    return {};
  for (std::uint32_t i = 0; i < e.g.size(); ++i) {
    const op_id op{i};
    if (e.g[op].kind != op_kind::send || m.partner[i] == no_op)
      continue;
    if (total_length(e.g.reads(op)) == total_length(e.g.writes(m.partner[i])))
      continue;
    where = location_of(e.g, m.partner[i]);
    return fmt::format("{} and {} have different lengths", describe(e.g, op), describe(e.g, m.partner[i]));
  }
  return {};
}

/// What the graph itself writes at each rank, normalized; a receive writes what is sent to it. No list at all if
/// there is no operation: ranks alone, be they millions, cost nothing.
std::vector<std::vector<segment>> written_bytes(const graph& g, const matching& m) {
  std::vector<std::vector<segment>> out(g.size() == 0 ? 0 : g.ranks());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id op{i};
    std::uint64_t left = ~std::uint64_t{0};
    if (g[op].kind == op_kind::recv)
      left = m.partner[i] == no_op ? 0 : g.message_length(m.partner[i]);
    for (segment s : g.writes(op)) {
      s.length = std::min(s.length, left);
      left -= s.length;
      append(out[index(g[op].rank)], s);
    }
  }
  for (auto& list : out)
    list = normalized(std::move(list));
  return out;
}

std::string check_frame(const graph& g, const matching& m, const plan& p, fault_location& where) {
  if (p.as_written)
    return {};
  const auto allowed = written_bytes(g, m);
  const std::vector<segment> nothing;
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (std::uint32_t i = 0; i < p.ranks[r].steps.size(); ++i) {
      const step& s = p.ranks[r].steps[i];
      std::vector<segment> user;
      const auto collect = [&](std::span<const segment> bytes) {
        for (const segment& b : bytes)
          if (b.address < scratch_base)
            user.push_back(b);
      };
      collect(s.writes);
      for (const block_run& run : s.receives.runs())
        collect(run.all_bytes());
      if (const segment extra = first_outside(user, allowed.empty() ? nothing : allowed[r]);
          extra.length > 0) {
        where = {rank_id{r}, extra.address};
        return fmt::format("{} writes {:#x}, which the graph leaves alone", describe_step(p, r, i),
                           extra.address);
      }
    }
  return {};
}

std::string check_synchronization(const graph& g, const matching& m, const run_order& o, const expansion& e,
                                  const matching& em, const run_order& eo, sync_policy policy) {
  if (g.ranks() < 2 || !keeps_orders(g, policy))
    return {};
  if (wait_sets_complete(e.g, em, eo, g.communicators().front().members, sync_paths::all))
    return {};
  if (g.ranks() > wait_set_limit)
    return std::string(too_many_to_compare);
  const wait_sets required =
      compute_wait_sets(g, m, o, policy == sync_policy::data ? sync_paths::explicit_only : sync_paths::all);
  const wait_sets kept = compute_wait_sets(e.g, em, eo, sync_paths::all);
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (std::uint32_t other = 0; other < g.ranks(); ++other)
      if (required.contains(rank_id{r}, rank_id{other}) && !kept.contains(rank_id{r}, rank_id{other}))
        return fmt::format("rank {} no longer waits for rank {}", r, other);
  return {};
}

} // namespace

std::string validate(const graph& g, const matching& m, const run_order& o, const transfers& t, const plan& p,
                     const plan_options& options, fault_location* found_at) {
  fault_location unused;
  fault_location& where = found_at ? *found_at : unused;
  if (auto fault = check_shape(g, p); !fault.empty())
    return fault;
  const bool computes = g.has_computations();
  const bool only_moves = !p.as_written && t.complete && t.reductions.empty() && t.kept.empty() && !computes;
  const bool no_orders = g.ranks() < 2 || !keeps_orders(g, options.policy);
  if (only_moves && no_orders && is_right_at_once(g, t, p))
    return options.progress == region_progress::collective ? std::string() : grown_waits(g, m, o, p);
  // From here on the plan is no plain assignment, or it is wrong.
  if (!p.as_written)
    if (auto fault = check_progress(g, p); !fault.empty())
      return fault;
  if (auto fault = check_frame(g, m, p, where); !fault.empty())
    return fault;

  const expansion e = expand(g, p);
  diagnostics problems = check_operations(e.g);
  if (has_errors(problems))
    return first_error(e, problems, where);
  const matching em = match(e.g, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  if (auto fault = check_lengths(e, em, p.as_written, where); !fault.empty())
    return fault;
  const run_order eo = order_operations(e.g, em, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  check_races(e.g, em, eo, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  // The graph met its budget, and a plan moves each of its transfers at most twice: no further limit.
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  const flow_options no_limit{.fragment_budget = unlimited, .memory_budget = unlimited};
  if (t.complete && computes) {
    if (auto fault = check_with_computations(g, m, o, e, em, eo, options.reassociate, where); !fault.empty())
      return fault;
  } else if (t.complete) {
    const transfers moved = follow(e.g, em, eo, problems, no_limit);
    if (auto fault = check_transfers(g, e, t, moved, options.reassociate, where); !fault.empty())
      return fault;
  }
  if (auto fault = check_synchronization(g, m, o, e, em, eo, options.policy); !fault.empty())
    return fault;
  if (p.as_written || options.progress == region_progress::collective)
    return {};
  return grown_waits(g, m, o, p);
}

} // namespace tacit::graphs
