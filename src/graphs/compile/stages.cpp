#include "graphs/compile/stages.h"

#include "graphs/match/dependency_rows.h"
#include "graphs/plan/synchronization.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace tacit::graphs {
namespace {

bool moves_nothing(const graph& g, op_id op) {
  return g[op].kind == op_kind::copy && g.reads(op).empty() && g.writes(op).empty();
}

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

/// The operations of each rank in order of creation, in which dependencies point forward.
struct rank_lists {
  std::vector<std::vector<op_id>> ops;
  std::vector<std::int64_t> place;  ///< per operation: where in the list it is,
  std::vector<std::int64_t> behind; ///< where the next one is that depends on it directly (nowhere),
  std::vector<std::int64_t> before; ///< and where the last one is that it depends on directly (-1)
};

rank_lists lists_of(const graph& g) {
  rank_lists l{std::vector<std::vector<op_id>>(g.ranks()), std::vector<std::int64_t>(g.size()),
               std::vector<std::int64_t>(g.size(), nowhere), std::vector<std::int64_t>(g.size(), -1)};
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    auto& mine = l.ops[index(g[op_id{i}].rank)];
    l.place[i] = static_cast<std::int64_t>(mine.size());
    mine.push_back(op_id{i});
  }
  for (const dependency& d : g.dependencies()) {
    const std::size_t first = index(d.before), second = index(d.after);
    l.behind[first] = std::min(l.behind[first], l.place[second]);
    l.before[second] = std::max(l.before[second], l.place[first]);
  }
  return l;
}

/// Every operation before a mark reaches it if each has a successor no later than it, because that one has, too; and every one
/// behind it is reached if each has a predecessor no earlier.
std::vector<op_id> marks_of(const graph& g, const rank_lists& l, const std::vector<op_id>& mine) {
  std::vector<std::int64_t> earliest(mine.size() + 1, nowhere); // of what those from here on depend on
  for (std::size_t i = mine.size(); i-- > 0;)
    earliest[i] = std::min(earliest[i + 1], l.before[index(mine[i])]);
  std::vector<op_id> marks;
  std::int64_t latest = -1; // of what depends on those up to here
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto here = static_cast<std::int64_t>(i);
    if (moves_nothing(g, mine[i]) && latest <= here && earliest[i + 1] >= here)
      marks.push_back(mine[i]);
    latest = std::max(latest, l.behind[index(mine[i])]);
  }
  return marks;
}

class plan_sequence {
public:
  explicit plan_sequence(std::uint32_t ranks) : joined_(ranks, no_step) { out_.ranks.resize(ranks); }

  /// `original`: the operations of the stage as the whole graph numbers them.
  void append(plan stage, const std::vector<op_id>& original) {
    tags next = first_;
    for (std::uint32_t r = 0; r < stage.ranks.size(); ++r) {
      append(r, stage.ranks[r], original);
      for (const step& s : stage.ranks[r].steps)
        next.of(s) = std::max(next.of(s), first_.of(s) + s.tag + 1);
    }
    first_ = next;
    std::move(stage.orders.begin(), stage.orders.end(), std::back_inserter(out_.orders));
    std::move(stage.not_used.begin(), stage.not_used.end(), std::back_inserter(out_.not_used));
  }
  plan take() && { return std::move(out_); }

private:
  static constexpr std::uint32_t no_step = ~std::uint32_t{0};

  /// Messages and collectives are numbered apart: communicators have far fewer tags for the latter (runtime/run/lower.h).
  struct tags {
    std::int32_t message = 0, collective = 0;
    std::int32_t& of(const step& s) { return s.kind == step_kind::collective ? collective : message; }
  };

