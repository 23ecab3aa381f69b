#include "neighbors/leftovers/leftovers.h"

#include "neighbors/passes/aggregate.h"
#include "neighbors/passes/color.h"
#include "neighbors/passes/tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace tacit::neighbors {
namespace {

using rank_plans = std::vector<graphs::rank_plan>;

/// The messages with one tag, of which each pair of ranks has one in each direction at most.
struct exchange {
  std::int32_t tag = 0;
};

bool belongs_to(const graphs::step& s, const exchange& x) {
  return graphs::is_message(s) && s.tag == x.tag && !(s.reads.empty() && s.writes.empty());
}

std::vector<std::uint32_t> steps_of(const graphs::rank_plan& p, const exchange& x) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t s = 0; s < p.steps.size(); ++s)
    if (belongs_to(p.steps[s], x))
      out.push_back(s);
  return out;
}

/// What is known of the messages of one tag while ranks are looked at one after the other.
struct tally {
  std::size_t messages = 0;
  bool one_moment = true; ///< all of a rank may leave, and may be expected, at the same moment
  bool several = false;   ///< some rank has two to send, or two to receive
  // Of the rank that is looked at.
  std::size_t rank = ~std::size_t{0};
  const graphs::step* first = nullptr;
  int sends = 0, receives = 0;

  void add(std::size_t of_rank, const graphs::step& s) {
    if (of_rank != rank) {
      rank = of_rank;
      first = &s;
      sends = receives = 0;
    }
    one_moment = one_moment && s.after == first->after;
    const bool is_send = s.kind == graphs::step_kind::send;
    messages += is_send;
    several = several || ++(is_send ? sends : receives) > 1;
  }
};

/// Each message has both its ends among them, of the same length. What is as written in a plan may be received by a longer receive.
bool has_both_ends(const graphs::plan& p, const exchange& x) {
  using end = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>; // from, to, bytes
  std::vector<end> sent, received;
  for (std::uint64_t r = 0; r < p.ranks.size(); ++r)
    for (const graphs::step& s : p.ranks[r].steps) {
      if (!belongs_to(s, x))
        continue;
      const std::uint64_t peer = index(s.peer);
      if (s.kind == graphs::step_kind::send)
        sent.emplace_back(r, peer, graphs::total_length(s.reads));
      else
        received.emplace_back(peer, r, graphs::total_length(s.writes));
    }
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  return sent == received;
}

std::vector<exchange> exchanges_of(const graphs::plan& p) {
  std::map<std::int32_t, tally> by_tag;
  for (std::size_t r = 0; r < p.ranks.size(); ++r)
    for (const graphs::step& s : p.ranks[r].steps)
      if (belongs_to(s, {s.tag}))
        by_tag[s.tag].add(r, s);
  std::vector<exchange> out;
  for (const auto& [tag, known] : by_tag)
    if (known.one_moment && known.several && known.messages + p.ranks.size() <= most_messages &&
        has_both_ends(p, {tag}))
      out.push_back({tag});
  return out;
}

/// Its messages alone, as the passes want them.
rank_plans plans_of(const graphs::plan& p, const exchange& x) {
  rank_plans out(p.ranks.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r].scratch_bytes = p.ranks[r].scratch_bytes;
    for (const graphs::step& s : p.ranks[r].steps)
      if (belongs_to(s, x)) {
        out[r].steps.push_back(s);
        out[r].steps.back().after.clear();
        out[r].steps.back().tag = 0;
      }
  }
  return out;
}

/// In the order of a coloring; nothing where the order of the plan is as good.
std::optional<rank_plans> in_colors(const rank_plans& direct) {
  const auto ranks = static_cast<std::uint32_t>(direct.size());
  std::vector<arc> arcs;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const graphs::step& s : direct[r].steps)
      if (s.kind == graphs::step_kind::send)
        arcs.push_back({rank_id{r}, s.peer});
  const arc_coloring coloring = color_arcs(arcs, ranks);
  if (!coloring_pays(arcs, coloring, ranks))
    return std::nullopt;
  std::vector<neighborhood> edges(ranks);
  std::vector<edge_rounds> rounds(ranks);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const std::size_t from = index(arcs[i].from), to = index(arcs[i].to);
    edges[from].destinations.push_back({arcs[i].to});
    rounds[from].out.push_back(coloring.color[i]);
    edges[to].sources.push_back({arcs[i].from});
    rounds[to].in.push_back(coloring.color[i]);
  }
  rank_plans out;
  for (std::uint32_t r = 0; r < ranks; ++r)
    out.push_back(in_rounds(direct[r], edges[r], rounds[r]));
  return out;
}

/// As for persistent neighborhood collectives (runtime/exchange), but all ranks are here, and whatever comes of it is compared with
/// the rest by what the whole plan takes: so it may be tried where it is less likely to pay.
tree_rule rule_for(const graphs::machine_costs& costs) {
  tree_rule rule;
  rule.cost = costs.messages;
  rule.least_messages = 4;
  rule.times_average = 1;
  rule.at_most = 1;
  return rule;
}

