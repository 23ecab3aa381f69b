// One order in which all operations can run (buffered semantics), by waves.
//
// The result vector is its own queue: operations are appended when their last predecessor lets them go and
// complete in the order in which they were appended, first in, first out, which keeps the working set of
// dense patterns small. A receive is released by its send at the moment the send is appended; if nothing else
// holds it, it follows directly, so that whoever walks the order can hand the data over without keeping it in
// flight. A group of fences is appended as a whole when everything it waits for has completed. Each operation
// is appended at most once and each edge is looked at once: O(operations + dependencies). What is never
// appended lies on or behind a cycle.
#include "graphs/graph/problem_list.h"
#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"
#include "graphs/match/match.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {
namespace {

class scheduler {
public:
  scheduler(const graph& g, const matching& m)
      : g_(g), m_(m), after_(g, dependency_rows::direction::successors), fences_(order_fences(g)),
        holds_(g.size(), 0), group_holds_(fences_.members.size(), 0), is_send_(g.size(), false) {}

  run_order run() {
    reserve_huge(order_, g_.size());
    count_holds();
    start();
    for (std::size_t head = 0; head < order_.size(); ++head) {
      if (head + ahead < order_.size())
        look_ahead(head);
      complete(order_[head]);
    }
    in_pairs_ = in_pairs_ && order_.size() == g_.size();
    return {std::move(order_), in_pairs_};
  }

private:
  bool is_fence(op_id op) const { return fences_.any() && fences_.group[index(op)] != no_group; }

  void count_holds() {
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      if (m_.partner[i] != no_op) {
        if (g_[op_id{i}].kind == op_kind::send)
          is_send_[i] = true;
        else
          holds_[i] = 1;
      }
    for (const dependency& d : g_.dependencies())
      ++(is_fence(d.after) ? group_hold(d.after) : holds_[index(d.after)]);
    if (!fences_.any())
      return;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const op_id op{i};
      if (fences_.after[i] != no_op)
        ++group_holds_[fences_.group_after(op)];
      if (fences_.before[i] != no_op && !is_fence(op))
        ++holds_[i]; // a fence is held by the one before it already
    }
  }

  void start() {
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      if (holds_[i] == 0 && !is_fence(op_id{i}) && !follows_its_send(i))
        append(op_id{i});
    for (std::uint32_t group = 0; group < group_holds_.size(); ++group)
      if (group_holds_[group] == 0)
        fire(group);
  }

  /// True for a matched receive, whatever still holds it: its send appends it, or a later release does.
  bool follows_its_send(std::uint32_t i) const { return m_.partner[i] != no_op && !is_send_[i]; }

  std::uint32_t& group_hold(op_id fence) { return group_holds_[fences_.group[index(fence)]]; }

  void append(op_id op) {
    order_.push_back(op);
    const op_id partner = m_.partner[index(op)];
    if (partner != no_op && is_send_[index(op)] && --holds_[index(partner)] == 0)
      order_.push_back(partner);
  }

  void release(op_id op) {
    if (--holds_[index(op)] > 0)
      return;
    in_pairs_ = in_pairs_ && !follows_its_send(static_cast<std::uint32_t>(index(op)));
    append(op);
  }

  void complete(op_id op) {
    for (const op_id next : after_[op]) {
      if (!is_fence(next))
        release(next);
      else if (--group_hold(next) == 0)
        fire(fences_.group[index(next)]);
    }
    if (!fences_.any())
      return;
    const std::uint32_t group = fences_.group_after(op);
    if (group != no_group && --group_holds_[group] == 0)
      fire(group);
  }

  void fire(std::uint32_t group) {
    for (const op_id fence : fences_.members[group])
      order_.push_back(fence);
    for (op_id op = fences_.first_released[group]; op != no_op; op = fences_.next_released[index(op)])
      if (!is_fence(op))
        release(op);
  }

  /// Rows are asked for this many operations early, and then what they name: the waves of a tree visit memory in no
  /// order that a processor could guess.
  static constexpr std::size_t ahead = 16;
  [[gnu::always_inline]] void look_ahead(std::size_t head) {
    constexpr std::size_t rows = 11, released = 6;
    after_.prefetch(order_[head + ahead]);
    after_.prefetch_row(order_[head + rows]);
    if (const auto next = after_[order_[head + released]]; !next.empty()) {
      __builtin_prefetch(&holds_[index(next.front())], 1);
      __builtin_prefetch(&m_.partner[index(next.front())]);
    }
  }

