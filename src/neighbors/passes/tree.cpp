#include "neighbors/passes/tree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tacit::neighbors {
namespace {

std::uint64_t length_of(const graphs::step& s) {
  return graphs::total_length(s.kind == graphs::step_kind::send ? s.reads : s.writes);
}

/// The message of this rank belongs to the tree of sides[which], of which the rank is root or member: it is
/// short, and no earlier tree of the other end has it.
bool belongs(std::span<const hot_side> sides, std::size_t which, rank_id rank, const graphs::step& s,
             const tree_rule& rule) {
  const hot_side& side = sides[which];
  const bool at_root = side.root == rank;
  const graphs::step_kind kind = side.gathers == at_root ? graphs::step_kind::recv : graphs::step_kind::send;
  if (s.kind != kind || s.peer == rank || s.tag != 0 || (!at_root && s.peer != side.root) ||
      length_of(s) > rule.longest())
    return false;
  const rank_id member = at_root ? s.peer : rank;
  return std::none_of(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(which),
                      [&](const hot_side& o) { return o.root == member && o.gathers != side.gathers; });
}

std::uint32_t levels_of(std::uint32_t members, std::uint32_t fan_out) {
  std::uint32_t levels = 0;
  for (std::uint64_t below = fan_out, all = 0; all < members; below *= fan_out, ++levels)
    all += below;
  return levels;
}

double direct_time(std::uint32_t messages, const graphs::message_cost& c) {
  return messages * c.overhead + c.latency;
}

double tree_time(std::uint32_t messages, double bytes, std::uint32_t fan_out, const graphs::message_cost& c) {
  return levels_of(messages, fan_out) * ((fan_out + 1) * c.overhead + c.latency) +
         2 * bytes * c.byte / (fan_out - 1);
}

struct judged_side {
  hot_side side;
  std::uint32_t messages = 0;
  double direct = 0, tree = 0;
};

/// Both sides of a rank, with the best fan-out of each.
judged_side judge(rank_id rank, bool gathers, const message_load& load, const tree_rule& rule) {
  judged_side out;
  out.side = {rank, gathers, 2};
  out.messages = gathers ? load.short_in : load.short_out;
  const double bytes = gathers ? load.short_bytes_in : load.short_bytes_out;
  out.direct = direct_time(out.messages, rule.cost);
  out.tree = std::numeric_limits<double>::max();
  for (std::uint32_t f = 2; f <= std::min(rule.largest_fan_out, out.messages); ++f)
    if (const double time = tree_time(out.messages, bytes, f, rule.cost); time < out.tree)
      out.tree = time, out.side.fan_out = f;
  return out;
}

double average_messages(std::span<const message_load> loads) {
  double sum = 0;
  for (const message_load& l : loads)
    sum += static_cast<double>(l.in) + l.out;
  return sum / static_cast<double>(std::max<std::size_t>(1, loads.size()));
}

std::vector<judged_side> judge_all(std::span<const message_load> loads, const tree_rule& rule) {
  std::vector<judged_side> all;
  for (std::uint32_t r = 0; r < loads.size(); ++r)
    for (const bool gathers : {true, false})
      all.push_back(judge(rank_id{r}, gathers, loads[r], rule));
  std::stable_sort(all.begin(), all.end(),
                   [](const judged_side& a, const judged_side& b) { return a.messages > b.messages; });
  return all;
}

std::uint32_t narrowed(std::uint64_t x) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(x, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

message_load load_of(const graphs::rank_plan& plan, const tree_rule& rule) {
  message_load load;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  for (const graphs::step& s : plan.steps) {
    if (!graphs::is_message(s))
      continue;
    const bool out = s.kind == graphs::step_kind::send;
    ++(out ? load.out : load.in);
    if (length_of(s) > rule.longest())
      continue;
    ++(out ? load.short_out : load.short_in);
    (out ? bytes_out : bytes_in) += length_of(s);
  }
  load.short_bytes_in = narrowed(bytes_in);
  load.short_bytes_out = narrowed(bytes_out);
  return load;
}

std::vector<hot_side> hot_sides(std::span<const message_load> loads, const tree_rule& rule) {
  const double average = average_messages(loads);
  std::vector<hot_side> hot;
  for (const judged_side& j : judge_all(loads, rule))
    if (hot.size() < rule.most_trees && j.messages >= rule.least_messages &&
        j.messages >= rule.times_average * average && j.tree < rule.at_most * j.direct)
      hot.push_back(j.side);
  return hot;
}

std::string why_no_tree(std::span<const message_load> loads, const tree_rule& rule) {
  const auto all = judge_all(loads, rule);
  if (all.empty() || all.front().messages == 0)
    return "no trees: no messages that are short enough";
  const judged_side& j = all.front();
  const double average = average_messages(loads);
  const std::string busiest = fmt::format("no trees: rank {} {} most short messages, {}", index(j.side.root),
                                          j.side.gathers ? "receives" : "sends", j.messages);
  if (j.messages < rule.least_messages)
    return fmt::format("{}, fewer than {}", busiest, rule.least_messages);
  if (j.messages < rule.times_average * average)
    return fmt::format("{}, fewer than {:g} times the {:.1f} of an average rank", busiest, rule.times_average,
                       average);
  return fmt::format("{}, which take {:.0f} us directly and {:.0f} us through a tree", busiest,
                     j.direct / 1000, j.tree / 1000);
}

std::vector<std::size_t> balancing_tree::preorder(std::size_t position) const {
  std::vector<std::size_t> out, open{position};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    out.push_back(at);
    const std::size_t first = fan_out * (at + 1);
    for (std::size_t k = fan_out; k-- > 0;)
      if (first + k < members.size())
        open.push_back(first + k);
  }
  return out;
}

tree_role balancing_tree::role(std::size_t position) const {
  tree_role out;
  out.parent = position < fan_out ? root : members[position / fan_out - 1];
  out.same = same;
  for (std::size_t k = 0, c = fan_out * (position + 1); k < fan_out && c < members.size(); ++k, ++c) {
    std::uint64_t sum = 0;
    for (const std::size_t m : preorder(c))
      sum += bytes[m];
    out.children.push_back({members[c], sum});
  }
  return out;
}

namespace {

/// What most of these messages send, if that is one and the same: the others leave the line.
bool keep_the_same(std::vector<const graphs::step*>& line, std::vector<rank_id>& left_out) {
  std::map<std::vector<std::uint64_t>, std::size_t> count;
  const auto key = [](const graphs::step* s) {
    std::vector<std::uint64_t> words;
    for (const graphs::segment& g : s->reads)
      words.insert(words.end(), {g.address, g.length});
    return words;
  };
  for (const graphs::step* s : line)
    ++count[key(s)];
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (count.empty() || 4 * most->second < 3 * line.size())
    return false;
  for (const graphs::step* s : line)
    if (key(s) != most->first)
      left_out.push_back(s->peer);
  std::erase_if(line, [&](const graphs::step* s) { return key(s) != most->first; });
  return true;
}

} // namespace

balancing_tree make_tree(std::span<const hot_side> sides, std::size_t which, const graphs::rank_plan& plan,
                         std::span<const message_load> loads, const tree_rule& rule) {
  const hot_side& side = sides[which];
  balancing_tree tree;
  tree.fan_out = side.fan_out;
  tree.root = side.root;
  std::vector<const graphs::step*> line;
  for (const graphs::step& s : plan.steps)
    if (belongs(sides, which, side.root, s, rule))
      line.push_back(&s);
  tree.same = !side.gathers && keep_the_same(line, tree.left_out);
  const auto busy = [&](const graphs::step* s) {
    const message_load& l = loads[index(s->peer)];
    return std::tuple(l.in + l.out, (index(s->peer) + loads.size() - index(side.root)) % loads.size());
  };
  std::sort(line.begin(), line.end(),
            [&](const graphs::step* a, const graphs::step* b) { return busy(a) < busy(b); });
  for (const graphs::step* s : line) {
    tree.members.push_back(s->peer);
    tree.bytes.push_back(length_of(*s));
  }
  return tree;
}

bool is_member(std::span<const hot_side> sides, std::size_t which, rank_id rank,
               const graphs::rank_plan& plan, const tree_rule& rule) {
  return rank != sides[which].root &&
         std::any_of(plan.steps.begin(), plan.steps.end(),
                     [&](const graphs::step& s) { return belongs(sides, which, rank, s, rule); });
}

namespace {

/// Replaces direct messages by those of trees, tree by tree, and puts all in order at the end.
class tree_weaver {
public:
  explicit tree_weaver(graphs::rank_plan plan) : scratch_(plan.scratch_bytes) {
    for (graphs::step& s : plan.steps) {
      if (graphs::is_message(s) && s.tag == 0)
        direct_.emplace(std::pair(s.kind, s.peer), rest_.size());
      rest_.push_back(std::move(s));
    }
    gone_.assign(rest_.size(), false);
  }

