#include "graphs/plan/expansion.h"

#include "graphs/graph/segments.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

class expander {
public:
  expander(const graph& g, const plan& p) : g_(g), p_(p), out_{graph(g.ranks()), {}} {
    for (const reducer& r : g.reducers())
      out_.g.add_reducer(r); // each under its number
  }

  expansion run() && {
    for (std::uint32_t r = 0; r < g_.ranks(); ++r) {
      done_.clear();
      scratch_end_ = scratch_base + p_.ranks[r].scratch_bytes;
      for (const step& s : p_.ranks[r].steps)
        add(rank_id{r}, s);
      if (scratch_end_ > scratch_base)
        out_.g.scratch(rank_id{r}, {scratch_base, scratch_end_ - scratch_base});
    }
    for (const auto& [rank, bytes] : g_.scratch_bytes())
      out_.g.scratch(rank, bytes);
    for (const auto& [rank, bytes] : g_.live_out_bytes())
      out_.g.live_out(rank, bytes);
    out_.original.resize(out_.g.size(), no_op);
    return std::move(out_);
  }

private:
  static constexpr std::int32_t call_tag = 1 << 30; ///< messages of collectives: above the tags of steps
  op_id keep(op_id op, const step& s) {
    for (const std::uint32_t before : s.after)
      out_.g.depend(done_[before], op);
    current_.push_back(op);
    return op;
  }
  void stands_for(op_id op, op_id original) {
    out_.original.resize(index(op) + 1, no_op);
    out_.original[index(op)] = original;
  }
  void send(rank_id r, const step& s, std::span<const segment> bytes, rank_id to, std::int32_t tag) {
    keep(out_.g.send(r, bytes, to, tag), s);
  }
  void recv(rank_id r, const step& s, std::span<const segment> bytes, rank_id from, std::int32_t tag) {
    keep(out_.g.recv(r, bytes, from, tag), s);
  }
  void add(rank_id r, const step& s) {
    current_.clear();
    switch (s.kind) {
    case step_kind::copy:
      keep(out_.g.copy(r, s.reads, s.writes), s);
      break;
    case step_kind::send:
      send(r, s, s.reads, s.peer, s.tag);
      break;
    case step_kind::recv:
      recv(r, s, s.writes, s.peer, s.tag);
      break;
    case step_kind::call:
      stands_for(keep(out_.g.opaque(r, s.reads, s.writes), s), s.op);
      break;
    case step_kind::reduce:
      stands_for(keep(out_.g.reduce(r, s.reads, s.writes, s.by), s), s.op);
      break;
    case step_kind::collective:
      if (is_scan(s.collective))
        add_scan(r, s);
      else if (row_of(s.collective).moves == signature::all_into_each)
        add_reduce_scatter(r, s);
      else if (is_reduction(s.collective))
        add_reduction(r, s);
      else
        s.collective == pattern::barrier ? add_barrier(r, s) : add_collective(r, s);
      break;
    }
    if (current_.size() == 1) {
      done_.push_back(current_.front());
      return;
    }
    const op_id join = out_.g.copy(r, {}, {});
    for (const op_id op : current_)
      out_.g.depend(op, join);
    if (current_.empty())
      for (const std::uint32_t before : s.after)
        out_.g.depend(done_[before], join);
    done_.push_back(join);
  }
  void add_barrier(rank_id r, const step& s) {
    const auto& members = g_.communicators()[index(s.comm)].members;
    const rank_id hub = members.front();
    if (members.size() < 2)
      return;
    if (r != hub) {
      send(r, s, {}, hub, call_tag + s.tag);
      recv(r, s, {}, hub, call_tag + s.tag);
      return;
    }
    for (const rank_id other : members)
      if (other != hub)
        recv(r, s, {}, other, call_tag + s.tag);
    const op_id everybody_here = out_.g.copy(r, {}, {});
    for (const op_id op : current_)
      out_.g.depend(op, everybody_here);
    current_.clear();
    for (const rank_id other : members) {
      if (other == hub)
        continue;
      const op_id release = out_.g.send(r, std::span<const segment>{}, other, call_tag + s.tag);
      out_.g.depend(everybody_here, release);
      current_.push_back(release);
    }
  }
  /// One member gets all operands in scratch memory behind that of the plan, and combines them in the order of ranks.
  void add_reduction(rank_id r, const step& s) {
    const auto& members = g_.communicators()[index(s.comm)].members;
    const rank_id hub = s.peer == no_rank ? members.front() : s.peer;
    const std::span<const segment> given = s.sends.front().bytes;
    if (r != hub) {
      send(r, s, given, hub, call_tag + s.tag);
      for (const block result : s.receives)
        recv(r, s, result.bytes, hub, call_tag + s.tag);
      return;
    }
    const auto [last, combined_here] = combine_at(r, s, given, s.largest_block);
    current_.clear();
    for (const block result : s.receives)
      current_.push_back(out_.g.copy(r, std::span(&combined_here, 1), result.bytes));
    for (const rank_id member : members)
      if (s.peer == no_rank && member != hub)
        current_.push_back(out_.g.send(r, combined_here, member, call_tag + s.tag));
    for (const op_id after : current_)
      out_.g.depend(last, after);
  }
  segment scratch(std::uint64_t length) {
    const segment made{scratch_end_, length};
    scratch_end_ += length;
    return made;
  }
  /// Rank r gets what all others send it and combines it with its own operand, in the order that the step says, else in that of
  /// ranks. When, and where the result is.
  std::pair<op_id, segment> combine_at(rank_id r, const step& s, std::span<const segment> own,
                                       std::uint64_t length) {
    const auto& members = g_.communicators()[index(s.comm)].members;
    std::vector<segment> arrived;
    std::vector<op_id> here;
    for (const rank_id member : members) {
      arrived.push_back(scratch(length));
      here.push_back(keep(member == r ? out_.g.copy(r, own, std::span(&arrived.back(), 1))
                                      : out_.g.recv(r, arrived.back(), member, call_tag + s.tag),
                          s));
    }
    using value = std::pair<op_id, segment>;
    return evaluate(
        s.order > 0 ? p_.orders[s.order - 1] : from_the_last(static_cast<std::uint32_t>(members.size())),
        [&](std::uint32_t i) { return value{here[i], arrived[i]}; },
        [&](const value& left, const value& right) {
          const op_id both = out_.g.reduce(r, std::span(&left.second, 1), std::span(&right.second, 1), s.by);
          out_.g.depend(left.first, both);
          out_.g.depend(right.first, both);
          return value{both, right.second};
        });
  }
  void add_reduce_scatter(rank_id r, const step& s) {
    std::optional<block_bytes> own;
    for (const block b : s.sends)
      if (b.peer == r)
        own = b.bytes;
      else
        send(r, s, b.bytes, b.peer, call_tag + s.tag);
    if (!own)
      return;
    const auto sent = current_;
    const auto [last, result] = combine_at(r, s, *own, total_length(*own));
    current_ = sent;
    current_.push_back(out_.g.copy(r, std::span(&result, 1), s.receives.front().bytes));
    out_.g.depend(last, current_.back());
  }
  /// Each member gets what those before it give, combined, and passes it on with its own operand.
  void add_scan(rank_id r, const step& s) {
    const auto& members = g_.communicators()[index(s.comm)].members;
    const auto place =
        static_cast<std::size_t>(std::find(members.begin(), members.end(), r) - members.begin());
    const bool last = place + 1 == members.size(), inclusive = s.collective == pattern::scan;
    if (place == 0) {
      if (!last)
        send(r, s, s.sends.front().bytes, members[1], call_tag + s.tag);
      return;
    }
    const segment before = scratch(s.largest_block), up_to = scratch(s.largest_block);
    const op_id got = keep(out_.g.recv(r, before, members[place - 1], call_tag + s.tag), s);
    op_id all = got;
    if (inclusive || !last) {
      const op_id copied = keep(out_.g.copy(r, s.sends.front().bytes, std::span(&up_to, 1)), s);
      all = out_.g.reduce(r, std::span(&before, 1), std::span(&up_to, 1), s.by);
      out_.g.depend(got, all);
      out_.g.depend(copied, all);
    }
    current_.clear();
    current_.push_back(out_.g.copy(r, std::span(inclusive ? &up_to : &before, 1), s.receives.front().bytes));
    out_.g.depend(all, current_.back());
    if (last)
      return;
    current_.push_back(out_.g.send(r, up_to, members[place + 1], call_tag + s.tag));
    out_.g.depend(all, current_.back());
  }
  void add_collective(rank_id r, const step& s) {
    for (const block b : s.receives)
      if (!b.bytes.empty())
        recv(r, s, b.bytes, b.peer, call_tag + s.tag);
    for (const block b : s.sends) {
      if (b.bytes.empty())
        continue;
      if (b.peer != no_rank) {
        send(r, s, b.bytes, b.peer, call_tag + s.tag);
        continue;
      }
      for (const rank_id other : g_.communicators()[index(s.comm)].members)
        if (other != r)
          send(r, s, b.bytes, other, call_tag + s.tag);
    }
  }

  const graph& g_;
  const plan& p_;
  expansion out_;
  std::vector<op_id> done_;    ///< per step of the current rank: the operation that completes last
  std::vector<op_id> current_; ///< operations of the current step
  std::uint64_t scratch_end_ = scratch_base; ///< of the current rank
};

} // namespace

expansion expand(const graph& g, const plan& p) {
  return expander(g, p).run();
}

fault_location location_of(const graph& g, op_id op) {
  const std::span<const segment> bytes = g.writes(op).empty() ? g.reads(op) : g.writes(op);
  return {g[op].rank, bytes.empty() ? 0 : bytes.front().address};
}

} // namespace tacit::graphs
