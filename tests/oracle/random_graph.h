// Random graphs for tests: small memories, so that everything overlaps everything.
//
// Operations are made in one global order in which they could run, on 1–6 ranks with 4–40 bytes each:
// messages (also to the own rank, also empty, with one or several segments, with receives that are longer,
// posted late or early), copies, opaque operations, puts, gets and fences, on several communicators, with two
// tags. Then every conflict that nothing orders gets a dependency, so the graph is race-free; `races` leaves
// some of them out. The same seed and recipe give the same graph everywhere.
#pragma once

#include "oracle/happens_before.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tacit::oracle {

struct random_recipe {
  std::uint32_t min_ranks = 1, max_ranks = 6;
  std::uint32_t min_memory = 4, max_memory = 40; ///< bytes a rank
  std::uint32_t max_steps = 24;
  bool opaques = true;
  bool reductions = false; ///< local ones and receives that reduce, by three operators
  bool one_sided = true;   ///< puts, gets and fences
  bool communicators = true;
  bool declarations = true;   ///< scratch and live-out bytes
  bool races = false;         ///< leave out some of the dependencies that conflicts need
  bool high_addresses = true; ///< sometimes near the end of the address space
  bool at_border = false;     ///< the last byte is the last one below 2^63
  bool in_bytes = false;      ///< lists of single bytes, so that many are long, and of which some come again
  bool apart =
      false; ///< memory that is written is never read, but for what opaque operations and reductions do
  bool receives_once = false; ///< messages alone, of one piece, of which every rank receives one at most
};

class random_graph_maker {
public:
  random_graph_maker(std::uint64_t seed, const random_recipe& recipe)
      : random_(seed), recipe_(recipe), g_(between(recipe.min_ranks, recipe.max_ranks)),
        memory_(between(recipe.min_memory, recipe.max_memory)) {}

  graph make() {
    if (recipe_.at_border)
      base_ = (std::uint64_t{1} << 63) - memory_;
    else if (recipe_.high_addresses && !recipe_.reductions && chance(10))
      base_ = ~std::uint64_t{0} - (recipe_.apart ? 2 : 1) * memory_;
    else if (chance(50))
      base_ = between(0, 5000);
    if (recipe_.reductions)
      for (const std::uint32_t element : {1u, 2u, 4u})
        g_.add_reducer({"operator", "type", element, element != 2, element != 1});
    if (recipe_.communicators)
      add_communicators();
    const std::uint32_t steps = between(1, recipe_.max_steps);
    for (std::uint32_t i = 0; i < steps; ++i)
      step();
    finish_all();
    order_conflicts();
    if (recipe_.declarations)
      declare();
    return std::move(g_);
  }

private:
  using segments = std::vector<segment>;
  struct message {
    rank_id source, destination;
    std::int32_t tag;
    comm_id comm;
    std::uint64_t length;
    bool is(const message& o) const {
      return source == o.source && destination == o.destination && tag == o.tag && comm == o.comm;
    }
  };
  struct early_receive {
    message what;
    op_id receive;
  };

