#include "graphs/match/fences.h"

#include <algorithm>
#include <tuple>

namespace tacit::graphs {
namespace {

/// The fences of one rank in one communicator, in creation order.
struct fence_run {
  comm_id comm;
  rank_id rank;
  std::vector<op_id> fences;
};

bool earlier(const fence_run& run, const std::pair<comm_id, rank_id>& key) {
  return std::tie(run.comm, run.rank) < std::tie(key.first, key.second);
}

class fence_index {
public:
  explicit fence_index(const graph& g) {
    std::vector<op_id> all;
    for (std::uint32_t i = 0; i < g.size(); ++i)
      if (g[op_id{i}].kind == op_kind::fence)
        all.push_back(op_id{i});
    std::stable_sort(all.begin(), all.end(), [&](op_id a, op_id b) {
      return std::tie(g[a].comm, g[a].rank) < std::tie(g[b].comm, g[b].rank);
    });
    for (const op_id f : all) {
      const operation& op = g[f];
      if (runs_.empty() || runs_.back().comm != op.comm || runs_.back().rank != op.rank)
        runs_.push_back({op.comm, op.rank, {}});
      runs_.back().fences.push_back(f);
    }
    for (const fence_run& run : runs_) {
      if (!comms_.empty() && comms_.back().first == run.comm)
        continue;
      comms_.emplace_back(run.comm, g.communicators()[index(run.comm)].members);
      std::sort(comms_.back().second.begin(), comms_.back().second.end());
    }
  }
  const std::vector<fence_run>& runs() const { return runs_; }
  /// Communicators that have fences, with their sorted members.
  const std::vector<std::pair<comm_id, std::vector<rank_id>>>& comms() const { return comms_; }
  const std::vector<op_id>& of(comm_id comm, rank_id rank) const {
    static const std::vector<op_id> none;
    const auto key = std::pair(comm, rank);
    const auto run = std::lower_bound(runs_.begin(), runs_.end(), key, earlier);
    return run != runs_.end() && run->comm == comm && run->rank == rank ? run->fences : none;
  }

private:
  std::vector<fence_run> runs_;
  std::vector<std::pair<comm_id, std::vector<rank_id>>> comms_;
};

void make_groups(const fence_index& fences, fence_order& out) {
  std::size_t base = 0;
  comm_id current = world;
  for (const fence_run& run : fences.runs()) {
    if (run.comm != current) {
      base = out.members.size();
      current = run.comm;
    }
    if (out.members.size() < base + run.fences.size())
      out.members.resize(base + run.fences.size());
    for (std::size_t k = 0; k < run.fences.size(); ++k) {
      out.members[base + k].push_back(run.fences[k]);
      out.group[index(run.fences[k])] = static_cast<std::uint32_t>(base + k);
    }
  }
}

void place_by_creation(const graph& g, fence_order& out) {
  std::vector<op_id> nearest(g.ranks(), no_op);
  for (std::size_t i = 0; i < g.size(); ++i) {
    op_id& last = nearest[index(g.operations()[i].rank)];
    out.before[i] = last;
    if (out.group[i] != no_group)
      last = op_id{static_cast<std::uint32_t>(i)};
  }
  nearest.assign(g.ranks(), no_op);
  for (std::size_t i = g.size(); i-- > 0;) {
    op_id& next = nearest[index(g.operations()[i].rank)];
    out.after[i] = next;
    if (out.group[i] != no_group)
      next = op_id{static_cast<std::uint32_t>(i)};
  }
}

void place_remote_half(const graph& g, const fence_index& fences, op_id origin, op_id remote,
                       fence_order& out) {
  op_id before = no_op, after = no_op;
  const rank_id here = g[remote].rank, there = g[origin].rank;
  for (const auto& group : fences.comms()) {
    const comm_id comm = group.first;
    const auto& members = group.second;
    const auto holds = [&](rank_id r) { return std::binary_search(members.begin(), members.end(), r); };
    if (!holds(here) || !holds(there))
      continue;
    const auto& at_origin = fences.of(comm, there);
    const auto& at_target = fences.of(comm, here);
    const auto epoch = static_cast<std::size_t>(std::lower_bound(at_origin.begin(), at_origin.end(), origin) -
                                                at_origin.begin());
    if (epoch > 0 && epoch <= at_target.size() && (before == no_op || before < at_target[epoch - 1]))
      before = at_target[epoch - 1];
    if (epoch < at_target.size())
      after = std::min(after, at_target[epoch]); // no_op is the largest id
  }
  out.before[index(remote)] = before;
  out.after[index(remote)] = after;
}

void link_lists(fence_order& out) {
  const std::size_t n = out.before.size();
  out.first_released.assign(out.members.size(), no_op);
  out.first_awaited.assign(out.members.size(), no_op);
  out.next_released.assign(n, no_op);
  out.next_awaited.assign(n, no_op);
  for (std::size_t i = n; i-- > 0;) {
    const op_id op{static_cast<std::uint32_t>(i)};
    if (const auto before = out.group_before(op); before != no_group) {
      out.next_released[i] = out.first_released[before];
      out.first_released[before] = op;
    }
    if (const auto after = out.group_after(op); after != no_group) {
      out.next_awaited[i] = out.first_awaited[after];
      out.first_awaited[after] = op;
    }
  }
}

} // namespace

fence_order order_fences(const graph& g) {
  fence_order out;
  if (!g.has_fences())
    return out;
  const fence_index fences(g);
  out.before.assign(g.size(), no_op);
  out.after.assign(g.size(), no_op);
  out.group.assign(g.size(), no_group);
  make_groups(fences, out);
  place_by_creation(g, out);
  for (const made_pair& pair : g.made_pairs())
    place_remote_half(g, fences, pair.origin, pair.origin == pair.send ? pair.recv : pair.send, out);
  link_lists(out);
  return out;
}

} // namespace tacit::graphs
