// Random graphs that reduce as programs do, and nearly so: reduce, allreduce, reduce-scatter and scans by several algorithms, on several
// communicators, with operators that round or not and commute or not, in place or not, with messages beside them; and with faults, so
// that what is no collective looks like one: an operand that is missing or counts twice, another operator, another length, another
// order, results that travel on, partial results that stay visible, a rank whose exclusive scan is inclusive.
#pragma once

#include "oracle/happens_before.h"

#include <algorithm>
#include <random>

namespace tacit::oracle {

class reduction_graph_maker {
public:
  /// `named`: groups of some ranks are communicators of the graph.
  explicit reduction_graph_maker(std::uint64_t seed, std::uint32_t least_ranks = 2,
                                 std::uint32_t most_ranks = 7, bool named = true)
      : random_(seed), g_(between(least_ranks, most_ranks)), groups_{g_.communicators().front().members},
        named_(named) {}

  graph make() {
    add_operators();
    for (std::uint32_t c = between(0, 2); c > 0; --c)
      add_group();
    for (std::uint32_t i = between(1, 3); i > 0; --i) {
      exchange();
      while (chance(30))
        add_noise();
    }
    order_conflicts();
    return std::move(g_);
  }

  /// Scans along the rows or columns of a grid, of `lines` of them, each by itself.
  graph make_lines(std::uint32_t lines) {
    add_operators();
    for (std::uint32_t i = between(1, 2); i > 0; --i) {
      scan_along_lines(lines);
      while (chance(30))
        add_noise();
      if (chance(20))
        exchange();
    }
    order_conflicts();
    return std::move(g_);
  }

private:
  using place = std::vector<segment>; ///< of one rank

  void add_operators() {
    for (const reducer& r :
         {reducer{"maximum", "byte", 1, true, false, true}, reducer{"join", "pair", 2, false, true, true},
          reducer{"sum", "float", 4, true, true, true}, reducer{"sum", "int", 4, true, false, true},
          reducer{"last", "pair", 2, false, false, true}, reducer{"own", "int", 4, true, false, false}})
      g_.add_reducer(r);
    next_.assign(g_.ranks(), between(0, 40));
  }

  std::uint32_t between(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random_() % (high - low + 1));
  }
  bool chance(std::uint32_t percent) { return between(1, 100) <= percent; }

  void add_group() {
    std::vector<rank_id> members;
    for (std::uint32_t r = 0; r < g_.ranks(); ++r)
      if (chance(70))
        members.push_back(rank_id{r});
    std::shuffle(members.begin(), members.end(), random_);
    if (members.empty())
      return;
    groups_.push_back(members);
    if (named_)
      g_.add_communicator("part", members);
  }

  place fresh(rank_id r) {
    std::uint64_t& next = next_[index(r)];
    if (chance(20))
      next += between(1, 5);
    place out{{next, bytes_}};
    next += bytes_;
    if (bytes_ > element_ && chance(25)) { // in two pieces
      const std::uint64_t head = element_ * between(1, bytes_ / element_ - 1);
      next += 3;
      out = {{out.front().address, head}, {out.front().address + head + 3, bytes_ - head}};
    }
    known_.push_back({r, out, bytes_});
    return out;
  }
  place temporary(rank_id r) {
    place out = fresh(r);
    if (!chance(4))
      for (const segment& s : out)
        g_.scratch(r, s);
    return out;
  }
  /// The operand of a rank: bytes of its own, now and then what an earlier exchange has left.
  place operand(rank_id r) {
    if (chance(12))
      for (const auto& [rank, bytes, length] : known_)
        if (rank == r && length == bytes_ && chance(50))
          return bytes;
    return fresh(r);
  }
  reducer_id by() { return chance(2) ? reducer_id{between(0, 5)} : by_; }
  void combine(rank_id r, const place& from, const place& into) {
    reducer_id with = by();
    if (bytes_ % g_.reducers()[index(with)].element != 0)
      with = by_;
    for (const segment& a : from)
      for (const segment& b : into)
        if (a.address < b.address + b.length && b.address < a.address + a.length)
          return;
    if (!chance(1))
      g_.reduce(r, from, into, with);
    if (chance(1))
      g_.reduce(r, from, into, with);
  }
  void move(rank_id from, const place& what, rank_id to, const place& into) {
    if (from == to) {
      g_.copy(from, what, into);
      return;
    }
    g_.send(from, what, to, 3);
    g_.recv(to, into, from, 3);
  }
  void move_and_combine(rank_id from, const place& what, rank_id to, const place& into) {
    if (chance(60)) {
      g_.send(from, what, to, 3);
      g_.recv_reduce(to, into, from, by_, 3);
      return;
    }
    const place between_them = temporary(to);
    move(from, what, to, between_them);
    combine(to, between_them, into);
  }