  void append(std::uint32_t r, rank_plan& stage, const std::vector<op_id>& original) {
    if (stage.steps.empty())
      return;
    step_list& steps = out_.ranks[r].steps;
    out_.ranks[r].scratch_bytes = std::max(out_.ranks[r].scratch_bytes, stage.scratch_bytes);
    const auto base = static_cast<std::uint32_t>(steps.size());
    std::vector<bool> is_last(stage.steps.size(), true);
    for (const step& s : stage.steps) {
      step moved = s;
      moved.tag += first_.of(s);
      for (std::uint32_t& before : moved.after) {
        is_last[before] = false;
        before += base;
      }
      if (moved.after.empty() && joined_[r] != no_step)
        moved.after.push_back(joined_[r]);
      if (moved.order > 0)
        moved.order += static_cast<std::uint32_t>(out_.orders.size());
      if (moved.op != no_op)
        moved.op = original[index(moved.op)];
      steps.push_back(std::move(moved));
    }
    step join; // a copy of nothing, so that edges stay linear
    for (std::uint32_t i = 0; i < is_last.size(); ++i)
      if (is_last[i])
        join.after.push_back(base + i);
    joined_[r] = static_cast<std::uint32_t>(steps.size());
    steps.push_back(std::move(join));
  }

  plan out_;
  std::vector<std::uint32_t> joined_; ///< per rank: the step after which the next stage starts
  tags first_;                        ///< of the next stage
};

/// A stage as written may stand in a plan if no byte of it would be taken for scratch memory, and if it completes as plans do,
/// however little MPI buffers.
bool may_follow(const compilation& stage) {
  // Where messages arrive to be combined is scratch memory, and then the program uses none of those addresses (graph/check.cpp).
  const auto below = [](const rank_plan& r, std::span<const segment> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [&](const segment& s) {
      const bool arrives = r.scratch_bytes > 0 && s.address >= scratch_base;
      return arrives || (s.length <= user_memory_end && s.address <= user_memory_end - s.length);
    });
  };
  const auto buffering = [](const diagnostic& d) { return d.code == number(reason::relies_on_buffering); };
  if (std::any_of(stage.problems.begin(), stage.problems.end(), buffering))
    return false;
  const std::vector<rank_plan>& ranks = stage.schedule.ranks;
  return std::all_of(ranks.begin(), ranks.end(), [&](const rank_plan& r) {
    return std::all_of(r.steps.begin(), r.steps.end(),
                       [&](const step& s) { return below(r, s.reads) && below(r, s.writes); });
  });
}

struct stage_graph {
  graph g;
  std::vector<op_id> original;
};

/// The stages as graphs. Everything a stage writes may be read by a later one, so only in the last one the declarations of the
/// whole graph hold.
std::vector<stage_graph> stage_graphs(const graph& g, const stage_cut& cut) {
  std::vector<stage_graph> out;
  for (std::uint32_t s = 0; s < cut.stages; ++s) {
    out.push_back({graph(g.ranks()), {}});
    for (std::size_t c = 1; c < g.communicators().size(); ++c)
      out.back().g.add_communicator(g.communicators()[c].name, g.communicators()[c].members);
    for (const reducer& r : g.reducers())
      out.back().g.add_reducer(r); // each under its number
  }
  std::vector<op_id> now(g.size(), no_op);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (cut.is_mark[i])
      continue;
    stage_graph& into = out[cut.of[i]];
    const op_id op{i};
    const operation& o = g[op];
    switch (o.kind) {
    case op_kind::send:
      now[i] = into.g.send(o.rank, g.reads(op), o.peer, o.tag, o.comm);
      break;
    case op_kind::recv:
      now[i] = g.reduces(op)
                   ? into.g.recv_reduce(o.rank, g.writes(op), o.peer, g.reduces_by(op), o.tag, o.comm)
                   : into.g.recv(o.rank, g.writes(op), o.peer, o.tag, o.comm);
      break;
    case op_kind::reduce:
      now[i] = into.g.reduce(o.rank, g.reads(op), g.writes(op), g.reduces_by(op));
      break;
    case op_kind::copy:
      now[i] = into.g.copy(o.rank, g.reads(op), g.writes(op));
      break;
    case op_kind::opaque:
      now[i] = into.g.opaque(o.rank, g.reads(op), g.writes(op));
      break;
    case op_kind::fence:
      now[i] = into.g.fence(o.rank, o.comm);
      break;
    }
    into.original.push_back(op);
  }
  for (const dependency& d : g.dependencies())
    if (now[index(d.before)] != no_op && now[index(d.after)] != no_op &&
        cut.of[index(d.before)] == cut.of[index(d.after)])
      out[cut.of[index(d.before)]].g.depend(now[index(d.before)], now[index(d.after)]);
  for (const auto& [rank, bytes] : g.scratch_bytes())
    out.back().g.scratch(rank, bytes);
  for (const auto& [rank, bytes] : g.live_out_bytes())
    out.back().g.live_out(rank, bytes);
  return out;
}

