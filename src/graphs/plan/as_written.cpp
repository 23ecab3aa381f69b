// The graph itself as a plan: one step per operation, in an order in which the rank can run them. Pairs that
// put and get made are ordinary messages here; each message of a pair of ranks has a tag of its own, so the
// order of posting cannot change the matching. A fence is a barrier of its group that everything before it at
// the rank precedes and everything after it follows (match/fences.h says what lies where). Cost O(operations
// + dependencies).
#include "graphs/match/fences.h"
#include "graphs/plan/plan.h"
#include "graphs/plan/written_steps.h"

#include <unordered_map>

namespace tacit::graphs {
namespace {

/// Tags of the messages: the n-th message from one rank to another, counted in creation order of the sends.
std::vector<std::int32_t> number_messages(const graph& g, const matching& m) {
  std::vector<std::int32_t> tag(g.size(), 0);
  std::unordered_map<std::uint64_t, std::int32_t> next;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const operation& op = g.operations()[i];
    if (op.kind != op_kind::send || m.partner[i] == no_op)
      continue;
    const std::int32_t number = next[std::uint64_t{index(op.rank)} << 32 | index(op.peer)]++;
    tag[i] = tag[index(m.partner[i])] = number;
  }
  return tag;
}

} // namespace

plan plan_as_written(const graph& g, const matching& m, const run_order& o, reason why, std::string detail) {
  plan p;
  p.as_written = true;
  p.why_as_written = why;
  p.detail = std::move(detail);
  p.ranks.resize(g.ranks());

  const std::vector<std::int32_t> tags = number_messages(g, m);
  const fence_order fences = order_fences(g);
  std::vector<std::uint32_t> last(g.size(), 0); // step of each operation
  for (const op_id id : o.order) {
    rank_plan& at = p.ranks[index(g[id].rank)];
    const std::int32_t tag = fences.any() && g[id].kind == op_kind::fence
                                 ? static_cast<std::int32_t>(fences.group[index(id)])
                                 : tags[index(id)];
    last[index(id)] = add_written_steps(g, m, id, tag, false, at);
  }
  // What comes before a receive that combines holds back its last step alone: the message arrives in memory of its own, as early as it
  // comes. So ranks that all send before they receive need no buffers of MPI.
  const auto precedes = [&](op_id before, op_id after) {
    p.ranks[index(g[after].rank)].steps[last[index(after)]].after.push_back(last[index(before)]);
  };
  for (const dependency& d : g.dependencies())
    precedes(d.before, d.after);
  if (fences.any())
    for (const op_id id : o.order) {
      if (fences.before[index(id)] != no_op)
        precedes(fences.before[index(id)], id);
      if (fences.after[index(id)] != no_op && g[id].kind != op_kind::fence)
        precedes(id, fences.after[index(id)]);
    }
  return p;
}

} // namespace tacit::graphs