  void add(const tree_part& part) {
    if (part.tree)
      part.side.gathers ? root_receives(part) : root_sends(part);
    else
      part.side.gathers ? member_sends(part) : member_receives(part);
  }

  /// Receives first, then what others wait for most: the sends of trees that can start at once.
  graphs::rank_plan run() {
    graphs::rank_plan out;
    out.scratch_bytes = scratch_;
    std::map<std::size_t, std::uint32_t> position;
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      position[i] = static_cast<std::uint32_t>(out.steps.size());
      out.steps.push_back(std::move(receives_[i]));
    }
    take_rest(out, [](const graphs::step& s) { return s.kind == graphs::step_kind::recv; });
    for (waiting& w : sends_)
      if (w.after.empty())
        out.steps.push_back(std::move(w.send));
    take_rest(out, [](const graphs::step& s) { return s.kind != graphs::step_kind::recv; });
    for (waiting& w : sends_) {
      if (w.after.empty())
        continue;
      for (const std::size_t r : w.after)
        w.send.after.push_back(position.at(r));
      out.steps.push_back(std::move(w.send));
    }
    return out;
  }

private:
  struct waiting {
    graphs::step send;
    std::vector<std::size_t> after; ///< of receives_
  };

  template <typename Which>
  void take_rest(graphs::rank_plan& out, Which&& which) {
    for (std::size_t i = 0; i < rest_.size(); ++i)
      if (!gone_[i] && which(rest_[i])) {
        gone_[i] = true;
        out.steps.push_back(std::move(rest_[i]));
      }
  }
  /// The bytes of a direct message, which is sent no more.
  graphs::segment_list take(graphs::step_kind kind, rank_id peer) {
    const std::size_t i = direct_.at({kind, peer});
    gone_[i] = true;
    return std::move(kind == graphs::step_kind::send ? rest_[i].reads : rest_[i].writes);
  }
  graphs::segment_list new_scratch(std::uint64_t bytes) {
    scratch_ += bytes;
    return {{graphs::scratch_base + scratch_ - bytes, bytes}};
  }
  std::size_t receive(rank_id from, std::int32_t tag, graphs::segment_list into) {
    graphs::step s;
    s.kind = graphs::step_kind::recv;
    s.peer = from;
    s.tag = tag;
    s.writes = std::move(into);
    receives_.push_back(std::move(s));
    return receives_.size() - 1;
  }
  void send(rank_id to, std::int32_t tag, graphs::segment_list bytes, std::vector<std::size_t> after) {
    graphs::step s;
    s.kind = graphs::step_kind::send;
    s.peer = to;
    s.tag = tag;
    s.reads = std::move(bytes);
    sends_.push_back({std::move(s), std::move(after)});
  }