/// Every communicator has these tags for the messages of plans: half of what MPI guarantees (runtime/run/lower.h). So a plan can run
/// with other ways for its leftovers wherever it can run without.
constexpr std::int32_t end_of_sure_tags = 32767 / 2 - 1;

bool has_tags(std::int32_t first, std::size_t count) {
  return first < end_of_sure_tags && count <= static_cast<std::size_t>(end_of_sure_tags - first);
}

std::optional<rank_plans> through_trees(const rank_plans& direct, std::int32_t first_tag,
                                        const graphs::machine_costs& costs) {
  const tree_rule rule = rule_for(costs);
  std::vector<message_load> loads;
  for (const graphs::rank_plan& p : direct)
    loads.push_back(load_of(p, rule));
  const std::vector<hot_side> sides = hot_sides(loads, rule);
  if (sides.empty() || !has_tags(first_tag, sides.size()))
    return std::nullopt;
  std::vector<std::vector<tree_part>> parts(direct.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::int32_t tag = first_tag + static_cast<std::int32_t>(i);
    const std::size_t root = index(sides[i].root);
    balancing_tree tree = make_tree(sides, i, direct[root], loads, rule);
    for (std::size_t m = 0; m < tree.members.size(); ++m)
      parts[index(tree.members[m])].push_back({sides[i], tag, std::nullopt, tree.role(m)});
    parts[root].push_back({sides[i], tag, std::move(tree), {}});
  }
  rank_plans out;
  for (std::size_t r = 0; r < direct.size(); ++r)
    out.push_back(with_trees(direct[r], parts[r]));
  return out;
}

std::optional<rank_plans> between_nodes(const rank_plans& direct, std::int32_t first_tag,
                                        const graphs::machine_costs& costs,
                                        const graphs::process_map& where) {
  constexpr std::size_t tags = 3; // of its steps (aggregate.h)
  if (where.node.empty() || !has_tags(first_tag, tags))
    return std::nullopt;
  const node_map nodes = map_of_nodes(where.node);
  if (!nodes.useful())
    return std::nullopt;
  const auto longest = static_cast<std::uint64_t>(costs.messages.overhead / costs.messages.byte);
  std::vector<std::vector<std::vector<std::uint64_t>>> words(nodes.members.size());
  for (std::size_t n = 0; n < words.size(); ++n)
    for (const rank_id r : nodes.members[n])
      words[n].push_back(aggregation_words(nodes, r, direct[index(r)], longest));
  rank_plans out;
  for (std::uint32_t r = 0; r < direct.size(); ++r)
    out.push_back(aggregated(direct[r], nodes, rank_id{r}, words[nodes.node_of[r]], first_tag, longest));
  return out;
}

/// Which steps touch which bytes.
class steps_by_bytes {
public:
  void add(std::uint32_t step, const graphs::segment_list& bytes) {
    for (const graphs::segment& b : bytes)
      pieces_.push_back({b.address, b.address + b.length, 0, step});
  }
  void sort() {
    std::sort(pieces_.begin(), pieces_.end(),
              [](const piece& a, const piece& b) { return a.begin < b.begin; });
    std::uint64_t end = 0;
    for (piece& p : pieces_)
      p.latest_end = end = std::max(end, p.end);
  }
  /// Sorted.
  std::vector<std::uint32_t> steps_at(const graphs::segment_list& bytes) const {
    std::vector<std::uint32_t> steps;
    for (const graphs::segment& b : bytes) {
      auto p = std::lower_bound(pieces_.begin(), pieces_.end(), b.address + b.length,
                                [](const piece& x, std::uint64_t end) { return x.begin < end; });
      while (p != pieces_.begin() && (--p)->latest_end > b.address)
        if (p->end > b.address)
          steps.push_back(p->step);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
  }

private:
  struct piece {
    std::uint64_t begin, end;
    std::uint64_t latest_end; ///< of this piece and those before it
    std::uint32_t step;
  };
  std::vector<piece> pieces_;
};

/// Which steps of those that replace the messages of a rank do what one of these did: a message that is still one is itself; of others
/// those that read the bytes that were sent, or write those that were received.
class successors {
public:
  explicit successors(const graphs::rank_plan& made) {
    for (std::uint32_t i = 0; i < made.steps.size(); ++i) {
      const graphs::step& s = made.steps[i];
      if (graphs::is_message(s) && s.tag == 0)
        same_.emplace(std::pair(s.kind, s.peer), i);
      reads_.add(i, s.reads);
      writes_.add(i, s.writes);
    }
    reads_.sort();
    writes_.sort();
  }
  std::vector<std::uint32_t> of(const graphs::step& message) const {
    if (const auto same = same_.find({message.kind, message.peer}); same != same_.end())
      return {same->second};
    return message.kind == graphs::step_kind::send ? reads_.steps_at(message.reads)
                                                   : writes_.steps_at(message.writes);
  }

private:
  std::map<std::pair<graphs::step_kind, rank_id>, std::uint32_t> same_;
  steps_by_bytes reads_, writes_;
};

/// The steps of a rank with those that replace its messages in an exchange.
class replacing {
public:
  replacing(graphs::rank_plan& at, const exchange& x, graphs::rank_plan made)
      : at_(at), tag_(x.tag), old_(steps_of(at, x)), is_old_(at.steps.size(), false),
        now_(at.steps.size(), 0), made_(std::move(made)), successors_(made_) {
    for (const std::uint32_t s : old_)
      is_old_[s] = true;
  }

