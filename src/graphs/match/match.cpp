// Matching as a join (seed 000 section 2.1 by meaning).
//
// Problem: pair the k-th send with the k-th receive of every channel (communicator, source, destination,
// tag), both counted in creation order. Idea: list the receives of each source and the sends of each source
// (by counting); then take one source at a time, deal its receives out to their destinations, and let each send
// take the first waiting receive of its destination that agrees in communicator and tag. In real graphs a
// pair of ranks has few receives waiting, so that is the first or second one looked at; where it is not
// (thousands of tags between two ranks, taken in another order than posted), the pair of ranks is set aside
// and joined by sorting, so the cost is O(operations + crowded log crowded) in every case. Nothing is hashed,
// the waiting receives are threaded through `partner` itself, and the extra memory is three ids per rank and one per
// operation. Because the lists say which operations come next, they are fetched early: in a graph whose messages go
// criss-cross that halves the time. Graphs that are listed plainly need no lists (plain_listing.h).
#include "graphs/match/match.h"

#include "graphs/graph/problem_list.h"
#include "graphs/match/plain_listing.h"
#include "graphs/match/unmatched.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Receives looked at for one send before its pair of ranks counts as crowded. Walking 32 list nodes costs
/// about as much as the pair's share of a sort.
constexpr int crowded_after = 32;

/// Ids of operations by rank, ascending.
class ids_by_rank {
public:
  explicit ids_by_rank(std::size_t ranks) : first_(ranks + 1, 0) {}
  void count(rank_id r) { ++first_[index(r) + 1]; }
  void make_room() {
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    reserve_huge(ids_, first_.back());
    ids_.resize(first_.back());
  }
  /// Call for each operation that was counted; each begin moves to the next one.
  void put(rank_id r, std::size_t op) { ids_[first_[index(r)]++] = op_id{static_cast<std::uint32_t>(op)}; }
  std::size_t begin_of(std::size_t rank) const { return rank == 0 ? 0 : first_[rank - 1]; }
  std::size_t end_of(std::size_t rank) const { return first_[rank]; }
  op_id operator[](std::size_t at) const { return ids_[at]; }
  [[gnu::always_inline]] void fetch(std::size_t at, std::span<const operation> ops) const {
    if (at < ids_.size())
      __builtin_prefetch(&ops[index(ids_[at])]);
  }

private:
  std::vector<std::uint32_t> first_;
  std::vector<op_id> ids_;
};

class joiner {
public:
  joiner(const graph& g, matching& m, std::vector<op_id>& unmatched)
      : ops_(g.operations()), partner_(m.partner), unmatched_(unmatched), receives_from_(g.ranks()),
        sends_of_(g.ranks()), waiting_(g.ranks(), no_op) {}

  /// Whether some message is longer than its receive.
  bool run() {
    list_by_source();
    for (std::size_t source = 0; source < waiting_.size(); ++source) {
      for (std::size_t i = receives_from_.end_of(source); i-- > receives_from_.begin_of(source);) {
        receives_from_.fetch(i + ahead, ops_);
        deal(receives_from_[i]); // newest first, so that the oldest is at the head
      }
      for (std::size_t i = sends_of_.begin_of(source); i < sends_of_.end_of(source); ++i) {
        sends_of_.fetch(i + ahead, ops_);
        take(sends_of_[i]);
      }
      if (!late_.empty())
        join_by_sorting();
      clear_waiting();
    }
    return truncates_;
  }

private:
  static constexpr std::size_t ahead = 24; // operations; a miss takes about as long as six of them

  op_id& link(op_id op) { return partner_[index(op)]; }
  const operation& at(op_id op) const { return ops_[index(op)]; }

  /// Pairs made by put and get have their partner already.
  template <typename Receive, typename Send>
  void each_to_match(Receive&& receive, Send&& send) const {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (partner_[i] != no_op)
        continue;
      if (ops_[i].kind == op_kind::recv)
        receive(ops_[i].peer, i);
      else if (ops_[i].kind == op_kind::send)
        send(ops_[i].rank, i);
    }
  }

  void list_by_source() {
    each_to_match([&](rank_id source, std::size_t) { receives_from_.count(source); },
                  [&](rank_id source, std::size_t) { sends_of_.count(source); });
    receives_from_.make_room();
    sends_of_.make_room();
    each_to_match([&](rank_id source, std::size_t op) { receives_from_.put(source, op); },
                  [&](rank_id source, std::size_t op) { sends_of_.put(source, op); });
  }

  void deal(op_id receive) {
    const rank_id destination = at(receive).rank;
    op_id& first = waiting_[index(destination)];
    if (first == no_op)
      touched_.push_back(destination);
    link(receive) = first;
    first = receive;
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
    join(send, receive);
  }

  void join(op_id send, op_id receive) {
    link(send) = receive;
    link(receive) = send;
    truncates_ = truncates_ || at(send).data.length > at(receive).data.length;
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
          join(late_[i++], receives[j++]);
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
  ids_by_rank receives_from_, sends_of_; ///< by source
  std::vector<op_id> waiting_;           ///< per destination: first waiting receive from the current source
  std::vector<rank_id> touched_;         ///< destinations with waiting receives
  std::vector<rank_id> crowded_;         ///< destinations to be joined by sorting; sorted
  std::vector<op_id> late_;              ///< sends to those
  bool truncates_ = false;
};

void report_truncations(const graph& g, const matching& m, diagnostics& problems) {
  problem_list truncated(problems, reason::truncation, severity::error,
                         "messages longer than their receives");
  for (std::size_t i = 0; i < g.size(); ++i) {
    const op_id send{static_cast<std::uint32_t>(i)};
    const op_id receive = m.partner[i];
    if (receive == no_op || g[send].kind != op_kind::send)
      continue;
    const std::uint64_t sent = g.message_length(send), room = g.message_length(receive);
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
    const std::uint64_t sent = g.message_length(send);
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
  reserve_huge(m.partner, g.size());
  m.partner.assign(g.size(), no_op);
  for (const made_pair& pair : g.made_pairs()) {
    m.partner[index(pair.send)] = pair.recv;
    m.partner[index(pair.recv)] = pair.send;
  }
  std::vector<op_id> unmatched;
  std::optional<bool> truncates = match_as_listed(g, m);
  if (!truncates)
    truncates = joiner(g, m, unmatched).run();
  std::sort(unmatched.begin(), unmatched.end());
  report_unmatched(g, m, unmatched, problems);
  if (*truncates || !g.made_pairs().empty())
    report_truncations(g, m, problems);
  if (g.has_reductions())
    report_broken_elements(g, m, problems);
  report_uneven_fences(g, problems);
  return m;
}

} // namespace tacit::graphs
