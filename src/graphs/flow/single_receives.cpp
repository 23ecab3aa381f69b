// Problem: along a tree each rank passes on what it has received. To follow that in run order jumps about in memory with each message: to
// its send, its receive and what both ranks hold.
//
// Idea: where a rank receives once, what it holds is what its only message brought, whenever it is asked. So ranks are taken one after the
// other, as they are listed, and each asks the sender of its message what that has received. Mostly that is known already and lies near by;
// else the sender is asked first.
//
// Of a send that reads what its rank receives it must be known which of both came first. Behind the receive are those sends to which
// dependencies lead from it. One that was made before it is not: dependencies lead from what was made first to what was made later, and a
// path through other ranks would have to come back by the receive itself. As there are no races, it is ahead of the receive then. Of any other
// one nothing is known.
#include "graphs/flow/single_receives.h"

#include "graphs/flow/live_transfers.h"
#include "graphs/flow/waiting_messages.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <vector>

namespace tacit::graphs {
namespace {

bool overlap(const segment& a, const segment& b) {
  return a.address < b.address + b.length && b.address < a.address + a.length;
}

/// The bytes have their own initial value again.
bool is_initial(const transfer& t) {
  return t.source == t.destination && t.source_address == t.destination_address;
}

bool is_inside(const segment& part, const segment& whole) {
  return part.address >= whole.address && part.address + part.length <= whole.address + whole.length;
}

class single_receives {
public:
  /// What is noted of each, with room for a list of those that are asked one after the other.
  static constexpr std::size_t bytes_of_a_rank = sizeof(op_id) + sizeof(std::uint32_t) + 2 * sizeof(rank_id);

  single_receives(const graph& g, const matching& m, const run_order& o, const flow_options& options)
      : g_(g), m_(m), order_(o), options_(options) {}

  std::optional<transfers> run() {
    if (!note_receives())
      return {};
    each_that_waits(g_, m_, order_, [&](op_id) { ++made_.fragments; });
    const std::size_t lists = has_dead_bytes(g_) ? 2 : 1;
    const std::size_t held = g_.size() + g_.ranks() * bytes_of_a_rank + lists * received_ * sizeof(transfer);
    if (made_.fragments > options_.fragment_budget || held > options_.memory_budget)
      return {};
    note_what_is_behind();
    vocabulary::reserve_huge(made_.list, received_);
    for (std::uint32_t r = 0; r < g_.ranks(); ++r) {
      look_ahead(r);
      if (receive_[r] != no_op && !ask(rank_id{r}))
        return {};
    }
    if (comes_home_)
      std::erase_if(made_.list, is_initial);
    keep_what_is_live(g_, made_.list);
    return std::move(made_);
  }

private:
  bool note_receives() {
    receive_.assign(g_.ranks(), no_op);
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const operation& op = g_[op_id{i}];
      if (op.data.length == 0 && op.kind == op_kind::copy)
        continue; // a mark
      if (op.pooled || op.data.length == 0)
        return false;
      if (op.kind == op_kind::send) {
        ++made_.fragments;
        continue;
      }
      op_id& receive = receive_[index(op.rank)];
      if (op.kind != op_kind::recv || receive != no_op || m_.partner[i] == no_op)
        return false;
      receive = op_id{i};
      ++received_;
    }
    place_.resize(g_.ranks());
    std::uint32_t next = 0;
    for (std::uint32_t r = 0; r < g_.ranks(); ++r) {
      place_[r] = next;
      next += receive_[r] != no_op;
    }
    return true;
  }

  /// As far as dependencies are listed in the order of what waits for them; those of others are not needed often.
  void note_what_is_behind() {
    is_behind_.assign(g_.size(), 0);
    for (const op_id receive : receive_)
      if (receive != no_op)
        is_behind_[index(receive)] = 1;
    for (const dependency& d : g_.dependencies())
      is_behind_[index(d.after)] |= is_behind_[index(d.before)];
  }

