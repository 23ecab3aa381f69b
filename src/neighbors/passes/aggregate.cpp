#include "neighbors/passes/aggregate.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace tacit::neighbors {
namespace {

const graphs::segment_list& bytes_of(const graphs::step& s) {
  return s.kind == graphs::step_kind::send ? s.reads : s.writes;
}

/// Leaves its node, and is short.
bool takes_part(const graphs::step& s, const node_map& nodes, rank_id rank, std::uint64_t longest) {
  return graphs::is_message(s) && s.tag == 0 && nodes.node_of[index(s.peer)] != nodes.node_of[index(rank)] &&
         graphs::total_length(bytes_of(s)) <= longest;
}

/// What a rank tells the others of its node.
struct announcement {
  std::map<std::uint32_t, std::uint64_t> to_node; ///< bytes for each other node
  std::map<rank_id, std::uint64_t> from_rank;     ///< bytes from each rank of other nodes
};

announcement announce(const node_map& nodes, rank_id rank, const graphs::rank_plan& plan,
                      std::uint64_t longest) {
  announcement out;
  for (const graphs::step& s : plan.steps) {
    if (!takes_part(s, nodes, rank, longest))
      continue;
    const std::uint64_t bytes = graphs::total_length(bytes_of(s));
    if (s.kind == graphs::step_kind::send)
      out.to_node[nodes.node_of[index(s.peer)]] += bytes;
    else
      out.from_rank[s.peer] = bytes;
  }
  return out;
}

announcement announcement_of(std::span<const std::uint64_t> words) {
  announcement out;
  std::size_t at = 1;
  for (std::size_t i = 0; i < words[0]; ++i, at += 2)
    out.to_node[static_cast<std::uint32_t>(words[at])] = words[at + 1];
  const std::size_t sources = words[at++];
  for (std::size_t i = 0; i < sources; ++i, at += 2)
    out.from_rank[rank_id{static_cast<std::uint32_t>(words[at])}] = words[at + 1];
  return out;
}

/// Where bytes are, and which step of this rank puts them there (none: the program).
struct cargo {
  graphs::segment_list bytes;
  std::set<std::uint32_t> after;

  void add(const graphs::segment_list& more) { graphs::append(bytes, more); }
  void add(const cargo& more) {
    graphs::append(bytes, more.bytes);
    after.insert(more.after.begin(), more.after.end());
  }
};

class aggregator {
public:
  aggregator(const node_map& nodes, rank_id rank, std::span<const std::vector<std::uint64_t>> words,
             std::int32_t first_tag)
      : nodes_(nodes), me_(rank), node_(nodes.node_of[index(rank)]), tag_(first_tag) {
    const auto& members = nodes.members[node_];
    for (std::size_t m = 0; m < members.size(); ++m)
      told_[members[m]] = announcement_of(words[m]);
  }

  graphs::rank_plan run(graphs::rank_plan direct, std::uint64_t longest) {
    for (graphs::step& s : direct.steps)
      if (takes_part(s, nodes_, me_, longest))
        (s.kind == graphs::step_kind::send ? out_ : in_)[s.peer] = bytes_of(s);
    out_plan_.scratch_bytes = direct.scratch_bytes;
    // A direct receive or send waits for nothing, so it is posted before the three steps are.
    for (graphs::step& s : direct.steps)
      if (!takes_part(s, nodes_, me_, longest))
        out_plan_.steps.push_back(std::move(s));
    gather();
    exchange();
    redistribute();
    return std::move(out_plan_);
  }

private:
  /// Steps are appended in the order in which they can be posted: what a send waits for stands before it.
  std::uint32_t receive(rank_id from, int step_number, graphs::segment_list into) {
    graphs::step s;
    s.kind = graphs::step_kind::recv;
    s.peer = from;
    s.tag = tag_ + step_number;
    s.writes = std::move(into);
    out_plan_.steps.push_back(std::move(s));
    return static_cast<std::uint32_t>(out_plan_.steps.size() - 1);
  }
  void send(rank_id to, int step_number, cargo what) {
    graphs::step s;
    s.kind = graphs::step_kind::send;
    s.peer = to;
    s.tag = tag_ + step_number;
    s.reads = std::move(what.bytes);
    std::copy(what.after.begin(), what.after.end(), std::back_inserter(s.after));
    out_plan_.steps.push_back(std::move(s));
  }
  graphs::segment_list new_scratch(std::uint64_t bytes) {
    out_plan_.scratch_bytes += bytes;
    return {{graphs::scratch_base + out_plan_.scratch_bytes - bytes, bytes}};
  }

