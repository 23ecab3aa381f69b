// Two levels: ranks of a node talk to their leader, and only leaders to other nodes, so that each pair of nodes exchanges one message
// where it would exchange one for each pair of ranks. What leaders do among themselves is a binomial tree, recursive doubling, direct
// messages or a dissemination; what a node does, a tree for bytes that all need, else messages to and from its leader.
#include "graphs/generate/algorithms.h"

#include <algorithm>
#include <unordered_map>

namespace tacit::graphs {
namespace {

using members = std::vector<std::uint32_t>;

/// The node of the root first, and the root leads it; others are led by their first.
std::vector<members> nodes_of(std::span<const std::uint32_t> node, std::uint32_t root) {
  std::vector<members> made = positions_by_node(node);
  const auto has_root = [&](const members& m) { return node[m.front()] == node[root]; };
  const auto of_root = std::ranges::find_if(made, has_root);
  std::rotate(made.begin(), of_root, of_root + 1);
  members& first = made.front();
  const auto at = std::ranges::find(first, root);
  std::rotate(first.begin(), at, at + 1);
  return made;
}

std::uint32_t leader(const members& node) {
  return node.front();
}

std::uint32_t count(const std::vector<members>& nodes) {
  return static_cast<std::uint32_t>(nodes.size());
}

/// From each leader down a binomial tree within its node: hand_down(parent, child).
template <typename HandDown>
void within_nodes(const std::vector<members>& nodes, HandDown hand_down) {
  for (const members& node : nodes)
    each_binomial_edge(static_cast<std::uint32_t>(node.size()),
                       [&](auto parent, auto child, auto) { hand_down(node[parent], node[child]); });
}

void bcast(weaver& w, const std::vector<members>& nodes) {
  const auto pass_on = [&](std::uint32_t from, std::uint32_t to) {
    w.message(from, {{region::input, 0}}, to, {{region::input, 0}});
  };
  each_binomial_edge(count(nodes), [&](auto parent, auto child, auto) {
    pass_on(leader(nodes[parent]), leader(nodes[child]));
  });
  within_nodes(nodes, pass_on);
}

/// Where the leader of node `v` keeps the block of a member of node `u` behind it that it passes on; the root is leader of node 0.
/// Leaders of small subtrees need little memory.
class passing_on {
public:
  passing_on(const std::vector<members>& nodes, region at_root, region own)
      : nodes_(nodes), at_root_(at_root), own_(own) {
    std::uint32_t next = 0;
    for (const members& node : nodes) {
      first_.push_back(next);
      next += static_cast<std::uint32_t>(node.size());
    }
  }
  piece one(std::uint32_t v, std::uint32_t u, std::size_t member) const {
    if (v == 0)
      return {at_root_, nodes_[u][member]};
    if (u == v && member == 0)
      return {own_, 0};
    return {region::scratch, first_[u] - first_[v] + static_cast<std::uint32_t>(member) - 1};
  }
  pieces subtree(std::uint32_t v, std::uint32_t first, std::uint32_t nodes) const {
    pieces list;
    for (std::uint32_t u = first; u < first + nodes; ++u)
      for (std::size_t k = 0; k < nodes_[u].size(); ++k)
        list.push_back(one(v, u, k));
    return list;
  }

private:
  const std::vector<members>& nodes_;
  std::vector<std::uint32_t> first_; ///< ranks of nodes before
  region at_root_, own_;
};

void scatter(weaver& w, const std::vector<members>& nodes) {
  const passing_on kept(nodes, region::input, region::output);
  each_binomial_edge(count(nodes), [&](auto parent, auto child, auto subtree) {
    w.message(leader(nodes[parent]), kept.subtree(parent, child, subtree), leader(nodes[child]),
              kept.subtree(child, child, subtree));
  });
  for (std::uint32_t v = 0; v < nodes.size(); ++v)
    for (std::size_t k = 1; k < nodes[v].size(); ++k)
      w.message(leader(nodes[v]), {kept.one(v, v, k)}, nodes[v][k], {{region::output, 0}});
}

void gather(weaver& w, const std::vector<members>& nodes) {
  const passing_on kept(nodes, region::output, region::input);
  for (std::uint32_t v = 0; v < nodes.size(); ++v)
    for (std::size_t k = 1; k < nodes[v].size(); ++k)
      w.message(nodes[v][k], {{region::input, 0}}, leader(nodes[v]), {kept.one(v, v, k)});
  each_binomial_edge_up(count(nodes), [&](auto parent, auto child, auto subtree) {
    w.message(leader(nodes[child]), kept.subtree(child, child, subtree), leader(nodes[parent]),
              kept.subtree(parent, child, subtree));
  });
}

/// A message with the blocks of these nodes, without those that the receiver has.
void give(weaver& w, std::uint32_t from, std::uint32_t to, std::span<const members> blocks,
          bool own_node_too = true) {
  pieces source, target;
  for (const members& node : blocks) {
    if (!own_node_too && leader(node) == to)
      continue;
    for (const std::uint32_t o : node) {
      if (o == to)
        continue;
      source.push_back(slot(from, o));
      target.push_back(slot(to, o));
    }
  }
  if (!source.empty())
    w.message(from, source, to, target);
}

/// Recursive doubling among leaders, folded as among ranks (symmetric.cpp): what a position of the fold stands for lies side by side.
void exchange_among_leaders(weaver& w, const std::vector<members>& nodes) {
  const fold f(count(nodes));
  const std::span<const members> all(nodes);
  const auto place = [&](std::uint32_t i) { return leader(nodes[f.position(i)]); };
  for (std::size_t i = 0; i < f.extra; ++i)
    give(w, leader(nodes[2 * i + 1]), leader(nodes[2 * i]), all.subspan(2 * i + 1, 1));
  for (std::uint32_t d = 1; d < f.active; d *= 2)
    for (std::uint32_t i = 0; i < f.active; ++i) {
      const std::uint32_t first = i & ~(d - 1), begin = f.position(first),
                          end = first + d < f.active ? f.position(first + d) : count(nodes);
      give(w, place(i), place(i ^ d), all.subspan(begin, end - begin));
    }
  for (std::size_t i = 0; i < f.extra; ++i)
    give(w, leader(nodes[2 * i]), leader(nodes[2 * i + 1]), all, false);
}

void allgather(weaver& w, const std::vector<members>& nodes) {
  for (const members& node : nodes)
    for (std::size_t k = 1; k < node.size(); ++k)
      w.message(node[k], {slot(node[k], node[k])}, leader(node), {slot(leader(node), node[k])});
  exchange_among_leaders(w, nodes);
  within_nodes(nodes, [&](std::uint32_t from, std::uint32_t to) { give(w, from, to, nodes); });
}

/// Blocks of an alltoall on their way through leaders. A leader keeps those from its members by member and destination, then those
/// for its members by member and origin.
class through_leaders {
public:
  through_leaders(weaver& w, const std::vector<members>& nodes)
      : w_(w), nodes_(nodes), largest_(largest_node(nodes)) {}
  void run() {
    for (const members& node : nodes_)
      within(node);
    for (const members& node : nodes_)
      for (std::size_t k = 1; k < node.size(); ++k)
        up(node, k);
    for (std::size_t d = 1; d < nodes_.size(); ++d)
      for (std::size_t v = 0; v < nodes_.size(); ++v)
        across(nodes_[v], nodes_[(v + d) % nodes_.size()]);
    for (const members& node : nodes_)
      for (std::size_t k = 1; k < node.size(); ++k)
        down(node, k);
  }

private:
  static std::size_t largest_node(const std::vector<members>& nodes) {
    return std::max_element(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.size() < b.size(); })
        ->size();
  }
  piece from_member(std::size_t k, std::uint32_t to) const {
    return k == 0 ? piece{region::input, to}
                  : piece{region::scratch, static_cast<std::uint32_t>((k - 1) * w_.size() + to)};
  }
  piece for_member(std::size_t k, std::uint32_t from) const {
    return k == 0 ? piece{region::output, from}
                  : piece{region::scratch, static_cast<std::uint32_t>((largest_ + k - 2) * w_.size() + from)};
  }
  void within(const members& node) {
    for (std::size_t d = 1; d < node.size(); ++d)
      for (std::size_t k = 0; k < node.size(); ++k) {
        const std::uint32_t from = node[k], to = node[(k + d) % node.size()];
        w_.message(from, {{region::input, to}}, to, {{region::output, from}});
      }
  }
  template <typename Visit>
  void each_outside(const members& node, Visit visit) {
    for (const members& other : nodes_)
      if (leader(other) != leader(node))
        std::ranges::for_each(other, visit);
  }
  void up(const members& node, std::size_t k) {
    pieces source, target;
    each_outside(node, [&](std::uint32_t to) {
      source.push_back({region::input, to});
      target.push_back(from_member(k, to));
    });
    if (!source.empty())
      w_.message(node[k], source, leader(node), target);
  }
  void across(const members& from, const members& to) {
    pieces source, target;
    for (std::size_t a = 0; a < from.size(); ++a)
      for (std::size_t b = 0; b < to.size(); ++b) {
        source.push_back(from_member(a, to[b]));
        target.push_back(for_member(b, from[a]));
      }
    w_.message(leader(from), source, leader(to), target);
  }
  void down(const members& node, std::size_t k) {
    pieces source, target;
    each_outside(node, [&](std::uint32_t from) {
      source.push_back(for_member(k, from));
      target.push_back({region::output, from});
    });
    if (!source.empty())
      w_.message(leader(node), source, node[k], target);
  }

