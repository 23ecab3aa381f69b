// Matching as a join (seed 000 section 2.1 by meaning).
//
// Problem: pair the k-th send with the k-th receive of every channel (communicator, source, destination,
// tag), both counted in creation order. Idea: string the receives of each source and the sends of each source
// into lists; then take one source at a time, deal its receives out to their destinations, and let each send
// take the first waiting receive of its destination that agrees in communicator and tag. In real graphs a
// pair of ranks has few receives waiting, so that is the first or second one looked at; where it is not
// (thousands of tags between two ranks, taken in another order than posted), the pair of ranks is set aside
// and joined by sorting, so the cost is O(operations + crowded log crowded) in every case. Nothing is hashed,
// all lists are threaded through `partner` itself, and the extra memory is three ids per rank.
#include "graphs/match/match.h"

#include "graphs/graph/problem_list.h"
#include "graphs/match/unmatched.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Receives looked at for one send before its pair of ranks counts as crowded. Walking 32 list nodes costs
/// about as much as the pair's share of a sort.
constexpr int crowded_after = 32;

class joiner {
public:
  joiner(const graph& g, matching& m, std::vector<op_id>& unmatched)
      : ops_(g.operations()), partner_(m.partner), unmatched_(unmatched), receives_from_(g.ranks(), no_op),
        sends_of_(g.ranks(), no_op), waiting_(g.ranks(), no_op) {}

  void run() {
    string_receives();
    string_sends();
    for (std::size_t source = 0; source < sends_of_.size(); ++source) {
      if (receives_from_[source] == no_op && sends_of_[source] == no_op)
        continue;
      deal(receives_from_[source]);
      take_all(sends_of_[source]);
      if (!late_.empty())
        join_by_sorting();
      clear_waiting();
    }
  }

private:
  op_id& link(op_id op) { return partner_[index(op)]; }
  const operation& at(op_id op) const { return ops_[index(op)]; }

  // Pairs made by put and get have their partner already; an operation not yet strung has none.
  void string_receives() { // newest first: dealing them out turns the order around
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].kind != op_kind::recv || partner_[i] != no_op)
        continue;
      op_id& first = receives_from_[index(ops_[i].peer)];
      partner_[i] = first;
      first = op_id{static_cast<std::uint32_t>(i)};
    }
  }
  void string_sends() { // oldest first
    for (std::size_t i = ops_.size(); i-- > 0;) {
      if (ops_[i].kind != op_kind::send || partner_[i] != no_op)
        continue;
      op_id& first = sends_of_[index(ops_[i].rank)];
      partner_[i] = first;
      first = op_id{static_cast<std::uint32_t>(i)};
    }
  }

  void deal(op_id receive) {
    while (receive != no_op) {
      const op_id next = link(receive);
      const rank_id destination = at(receive).rank;
      op_id& first = waiting_[index(destination)];
      if (first == no_op)
        touched_.push_back(destination);
      link(receive) = first;
      first = receive;
      receive = next;
    }
  }

  void take_all(op_id send) {
    while (send != no_op) {
      const op_id next = link(send);
      take(send);
      send = next;
    }
  }

  void take(op_id send) {
    const operation& s = at(send);
    if (!crowded_.empty() && std::binary_search(crowded_.begin(), crowded_.end(), s.peer)) {
      late_.push_back(send);
      return;
    }
    int seen = 0;
    op_id* from = &waiting_[index(s.peer)];
    while (*from != no_op) {
      const operation& r = at(*from);
      if (r.tag == s.tag && r.comm == s.comm)
        return pair_up(send, from);
      from = &link(*from);
      if (++seen == crowded_after) {
        crowded_.insert(std::lower_bound(crowded_.begin(), crowded_.end(), s.peer), s.peer);
        late_.push_back(send);
        return;
      }
    }
    leave(send);
  }

  void pair_up(op_id send, op_id* from) {
    const op_id receive = *from;
    *from = link(receive);
    link(send) = receive;
    link(receive) = send;
  }

  void leave(op_id op) {
    link(op) = no_op;
    unmatched_.push_back(op);
  }

  /// The sends set aside and the receives still waiting at their destinations, in channel and creation order.
  void join_by_sorting() {
    std::vector<op_id> receives;
    for (const rank_id destination : crowded_) {
      op_id& first = waiting_[index(destination)];
      for (op_id r = first; r != no_op; r = link(r))
        receives.push_back(r);
      first = no_op;
    }
    const auto send_key = [&](op_id op) { return std::tuple(at(op).peer, at(op).comm, at(op).tag, op); };
    const auto receive_key = [&](op_id op) { return std::tuple(at(op).rank, at(op).comm, at(op).tag, op); };
    std::sort(late_.begin(), late_.end(), [&](op_id a, op_id b) { return send_key(a) < send_key(b); });
    std::sort(receives.begin(), receives.end(),
              [&](op_id a, op_id b) { return receive_key(a) < receive_key(b); });
    std::size_t i = 0, j = 0;
    while (i < late_.size() || j < receives.size()) {
      if (j == receives.size()) {
        leave(late_[i++]);
      } else if (i == late_.size()) {
        leave(receives[j++]);
      } else {
        const operation &s = at(late_[i]), &r = at(receives[j]);
        const auto send_channel = std::tuple(s.peer, s.comm, s.tag),
                   receive_channel = std::tuple(r.rank, r.comm, r.tag);
        if (send_channel < receive_channel) {
          leave(late_[i++]);
        } else if (receive_channel < send_channel) {
          leave(receives[j++]);
        } else {
          link(late_[i]) = receives[j];
          link(receives[j++]) = late_[i++];
        }
      }
    }
    late_.clear();
    crowded_.clear();
  }

  void clear_waiting() {
    for (const rank_id destination : touched_) {
      op_id& first = waiting_[index(destination)];
      while (first != no_op) {
        const op_id receive = first;
        first = link(receive);
        leave(receive);
      }
    }
    touched_.clear();
  }

  std::span<const operation> ops_;
  std::vector<op_id>& partner_;
  std::vector<op_id>& unmatched_;
  std::vector<op_id> receives_from_, sends_of_; ///< per source rank: first of the list
  std::vector<op_id> waiting_;   ///< per destination: first waiting receive from the current source
  std::vector<rank_id> touched_; ///< destinations with waiting receives
  std::vector<rank_id> crowded_; ///< destinations to be joined by sorting; sorted
  std::vector<op_id> late_;      ///< sends to those
};

