#include "neighbors/leftovers/leftovers.h"

#include "neighbors/passes/aggregate.h"
#include "neighbors/passes/color.h"
#include "neighbors/passes/tree.h"

#include <algorithm>
#include <map>
#include <optional>
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

std::vector<exchange> exchanges_of(const graphs::plan& p) {
  std::map<std::int32_t, tally> by_tag;
  for (std::size_t r = 0; r < p.ranks.size(); ++r)
    for (const graphs::step& s : p.ranks[r].steps)
      if (belongs_to(s, {s.tag}))
        by_tag[s.tag].add(r, s);
  std::vector<exchange> out;
  for (const auto& [tag, known] : by_tag)
    if (known.one_moment && known.several && known.messages + p.ranks.size() <= most_messages)
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

std::optional<rank_plans> through_trees(const rank_plans& direct, std::int32_t first_tag,
                                        const graphs::machine_costs& costs) {
  const tree_rule rule = rule_for(costs);
  std::vector<message_load> loads;
  for (const graphs::rank_plan& p : direct)
    loads.push_back(load_of(p, rule));
  const std::vector<hot_side> sides = hot_sides(loads, rule);
  if (sides.empty())
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
  if (where.node.empty())
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

/// The steps of a rank that replace its messages in an exchange, put in their place.
void put_in_place(graphs::rank_plan& at, const std::vector<std::uint32_t>& old, const exchange& x,
                  graphs::rank_plan made) {
  at.scratch_bytes = made.scratch_bytes;
  const std::size_t place = old.empty() ? at.steps.size() : old.front();
  std::vector<bool> is_old(at.steps.size(), false), is_last(made.steps.size(), true);
  for (const std::uint32_t s : old)
    is_old[s] = true;
  for (const graphs::step& s : made.steps)
    for (const std::uint32_t before : s.after)
      is_last[before] = false;
  graphs::step_list out;
  out.reserve(at.steps.size() - old.size() + made.steps.size());
  std::vector<std::uint32_t> now(at.steps.size(), 0), last_ones;
  const auto new_numbers = [&](const graphs::step_numbers& before) {
    graphs::step_numbers numbers;
    bool has_last_ones = false;
    for (const std::uint32_t b : before)
      if (!is_old[b])
        numbers.push_back(now[b]);
      else if (!std::exchange(has_last_ones, true))
        numbers.insert_at_end(last_ones.data(), last_ones.size());
    return numbers;
  };
  const auto put_made = [&] {
    const auto first = static_cast<std::uint32_t>(out.size());
    const graphs::step_numbers waits_for =
        old.empty() ? graphs::step_numbers() : new_numbers(at.steps[old.front()].after);
    for (std::size_t i = 0; i < made.steps.size(); ++i) {
      graphs::step& s = made.steps[i];
      if (is_last[i])
        last_ones.push_back(first + static_cast<std::uint32_t>(i));
      for (std::uint32_t& before : s.after)
        before += first;
      if (s.after.empty()) // the others wait for some of these
        s.after = waits_for;
      if (s.tag == 0)
        s.tag = x.tag;
      out.push_back(std::move(s));
    }
  };
  for (std::size_t i = 0; i < at.steps.size(); ++i) {
    if (i == place)
      put_made();
    if (is_old[i])
      continue;
    now[i] = static_cast<std::uint32_t>(out.size());
    graphs::step s = std::move(at.steps[i]);
    s.after = new_numbers(s.after);
    out.push_back(std::move(s));
  }
  if (place == at.steps.size())
    put_made();
  at.steps = std::move(out);
}

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
      put_in_place(out->ranks[r], steps_of(out->ranks[r], x), x, std::move((*made)[r]));
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
