// Steps of dependence: in an order in which everything can run, each operation comes one step after the
// latest of what it depends on, and a receive at least one step after its send. This is the longest path in D
// ∪ M, so pictures are as short as the communication allows. Cost O(operations + dependencies).
#include "surface/report/timeline.h"

#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace tacit::surface {
namespace {

/// Operations of one rank must not share a step with a dependence between them, but independent ones may.
std::vector<std::uint32_t> steps_of(const graphs::graph& g, const graphs::matching& m,
                                    const graphs::run_order& o) {
  std::vector<std::uint32_t> step(g.size(), 0);
  std::vector<graphs::dependency> sorted(g.dependencies().begin(), g.dependencies().end());
  std::sort(sorted.begin(), sorted.end(),
            [](const graphs::dependency& a, const graphs::dependency& b) { return a.before < b.before; });
  std::map<std::uint32_t, std::uint32_t> rank_fence; // last fence step of a rank: what follows comes later
  for (const op_id op : o.order) {
    std::uint32_t& own = step[index(op)];
    const op_id partner = m.partner[index(op)];
    if (g[op].kind == graphs::op_kind::recv && partner != no_op)
      own = std::max(own, step[index(partner)] + 1);
    if (!rank_fence.empty()) {
      const auto fence = rank_fence.find(static_cast<std::uint32_t>(index(g[op].rank)));
      if (fence != rank_fence.end())
        own = std::max(own, fence->second + 1);
    }
    if (g[op].kind == graphs::op_kind::fence)
      rank_fence[static_cast<std::uint32_t>(index(g[op].rank))] = own;
    // What waits for a receive may start in the step in which the message arrives.
    const std::uint32_t done = g[op].kind == graphs::op_kind::recv ? own : own + 1;
    auto next = std::lower_bound(sorted.begin(), sorted.end(), op,
                                 [](const graphs::dependency& d, op_id wanted) { return d.before < wanted; });
    for (; next != sorted.end() && next->before == op; ++next)
      step[index(next->after)] = std::max(step[index(next->after)], done);
  }
  return step;
}

void finish(timeline& picture, std::size_t limit) {
  std::stable_sort(picture.messages.begin(), picture.messages.end(),
                   [](const timeline_message& a, const timeline_message& b) {
                     return std::tie(a.start, a.from, a.to) < std::tie(b.start, b.from, b.to);
                   });
  for (const timeline_message& m : picture.messages)
    picture.steps = std::max(picture.steps, m.end + 1);
  for (const timeline_call& c : picture.calls)
    picture.steps = std::max(picture.steps, c.step + 1);
  for (const timeline_mark& m : picture.marks)
    picture.steps = std::max(picture.steps, m.step + 1);
  if (picture.messages.size() > limit)
    picture.messages.resize(limit), picture.cut = true;
  if (picture.marks.size() > limit)
    picture.marks.resize(limit), picture.cut = true;
}

bool overlap(std::span<const graphs::segment> a, std::span<const graphs::segment> b) {
  for (const graphs::segment& x : a)
    for (const graphs::segment& y : b)
      if (x.address < y.address + y.length && y.address < x.address + x.length)
        return true;
  return false;
}

/// Sends that wait for a receive of bytes they send. Long segment lists are not compared: a picture is not
/// worth it.
std::vector<bool> forwarding(const graphs::graph& g) {
  std::vector<bool> forwards(g.size(), false);
  for (const graphs::dependency& d : g.dependencies()) {
    if (g[d.before].kind != graphs::op_kind::recv || g[d.after].kind != graphs::op_kind::send ||
        forwards[index(d.after)])
      continue;
    const auto written = g.writes(d.before), sent = g.reads(d.after);
    if (written.size() * sent.size() <= 4096)
      forwards[index(d.after)] = overlap(written, sent);
  }
  return forwards;
}

} // namespace

timeline timeline_of(const graphs::graph& g, const graphs::matching& m, const graphs::run_order& o,
                     std::size_t limit) {
  timeline picture;
  picture.ranks = g.ranks();
  if (m.partner.size() != g.size())
    return picture;
  const std::vector<std::uint32_t> step = steps_of(g, m, o);
  const std::vector<bool> forwards = forwarding(g);
  std::map<std::pair<comm_id, std::uint32_t>, timeline_call> fences; // k-th fence of a communicator
  std::map<std::pair<comm_id, rank_id>, std::uint32_t> fences_so_far;
  for (const op_id op : o.order) {
    const graphs::operation& x = g[op];
    if (x.kind == graphs::op_kind::send && m.partner[index(op)] != no_op) {
      const op_id partner = m.partner[index(op)];
      picture.messages.push_back({number(x.rank), number(x.peer), step[index(op)],
                                  std::max(step[index(partner)], step[index(op)] + 1),
                                  graphs::total_length(g.reads(op)), forwards[index(op)]});
    } else if (x.kind == graphs::op_kind::copy || x.kind == graphs::op_kind::opaque ||
               x.kind == graphs::op_kind::reduce) {
      picture.marks.push_back(
          {number(x.rank), step[index(op)],
           fmt::format("{} {}", graphs::name(x.kind), readable_bytes(graphs::total_length(g.writes(op))))});
    } else if (x.kind == graphs::op_kind::fence) {
      timeline_call& fence = fences[{x.comm, fences_so_far[{x.comm, x.rank}]++}];
      fence.label = "fence";
      fence.step = std::max(fence.step, step[index(op)]);
      fence.members.push_back(number(x.rank));
    }
  }
  for (auto& [key, fence] : fences)
    picture.calls.push_back(std::move(fence));
  finish(picture, limit);
  return picture;
}

