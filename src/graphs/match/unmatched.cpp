// The nearest candidate of an unmatched operation is the operation of the other kind whose channel differs
// least: not at all (then the numbers of messages differ), in the tag, in the communicator, or in one peer;
// operations that are unmatched themselves come before matched ones. Only the operations that are shown are
// looked up, each by one scan over the graph.
#include "graphs/match/unmatched.h"

#include "graphs/graph/problem_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tacit::graphs {
namespace {

struct channel {
  rank_id source, destination;
  comm_id comm;
  std::int32_t tag;
};

channel channel_of(const operation& op) {
  return op.kind == op_kind::send ? channel{op.rank, op.peer, op.comm, op.tag}
                                  : channel{op.peer, op.rank, op.comm, op.tag};
}

struct difference {
  bool source, destination, comm, tag;
  int fields() const { return source + destination + comm + tag; }
  /// Smaller is nearer. A wrong tag is the commonest mistake, then the communicator, then a peer.
  int weight() const { return 2 * tag + 3 * comm + 4 * (source + destination); }
};

difference compare(const channel& a, const channel& b) {
  return {a.source != b.source, a.destination != b.destination, a.comm != b.comm, a.tag != b.tag};
}

struct candidate {
  op_id op = no_op;
  difference differs{};
  std::size_t same_sends = 0, same_receives = 0; ///< on the very channel
};

class finder {
public:
  finder(const graph& g, const matching& m) : g_(g), m_(m), made_(g.size(), false) {
    for (const made_pair& pair : g.made_pairs())
      made_[index(pair.send)] = made_[index(pair.recv)] = true;
  }

  candidate nearest(op_id id) const {
    const operation& op = g_[id];
    const channel wanted = channel_of(op);
    candidate best;
    int best_weight = 0;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const operation& other = g_[op_id{i}];
      if (made_[i] || (other.kind != op_kind::send && other.kind != op_kind::recv))
        continue;
      const difference differs = compare(wanted, channel_of(other));
      if (differs.fields() == 0)
        ++(other.kind == op_kind::send ? best.same_sends : best.same_receives);
      if (other.kind == op.kind || differs.fields() > 2 || (differs.source && differs.destination))
        continue;
      const int weight = 2 * differs.weight() + (m_.partner[i] == no_op ? 0 : 9);
      if (best.op != no_op && weight >= best_weight)
        continue;
      best.op = op_id{i};
      best.differs = differs;
      best_weight = weight;
    }
    return best;
  }

private:
  const graph& g_;
  const matching& m_;
  std::vector<bool> made_;
};

std::string fields_of(const difference& d, bool other_is_send) {
  std::string text;
  const auto add = [&](bool differs, const char* field) {
    if (!differs)
      return;
    if (!text.empty())
      text += " and ";
    text += field;
  };
  add(d.tag, "tag");
  add(d.comm, "communicator");
  add(d.source, other_is_send ? "rank" : "peer");
  add(d.destination, other_is_send ? "peer" : "rank");
  return text;
}

std::string comm_name(const graph& g, comm_id comm) {
  return g.communicators()[index(comm)].name;
}

std::string remedy_for(const graph& g, op_id id, const candidate& near) {
  const operation& op = g[id];
  const char* other = op.kind == op_kind::send ? "receive" : "send";
  if (near.same_sends > 0 && near.same_receives > 0)
    return fmt::format(
        "make the number of sends and receives of this channel equal: add the missing {} or remove this {}",
        other, name(op.kind));
  if (near.op == no_op)
    return fmt::format("add the missing {} or remove this {}", other, name(op.kind));
  const operation& found = g[near.op];
  if (near.differs.fields() == 1 && near.differs.tag)
    return fmt::format("use the same tag on both sides ({} here, {} there)", op.tag, found.tag);
  if (near.differs.fields() == 1 && near.differs.comm)
    return fmt::format("use the same communicator on both sides ({} here, {} there)", comm_name(g, op.comm),
                       comm_name(g, found.comm));
  return fmt::format("correct the peer, tag or communicator of one of the two, or add the missing {}", other);
}

std::string message_for(const graph& g, op_id id, const candidate& near) {
  const operation& op = g[id];
  const bool is_send = op.kind == op_kind::send;
  std::string text = fmt::format("{} has no matching {}", describe(g, id), is_send ? "receive" : "send");
  const channel c = channel_of(op);
  if (near.same_sends > 0 && near.same_receives > 0)
    return text +
           fmt::format(
               ": rank {} sends {} message(s) with tag {} on communicator {}, rank {} receives {}; the "
               "number of messages differs",
               index(c.source), near.same_sends, c.tag, comm_name(g, c.comm), index(c.destination),
               near.same_receives);
  if (near.op == no_op)
    return text + "; no other operation comes near";
  return text + fmt::format("; the nearest candidate is {} (differs in {})", describe(g, near.op),
                            fields_of(near.differs, !is_send));
}

} // namespace

void report_unmatched(const graph& g, const matching& m, std::span<const op_id> unmatched,
                      diagnostics& problems) {
  if (unmatched.empty())
    return;
  const finder candidates(g, m);
  problem_list left(problems, reason::unmatched, severity::error, "unmatched operations");
  for (const op_id op : unmatched) {
    if (!left.count())
      continue;
    const candidate near = candidates.nearest(op);
    left.add(g[op].rank, op, message_for(g, op, near), remedy_for(g, op, near));
  }
}

void report_uneven_fences(const graph& g, diagnostics& problems) {
  if (!g.has_fences())
    return;
  std::map<std::pair<comm_id, rank_id>, std::size_t> count;
  std::vector<bool> fenced(g.communicators().size(), false);
  for (const operation& op : g.operations()) {
    if (op.kind != op_kind::fence)
      continue;
    ++count[{op.comm, op.rank}];
    fenced[index(op.comm)] = true;
  }
  problem_list uneven(problems, reason::unmatched, severity::error, "unmatched fences");
  for (std::size_t c = 0; c < fenced.size(); ++c) {
    if (!fenced[c])
      continue;
    const auto& members = g.communicators()[c].members;
    const auto fences = [&](rank_id r) {
      const auto found = count.find({comm_id{static_cast<std::uint16_t>(c)}, r});
      return found == count.end() ? std::size_t{0} : found->second;
    };
    for (const rank_id r : members) {
      if (fences(r) == fences(members.front()) || !uneven.count())
        continue;
      uneven.add(r, no_op,
                 fmt::format("rank {} has {} fence(s) on communicator {}, but rank {} has {}", index(r),
                             fences(r), g.communicators()[c].name, index(members.front()),
                             fences(members.front())),
                 "call each fence on every member of its communicator");
    }
  }
}

std::string describe_truncation(const graph& g, op_id send, op_id receive, std::uint64_t sent,
                                std::uint64_t room) {
  return fmt::format("{} takes the message of {}, which is {} B too long ({} B into {} B)",
                     describe(g, receive), describe(g, send), sent - room, sent, room);
}

} // namespace tacit::graphs
