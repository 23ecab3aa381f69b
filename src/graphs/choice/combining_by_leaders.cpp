// Problem: a graph that has to keep its bits combines operands of all nodes in an order of its own, so nodes cannot make partial results
// of their own. Idea: its expression is a tree of terms. A term whose operands are all of one node is combined at the node's leader. What a node has
// for the rest, terms or operands as they are, travels to the root in one message, and the root combines that. So the same two values are
// combined as in the graph, once each, and each node sends one message, however its ranks stand in the order. What all get goes down
// a binomial tree of leaders, then one in each node. Cost O(operands).
#include "graphs/choice/combining_by_leaders.h"

#include "graphs/generate/algorithms.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

class leaders_in_order : combining_steps {
public:
  leaders_in_order(const combining_steps& none, const evaluation& order, std::span<const std::uint32_t> nodes)
      : combining_steps(none), node_(nodes), members_of_(positions_by_node(nodes)) {
    std::vector<std::uint32_t>& with_hub = members_of_[node_[hub_]];
    const auto hub = std::ranges::find(with_hub, hub_);
    std::rotate(with_hub.begin(), hub, hub + 1);
    evaluate(
        order, [&](std::uint32_t operand) { return add_term({.node = node_[operand], .operand = operand}); },
        [&](std::uint32_t left, std::uint32_t right) {
          const bool of_one = terms_[left].node == terms_[right].node;
          return add_term({.left = left, .right = right, .node = of_one ? terms_[left].node : several});
        });
    for (std::uint32_t t = count(terms_) - 1; t != nothing; t = terms_[t].right)
      terms_[t].is_last = true;
  }

  std::vector<step_list> run() {
    for (term& t : terms_)
      if (t.node != several)
        make(t, leader(t.node));
    std::uint32_t from = 0;
    for (const std::vector<term*>& list : terms_to_send()) {
      if (!list.empty())
        send_terms(from, list);
      ++from;
    }
    for (term& t : terms_)
      if (t.node == several)
        make(t, hub_);
    last_[hub_] = terms_.back().ready;
    if (for_all())
      pass_down();
    return take();
  }

private:
  static constexpr std::uint32_t several = nothing;
  struct term {
    std::uint32_t left = nothing, right = nothing; ///< none: an operand
    std::uint32_t node = several;
    std::uint32_t operand = nothing;
    bool is_last = false;    ///< has the operand that is last in the order
    bool is_operand = false; ///< of the program's memory, which may not be written
    bytes where = {};
    std::uint32_t ready = nothing; ///< the step after which it is there
  };

  static std::uint32_t count(const auto& list) { return static_cast<std::uint32_t>(list.size()); }
  std::uint32_t leader(std::uint32_t node) const { return members_of_[node].front(); }
  std::uint32_t add_term(term t) {
    terms_.push_back(std::move(t));
    return count(terms_) - 1;
  }
  /// The result is where the last operand is, so that one comes to its place.
  bytes place_for(std::uint32_t m, const term& t) { return m == hub_ && t.is_last ? result(m) : scratch(m); }

  void make(term& t, std::uint32_t at) {
    if (t.right != nothing) {
      const term& left = terms_[t.left];
      term& right = terms_[t.right];
      if (right.is_operand) {
        const bytes copied = place_for(at, right);
        right.ready = copy(at, right.where, copied);
        right.where = copied;
      }
      t.ready = combine(at, left.where, right.where, {left.ready, right.ready});
      t.where = right.where;
      return;
    }
    t.is_operand = t.operand == at;
    t.where = t.is_operand ? given(at) : place_for(at, t);
    if (!t.is_operand)
      t.ready = move(t.operand, given(t.operand), nothing, at, t.where).second;
  }

  /// By node, those of it that are combined with those of others.
  std::vector<std::vector<term*>> terms_to_send() {
    std::vector<std::vector<term*>> lists(members_of_.size());
    for (const term& t : terms_)
      if (t.node == several)
        for (term* const part : {&terms_[t.left], &terms_[t.right]})
          if (part->node != several && part->node != node_[hub_])
            lists[part->node].push_back(part);
    return lists;
  }
  /// To the hub, in one message.
  void send_terms(std::uint32_t node, const std::vector<term*>& list) {
    bytes what, into;
    std::vector<std::uint32_t> after;
    for (term* const t : list) {
      append(what, t->where);
      t->where = place_for(hub_, *t);
      append(into, t->where);
      if (t->ready != nothing)
        after.push_back(t->ready);
    }
    const auto [sent, got] = move(leader(node), what, nothing, hub_, into);
    out_[leader(node)][sent].after = after;
    for (term* const t : list) {
      t->ready = got;
      t->is_operand = false;
    }
  }

  void pass_down() {
    std::vector<std::uint32_t> leaders{hub_};
    for (std::uint32_t v = 0; v < count(members_of_); ++v)
      if (v != node_[hub_])
        leaders.push_back(leader(v));
    pass_down(leaders);
    for (const std::vector<std::uint32_t>& node : members_of_)
      pass_down(node);
  }
  void pass_down(const std::vector<std::uint32_t>& list) {
    each_binomial_edge(count(list), [&](auto parent, auto child, auto) {
      const std::uint32_t from = list[parent], to = list[child];
      last_[to] = move(from, result(from), last_[from], to, result(to)).second;
    });
  }

  std::span<const std::uint32_t> node_;
  std::vector<std::vector<std::uint32_t>> members_of_; ///< by node, the leader first
  std::vector<term> terms_;                            ///< each behind those that it combines
};

} // namespace

std::vector<step_list> combine_by_leaders(const combining_steps& none, const evaluation& order,
                                          std::span<const std::uint32_t> nodes) {
  return leaders_in_order(none, order, nodes).run();
}

} // namespace tacit::graphs