/// Groups of a stage get the numbers of equal ones in `groups`, or new ones there. False if there are too many for numbers of
/// communicators.
bool join_groups(const graph& g, std::vector<communicator>& groups, compilation& stage) {
  const std::size_t first = g.communicators().size();
  std::vector<comm_id> now;
  for (communicator& group : stage.groups) {
    const auto at = std::ranges::find(groups, group.members, &communicator::members);
    now.push_back(comm_id{static_cast<std::uint16_t>(first + static_cast<std::size_t>(at - groups.begin()))});
    if (at != groups.end())
      continue;
    if (first + groups.size() >= std::numeric_limits<std::uint16_t>::max())
      return false;
    while (std::ranges::find(groups, group.name, &communicator::name) !=
           groups.end()) // of another group in short
      group.name += "-again";
    groups.push_back(std::move(group));
  }
  if (now.empty())
    return true;
  const auto renumber = [&](comm_id& comm) {
    if (index(comm) >= first)
      comm = now[index(comm) - first];
  };
  for (finding& f : stage.found.found)
    renumber(f.comm);
  for (refusal& r : stage.schedule.not_used)
    renumber(r.comm);
  for (rank_plan& r : stage.schedule.ranks)
    for (step& s : r.steps)
      renumber(s.comm);
  return true;
}

/// Up to so many operations more than each rank having one in each layer are worth looking at.
constexpr std::size_t operations_to_spare = 1024;
/// Each stage is compiled by itself.
constexpr std::size_t most_stages = 64;

/// Per operation its layer within its stage: even ones communicate, odd ones compute. Empty if the ends of messages, taken as one,
/// depend on each other in a circle.
std::vector<std::uint32_t> layers_of(const graph& g, const matching& m, const stage_cut& cut) {
  const auto computes = [&](std::uint32_t i) { return g[op_id{i}].kind == op_kind::opaque; };
  const auto together = [&](std::uint32_t i) { // a message is known by its end that was made first
    return m.partner[i] == no_op ? i : std::min(i, static_cast<std::uint32_t>(index(m.partner[i])));
  };
  const auto counts = [&](const dependency& d) { // all others cross a mark, and so lead to a later stage
    const std::size_t before = index(d.before), after = index(d.after);
    return cut.of[before] == cut.of[after] && !cut.is_mark[before] && !cut.is_mark[after];
  };
  std::vector<std::uint32_t> first(g.size() + 1, 0), waits_for(g.size(), 0);
  for (const dependency& d : g.dependencies())
    if (counts(d)) {
      ++first[together(static_cast<std::uint32_t>(index(d.before))) + 1];
      ++waits_for[together(static_cast<std::uint32_t>(index(d.after)))];
    }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.back()), fill(first.begin(), first.end() - 1);
  for (const dependency& d : g.dependencies())
    if (counts(d))
      next[fill[together(static_cast<std::uint32_t>(index(d.before)))]++] =
          together(static_cast<std::uint32_t>(index(d.after)));

  std::vector<std::uint32_t> layer(g.size()), ready;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    layer[i] = computes(i) ? 1 : 0;
    if (together(i) == i && waits_for[i] == 0)
      ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done) {
    const std::uint32_t one = ready[done];
    for (std::uint32_t e = first[one]; e < first[one + 1]; ++e) {
      const std::uint32_t behind = next[e];
      layer[behind] = std::max(layer[behind], layer[one] + (computes(one) != computes(behind) ? 1 : 0));
      if (--waits_for[behind] == 0)
        ready.push_back(behind);
    }
  }
  std::size_t places = 0;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    places += together(i) == i;
    layer[i] = layer[together(i)];
  }
  return done == places ? layer : std::vector<std::uint32_t>{};
}