  /// By destination node: what this rank sends there itself, as gatherer; by source rank.
  void gather() {
    std::map<rank_id, cargo> handed; // to other members, by node
    for (const auto& [node, bytes] : told_.at(me_).to_node) {
      cargo mine;
      for (const auto& [peer, segments] : out_)
        if (nodes_.node_of[index(peer)] == node)
          mine.add(segments);
      if (const rank_id to = nodes_.sender(node_, node); to == me_)
        gathered_[node][me_] = std::move(mine);
      else
        handed[to].add(mine);
    }
    for (auto& [to, what] : handed)
      send(to, 0, std::move(what));
    for (const auto& [from, told] : told_) {
      if (from == me_)
        continue;
      graphs::segment_list into;
      std::vector<std::pair<std::uint32_t, graphs::segment_list>> parts;
      for (const auto& [node, bytes] : told.to_node)
        if (nodes_.sender(node_, node) == me_) {
          parts.emplace_back(node, new_scratch(bytes));
          graphs::append(into, parts.back().second);
        }
      if (parts.empty())
        continue;
      const std::uint32_t receipt = receive(from, 0, std::move(into));
      for (auto& [node, bytes] : parts)
        gathered_[node][from] = {std::move(bytes), {receipt}};
    }
  }

  /// By source node and rank, then by destination rank.
  void exchange() {
    std::map<std::uint32_t, std::map<rank_id, std::map<rank_id, std::uint64_t>>> incoming;
    for (const auto& [to, told] : told_)
      for (const auto& [from, bytes] : told.from_rank)
        if (const std::uint32_t node = nodes_.node_of[index(from)]; nodes_.receiver(node, node_) == me_)
          incoming[node][from][to] = bytes;
    for (const auto& [node, sources] : incoming) {
      graphs::segment_list into;
      std::vector<std::tuple<rank_id, graphs::segment_list>> parts;
      for (const auto& [from, destinations] : sources)
        for (const auto& [to, bytes] : destinations) {
          parts.emplace_back(to, to == me_ ? in_.at(from) : new_scratch(bytes));
          graphs::append(into, std::get<1>(parts.back()));
        }
      const std::uint32_t receipt = receive(nodes_.sender(node, node_), 1, std::move(into));
      for (auto& [to, bytes] : parts)
        if (to != me_)
          for_member_[to].add(cargo{std::move(bytes), {receipt}});
    }
    for (auto& [node, sources] : gathered_) {
      cargo all;
      for (const auto& [from, what] : sources)
        all.add(what);
      send(nodes_.receiver(node_, node), 1, std::move(all));
    }
  }

  /// By node, then by source rank.
  void redistribute() {
    std::map<rank_id, std::map<std::uint32_t, graphs::segment_list>> expected;
    for (const auto& [from, segments] : in_) {
      const std::uint32_t node = nodes_.node_of[index(from)];
      if (const rank_id by = nodes_.receiver(node, node_); by != me_)
        graphs::append(expected[by][node], segments);
    }
    for (const auto& [by, nodes] : expected) {
      graphs::segment_list into;
      for (const auto& [node, segments] : nodes)
        graphs::append(into, segments);
      receive(by, 2, std::move(into));
    }
    for (auto& [to, what] : for_member_)
      send(to, 2, std::move(what));
  }

  const node_map& nodes_;
  rank_id me_;
  std::uint32_t node_;
  std::int32_t tag_;
  std::map<rank_id, announcement> told_;                       // by member of this node
  std::map<rank_id, graphs::segment_list> out_, in_;           // of the messages that take part
  std::map<std::uint32_t, std::map<rank_id, cargo>> gathered_; // by node, of which this rank is the sender
  std::map<rank_id, cargo> for_member_;
  graphs::rank_plan out_plan_;
};

} // namespace

node_map map_of_nodes(std::span<const std::uint64_t> identity_of_rank) {
  node_map out;
  std::map<std::uint64_t, std::uint32_t> number;
  for (std::uint32_t r = 0; r < identity_of_rank.size(); ++r) {
    const auto node =
        number.try_emplace(identity_of_rank[r], static_cast<std::uint32_t>(number.size())).first->second;
    out.node_of.push_back(node);
    out.members.resize(number.size());
    out.members[node].push_back(rank_id{r});
  }
  return out;
}

std::vector<std::uint64_t> aggregation_words(const node_map& nodes, rank_id rank,
                                             const graphs::rank_plan& plan, std::uint64_t longest) {
  const announcement a = announce(nodes, rank, plan, longest);
  std::vector<std::uint64_t> words{a.to_node.size()};
  for (const auto& [node, bytes] : a.to_node)
    words.insert(words.end(), {node, bytes});
  words.push_back(a.from_rank.size());
  for (const auto& [from, bytes] : a.from_rank)
    words.insert(words.end(), {index(from), bytes});
  return words;
}

graphs::rank_plan aggregated(graphs::rank_plan plan, const node_map& nodes, rank_id rank,
                             std::span<const std::vector<std::uint64_t>> words, std::int32_t first_tag,
                             std::uint64_t longest) {
  return aggregator(nodes, rank, words, first_tag).run(std::move(plan), longest);
}

double busy_time(const graphs::rank_plan& plan, const node_map& nodes, rank_id rank,
                 const graphs::message_cost& cost) {
  double time = 0;
  for (const graphs::step& s : plan.steps)
    if (graphs::is_message(s)) {
      const bool here = nodes.node_of[index(s.peer)] == nodes.node_of[index(rank)];
      time +=
          cost.overhead * cost.share(here ? graphs::pair_class::same_node : graphs::pair_class::other_node) +
          cost.byte * static_cast<double>(graphs::total_length(bytes_of(s)));
    }
  return time;
}

} // namespace tacit::neighbors
