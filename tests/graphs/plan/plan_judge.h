// Judges a plan without looking at how it was made or checked: runs it on the byte machine and compares with
// the byte simulator of the graph.
#pragma once

#include "graphs/flow/separate.h"
#include "graphs/plan/plan_machine.h"

#include <string>

namespace tacit::test {

using namespace graphs;

/// Analysis products of a well-formed graph, by value.
struct analyzed {
  graph g;
  matching m;
  run_order o;
  transfers t;
  findings f;
};

inline analyzed analyze_all(graph g, bool with_detection = true) {
  analyzed a{std::move(g), {}, {}, {}, {}};
  diagnostics problems;
  a.m = match(a.g, problems);
  a.o = order_operations(a.g, a.m, problems);
  a.t = follow(a.g, a.m, a.o, problems);
  if (a.g.has_computations() && a.t.complete)
    a.t = apart_from_computations(a.g, a.m, a.o, std::move(a.t));
  if (with_detection) {
    a.f = detect(a.g, a.m, a.o, a.t);
  } else {
    for (std::uint32_t i = 0; i < a.t.list.size(); ++i)
      a.f.residual.push_back({0, a.t.list[i].length, i});
  }
  return a;
}

/// First visible difference after one run, or empty.
inline std::string compare_memory(const graph& g, const plan& p, const std::vector<rank_memory>& truth,
                                  const std::vector<rank_memory>& got, bool reassociate = false) {
  const oracle::meaning_of_bytes meaning(g, reassociate);
  const auto value = [](const rank_memory& memory, std::uint32_t rank, std::uint64_t address) {
    const auto found = memory.find(address);
    return found == memory.end() ? byte_value{rank, address} : found->second;
  };
  for (std::uint32_t r = 0; r < g.ranks(); ++r) {
    for (const auto& [address, unused] : truth[r])
      if (oracle::is_live(g, rank_id{r}, address) &&
          value(got[r], r, address) != value(truth[r], r, address) &&
          meaning(value(got[r], r, address)) != meaning(value(truth[r], r, address)))
        return "rank " + std::to_string(r) + " byte " + std::to_string(address) + " is wrong";
    for (const auto& [address, unused] : got[r]) {
      const bool scratch = p.ranks[r].scratch_bytes > 0 && address >= scratch_base;
      if (!scratch && !truth[r].contains(address))
        return "rank " + std::to_string(r) + " byte " + std::to_string(address) + " should not be written";
    }
  }
  return {};
}

/// Each computation has run once, behind those that the graph puts before it on its rank, and has read what it reads there.
inline std::string compare_calls(const graph& g, const oracle::simulator& truth, const machine_result& got) {
  const oracle::meaning_of_bytes meaning(g, false);
  const auto same = [&](const byte_value& a, const byte_value& b) {
    return a == b || meaning(a) == meaning(b);
  };
  const auto& wanted = truth.read_by_calls();
  if (got.calls.size() != wanted.size())
    return std::to_string(got.calls.size()) + " computations have run";
  for (std::size_t i = 0; i < got.calls.size(); ++i) {
    const auto& [op, read] = got.calls[i];
    const auto there = wanted.find(op);
    if (there == wanted.end() ||
        !std::equal(read.begin(), read.end(), there->second.begin(), there->second.end(), same))
      return describe(g, op) + " has read other bytes";
    for (std::size_t k = 0; k < i; ++k)
      if (got.calls[k].first == op ||
          (g[got.calls[k].first].rank == g[op].rank && truth.order().is_before(op, got.calls[k].first)))
        return describe(g, op) + " has run too late, or twice";
  }
  return {};
}

/// `runs` random executions; empty if all agree with the graph, complete, and keep the synchronization of the
/// policy.
inline std::string judge(const analyzed& a, const plan& p, std::uint64_t seed, int runs,
                         sync_policy policy = sync_policy::data, bool reassociate = false) {
  oracle::simulator simulated(a.g);
  const auto truth = simulated.run(seed);
  for (int i = 0; i < runs; ++i) {
    const bool strict = !p.as_written && i % 2 == 0;
    const auto got = plan_machine(a.g, p, seed + static_cast<std::uint64_t>(i), strict).run();
    if (strict && !got.all_finished())
      return "does not finish";
    if (!got.all_finished())
      continue;
    if (auto fault = compare_memory(a.g, p, truth, got.memory, reassociate); !fault.empty())
      return fault;
    if (auto fault = compare_calls(a.g, simulated, got); !fault.empty())
      return fault;
  }
  const wait_sets wanted = compute_wait_sets(
      a.g, a.m, a.o, policy == sync_policy::data ? sync_paths::explicit_only : sync_paths::all);
  for (std::uint32_t absent = 0; absent < a.g.ranks(); ++absent) {
    const auto got = plan_machine(a.g, p, seed, false, rank_id{absent}).run();
    for (std::uint32_t r = 0; r < a.g.ranks(); ++r)
      if (r != absent && wanted.contains(rank_id{r}, rank_id{absent}) && got.finished[r])
        return "rank " + std::to_string(r) + " does not wait for rank " + std::to_string(absent);
  }
  return {};
}

/// All executions of a small plan: what the first wrong one shows; empty if there is none. False in `all_tried` if there were more than
/// `most` states to look at.
inline std::string judge_every_order(const analyzed& a, const plan& p, std::size_t most, bool& all_tried,
                                     bool reassociate = false) {
  oracle::simulator simulated(a.g);
  const auto truth = simulated.run(1);
  std::string fault;
  for (const bool strict : {true, false}) {
    if (strict && p.as_written)
      continue;
    const auto look = [&](const machine_result& got) {
      if (!fault.empty())
        return;
      fault = got.all_finished() ? compare_memory(a.g, p, truth, got.memory, reassociate) : "does not finish";
      if (fault.empty())
        fault = compare_calls(a.g, simulated, got);
    };
    all_tried = plan_machine::run_in_every_order(a.g, p, strict, most, look) && all_tried;
  }
  return fault;
}

} // namespace tacit::test
