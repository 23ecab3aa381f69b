// Does the graph finish if no message is ever buffered?
//
// Every operation now has two events, start and completion. A message is handed over when both its send and
// its receive have started; that completes both. Everything else completes when it starts. One-sided pairs
// stay buffered: the origin needs no action of the target. So do messages that are combined where they arrive, which
// schedules receive into memory of their own as early as they come. The simulation is monotone (an event that can
// happen stays possible), so whatever order it takes, it gets equally far; if it stops early, some operations
// wait for each other, and a walk along "waits for" runs into the circle. O(operations + dependencies).
//
// Nothing is simulated where each receive follows its send directly in a run order: what either of the two waits for lies before both,
// so one after the other the messages are handed over.
#include "graphs/graph/problem_list.h"
#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"
#include "graphs/match/match.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {
namespace {

class rendezvous {
public:
  rendezvous(const graph& g, const matching& m)
      : g_(g), m_(m), after_(g, dependency_rows::direction::successors), fences_(order_fences(g)),
        holds_(g.size(), 0), group_holds_(fences_.members.size(), 0), state_(g.size(), state::waiting) {
    for (const made_pair& pair : g.made_pairs())
      state_[index(pair.send)] = state::buffered;
    for (std::uint32_t i = 0; i < g.size(); ++i)
      if (const op_id send = m.partner[i]; send != no_op && arrives_early(op_id{i}, send))
        state_[index(send)] = state::buffered;
    completed_.reserve(g.size());
    count_holds();
  }

  /// True if every operation completes.
  bool run() {
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      if (holds_[i] == 0 && !is_fence(op_id{i}))
        start(op_id{i});
    for (std::uint32_t group = 0; group < group_holds_.size(); ++group)
      if (group_holds_[group] == 0)
        fire(group);
    for (std::size_t head = 0; head < completed_.size(); ++head) { // first in, first out: see order.cpp
      if (head + ahead < completed_.size())
        look_ahead(head);
      let_go(completed_[head]);
    }
    return left_ == 0;
  }

  /// After an incomplete run: operations each of which waits for the next, and the last for the first.
  std::vector<op_id> circle() const {
    const dependency_rows before(g_, dependency_rows::direction::predecessors);
    std::vector<bool> seen(g_.size(), false);
    op_id at = no_op;
    for (std::uint32_t i = 0; i < g_.size() && at == no_op; ++i)
      if (state_[i] != state::completed)
        at = op_id{i};
    while (!seen[index(at)]) {
      seen[index(at)] = true;
      at = waits_for(at, before);
    }
    std::vector<op_id> out{at};
    for (op_id op = waits_for(at, before); op != at; op = waits_for(op, before))
      out.push_back(op);
    std::rotate(out.begin(), std::min_element(out.begin(), out.end()), out.end());
    return out;
  }

private:
  enum class state : std::uint8_t {
    waiting,
    buffered, ///< waiting, and a send that waits for nobody
    started,
    completed
  };

  bool arrives_early(op_id receive, op_id send) const {
    return g_[receive].kind == op_kind::recv && g_.reduces(receive) && g_.message_length(send) > 0;
  }

  static constexpr std::size_t ahead = 16;
  [[gnu::always_inline]] void look_ahead(std::size_t head) {
    constexpr std::size_t rows = 11, released = 6;
    after_.prefetch(completed_[head + ahead]);
    after_.prefetch_row(completed_[head + rows]);
    if (const auto next = after_[completed_[head + released]]; !next.empty()) {
      __builtin_prefetch(&holds_[index(next.front())], 1);
      __builtin_prefetch(&state_[index(next.front())], 1);
      __builtin_prefetch(&m_.partner[index(next.front())]);
    }
  }

  bool is_fence(op_id op) const { return fences_.any() && fences_.group[index(op)] != no_group; }