  [[gnu::always_inline]] void look_ahead(std::uint32_t r) const {
    constexpr std::uint32_t sends = 24, senders = 12;
    if (r + sends >= g_.ranks())
      return;
    if (const op_id receive = receive_[r + sends]; receive != no_op)
      __builtin_prefetch(&g_[m_.partner[index(receive)]]);
    if (const op_id receive = receive_[r + senders]; receive != no_op)
      __builtin_prefetch(made_.list.data() + place_[index(g_[m_.partner[index(receive)]].rank)]);
  }

  /// What the rank received, if that is known already.
  const transfer* received_by(rank_id r) const {
    const std::size_t at = place_[index(r)];
    return at < made_.list.size() && made_.list[at].destination == r ? &made_.list[at] : nullptr;
  }

  /// Finds out what a rank received, and first what the ranks did whose bytes these are. None of them waits for itself: who is asked has
  /// received before it sent.
  bool ask(rank_id r) {
    asked_.assign(1, r);
    while (!asked_.empty()) {
      switch (find_out(asked_.back())) {
      case answer::known:
        asked_.pop_back();
        break;
      case answer::ask_sender:
        asked_.push_back(g_[m_.partner[index(receive_[index(asked_.back())])]].rank);
        break;
      case answer::unknown:
        return false;
      }
    }
    return true;
  }

  enum class answer : std::uint8_t { known, ask_sender, unknown };
  answer find_out(rank_id r) {
    const op_id receive = receive_[index(r)], send = m_.partner[index(receive)];
    const operation &from = g_[send], &into = g_[receive];
    transfer made{into.data.address, from.data.address, std::min(from.data.length, into.data.length),
                  from.rank, r};
    const answer found = go_back(send, made);
    if (found == answer::known)
      put(place_[index(r)], made);
    return found;
  }

  /// To where the bytes of the message come from, if its sender has received them.
  answer go_back(op_id send, transfer& message) const {
    const op_id receive = receive_[index(message.source)];
    if (receive == no_op)
      return answer::known;
    const transfer* const got = received_by(message.source);
    const segment read{message.source_address, message.length};
    const segment written =
        got == nullptr ? g_[receive].data : segment{got->destination_address, got->length};
    if (!overlap(read, written))
      return answer::known;
    if (!is_behind_[index(send)])
      return receive < send ? answer::unknown : answer::known;
    if (got == nullptr)
      return answer::ask_sender;
    if (!is_inside(read, written))
      return answer::unknown;
    message.source = got->source;
    message.source_address = got->source_address + (read.address - got->destination_address);
    return answer::known;
  }

  /// Mostly ranks are taken in their order, and then each page is written once.
  void put(std::size_t at, const transfer& t) {
    std::vector<transfer>& list = made_.list;
    comes_home_ |= is_initial(t);
    if (at == list.size())
      return list.push_back(t);
    if (at > list.size())
      list.resize(received_);
    list[at] = t;
  }

  const graph& g_;
  const matching& m_;
  const run_order& order_;
  const flow_options& options_;
  std::size_t received_ = 0;
  std::vector<op_id> receive_;       ///< of each rank
  std::vector<std::uint32_t> place_; ///< of what each rank receives in the list
  std::vector<char> is_behind_;      ///< of each operation: it is, or waits for, what its rank receives
  bool comes_home_ = false;
  std::vector<rank_id> asked_; ///< each because the one before it needs to know
  transfers made_;
};

} // namespace

std::optional<transfers> follow_single_receives(const graph& g, const matching& m, const run_order& o,
                                                const flow_options& options) {
  if (g.has_reductions() || g.has_computations() || g.has_fences() || g.has_empty_sends() ||
      !g.made_pairs().empty() || o.order.size() < g.size() ||
      g.ranks() > options.memory_budget / single_receives::bytes_of_a_rank)
    return {};
  return single_receives(g, m, o, options).run();
}

} // namespace tacit::graphs