  /// Where the first of the messages was: nothing that they wait for stands behind it.
  void run() {
    out_.reserve(at_.steps.size() - old_.size() + made_.steps.size());
    const std::size_t place = old_.empty() ? at_.steps.size() : old_.front();
    for (std::size_t i = 0; i < at_.steps.size(); ++i) {
      if (i == place)
        put_made();
      if (is_old_[i])
        continue;
      graphs::step s = at_.steps[i];
      s.after = renumbered(s.after);
      now_[i] = static_cast<std::uint32_t>(out_.size());
      out_.push_back(std::move(s));
    }
    if (place == at_.steps.size())
      put_made();
    at_.steps = std::move(out_);
    at_.scratch_bytes = made_.scratch_bytes;
  }

private:
  graphs::step_numbers renumbered(const graphs::step_numbers& before) const {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t b : before)
      if (!is_old_[b])
        numbers.push_back(now_[b]);
      else
        for (const std::uint32_t s : successors_.of(at_.steps[b]))
          numbers.push_back(first_made_ + s);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    graphs::step_numbers out;
    out.insert_at_end(numbers.data(), numbers.size());
    return out;
  }
  void put_made() {
    const graphs::step_numbers waits_for =
        old_.empty() ? graphs::step_numbers() : renumbered(at_.steps[old_.front()].after);
    first_made_ = static_cast<std::uint32_t>(out_.size());
    for (graphs::step& s : made_.steps) {
      for (std::uint32_t& before : s.after)
        before += first_made_;
      if (s.after.empty()) // the others wait for some of these
        s.after = waits_for;
      if (s.tag == 0)
        s.tag = tag_;
      out_.push_back(std::move(s));
    }
  }

  graphs::rank_plan& at_;
  std::int32_t tag_;
  std::vector<std::uint32_t> old_; ///< the messages
  std::vector<bool> is_old_;
  std::vector<std::uint32_t> now_; ///< per step that stays, once it is there: its number
  graphs::rank_plan made_;
  successors successors_;
  std::uint32_t first_made_ = 0;
  graphs::step_list out_;
};

std::int32_t first_free_tag(const rank_plans& plans) {
  std::int32_t tag = 0;
  for (const graphs::rank_plan& p : plans)
    for (const graphs::step& s : p.steps)
      tag = std::max(tag, s.tag);
  return tag + 1;
}

/// With each exchange as `make(direct messages, first free tag)` says, if that says anything; nothing if it never does.
template <typename Make>
std::optional<graphs::plan> rearranged(const graphs::plan& p, const std::vector<exchange>& all, Make&& make) {
  std::optional<graphs::plan> out;
  for (const exchange& x : all) {
    std::optional<rank_plans> made =
        make(plans_of(out ? *out : p, x), first_free_tag(out ? out->ranks : p.ranks));
    if (!made)
      continue;
    if (!out)
      out = p;
    for (std::size_t r = 0; r < made->size(); ++r)
      replacing(out->ranks[r], x, std::move((*made)[r])).run();
  }
  return out;
}

} // namespace

std::vector<graphs::named_plan> with_neighborhoods(const graphs::plan& p, const graphs::machine_costs& costs,
                                                   const graphs::process_map& where, bool hand_on) {
  const std::vector<exchange> all = exchanges_of(p);
  std::vector<graphs::named_plan> out;
  if (all.empty())
    return out;
  const auto add = [&](const char* name, std::optional<graphs::plan> made) {
    if (made)
      out.push_back({name, *std::move(made)});
  };
  add("neighborhood in rounds",
      rearranged(p, all, [&](const rank_plans& direct, std::int32_t) { return in_colors(direct); }));
  if (!hand_on)
    return out;
  add("neighborhood through trees", rearranged(p, all, [&](const rank_plans& direct, std::int32_t tag) {
        return through_trees(direct, tag, costs);
      }));
  add("neighborhood between nodes", rearranged(p, all, [&](const rank_plans& direct, std::int32_t tag) {
        return between_nodes(direct, tag, costs, where);
      }));
  return out;
}

} // namespace tacit::neighbors
