// Barriers: every member has heard from every other one through zero-byte messages or fences.
//
// A property of wait sets, never of transfers (seed 000 section 2.4.3, SEMANTICS 3): a data pattern that
// happens to synchronize is no barrier. A larger group's barrier covers its subgroups. Cost: that of flow's
// wait sets, O(operations · members / 64) at worst, nothing if the graph has neither fences nor zero-byte
// messages; beyond the budget not searched.
#include "graphs/detect/family.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {

namespace {

/// A barrier found on a group that contains all members of this one.
const finding* covering_barrier(const group_search& s, const graph& g) {
  for (const finding& f : s.out.found) {
    if (f.kind != pattern::barrier)
      continue;
    auto larger = g.communicators()[index(f.comm)].members;
    std::sort(larger.begin(), larger.end());
    if (std::includes(larger.begin(), larger.end(), s.view.members().begin(), s.view.members().end()))
      return &f;
  }
  return nullptr;
}

} // namespace

void find_barrier(const group_search& s, const graph& g, const matching& m, const run_order& o) {
  if (!g.has_fences() && !g.has_empty_sends())
    return s.refuse(
        pattern::barrier, reason::wait_set_incomplete,
        fmt::format("there are neither zero-byte messages nor fences: rank {} has not heard from rank {}",
                    s.view.rank(0), s.view.rank(1)));
  if (const finding* f = covering_barrier(s, g))
    return s.refuse(
        pattern::barrier, reason::used_by_higher,
        fmt::format("the barrier of communicator {} covers it", g.communicators()[index(f->comm)].name));
  const double steps = static_cast<double>(g.size()) * s.size() / 64;
  if (steps > static_cast<double>(s.options.budget))
    return s.refuse(pattern::barrier, reason::not_searched,
                    fmt::format("wait sets of {} ranks over {} operations would take more than {} steps",
                                s.size(), g.size(), s.options.budget));
  rank_id rank = no_rank, missing = no_rank;
  if (wait_sets_complete(g, m, o, s.view.members(), sync_paths::explicit_only, &rank, &missing))
    s.out.found.push_back({.kind = pattern::barrier, .comm = s.view.comm(), .blocks = 0, .slices = {}});
  else
    s.refuse(pattern::barrier, reason::wait_set_incomplete,
             fmt::format("rank {} has not heard from rank {}", index(rank), index(missing)));
}

} // namespace tacit::graphs
