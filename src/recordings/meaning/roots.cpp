#include "recordings/meaning/roots.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tacit::recordings {
namespace {

/// When an episode begins in the program order of the group's first member: clocks of ranks need not agree.
std::uint32_t seen_by_first_member(const message_table& table, std::span<const std::uint32_t> messages,
                                   std::uint32_t group) {
  const std::uint32_t rank = table.groups[group].members[0];
  std::uint32_t first = none;
  for (const std::uint32_t id : messages) {
    const message& m = table.messages[id];
    if (m.from == rank)
      first = std::min(first, m.send_call);
    if (m.to == rank)
      first = std::min(first, m.recv_call);
  }
  return first;
}

} // namespace

root_rule rule_of(const std::vector<std::uint32_t>& roots) {
  if (roots.empty())
    return {};
  std::vector<std::uint32_t> distinct;
  for (const std::uint32_t r : roots)
    if (std::find(distinct.begin(), distinct.end(), r) == distinct.end())
      distinct.push_back(r);
  if (distinct.size() == 1)
    return {root_rule::kind::always, std::move(distinct)};
  // A cycle may start again at its first root (the program solves another problem); that is rare or it is no
  // cycle.
  std::size_t follows = 0, restarts = 0;
  for (std::size_t i = 1; i < roots.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::find(distinct.begin(), distinct.end(), roots[i - 1]) -
                                             distinct.begin());
    if (roots[i] == distinct[(at + 1) % distinct.size()])
      ++follows;
    else if (roots[i] == distinct[0])
      ++restarts;
  }
  const bool cycle =
      follows + restarts == roots.size() - 1 && 4 * restarts <= follows && distinct.size() <= 32;
  if (cycle)
    return {root_rule::kind::in_turn, std::move(distinct)};
  return {root_rule::kind::vary, {}};
}

/// Whether a later part of the run, which may begin anywhere, keeps to the rule.
bool goes_on(const root_rule& rule, const std::vector<std::uint32_t>& roots) {
  const std::vector<std::uint32_t>& cycle = rule.cycle;
  if (rule.is == root_rule::kind::vary)
    return true;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (std::find(cycle.begin(), cycle.end(), roots[i]) == cycle.end())
      return false;
    const auto last = i == 0 ? cycle.end() : std::find(cycle.begin(), cycle.end(), roots[i - 1]);
    if (i > 0 && roots[i] != cycle[0] && (last + 1 == cycle.end() || *(last + 1) != roots[i]))
      return false;
  }
  return true;
}

std::vector<std::uint32_t> roots_of(const fact_table& facts, std::uint32_t episode) {
  const auto joint = facts.joint.find(episode);
  if (joint == facts.joint.end() || joint->second.roots.empty())
    return {facts.of_episode[episode].root};
  return joint->second.roots;
}

roots_found find_roots(const message_table& table, const episode_list& episodes, const fact_table& facts,
                       std::span<const std::uint32_t> which) {
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      by_group; // (time, root position)
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      later; // the same by group and window
  bool several = false;
  const auto window_of = [&](std::uint32_t e) { return table.messages[episodes.of(e)[0]].window; };
  std::uint32_t window = none; // the first one: between two of them operations are missing
  for (const std::uint32_t e : which)
    window = std::min(window, window_of(e));
  for (const std::uint32_t e : which) {
    const episode_facts& f = facts.of_episode[e];
    if (f.head != none || f.root == none)
      continue;
    const std::uint32_t time = seen_by_first_member(table, episodes.of(e), f.group);
    const std::vector<std::uint32_t> roots = roots_of(facts, e);
    for (const std::uint32_t root : roots)
      (window_of(e) == window ? by_group[f.group] : later[{f.group, window_of(e)}]).emplace_back(time, root);
    several = several || roots.size() > 1;
  }
  roots_found found;
  for (auto& [group, seen] : by_group) {
    std::stable_sort(seen.begin(), seen.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<std::uint32_t> roots;
    for (const auto& [time, root] : seen) {
      roots.push_back(root);
      const rank_id world_rank{table.groups[group].members[root]};
      if (std::find(found.roots.begin(), found.roots.end(), world_rank) == found.roots.end())
        found.roots.push_back(world_rank);
    }
    root_rule rule = rule_of(roots);
    const bool first = found.rule.is == root_rule::kind::unrooted;
    found.rule = first || found.rule == rule ? std::move(rule) : root_rule{root_rule::kind::vary, {}};
  }
  for (auto& [where, seen] : later) {
    std::stable_sort(seen.begin(), seen.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<std::uint32_t> roots;
    for (const auto& [time, root] : seen) {
      roots.push_back(root);
      const rank_id world_rank{table.groups[where.first].members[root]};
      if (std::find(found.roots.begin(), found.roots.end(), world_rank) == found.roots.end())
        found.roots.push_back(world_rank);
    }
    if (!goes_on(found.rule, roots))
      found.rule = {root_rule::kind::vary, {}};
  }
  if (several)
    found.rule = {root_rule::kind::several, {}};
  return found;
}

} // namespace tacit::recordings