  void exchange() {
    const std::vector<rank_id> members = groups_[chance(60) ? 0 : between(0, groups_.size() - 1)];
    choose_elements();
    if (!gather_operands(members))
      return;
    const std::uint32_t root = between(0, group_.size() - 1);
    switch (between(0, 9)) {
    case 0:
      result_at(root);
      break;
    case 1:
      tree(root);
      break;
    case 2:
      chain();
      break;
    case 3:
      spread(result_at(root), root);
      break;
    case 4:
      spread(tree(root), root);
      break;
    case 5:
      everybody_for_himself();
      break;
    case 6:
      recursive_doubling();
      break;
    case 7:
      reduce_scatter();
      break;
    case 8:
      scan(between(0, 2));
      break;
    default:
      scan(between(3, 5));
    }
  }
  void choose_elements() {
    by_ = reducer_id{chance(70) ? (chance(50) ? 0u : 3u) : between(0, 5)};
    element_ = g_.reducers()[index(by_)].element;
    bytes_ = element_ * between(1, 4);
  }
  /// Of a group, now and then without its last member. False if nobody is left to combine anything.
  bool gather_operands(const std::vector<rank_id>& members) {
    group_ = members;
    if (chance(5))
      group_.pop_back();
    if (group_.size() < 2)
      return false;
    mine_.clear();
    for (const rank_id r : group_)
      mine_.push_back(operand(r));
    return true;
  }
  void scan(std::uint32_t how) {
    switch (how) {
    case 0:
      return scan_in_a_chain();
    case 1:
      return scan_by_each();
    case 2:
      return scan_by_doubling();
    case 3:
      return exscan_in_a_chain();
    case 4:
      return exscan_by_each();
    default:
      return exscan_by_doubling();
    }
  }
  /// Side by side or at a distance, now and then backwards or in any order, and now and then one of the lines does nothing.
  void scan_along_lines(std::uint32_t lines) {
    const std::uint32_t n = g_.ranks() / lines, how = between(0, 5);
    const bool rows = chance(50), backwards = chance(20), shuffled = chance(10);
    choose_elements();
    for (std::uint32_t line = 0; line < lines; ++line) {
      std::vector<rank_id> members;
      for (std::uint32_t k = 0; k < n; ++k)
        members.push_back(rank_id{rows ? line * n + k : line + k * lines});
      if (backwards)
        std::reverse(members.begin(), members.end());
      if (shuffled)
        std::shuffle(members.begin(), members.end(), random_);
      if (!chance(5) && gather_operands(members))
        scan(how);
    }
  }
  /// Where a rank combines: over its operand, or elsewhere.
  place accumulator(std::uint32_t i, bool final) {
    if (chance(30))
      return mine_[i];
    const place into = final ? fresh(group_[i]) : temporary(group_[i]);
    move(group_[i], mine_[i], group_[i], into);
    return into;
  }
  /// Everything to one rank, in any order; for operators that do not commute from the last to the first.
  place result_at(std::uint32_t root) {
    const std::uint32_t n = static_cast<std::uint32_t>(group_.size());
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = n; i-- > 0;)
      others.push_back(i);
    if (g_.reducers()[index(by_)].commutative || chance(20)) {
      std::erase(others, root);
      std::shuffle(others.begin(), others.end(), random_);
      const place into = accumulator(root, true);
      for (const std::uint32_t i : others)
        if (!chance(1))
          move_and_combine(group_[i], mine_[i], group_[root], into);
      return into;
    }
    const place into = fresh(group_[root]);
    move(group_[n - 1], mine_[n - 1], group_[root], into);
    for (std::uint32_t i = n - 1; i-- > 0;)
      if (i == root)
        combine(group_[root], mine_[i], into);
      else
        move_and_combine(group_[i], mine_[i], group_[root], into);
    return into;
  }
  place tree(std::uint32_t root) {
    const std::uint32_t n = static_cast<std::uint32_t>(group_.size());
    const auto real = [&](std::uint32_t v) { return (v + root) % n; };
    std::vector<place> at(n);
    for (std::uint32_t v = 0; v < n; ++v)
      at[v] = accumulator(real(v), v == 0);
    for (std::uint32_t k = 1; k < n; k *= 2)
      for (std::uint32_t v = 0; v + k < n; v += 2 * k)
        move_and_combine(group_[real(v + k)], at[v + k], group_[real(v)], at[v]);
    return at[0];
  }
  void chain() {
    place so_far = mine_.back();
    for (std::size_t i = group_.size() - 1; i-- > 0;) {
      const place into = i == 0 ? fresh(group_[i]) : temporary(group_[i]);
      move(group_[i + 1], so_far, group_[i], into);
      combine(group_[i], mine_[i], into);
      so_far = into;
    }
  }
  void spread(const place& what, std::uint32_t root) {
    for (std::uint32_t i = 0; i < group_.size(); ++i)
      if (i != root && !chance(2))
        move(group_[root], what, group_[i], chance(30) ? mine_[i] : fresh(group_[i]));
  }
  void everybody_for_himself() {
    std::vector<place> results;
    for (std::uint32_t i = 0; i < group_.size(); ++i)
      results.push_back(result_at(i));
  }
  void recursive_doubling() {
    std::uint32_t n = 1;
    while (2 * n <= group_.size())
      n *= 2;
    group_.resize(n);
    std::vector<place> at;
    for (std::uint32_t i = 0; i < n; ++i)
      at.push_back(accumulator(i, true));
    for (std::uint32_t k = 1; k < n; k *= 2) {
      std::vector<place> arrived;
      for (std::uint32_t i = 0; i < n; ++i) {
        arrived.push_back(temporary(group_[i]));
        move(group_[i ^ k], at[i ^ k], group_[i], arrived[i]);
      }
      for (std::uint32_t i = 0; i < n; ++i)
        combine(group_[i], arrived[i], at[i]);
    }
  }
  std::uint32_t members() const { return static_cast<std::uint32_t>(group_.size()); }

  void scan_in_a_chain() {
    place so_far = mine_[0];
    if (chance(50))
      move(group_[0], mine_[0], group_[0], fresh(group_[0]));
    for (std::uint32_t i = 1; i < members(); ++i) {
      const place into = accumulator(i, true);
      move_and_combine(group_[i - 1], so_far, group_[i], into);
      so_far = into;
    }
  }
  /// Bytes that hold the operand of a member, for what nobody reads at the end.
  place copied(std::uint32_t i) {
    if (chance(3))
      return mine_[i];
    const place into = temporary(group_[i]);
    move(group_[i], mine_[i], group_[i], into);
    return into;
  }
  void exscan_in_a_chain() {
    place so_far = mine_[0];
    for (std::uint32_t i = 1; i < members(); ++i) {
      const place result = fresh(group_[i]);
      move(group_[i - 1], so_far, group_[i], result);
      if (i + 1 == members() && !chance(2))
        return;
      const place up_to = copied(i);
      combine(group_[i], result, up_to);
      if (chance(2))
        move(group_[i], up_to, group_[i], result);
      so_far = up_to;
    }
  }
  /// The operands of members before `end` in front of what is there, the last first.
  void put_in_front(std::uint32_t end, std::uint32_t at, const place& into) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t k = end; k-- > 0;)
      order.push_back(k);
    if (chance(g_.reducers()[index(by_)].commutative ? 30 : 2))
      std::shuffle(order.begin(), order.end(), random_);
    for (const std::uint32_t k : order)
      if (!chance(1))
        move_and_combine(group_[k], mine_[k], group_[at], into);
  }
  /// From the last to the first, as those who combine in place change their operands.
  void scan_by_each() {
    for (std::uint32_t i = members(); i-- > 1;)
      put_in_front(i, i, accumulator(i, true));
  }
  void exscan_by_each() {
    for (std::uint32_t i = members(); i-- > 1;) {
      const place result = fresh(group_[i]);
      move(group_[i - 1], mine_[i - 1], group_[i], result);
      put_in_front(i - 1, i, result);
    }
  }
  std::vector<place> shifted(const std::vector<place>& at, std::uint32_t by) {
    std::vector<place> arrived(members());
    for (std::uint32_t i = by; i < members(); ++i) {
      arrived[i] = temporary(group_[i]);
      move(group_[i - by], at[i - by], group_[i], arrived[i]);
    }
    return arrived;
  }
  void scan_by_doubling() {
    std::vector<place> at{mine_[0]};
    for (std::uint32_t i = 1; i < members(); ++i)
      at.push_back(accumulator(i, true));
    for (std::uint32_t k = 1; k < members(); k *= 2) {
      const std::vector<place> arrived = shifted(at, k);
      for (std::uint32_t i = k; i < members(); ++i)
        combine(group_[i], arrived[i], at[i]);
    }
  }
  void exscan_by_doubling() {
    std::vector<place> at{mine_[0]}, result(members());
    for (std::uint32_t i = 1; i < members(); ++i)
      at.push_back(copied(i));
    for (std::uint32_t k = 1; k < members(); k *= 2) {
      const std::vector<place> arrived = shifted(at, k);
      for (std::uint32_t i = k; i < members(); ++i) {
        combine(group_[i], arrived[i], at[i]);
        if (k == 1) {
          result[i] = fresh(group_[i]);
          move(group_[i], arrived[i], group_[i], result[i]);
        } else {
          combine(group_[i], arrived[i], result[i]);
        }
      }
    }
  }

  /// Each member gets its block of what all give, now and then one gets none, or blocks differ in length.
  void reduce_scatter() {
    const bool alike = !chance(30);
    const std::uint32_t how = between(0, 3);
    if (how == 3)
      group_.resize(std::size_t{1} << (group_.size() >= 4 ? 2 : 1));
    std::vector<std::vector<place>> blocks(members()); // by owner, then of each member
    std::vector<std::uint64_t> length;
    for (std::uint32_t of = 0; of < members(); ++of) {
      length.push_back(alike ? bytes_ : element_ * between(1, 3));
      bytes_ = length.back();
      for (std::uint32_t i = 0; i < members(); ++i)
        blocks[of].push_back(operand(group_[i]));
    }
    if (how == 3)
      return halve(blocks, length);
    for (std::uint32_t of = 0; of < members(); ++of) {
      bytes_ = length[of];
      mine_ = blocks[of];
      if (chance(2))
        continue;
      if (how == 0)
        result_at(of);
      else if (how == 1)
        tree(of);
      else
        round_the_ring(of);
    }
  }
  void round_the_ring(std::uint32_t of) {
    const std::uint32_t n = members();
    place so_far = mine_[(of + 1) % n];
    for (std::uint32_t i = 2; i <= n; ++i) {
      const std::uint32_t m = (of + i) % n;
      const place into = i == n ? accumulator(m, true) : copied(m);
      move_and_combine(group_[(of + i - 1) % n], so_far, group_[m], into);
      so_far = into;
    }
  }
  void halve(const std::vector<std::vector<place>>& blocks, const std::vector<std::uint64_t>& length) {
    const std::uint32_t n = members();
    std::vector<std::vector<place>> at(n, std::vector<place>(n)); // by owner, then of each member
    for (std::uint32_t of = 0; of < n; ++of) {
      bytes_ = length[of];
      mine_ = blocks[of];
      for (std::uint32_t i = 0; i < n; ++i)
        at[of][i] = i == of ? accumulator(i, true) : copied(i);
    }
    for (std::uint32_t k = n / 2; k > 0; k /= 2)
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t of = i / k * k; of < i / k * k + k; ++of) {
          bytes_ = length[of];
          move_and_combine(group_[i ^ k], at[of][i ^ k], group_[i], at[of][i]);
        }
  }

  /// A message or copy of bytes that are known: results that travel on, among others.
  void add_noise() {
    if (known_.empty())
      return;
    const auto& [rank, bytes, length] = known_[between(0, known_.size() - 1)];
    const rank_id from = rank;
    const place what = bytes;
    bytes_ = length;
    element_ = 1;
    const rank_id to{between(0, g_.ranks() - 1)};
    move(from, what, to, fresh(to));
  }

  void order_conflicts() {
    happens_before hb(g_);
    std::vector<dependency> missing;
    for (std::uint32_t b = 0; b < g_.size(); ++b)
      for (std::uint32_t a = 0; a < b; ++a)
        if (conflict(hb.shape, op_id{a}, op_id{b}) && !hb.ordered(op_id{a}, op_id{b})) {
          hb.add(op_id{a}, op_id{b});
          missing.push_back({op_id{a}, op_id{b}});
        }
    for (const dependency& d : missing)
      g_.depend(d.before, d.after);
  }

  struct known_place {
    rank_id rank;
    place bytes;
    std::uint64_t length;
  };
  std::mt19937_64 random_;
  graph g_;
  std::vector<std::vector<rank_id>> groups_; ///< all ranks first
  bool named_;
  std::vector<std::uint64_t> next_;
  std::vector<known_place> known_;
  std::vector<rank_id> group_;
  std::vector<place> mine_;
  reducer_id by_{};
  std::uint64_t element_ = 1, bytes_ = 1;
};

inline graph reduction_graph(std::uint64_t seed) {
  return reduction_graph_maker(seed).make();
}
inline graph reduction_graph(std::uint64_t seed, std::uint32_t ranks) {
  return reduction_graph_maker(seed, ranks, ranks).make();
}
/// Some of whose groups no communicator has.
inline graph unnamed_reduction_graph(std::uint64_t seed) {
  return reduction_graph_maker(seed, 4, 7, false).make();
}
/// Lines of ranks scan; one line is all ranks, now and then backwards or in any order.
inline graph scans_along_lines(std::uint64_t seed, std::uint32_t lines, std::uint32_t ranks) {
  return reduction_graph_maker(seed, ranks, ranks, false).make_lines(lines);
}
/// Two lines of four to six ranks, or three of four.
inline graph scans_along_lines(std::uint64_t seed) {
  const std::uint32_t lines = seed % 4 == 3 ? 3 : 2;
  const std::uint32_t ranks = lines == 3 ? 12 : 8 + 2 * static_cast<std::uint32_t>(seed % 3);
  return scans_along_lines(seed, lines, ranks);
}

} // namespace tacit::oracle