/// What each operation of a rank depends on, itself or through others, looked up again and again.
class dependencies_of_ranks {
public:
  explicit dependencies_of_ranks(const graph& g)
      : before_(g, dependency_rows::direction::predecessors), seen_(g.size(), 0) {}
  /// Calls `visit` for each; false if all calls together have followed more than `most` dependencies.
  template <typename Visit>
  bool each_before(std::uint32_t op, std::size_t most, Visit&& visit) {
    ++round_;
    std::vector<std::uint32_t> open{op};
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      for (const op_id op_before : before_[op_id{one}]) {
        if (++followed_ > most)
          return false;
        const auto before = static_cast<std::uint32_t>(index(op_before));
        if (seen_[before] == round_)
          continue;
        seen_[before] = round_;
        visit(before);
        open.push_back(before);
      }
    }
    return true;
  }

private:
  dependency_rows before_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
  std::size_t followed_ = 0;
};

/// Stages and layers of them that have operations, in their order, and per operation (but marks) which of these it is in.
struct numbered_layers {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used;
  std::vector<std::uint32_t> of;
};

numbered_layers number_layers(const graph& g, const stage_cut& cut, const std::vector<std::uint32_t>& layer) {
  numbered_layers out;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (!cut.is_mark[i])
      out.used.emplace_back(cut.of[i], layer[i]);
  std::sort(out.used.begin(), out.used.end());
  out.used.erase(std::unique(out.used.begin(), out.used.end()), out.used.end());
  out.of.assign(g.size(), 0);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (!cut.is_mark[i])
      out.of[i] = static_cast<std::uint32_t>(
          std::lower_bound(out.used.begin(), out.used.end(), std::pair(cut.of[i], layer[i])) -
          out.used.begin());
  return out;
}

/// What an operation of the layer before it must be for `o` to lose something by waiting for it.
std::optional<op_kind> loses_by_waiting_for(const operation& o) {
  switch (o.kind) {
  case op_kind::opaque:
    return op_kind::recv;
  case op_kind::send:
    return op_kind::opaque;
  default:
    return std::nullopt;
  }
}

/// As written, a computation goes on beside messages that it does not wait for. True if some computation would come behind a receive of
/// its rank, or some send behind a computation, that it does not depend on; also if there are too many dependencies to tell.
bool takes_overlap_away(const graph& g, const stage_cut& cut, const numbered_layers& layers) {
  const auto place_in = [&](std::uint32_t i, std::uint32_t number) {
    return std::size_t{index(g[op_id{i}].rank)} * layers.used.size() + number;
  };
  // By rank and layer. Receives and computations do not stand in one layer.
  std::vector<std::uint32_t> waited_for(std::size_t{g.ranks()} * layers.used.size(), 0);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (const op_kind kind = g[op_id{i}].kind; kind == op_kind::recv || kind == op_kind::opaque)
      ++waited_for[place_in(i, layers.of[i])];
  dependencies_of_ranks all(g);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const std::uint32_t mine = layers.of[i];
    const std::optional<op_kind> kind = loses_by_waiting_for(g[op_id{i}]);
    if (!kind || mine == 0 || cut.is_mark[i] || layers.used[mine - 1].first != layers.used[mine].first ||
        layers.used[mine - 1].second + 1 != layers.used[mine].second)
      continue;
    const std::uint32_t expected = waited_for[place_in(i, mine - 1)];
    if (expected == 0)
      continue;
    std::uint32_t found = 0;
    const auto look = [&](std::uint32_t before) {
      found += g[op_id{before}].kind == *kind && !cut.is_mark[before] && layers.of[before] == mine - 1;
    };
    if (!all.each_before(i, 64 * (g.size() + g.dependencies().size()), look) || found < expected)
      return true;
  }
  return false;
}