  const graph& g_;
  const matching& m_;
  dependency_rows after_;
  fence_order fences_;
  std::vector<std::uint32_t> holds_;       ///< per operation: edges into it that have not let go
  std::vector<std::uint32_t> group_holds_; ///< per fence group
  std::vector<bool> is_send_; ///< matched sends: small enough to stay in the cache, unlike the operations
  std::vector<op_id> order_;
  bool in_pairs_ = true; ///< no receive had to wait for more than its send when that was appended
};

/// Where nothing is waited for but messages: the operations as they were created, each receive behind its send.
run_order in_order_of_creation(const graph& g, const matching& m) {
  run_order o;
  reserve_huge(o.order, g.size());
  o.order.resize(g.size());
  op_id* next = o.order.data();
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id op{i}, partner = m.partner[i];
    if (partner != no_op && g[op].kind != op_kind::send)
      continue;
    *next++ = op;
    if (partner != no_op)
      *next++ = partner;
  }
  o.in_pairs = true;
  return o;
}

/// Walks from an operation that never ran to one that holds it, until one repeats: that is a cycle.
class cycle_finder {
public:
  cycle_finder(const graph& g, const matching& m, const std::vector<op_id>& ran)
      : g_(g), fences_(order_fences(g)), held_by_(g.size(), no_op), stuck_(g.size(), true) {
    for (const op_id op : ran)
      stuck_[index(op)] = false;
    for (const dependency& d : g.dependencies()) {
      note(d.before, d.after);
      if (!fences_.any() || fences_.group[index(d.after)] == no_group)
        continue;
      for (const op_id fence : fences_.members[fences_.group[index(d.after)]])
        note(d.before, fence);
    }
    for (std::uint32_t i = 0; i < g.size(); ++i)
      if (m.partner[i] != no_op && g[op_id{i}].kind == op_kind::recv)
        note(m.partner[i], op_id{i});
    if (!fences_.any())
      return;
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      const op_id op{i};
      if (fences_.before[i] != no_op)
        note(fences_.before[i], op);
      const std::uint32_t group = fences_.group_after(op);
      if (group == no_group)
        continue;
      for (const op_id fence : fences_.members[group])
        if (held_by_[index(fence)] == no_op)
          note(op, fence);
    }
  }

  std::vector<op_id> find() const {
    std::vector<bool> seen(g_.size(), false);
    op_id at{static_cast<std::uint32_t>(std::find(stuck_.begin(), stuck_.end(), true) - stuck_.begin())};
    while (!seen[index(at)]) {
      seen[index(at)] = true;
      at = held_by_[index(at)];
    }
    std::vector<op_id> cycle{at};
    for (op_id op = held_by_[index(at)]; op != at; op = held_by_[index(op)])
      cycle.push_back(op);
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
  }

private:
  void note(op_id before, op_id after) {
    if (stuck_[index(before)] && stuck_[index(after)])
      held_by_[index(after)] = before;
  }

  const graph& g_;
  fence_order fences_;
  std::vector<op_id> held_by_;
  std::vector<bool> stuck_;
};

void report_cycle(const graph& g, const matching& m, const std::vector<op_id>& ran, diagnostics& problems) {
  const std::vector<op_id> cycle = cycle_finder(g, m, ran).find();
  std::string text = fmt::format(
      "{} operation(s) can never run; {} of them wait for each other in a circle: ", g.size() - ran.size(),
      cycle.size());
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < cycle.size() && i < shown; ++i)
    text += describe(g, cycle[i]) + " → ";
  if (cycle.size() > shown)
    text += fmt::format("… {} more … → ", cycle.size() - shown);
  text += fmt::format("op {} again", index(cycle.front()));
  problems.push_back(
      {number(reason::cycle), severity::error, g[cycle.front()].rank, cycle.front(), std::move(text),
       "remove one of these dependencies, or post the receive before the send that waits for it"});
}

} // namespace

run_order order_operations(const graph& g, const matching& m, diagnostics& problems) {
  if (g.dependencies().empty() && !g.has_fences())
    return in_order_of_creation(g, m);
  run_order o = scheduler(g, m).run();
  if (o.order.size() < g.size())
    report_cycle(g, m, o.order, problems);
  return o;
}

} // namespace tacit::graphs