namespace {

/// Runs the steps of a plan in any order that its dependences allow and notes the step at which each comes.
class plan_walk {
public:
  plan_walk(const graphs::graph& g, const graphs::plan& p)
      : g_(g), p_(p), done_(p.ranks.size()), at_(p.ranks.size()) {
    picture_.ranks = g.ranks();
    for (std::size_t r = 0; r < p.ranks.size(); ++r) {
      done_[r].assign(p.ranks[r].steps.size(), false);
      at_[r].assign(p.ranks[r].steps.size(), 0);
    }
  }

  timeline run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t r = 0; r < p_.ranks.size(); ++r)
        for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
          if (!done_[r][i] && ready(r, i))
            moved |= take(r, i);
    }
    return std::move(picture_);
  }

private:
  using channel =
      std::tuple<std::uint32_t, std::uint32_t, comm_id, std::int32_t>; // from, to, communicator, tag

  bool ready(std::uint32_t r, std::uint32_t i) const {
    return std::ranges::all_of(p_.ranks[r].steps[i].after,
                               [&](std::uint32_t before) { return done_[r][before]; });
  }

  std::uint32_t earliest(std::uint32_t r, std::uint32_t i) const {
    std::uint32_t step = 0;
    for (const std::uint32_t before : p_.ranks[r].steps[i].after)
      step = std::max(step, at_[r][before] + 1);
    return step;
  }

  void complete(std::uint32_t r, std::uint32_t i, std::uint32_t step) {
    done_[r][i] = true;
    at_[r][i] = step;
  }

  bool take(std::uint32_t r, std::uint32_t i) {
    const graphs::step& s = p_.ranks[r].steps[i];
    const std::uint32_t step = earliest(r, i);
    switch (s.kind) {
    case graphs::step_kind::copy:
    case graphs::step_kind::call:
    case graphs::step_kind::reduce:
      picture_.marks.push_back({r, step,
                                s.kind == graphs::step_kind::copy     ? "copy"
                                : s.kind == graphs::step_kind::reduce ? "reduction"
                                                                      : "computation"});
      complete(r, i, step);
      return true;
    case graphs::step_kind::send:
      sent_[{r, number(s.peer), s.comm, s.tag}].push_back(step);
      complete(r, i, step);
      return true;
    case graphs::step_kind::recv:
      return receive(r, i, step);
    case graphs::step_kind::collective:
      return collective(r, i, step);
    }
    return false;
  }

  bool receive(std::uint32_t r, std::uint32_t i, std::uint32_t step) {
    const tacit::graphs::step& s = p_.ranks[r].steps[i];
    const channel key{number(s.peer), r, s.comm, s.tag};
    auto& queue = sent_[key];
    std::size_t& taken = taken_[key];
    if (taken == queue.size())
      return false;
    const std::uint32_t start = queue[taken++];
    const std::uint32_t end = std::max(step, start + 1);
    picture_.messages.push_back({number(s.peer), r, start, end, graphs::total_length(s.writes)});
    complete(r, i, end);
    return true;
  }

  /// The k-th collective of every member on a communicator is one call; it happens when all have come to it.
  bool collective(std::uint32_t r, std::uint32_t i, std::uint32_t step) {
    const tacit::graphs::step& s = p_.ranks[r].steps[i];
    auto& waiting = gathering_[s.comm];
    if (!waits_[r].insert(s.comm).second)
      return false; // it has come to an earlier one that is not complete
    waiting.emplace_back(r, i, step);
    const auto& members = g_.communicators()[index(s.comm)].members;
    if (waiting.size() < members.size())
      return false;
    timeline_call call;
    for (const auto& [rank, position, at] : waiting) {
      call.step = std::max(call.step, at);
      call.members.push_back(rank);
    }
    for (const auto& [rank, position, at] : waiting) {
      complete(rank, position, call.step);
      waits_[rank].erase(s.comm);
    }
    std::ranges::sort(call.members);
    if (is_rooted(s.collective))
      call.root = number(s.peer);
    call.label = std::string(name(s.collective));
    waiting.clear();
    picture_.calls.push_back(std::move(call));
    return true;
  }

  const graphs::graph& g_;
  const graphs::plan& p_;
  std::vector<std::vector<bool>> done_;
  std::vector<std::vector<std::uint32_t>> at_;
  std::map<channel, std::vector<std::uint32_t>> sent_;
  std::map<channel, std::size_t> taken_;
  std::map<comm_id, std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>> gathering_;
  std::map<std::uint32_t, std::set<comm_id>>
      waits_; ///< per rank: communicators whose next collective it has come to
  timeline picture_;
};

} // namespace

timeline timeline_of(const graphs::graph& g, const graphs::plan& p, std::size_t limit) {
  timeline picture = plan_walk(g, p).run();
  finish(picture, limit);
  return picture;
}

} // namespace tacit::surface