staged compile_each(const graph& g, const stage_cut& cut, const compile_options& options,
                    std::vector<communicator>& groups) {
  staged out;
  out.at_computations = cut.at_computations;
  plan_sequence all(g.ranks());
  bool replaced = false, usable = true;
  for (stage_graph& stage : stage_graphs(g, cut)) {
    compilation c = compile(stage.g, options);
    if (has_errors(c.problems) || (options.make_plan && c.schedule.ranks.empty()))
      return {};
    if (!join_groups(g, groups, c))
      return {};
    usable = usable && (!c.schedule.as_written || may_follow(c));
    replaced = replaced || (options.make_plan && !c.schedule.as_written);
    out.stages.push_back(
        {std::move(c.found), c.schedule.as_written, c.schedule.why_as_written, c.schedule.detail});
    if (options.make_plan)
      all.append(std::move(c.schedule), stage.original);
  }
  if (replaced && usable)
    out.schedule = std::move(all).take();
  return out;
}

} // namespace

stage_cut cut_in_stages(const graph& g, const matching& m) {
  stage_cut cut;
  const auto none = [&](std::string why) {
    cut = {};
    cut.why_not = std::move(why);
    return cut;
  };
  if (!g.has_marks())
    return cut;
  const rank_lists lists = lists_of(g);
  cut.of.assign(g.size(), 0);
  cut.is_mark.assign(g.size(), false);
  std::optional<std::uint32_t> marked; // the first rank that does anything
  std::uint32_t count = 0;
  for (std::uint32_t r = 0; r < g.ranks(); ++r) {
    if (lists.ops[r].empty())
      continue;
    const std::vector<op_id> marks = marks_of(g, lists, lists.ops[r]);
    if (!marked) {
      marked = r;
      count = static_cast<std::uint32_t>(marks.size());
    } else if (marks.size() != count) {
      return none(fmt::format("rank {} ends {} stages, rank {} ends {}", *marked, count, r, marks.size()));
    }
    std::uint32_t stage = 0;
    for (const op_id op : lists.ops[r]) {
      cut.of[index(op)] = stage;
      if (stage < marks.size() && op == marks[stage]) {
        cut.is_mark[index(op)] = true;
        ++stage;
      }
    }
  }
  if (count == 0)
    return none({});
  if (g.has_fences() || !g.made_pairs().empty())
    return none("one-sided operations and fences have epochs instead");
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (m.partner[i] != no_op && cut.of[i] != cut.of[index(m.partner[i])])
      return none(describe(g, op_id{i}) + " belongs to another stage than its partner");
  cut.stages = count + 1;
  return cut;
}

stage_cut cut_at_computations(const graph& g, const matching& m, stage_cut cut) {
  if (!g.has_computations() || !cut.why_not.empty() || g.has_fences() || !g.made_pairs().empty())
    return cut;
  if (cut.of.empty()) {
    cut.of.assign(g.size(), 0);
    cut.is_mark.assign(g.size(), false);
  }
  const std::vector<std::uint32_t> layer = layers_of(g, m, cut);
  if (layer.empty())
    return cut;
  const numbered_layers layers = number_layers(g, cut, layer);
  const std::size_t count = layers.used.size();
  if (count <= cut.stages || count > most_stages || count * g.ranks() > g.size() + operations_to_spare ||
      takes_overlap_away(g, cut, layers))
    return cut;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (!cut.is_mark[i])
      cut.of[i] = layers.of[i];
  cut.stages = static_cast<std::uint32_t>(count);
  cut.at_computations = true;
  return cut;
}

staged compile_stages(const graph& g, const stage_cut& cut, const compile_options& options,
                      std::vector<communicator>& groups) {
  compile_options each = options;
  each.progress = nullptr;
  each.disabled.emplace_back("stages");
  // A path that has to be kept because of a message of no bytes in one stage may go on through payloads of another.
  const bool keeps = keeps_orders(g, options.planning.policy);
  if (keeps)
    each.planning.policy = sync_policy::keep_sync;
  // Such reductions are messages in the end, and what these do to the order of computations is not compared then (choice/choose.cpp).
  each.detection.ordered = options.detection.ordered && (!g.has_computations() || !keeps);
  staged out = compile_each(g, cut, each, groups);
  if (g.has_computations() && !out.schedule.orders.empty()) {
    each.detection.ordered = false;
    out.without_order = compile_each(g, cut, each, groups).schedule;
  }
  return out;
}

} // namespace tacit::graphs
