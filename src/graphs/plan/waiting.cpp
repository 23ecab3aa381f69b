#include "graphs/plan/waiting.h"

#include "graphs/plan/synchronization.h"

#include <fmt/format.h>

namespace tacit::graphs {
namespace {

/// The plan as a graph of empty messages whose wait sets are all that the plan may wait for: each message is
/// also one back, from the start of its receive to the end of its send, and each collective is a barrier of
/// its group. A barrier is a star through the first member.
class possible_waits {
public:
  possible_waits(const graph& g, const plan& p) : g_(g), out_(g.ranks()) {
    for (std::uint32_t r = 0; r < g.ranks(); ++r) {
      done_.clear();
      for (const step& s : p.ranks[r].steps)
        done_.push_back(add(rank_id{r}, s));
    }
  }
  graph take() && { return std::move(out_); }

private:
  static constexpr std::int32_t call_tag = 1 << 30; ///< above the tags of messages
  static constexpr std::span<const segment> no_bytes{};

  op_id starts_after(op_id op, const step& s) {
    for (const std::uint32_t before : s.after)
      out_.depend(done_[before], op);
    return op;
  }
  op_id both(rank_id r, op_id one, op_id other) {
    const op_id join = out_.copy(r, no_bytes, no_bytes);
    out_.depend(one, join);
    out_.depend(other, join);
    return join;
  }
  /// An empty message each way between the two steps.
  op_id handshake(rank_id r, const step& s, std::int32_t sent, std::int32_t received) {
    const op_id hello = starts_after(out_.send(r, no_bytes, s.peer, sent), s);
    const op_id answer = starts_after(out_.recv(r, no_bytes, s.peer, received), s);
    return both(r, hello, answer);
  }
  op_id meeting(rank_id r, const step& s) {
    const auto& members = g_.communicators()[index(s.comm)].members;
    const rank_id hub = members.front();
    const std::int32_t tag = call_tag + s.tag;
    if (r != hub)
      return both(r, starts_after(out_.send(r, no_bytes, hub, tag), s),
                  starts_after(out_.recv(r, no_bytes, hub, tag), s));
    std::vector<op_id> here;
    for (const rank_id other : members)
      if (other != hub)
        here.push_back(starts_after(out_.recv(r, no_bytes, other, tag), s));
    const op_id all_here = starts_after(out_.copy(r, no_bytes, no_bytes), s);
    for (const op_id op : here)
      out_.depend(op, all_here);
    for (const rank_id other : members)
      if (other != hub)
        out_.depend(all_here, out_.send(r, no_bytes, other, tag));
    return all_here; // what it sends completes with it, for nobody waits in between
  }
  op_id add(rank_id r, const step& s) {
    switch (s.kind) {
    case step_kind::send:
      return handshake(r, s, 2 * s.tag, 2 * s.tag + 1);
    case step_kind::recv:
      return handshake(r, s, 2 * s.tag + 1, 2 * s.tag);
    case step_kind::collective:
      return meeting(r, s);
    case step_kind::copy:
    case step_kind::call:
    case step_kind::reduce:
      break;
    }
    return starts_after(out_.copy(r, no_bytes, no_bytes), s);
  }

  const graph& g_;
  graph out_;
  std::vector<op_id> done_; ///< per step of the current rank: what completes with it
};

} // namespace

std::string grown_waits(const graph& g, const matching& m, const run_order& o, const plan& p) {
  if (g.ranks() < 2 || wait_sets_complete(g, m, o, g.communicators().front().members, sync_paths::all))
    return {};
  if (g.ranks() > wait_set_limit)
    return fmt::format("{} ranks are too many to compare for whom they wait (at most {})", g.ranks(),
                       wait_set_limit);
  const graph waits = possible_waits(g, p).take();
  diagnostics problems;
  const matching wm = match(waits, problems);
  const run_order wo = order_operations(waits, wm, problems);
  if (has_errors(problems))
    return "its steps may wait for each other in a circle";
  const wait_sets allowed = compute_wait_sets(g, m, o, sync_paths::all);
  const wait_sets possible = compute_wait_sets(waits, wm, wo, sync_paths::all);
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (std::uint32_t other = 0; other < g.ranks(); ++other)
      if (possible.contains(rank_id{r}, rank_id{other}) && !allowed.contains(rank_id{r}, rank_id{other}))
        return fmt::format("rank {} might wait for rank {}, for which it does not wait in the graph", r,
                           other);
  return {};
}

} // namespace tacit::graphs