  std::uint32_t between(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random_() % (high - low + 1));
  }
  bool chance(std::uint32_t percent) { return between(1, 100) <= percent; }
  rank_id any_rank() { return rank_id{between(0, g_.ranks() - 1)}; }
  template <typename List>
  const auto& any_of(const List& list) {
    return list[between(0, list.size() - 1)];
  }

  template <typename List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[between(0, i - 1)]);
  }

  void add_communicators() {
    for (std::uint32_t c = between(0, 2); c > 0; --c) {
      std::vector<rank_id> members;
      for (std::uint32_t r = 0; r < g_.ranks(); ++r)
        if (chance(60))
          members.push_back(rank_id{r});
      if (members.empty())
        continue;
      shuffle(members);
      g_.add_communicator("c" + std::to_string(c), members);
    }
  }

  comm_id any_comm() {
    return comm_id{static_cast<std::uint16_t>(chance(60) ? 0 : between(0, g_.communicators().size() - 1))};
  }

  segments bytes(std::uint64_t length, bool disjoint) {
    if (!recipe_.in_bytes)
      return a_few_pieces(length, disjoint);
    std::vector<segments>& known = known_[{length, disjoint}];
    if (!known.empty() && chance(60))
      return any_of(known);
    segments out;
    for (const segment& s : a_few_pieces(length, disjoint))
      for (std::uint64_t i = 0; i < s.length; ++i)
        out.push_back({s.address + i, 1});
    if (chance(30))
      shuffle(out);
    known.push_back(out);
    return out;
  }

  /// `length` bytes in one to three segments; disjoint if they are to be written.
  segments a_few_pieces(std::uint64_t length, bool disjoint) {
    const std::uint32_t parts = recipe_.receives_once || chance(70) ? 1 : between(2, 3);
    std::vector<std::uint64_t> lengths(parts, 0);
    for (std::uint64_t i = 0; i < length; ++i)
      ++lengths[between(0, parts - 1)];
    segments out;
    if (disjoint) {
      std::vector<std::uint64_t> gaps(parts + 1, 0);
      for (std::uint64_t i = length; i < memory_; ++i)
        ++gaps[between(0, parts)];
      std::uint64_t at = recipe_.apart ? base_ + memory_ : base_;
      for (std::uint32_t i = 0; i < parts; ++i) {
        at += gaps[i];
        out.push_back({at, lengths[i]});
        at += lengths[i];
      }
      shuffle(out);
    } else {
      for (const std::uint64_t l : lengths)
        out.push_back({base_ + between(0, memory_ - l), l});
    }
    if (length == 0 && chance(50))
      out.clear();
    return out;
  }

  std::uint64_t any_length() {
    if (!recipe_.receives_once && chance(12))
      return 0;
    return chance(60) ? between(1, std::min<std::uint64_t>(memory_, 6)) : between(1, memory_);
  }

  void step() {
    if (recipe_.receives_once)
      return add_message();
    if (recipe_.reductions && chance(15))
      return add_reduce();
    const std::uint32_t dice = between(1, 100);
    if (dice <= 60)
      add_message();
    else if (dice <= 72)
      add_copy();
    else if (dice <= 80 && recipe_.opaques)
      add_opaque();
    else if (dice <= 92 && recipe_.one_sided)
      add_one_sided();
    else if (recipe_.one_sided)
      add_fence();
    else if (!late_.empty())
      receive_late();
    else
      add_message();
  }

  void add_message() {
    const comm_id comm = any_comm();
    const auto& members = g_.communicators()[index(comm)].members;
    const message what{any_of(members), any_of(members), static_cast<std::int32_t>(between(0, 1)), comm,
                       any_length()};
    if (recipe_.receives_once && !receivers_.insert(what.destination).second)
      return;
    const std::uint32_t dice = between(1, 100);
    if (const auto waiting = find_early(what); waiting != early_.end()) {
      send_to(waiting);
    } else if (has_late(what)) { // the channel is in order: the next receive takes the oldest message
      if (chance(50))
        send(what);
      else
        receive_late();
    } else if (dice <= 20) {
      send(what);
    } else if (dice <= 40) {
      early_.push_back({what, receive(what)});
    } else {
      send(what);
      receive_late();
    }
  }

  void send(const message& what) {
    settle(g_.send(what.source, bytes(what.length, false), what.destination, what.tag, what.comm));
    late_.push_back(what);
  }

  op_id receive(const message& what) {
    if (recipe_.reductions && what.length > 0 && chance(30))
      if (const reducer_id by{between(0, 2)}; what.length % g_.reducers()[index(by)].element == 0)
        return receive_and_reduce(what, by);
    const std::uint64_t room = what.length + (chance(20) ? between(0, memory_ - what.length) : 0);
    const op_id op = g_.recv(what.destination, bytes(room, true), what.source, what.tag, what.comm);
    settle(op);
    return op;
  }

  op_id receive_and_reduce(const message& what, reducer_id by) {
    const std::uint64_t element = g_.reducers()[index(by)].element;
    const std::uint64_t free = (memory_ - what.length) / element;
    const std::uint64_t room = what.length + element * (chance(20) ? between(0, free) : 0);
    const op_id op =
        g_.recv_reduce(what.destination, bytes(room, true), what.source, by, what.tag, what.comm);
    settle(op);
    return op;
  }

  /// Posts the receive of some message that was sent; the oldest of its channel.
  void receive_late() {
    if (late_.empty())
      return;
    const message wanted = chance(70) ? late_.back() : any_of(late_);
    const auto oldest =
        std::find_if(late_.begin(), late_.end(), [&](const message& m) { return m.is(wanted); });
    const message what = *oldest;
    late_.erase(oldest);
    receive(what);
  }

  bool has_late(const message& what) const {
    return std::any_of(late_.begin(), late_.end(), [&](const message& m) { return m.is(what); });
  }

  std::deque<early_receive>::iterator find_early(const message& what) {
    return std::find_if(early_.begin(), early_.end(),
                        [&](const early_receive& e) { return e.what.is(what); });
  }

  /// Sends to a receive that was posted early. From now on others may depend on the receive.
  void send_to(std::deque<early_receive>::iterator waiting) {
    const message what = waiting->what;
    settle(g_.send(what.source, bytes(what.length, false), what.destination, what.tag, what.comm));
    early_.erase(waiting);
  }

  void add_copy() {
    const std::uint64_t length = any_length();
    const segments from = bytes(length, false), into = bytes(length, true);
    settle(g_.copy(any_rank(), from, into));
  }

  void add_reduce() {
    const reducer_id by{between(0, 2)};
    const std::uint64_t element = g_.reducers()[index(by)].element;
    const std::uint64_t length = element * between(0, std::min<std::uint64_t>(memory_ / 2 / element, 4));
    segments from, into;
    std::uint64_t left = length;
    for (const segment& s : bytes(2 * length, true)) { // disjoint: the first half is one operand
      const std::uint64_t head = std::min(left, s.length);
      left -= head;
      if (head > 0)
        from.push_back({s.address, head});
      if (head < s.length)
        into.push_back({s.address + head, s.length - head});
    }
    settle(g_.reduce(any_rank(), from, into, by));
  }

  void add_opaque() {
    const segments from = bytes(any_length(), false), into = bytes(any_length(), false);
    settle(g_.opaque(any_rank(), from, into));
  }

  void add_one_sided() { add_one_sided(any_rank(), any_rank()); }

  void add_one_sided(rank_id origin, rank_id target) {
    const std::uint64_t length = any_length();
    const segments from = bytes(length, false), into = bytes(length, true);
    const op_id op = chance(50) ? g_.put(origin, from, target, into) : g_.get(origin, into, target, from);
    const made_pair pair = g_.made_pairs().back();
    settle(op, false);
    settle(op == pair.send ? pair.recv : pair.send, true);
  }

  /// The members call the fence one after the other, with one-sided operations of those that have not called
  /// it yet in between: these still belong to the epoch before it.
  void add_fence() {
    while (!early_.empty())
      send_to(early_.begin());
    const comm_id comm = any_comm();
    std::vector<rank_id> members = g_.communicators()[index(comm)].members;
    shuffle(members);
    while (!members.empty()) {
      const rank_id next = members.back();
      members.pop_back();
      settle(g_.fence(next, comm));
      if (!members.empty() && chance(15))
        add_one_sided(any_of(members), any_rank_in(comm));
    }
  }

  rank_id any_rank_in(comm_id comm) { return any_of(g_.communicators()[index(comm)].members); }

  void finish_all() {
    while (!early_.empty())
      send_to(early_.begin());
    while (!late_.empty())
      receive_late();
  }

  /// Random dependencies of a new operation on earlier ones that can have completed by now. The remote half
  /// of a one-sided pair may lie before a fence that was created earlier, so it never depends on fences.
  void settle(op_id op, bool remote = false) {
    for (std::uint32_t i = 0; i < index(op); ++i) {
      const operation& other = g_[op_id{i}];
      if (other.rank != g_[op].rank || (remote && other.kind == op_kind::fence) || !chance(12))
        continue;
      const bool pending = std::any_of(early_.begin(), early_.end(),
                                       [&](const early_receive& e) { return e.receive == op_id{i}; });
      if (!pending)
        g_.depend(op_id{i}, op);
    }
  }

  void order_conflicts() {
    happens_before hb(g_);
    std::vector<dependency> missing;
    for (std::uint32_t b = 0; b < g_.size(); ++b)
      for (std::uint32_t a = 0; a < b; ++a) {
        if (!conflict(hb.shape, op_id{a}, op_id{b}) || hb.ordered(op_id{a}, op_id{b}))
          continue;
        if (recipe_.races && chance(25))
          continue;
        hb.add(op_id{a}, op_id{b});
        missing.push_back({op_id{a}, op_id{b}});
      }
    for (const dependency& d : missing)
      g_.depend(d.before, d.after);
  }

  void declare() {
    const auto some_bytes = [&] {
      const std::uint64_t length = between(1, memory_);
      return segment{base_ + between(0, (recipe_.apart ? 2 : 1) * memory_ - length), length};
    };
    if (chance(25))
      for (std::uint32_t i = between(1, 3); i > 0; --i)
        g_.scratch(any_rank(), some_bytes());
    if (chance(10))
      for (std::uint32_t i = between(1, 3); i > 0; --i)
        g_.live_out(any_rank(), some_bytes());
  }

  std::mt19937_64 random_;
  random_recipe recipe_;
  graph g_;
  std::uint64_t memory_;
  std::uint64_t base_ = 0;
  std::map<std::pair<std::uint64_t, bool>, std::vector<segments>> known_; ///< lists of single bytes
  std::set<rank_id> receivers_;                                           ///< if each receives once
  std::deque<message> late_;                                              ///< sent, not yet received
  std::deque<early_receive> early_;                                       ///< received, not yet sent
};

inline graph random_graph(std::uint64_t seed, const random_recipe& recipe = {}) {
  return random_graph_maker(seed, recipe).make();
}

} // namespace tacit::oracle