  void member_sends(const tree_part& part) {
    graphs::segment_list bytes = take(graphs::step_kind::send, part.side.root);
    std::vector<std::size_t> after;
    for (const tree_child& c : part.role.children) {
      const auto held = new_scratch(c.bytes);
      after.push_back(receive(c.rank, part.tag, held));
      graphs::append(bytes, held);
    }
    send(part.role.parent, part.tag, std::move(bytes), std::move(after));
  }

  void member_receives(const tree_part& part) {
    const graphs::segment_list own = take(graphs::step_kind::recv, part.side.root);
    graphs::segment_list into = own;
    std::vector<graphs::segment_list> held;
    for (const tree_child& c : part.role.children) {
      held.push_back(part.role.same ? own : new_scratch(c.bytes));
      if (!part.role.same)
        graphs::append(into, held.back());
    }
    const std::size_t receipt = receive(part.role.parent, part.tag, std::move(into));
    for (std::size_t i = 0; i < held.size(); ++i)
      send(part.role.children[i].rank, part.tag, std::move(held[i]), {receipt});
  }

  void root_receives(const tree_part& part) {
    const balancing_tree& tree = *part.tree;
    for (std::size_t c = 0; c < std::min<std::size_t>(tree.fan_out, tree.members.size()); ++c) {
      graphs::segment_list into;
      for (const std::size_t m : tree.preorder(c))
        graphs::append(into, take(graphs::step_kind::recv, tree.members[m]));
      receive(tree.members[c], part.tag, std::move(into));
    }
  }

  void root_sends(const tree_part& part) {
    const balancing_tree& tree = *part.tree;
    for (std::size_t c = 0; c < std::min<std::size_t>(tree.fan_out, tree.members.size()); ++c) {
      graphs::segment_list bytes;
      for (const std::size_t m : tree.preorder(c)) {
        const auto own = take(graphs::step_kind::send, tree.members[m]);
        if (bytes.empty() || !tree.same)
          graphs::append(bytes, own);
      }
      send(tree.members[c], part.tag, std::move(bytes), {});
    }
  }

  std::vector<graphs::step> rest_;
  std::vector<bool> gone_;
  std::map<std::pair<graphs::step_kind, rank_id>, std::size_t> direct_;
  std::vector<graphs::step> receives_;
  std::vector<waiting> sends_;
  std::uint64_t scratch_;
};

} // namespace

graphs::rank_plan with_trees(graphs::rank_plan plan, std::span<const tree_part> parts) {
  tree_weaver weaver(std::move(plan));
  for (const tree_part& part : parts)
    weaver.add(part);
  return weaver.run();
}

std::size_t longest_role(const tree_rule& rule) {
  return 3 + 2 * static_cast<std::size_t>(rule.largest_fan_out);
}

std::vector<std::uint64_t> words_of(const tree_role& role) {
  std::vector<std::uint64_t> words{index(role.parent), role.same ? 1u : 0u, role.children.size()};
  for (const tree_child& c : role.children) {
    words.push_back(index(c.rank));
    words.push_back(c.bytes);
  }
  return words;
}

tree_role role_of(std::span<const std::uint64_t> words) {
  tree_role role;
  role.parent = rank_id{static_cast<std::uint32_t>(words[0])};
  role.same = words[1] != 0;
  for (std::size_t i = 0; i < words[2]; ++i)
    role.children.push_back({rank_id{static_cast<std::uint32_t>(words[3 + 2 * i])}, words[4 + 2 * i]});
  return role;
}

} // namespace tacit::neighbors