std::uint64_t read_length(const graph& g, op_id op) {
  return g[op].pooled ? total_length(g.reads(op)) : g[op].data.length;
}
std::uint64_t write_length(const graph& g, op_id op) {
  return g[op].pooled ? total_length(g.writes(op)) : g[op].data.length;
}

void report_truncations(const graph& g, const matching& m, diagnostics& problems) {
  problem_list truncated(problems, reason::truncation, severity::error,
                         "messages longer than their receives");
  for (std::size_t i = 0; i < g.size(); ++i) {
    const op_id send{static_cast<std::uint32_t>(i)};
    const op_id receive = m.partner[i];
    if (receive == no_op || g[send].kind != op_kind::send)
      continue;
    const std::uint64_t sent = read_length(g, send), room = write_length(g, receive);
    if (sent > room && truncated.count())
      truncated.add(g[receive].rank, receive, describe_truncation(g, send, receive, sent, room),
                    "enlarge the receive, or check the order of the messages on this channel");
  }
}

/// A message that is combined must consist of whole elements; it may be shorter than its receive.
void report_broken_elements(const graph& g, const matching& m, diagnostics& problems) {
  problem_list broken(problems, reason::bad_operation, severity::error, "messages with parts of elements");
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id receive{i}, send = m.partner[i];
    if (g[receive].kind != op_kind::recv || send == no_op || !g.reduces(receive))
      continue;
    const std::uint64_t sent = read_length(g, send);
    const std::uint64_t element = g.reducers()[index(g.reduces_by(receive))].element;
    if (sent % element != 0 && broken.count())
      broken.add(g[receive].rank, receive,
                 fmt::format("{} gets {} B from {}, no whole number of elements of {} B",
                             describe(g, receive), sent, describe(g, send), element),
                 "send whole elements to a receive that reduces");
  }
}

} // namespace

matching match(const graph& g, diagnostics& problems) {
  matching m;
  m.partner.assign(g.size(), no_op);
  for (const made_pair& pair : g.made_pairs()) {
    m.partner[index(pair.send)] = pair.recv;
    m.partner[index(pair.recv)] = pair.send;
  }
  std::vector<op_id> unmatched;
  joiner(g, m, unmatched).run();
  std::sort(unmatched.begin(), unmatched.end());
  report_unmatched(g, m, unmatched, problems);
  report_truncations(g, m, problems);
  if (g.has_reductions())
    report_broken_elements(g, m, problems);
  report_uneven_fences(g, problems);
  return m;
}

} // namespace tacit::graphs