  void count_holds() {
    for (const dependency& d : g_.dependencies())
      ++(is_fence(d.after) ? group_holds_[fences_.group[index(d.after)]] : holds_[index(d.after)]);
    if (!fences_.any())
      return;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const op_id op{i};
      if (fences_.after[i] != no_op)
        ++group_holds_[fences_.group_after(op)];
      if (fences_.before[i] != no_op && !is_fence(op))
        ++holds_[i];
    }
  }

  void start(op_id op) {
    state& now = state_[index(op)];
    const op_id partner = m_.partner[index(op)];
    const bool waits_for_nobody = now == state::buffered;
    now = state::started;
    if (partner == no_op || waits_for_nobody)
      complete(op);
    if (partner == no_op)
      return;
    const state theirs = state_[index(partner)];
    if (theirs != state::started && theirs != state::completed)
      return;
    if (state_[index(op)] == state::started)
      complete(op);
    if (theirs == state::started)
      complete(partner);
  }

  void complete(op_id op) {
    state_[index(op)] = state::completed;
    --left_;
    completed_.push_back(op);
  }

  void let_go(op_id op) {
    for (const op_id next : after_[op]) {
      if (!is_fence(next))
        release(next);
      else if (--group_holds_[fences_.group[index(next)]] == 0)
        fire(fences_.group[index(next)]);
    }
    if (!fences_.any())
      return;
    const std::uint32_t group = fences_.group_after(op);
    if (group != no_group && --group_holds_[group] == 0)
      fire(group);
  }

  void release(op_id op) {
    if (--holds_[index(op)] == 0)
      start(op);
  }

  void fire(std::uint32_t group) {
    for (const op_id fence : fences_.members[group])
      complete(fence);
    for (op_id op = fences_.first_released[group]; op != no_op; op = fences_.next_released[index(op)])
      if (!is_fence(op))
        release(op);
  }

  bool done(op_id op) const { return state_[index(op)] == state::completed; }

  op_id waits_for(op_id op, const dependency_rows& before) const {
    if (state_[index(op)] == state::started)
      return m_.partner[index(op)];
    if (is_fence(op))
      return fence_waits_for(fences_.group[index(op)], before);
    for (const op_id earlier : before[op])
      if (!done(earlier))
        return earlier;
    return fences_.before[index(op)]; // nothing else can hold an operation that has not started
  }

  op_id fence_waits_for(std::uint32_t group, const dependency_rows& before) const {
    for (op_id op = fences_.first_awaited[group]; op != no_op; op = fences_.next_awaited[index(op)])
      if (!done(op))
        return op;
    for (const op_id fence : fences_.members[group])
      for (const op_id earlier : before[fence])
        if (!done(earlier))
          return earlier;
    return fences_.members[group].front();
  }

  const graph& g_;
  const matching& m_;
  dependency_rows after_;
  fence_order fences_;
  std::vector<std::uint32_t> holds_, group_holds_;
  std::vector<state> state_;
  std::vector<op_id> completed_; ///< its own queue: whose successors are told, and then those not yet told
  std::size_t left_ = g_.size();
};

} // namespace

void check_rendezvous(const graph& g, const matching& m, const run_order& o, diagnostics& problems) {
  if (o.in_pairs)
    return;
  if (g.dependencies().empty() && !g.has_fences())
    return; // everything starts at once
  rendezvous simulation(g, m);
  if (simulation.run())
    return;
  const std::vector<op_id> circle = simulation.circle();
  constexpr std::size_t shown = 20;
  std::string text = "completes only if messages are buffered: ";
  for (std::size_t i = 0; i < circle.size() && i < shown; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " waits for ", describe(g, circle[i]));
  if (circle.size() > shown)
    text += fmt::format(" waits for … {} more …", circle.size() - shown);
  text += fmt::format(" waits for op {}", index(circle.front()));
  problems.push_back({number(reason::relies_on_buffering), severity::warning, g[circle.front()].rank,
                      circle.front(), std::move(text),
                      "post the receives first, or do not let an operation wait for these sends"});
}

} // namespace tacit::graphs