  weaver& w_;
  const std::vector<members>& nodes_;
  std::size_t largest_;
};

void barrier(weaver& w, const std::vector<members>& nodes) {
  for (const members& node : nodes)
    for (std::size_t k = 1; k < node.size(); ++k)
      w.signal(node[k], leader(node));
  w.next_round();
  for (std::uint32_t d = 1; d < nodes.size(); d *= 2) {
    for (std::uint32_t v = 0; v < nodes.size(); ++v)
      w.signal(leader(nodes[v]), leader(nodes[(v + d) % nodes.size()]));
    w.next_round();
  }
  for (const members& node : nodes)
    for (std::size_t k = 1; k < node.size(); ++k)
      w.signal(leader(node), node[k]);
}

} // namespace

std::vector<std::vector<std::uint32_t>> positions_by_node(std::span<const std::uint32_t> node) {
  std::vector<members> made;
  std::unordered_map<std::uint32_t, std::size_t> number;
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    const auto [at, is_new] = number.try_emplace(node[i], made.size());
    if (is_new)
      made.emplace_back();
    made[at->second].push_back(i);
  }
  return made;
}

void weave_two_levels(weaver& w, pattern kind, std::span<const std::uint32_t> node, std::uint32_t root) {
  const std::vector<members> nodes = nodes_of(node, is_rooted(kind) ? root : 0);
  switch (kind) {
  case pattern::bcast:
    return bcast(w, nodes);
  case pattern::scatter:
    return scatter(w, nodes);
  case pattern::gather:
    return gather(w, nodes);
  case pattern::allgather:
    return allgather(w, nodes);
  case pattern::alltoall:
    return through_leaders(w, nodes).run();
  default:
    return barrier(w, nodes);
  }
}

} // namespace tacit::graphs
