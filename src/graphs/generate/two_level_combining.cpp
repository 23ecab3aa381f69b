// Reductions in two levels. Problem: partial results shall cross the network once for each node, not once for each rank. Idea: those of a
// node meet at its leader, along a binomial tree; then those of the leaders meet at the root, along such a tree, or at all leaders, by recursive
// doubling, folded, and what all get goes down a binomial tree in each node. In a reduce-scatter each leader gives each other one the
// blocks of that one's node, and each member its own.
//
// What meets are neighbors in the order of ranks, if nodes hold neighboring ranks: what comes from behind becomes the right operand, what
// comes from in front the left one. So operators that do not commute are combined in the order of ranks, wherever the root stands, and all
// leaders combine in one order and grouping. The operand of a member is copied only if the first thing that comes to it comes from in front.
#include "graphs/generate/algorithms.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace tacit::graphs {
namespace {

using members = std::vector<std::uint32_t>;

/// What `from` has comes to `to`, and what `to` has to `from`, too, if it is an exchange.
struct meeting {
  std::uint32_t from, to;
  bool exchange = false;
};

std::uint32_t size_of(const auto& list) {
  return static_cast<std::uint32_t>(list.size());
}

/// Calls meet(from, to) so that in the end all that `first` … `end` − 1 have is at `target`, children before parents. Who meet stand for
/// neighbors. A binomial tree if the target is the first.
template <typename Meet>
void each_meeting(std::uint32_t first, std::uint32_t end, std::uint32_t target, Meet meet) {
  if (end - first < 2)
    return;
  const std::uint32_t middle = first + std::bit_floor(end - first - 1);
  const bool in_front = target < middle;
  each_meeting(first, middle, in_front ? target : first, meet);
  each_meeting(middle, end, in_front ? middle : target, meet);
  meet(in_front ? middle : first, target);
}

pieces blocks_in_a_row(region where, std::uint32_t first, std::uint32_t blocks) {
  pieces list;
  for (std::uint32_t i = first; i < first + blocks; ++i)
    list.push_back({where, i, -1});
  return list;
}

pieces result_block() {
  return whole(region::output, 0);
}

/// What each member has so far, of its first `blocks` operands.
class partial_results {
public:
  partial_results(weaver& w, std::uint32_t blocks)
      : w_(w), blocks_(blocks), at_(w.size(), blocks_in_a_row(region::input, 0, blocks)),
        from_behind_(w.size(), 0), used_(w.size(), 0), ends_in_result_(w.size(), false) {}

  /// What the member has in the end shall be its result.
  void end_in_result(std::uint32_t m) { ends_in_result_[m] = true; }

  void meet(const std::vector<meeting>& all) {
    const auto each_arrival = [](const meeting& of, auto&& arrive) {
      arrive(of.from, of.to);
      if (of.exchange)
        arrive(of.to, of.from);
    };
    for (const meeting& m : all)
      each_arrival(m, [&](std::uint32_t from, std::uint32_t to) { from_behind_[to] += from > to ? 1 : 0; });
    for (const meeting& m : all) {
      std::vector<pieces> arrived;
      each_arrival(m, [&](std::uint32_t from, std::uint32_t to) {
        const bool from_behind = from > to;
        from_behind_[to] -= from_behind ? 1 : 0;
        arrived.push_back(from_behind ? place_for(to) : scratch(to, blocks_));
        w_.message(from, at_[from], to, arrived.back());
      });
      std::size_t next = 0;
      each_arrival(m, [&](std::uint32_t from, std::uint32_t to) { combine(to, arrived[next++], from > to); });
    }
    for (std::uint32_t m = 0; m < w_.size(); ++m)
      if (ends_in_result_[m])
        make_writable(m); // nothing came to it
  }

  const pieces& at(std::uint32_t m) const { return at_[m]; }
  pieces scratch(std::uint32_t m, std::uint32_t blocks) {
    used_[m] += blocks;
    return blocks_in_a_row(region::scratch, used_[m] - blocks, blocks);
  }

private:
  /// For what stays there while all that is still to come does so from in front.
  pieces place_for(std::uint32_t m) {
    return ends_in_result_[m] && from_behind_[m] == 0 ? result_block() : scratch(m, blocks_);
  }
  void make_writable(std::uint32_t m) {
    if (at_[m].front().where != region::input)
      return;
    const pieces place = place_for(m);
    w_.copy(m, at_[m], place);
    at_[m] = place;
  }
  void combine(std::uint32_t m, const pieces& arrived, bool from_behind) {
    if (from_behind) {
      w_.combine(m, at_[m], arrived);
      at_[m] = arrived;
      return;
    }
    make_writable(m);
    w_.combine(m, arrived, at_[m]);
  }

  weaver& w_;
  std::uint32_t blocks_;
  std::vector<pieces> at_;
  std::vector<std::uint32_t> from_behind_; ///< so many arrivals from behind are to come
  std::vector<std::uint32_t> used_;        ///< scratch blocks
  std::vector<bool> ends_in_result_;
};

/// Of each node at its first member.
std::vector<meeting> meetings_within(const std::vector<members>& nodes) {
  std::vector<meeting> all;
  for (const members& node : nodes)
    each_meeting(0, size_of(node), 0, [&](auto from, auto to) { all.push_back({node[from], node[to]}); });
  return all;
}

void reduce(weaver& w, const std::vector<members>& nodes, std::uint32_t root) {
  std::vector<meeting> all;
  std::vector<std::uint32_t> leaders;
  std::uint32_t node_of_root = 0;
  for (const members& node : nodes) {
    const auto found = std::ranges::find(node, root);
    const auto leads = static_cast<std::uint32_t>(found == node.end() ? 0 : found - node.begin());
    if (found != node.end())
      node_of_root = size_of(leaders);
    leaders.push_back(node[leads]);
    each_meeting(0, size_of(node), leads, [&](auto from, auto to) { all.push_back({node[from], node[to]}); });
  }
  each_meeting(0, size_of(leaders), node_of_root,
               [&](auto from, auto to) { all.push_back({leaders[from], leaders[to]}); });
  partial_results so_far(w, 1);
  so_far.end_in_result(root);
  so_far.meet(all);
}

void allreduce(weaver& w, const std::vector<members>& nodes) {
  const fold f(size_of(nodes));
  const auto leader = [&](std::uint32_t v) { return nodes[v].front(); };
  std::vector<meeting> all = meetings_within(nodes);
  for (std::uint32_t i = 0; i < f.extra; ++i)
    all.push_back({leader(2 * i + 1), leader(2 * i)});
  for (std::uint32_t d = 1; d < f.active; d *= 2)
    for (std::uint32_t i = 0; i < f.active; ++i)
      if ((i & d) == 0)
        all.push_back({leader(f.position(i)), leader(f.position(i + d)), true});
  partial_results so_far(w, 1);
  for (std::uint32_t i = 0; i < f.active; ++i)
    so_far.end_in_result(leader(f.position(i)));
  so_far.meet(all);
  for (std::uint32_t i = 0; i < f.extra; ++i)
    w.message(leader(2 * i), result_block(), leader(2 * i + 1), result_block());
  for (const members& node : nodes)
    each_binomial_edge(size_of(node), [&](auto parent, auto child, auto) {
      w.message(node[parent], result_block(), node[child], result_block());
    });
}

/// Leaders combine their nodes' blocks: what nodes behind them have, the nearest first, then what those in front of them have.
class scatter_by_leaders {
public:
  scatter_by_leaders(weaver& w, const std::vector<members>& nodes)
      : w_(w), nodes_(nodes), so_far_(w, w.size()),
        arrived_(nodes.size(), std::vector<pieces>(nodes.size())) {}

  void run() {
    so_far_.meet(meetings_within(nodes_));
    for (std::uint32_t d = 1; d < size_of(nodes_); ++d)
      for (std::uint32_t v = 0; v < size_of(nodes_); ++v)
        send(v, (v + d) % size_of(nodes_));
    for (std::uint32_t v = 0; v < size_of(nodes_); ++v)
      deliver(nodes_[v], combined(v));
  }

private:
  /// The blocks of the node's members that its leader keeps at last.
  pieces kept(std::uint32_t v) {
    pieces list = result_block();
    const pieces others = so_far_.scratch(nodes_[v].front(), size_of(nodes_[v]) - 1);
    list.insert(list.end(), others.begin(), others.end());
    return list;
  }
  pieces of_node(std::uint32_t at, std::uint32_t v) const {
    pieces list;
    for (const std::uint32_t m : nodes_[v])
      list.push_back(so_far_.at(nodes_[at].front())[m]);
    return list;
  }
  void send(std::uint32_t from, std::uint32_t to) {
    const bool stays = from > to && from + 1 == size_of(nodes_); // nothing comes behind it
    arrived_[to][from] = stays ? kept(to) : so_far_.scratch(nodes_[to].front(), size_of(nodes_[to]));
    w_.message(nodes_[from].front(), of_node(from, to), nodes_[to].front(), arrived_[to][from]);
  }
  pieces combined(std::uint32_t v) {
    const std::uint32_t at = nodes_[v].front();
    pieces here = of_node(v, v);
    if (v + 1 == size_of(nodes_)) {
      const pieces copied = kept(v);
      w_.copy(at, here, copied);
      here = copied;
    }
    for (std::uint32_t u = v + 1; u < size_of(nodes_); ++u) {
      w_.combine(at, here, arrived_[v][u]);
      here = arrived_[v][u];
    }
    for (std::uint32_t u = v; u-- > 0;)
      w_.combine(at, arrived_[v][u], here);
    return here;
  }
  void deliver(const members& node, const pieces& blocks) {
    for (std::size_t k = 1; k < node.size(); ++k)
      w_.message(node.front(), {blocks[k]}, node[k], result_block());
  }

  weaver& w_;
  const std::vector<members>& nodes_;
  partial_results so_far_;
  std::vector<std::vector<pieces>> arrived_; ///< at the leader of a node, from that of another one
};

} // namespace

bool are_nodes_in_a_row(std::span<const std::uint32_t> node) {
  std::unordered_set<std::uint32_t> known;
  for (std::size_t i = 0; i < node.size(); ++i)
    if ((i == 0 || node[i] != node[i - 1]) && !known.insert(node[i]).second)
      return false;
  return true;
}

void weave_combining_in_two_levels(weaver& w, pattern kind, std::span<const std::uint32_t> node,
                                   std::uint32_t root) {
  const std::vector<members> nodes = positions_by_node(node);
  if (kind == pattern::reduce)
    return reduce(w, nodes, root);
  kind == pattern::allreduce ? allreduce(w, nodes) : scatter_by_leaders(w, nodes).run();
}

} // namespace tacit::graphs
