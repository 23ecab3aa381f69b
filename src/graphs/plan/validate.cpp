// Translation validation: is this plan really the graph?
//
// Nothing here trusts how the plan was made. The plan is expanded into a graph of its own, in which every
// collective is what MPI says it means: a broadcast is a message from the root to every other member, a
// barrier makes every member wait for every other one. That graph goes through the same rooms as the original
// (match, order, races, flow), and the two results must be equal byte for byte (E1, E3). (A plan whose steps can all happen at once
// needs no expansion: what it leaves can be read off, at_once.cpp.) Then: no step writes
// a byte that the graph leaves alone (E2), wait sets keep what the policy asks for (E4), and everything
// completes although no message is buffered (E5).
//
// Computations are the program's own code: each runs once, reads what it reads in the graph, and behind the same others of its rank.
// Reductions of the plan that stand for one of the graph must have its operands. Where collectives combine, there is none to compare
// with: what they leave must be the same terms as in the graph, all operands the same, and for another order there must be leave.
//
// A barrier is expanded into a star of zero-byte messages through its first member: that has exactly the wait
// sets of a barrier, and unlike a fence it orders nothing that the plan does not order. Steps with several
// operations are followed by an empty copy, so that a dependency on them is one edge.
#include "graphs/plan/plan.h"

#include "graphs/flow/separate.h"
#include "graphs/flow/terms.h"
#include "graphs/graph/segments.h"
#include "graphs/plan/at_once.h"
#include "graphs/plan/computation_order.h"
#include "graphs/plan/shape.h"
#include "graphs/plan/synchronization.h"
#include "graphs/plan/waiting.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

namespace tacit::graphs {
namespace {

struct expansion {
  graph g;
  std::vector<op_id> original; ///< per operation of `g`: the computation or reduction it stands for, or no_op
};

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

/// The first byte that an operation writes, else reads.
fault_location location_of(const graph& g, op_id op) {
  const std::span<const segment> bytes = g.writes(op).empty() ? g.reads(op) : g.writes(op);
  return {g[op].rank, bytes.empty() ? 0 : bytes.front().address};
}

std::string first_error(const expansion& e, const diagnostics& problems, fault_location& where) {
  for (const diagnostic& d : problems)
    if (d.level == severity::error) {
      where = d.op == no_op ? fault_location{d.rank, 0} : location_of(e.g, d.op);
      return d.message;
    }
  return {};
}

/// Messages of a plan are received in full; only the graph itself may have receives that are longer.
std::string check_lengths(const expansion& e, const matching& m, bool as_written, fault_location& where) {
  if (as_written)
    return {};
  for (std::uint32_t i = 0; i < e.g.size(); ++i) {
    const op_id op{i};
    if (e.g[op].kind != op_kind::send || m.partner[i] == no_op)
      continue;
    if (total_length(e.g.reads(op)) == total_length(e.g.writes(m.partner[i])))
      continue;
    where = location_of(e.g, m.partner[i]);
    return fmt::format("{} and {} have different lengths", describe(e.g, op), describe(e.g, m.partner[i]));
  }
  return {};
}

/// Where the first of two lists that differ at `at` has a byte that the other one has not.
fault_location first_difference(const transfers& a, const transfers& b, std::size_t at) {
  fault_location where;
  for (const transfers* t : {&a, &b})
    if (at < t->list.size()) {
      const transfer& x = t->list[at];
      if (where.rank == no_rank ||
          std::pair(x.destination, x.destination_address) < std::pair(where.rank, where.address))
        where = {x.destination, x.destination_address};
    }
  return where;
}

/// All that is left behind, moved or kept, in canonical form.
transfers joined(const transfers& t) {
  transfers all;
  all.list = with_kept(t);
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.list.size(); ++i) {
    transfer& a = all.list[last];
    const transfer& b = all.list[i];
    const bool continues = a.destination == b.destination && a.source == b.source &&
                           a.destination_address + a.length == b.destination_address &&
                           b.source_address == a.source_address + (a.source == no_rank ? 0 : a.length);
    if (continues)
      a.length += b.length;
    else
      all.list[++last] = b;
  }
  if (!all.list.empty())
    all.list.resize(last + 1);
  return all;
}

/// Gives what the reductions of the plan make the names of those of the graph that they stand for.
class renaming {
public:
  renaming(const expansion& e, const transfers& wanted, const transfers& got) : got_(got) {
    for (const reduction& r : wanted.reductions)
      wanted_.emplace(r.op, &r);
    for (const reduction& r : got.reductions) { // by base, as the walk numbered them
      const auto found = wanted_.find(e.original[index(r.op)]);
      same_.push_back(found == wanted_.end() ? nullptr : found->second);
      of_collective_.push_back(e.original[index(r.op)] == no_op);
    }
  }
  /// The first reduction that does not do what its original does, in words; empty if all do.
  std::string difference(const graph& g) const {
    for (std::size_t i = 0; i < same_.size(); ++i) {
      const reduction& r = got_.reductions[i];
      if (of_collective_[i])
        continue;
      if (!same_[i] || same_[i]->length != r.length)
        return "the plan has a reduction that the graph has not";
      if (!equal(same_[i]->left, r.left) || !equal(same_[i]->right, r.right))
        return fmt::format("{} gets other operands", describe(g, same_[i]->op));
    }
    return {};
  }
  /// The name in the graph of an address of source `combined`; all of `length` bytes lie in one reduction.
  std::uint64_t operator()(std::uint64_t address) const {
    const auto i = static_cast<std::size_t>(&made_by(got_, address) - got_.reductions.data());
    return same_[i] ? same_[i]->base + (address - got_.reductions[i].base) : ~std::uint64_t{0};
  }

private:
  bool equal(const std::vector<fragment>& a, const std::vector<fragment>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const fragment& x, const fragment& y) {
      return x.address == y.address && x.length == y.length && x.source == y.source &&
             x.source_address == (y.source == combined ? (*this)(y.source_address) : y.source_address);
    });
  }
  const transfers& got_;
  std::unordered_map<op_id, const reduction*> wanted_;
  std::vector<const reduction*> same_; ///< per reduction of the plan
  std::vector<bool> of_collective_;    ///< it stands for none of the graph
};

/// Where byte `at` of it is left, or of what a computation reads.
template <typename Item>
std::pair<rank_id, std::uint64_t> place_of(const Item& x, std::uint64_t at) {
  return {x.destination, x.destination_address + at};
}
std::pair<rank_id, std::uint64_t> place_of(const fragment& x, std::uint64_t at) {
  return {no_rank, x.address + at};
}

/// Visits two lists of what is left or read, cut alike: visit(a, b, offset in a, offset in b, length); where only one has something, the other
/// is null. Stops when visit returns false.
template <typename Item, typename Visit>
void side_by_side(const std::vector<Item>& a, const std::vector<Item>& b, Visit&& visit) {
  std::size_t i = 0, k = 0;
  std::uint64_t done_a = 0, done_b = 0;
  while (i < a.size() && k < b.size()) {
    const Item &x = a[i], &y = b[k];
    if (place_of(x, done_a) != place_of(y, done_b)) {
      visit(&x, &y, done_a, done_b, std::uint64_t{0});
      return;
    }
    const std::uint64_t length = std::min(x.length - done_a, y.length - done_b);
    if (!visit(&x, &y, done_a, done_b, length))
      return;
    done_a += length;
    done_b += length;
    if (done_a == x.length)
      ++i, done_a = 0;
    if (done_b == y.length)
      ++k, done_b = 0;
  }
  if (i < a.size() || k < b.size())
    visit(i < a.size() ? &a[i] : nullptr, k < b.size() ? &b[k] : nullptr, done_a, done_b, std::uint64_t{0});
}

bool same_term(const term& a, const term& b, std::uint64_t at_a, std::uint64_t at_b, bool reassociate) {
  if (a.by != b.by || (!reassociate && a.order != b.order))
    return false;
  return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [&](const operand& x, const operand& y) {
                      return x.rank == y.rank && x.address + at_a == y.address + at_b;
                    });
}

/// What collectives of the plan combine, against the terms of the graph.
class combined_bytes {
public:
  combined_bytes(const graph& g, const expansion& e, const transfers& wanted, const transfers& got)
      : g_(g), e_(e) {
    wanted_.reductions = wanted.reductions;
    got_.reductions = got.reductions;
  }
  void add(const transfer& wanted, const transfer& got, std::uint64_t at, std::uint64_t there,
           std::uint64_t length) {
    const auto part = [&](const transfer& x, std::uint64_t from) {
      return transfer{x.destination_address + from, x.source_address + from, length, x.source, x.destination};
    };
    wanted_.kept.push_back(part(wanted, at));
    got_.kept.push_back(part(got, there));
  }
  /// Empty if all are equal.
  std::string difference(bool reassociate, fault_location& where) {
    if (wanted_.kept.empty())
      return {};
    for (transfers* const side : {&wanted_, &got_})
      std::ranges::sort(side->kept, {},
                        [](const transfer& x) { return std::pair(x.destination, x.destination_address); });
    const terms a = terms_of(g_, wanted_), b = terms_of(e_.g, got_);
    if (!a.complete || !b.complete || a.other_bytes > 0 || b.other_bytes > 0)
      return "the plan combines what is no term";
    std::string fault;
    side_by_side(
        a.list, b.list,
        [&](const term* x, const term* y, std::uint64_t at, std::uint64_t there, std::uint64_t length) {
          if (x && y && length > 0 && same_term(*x, *y, at, there, reassociate))
            return true;
          const term& shown = x ? *x : *y;
          where = {shown.destination, shown.destination_address};
          fault = fmt::format("the plan leaves {} where the graph leaves {} at {:#x} of rank {}",
                              y ? describe(g_, *y) : "nothing", x ? describe(g_, *x) : "nothing",
                              where.address, index(where.rank));
          return false;
        });
    return fault;
  }

private:
  const graph& g_;
  const expansion& e_;
  transfers wanted_, got_;
};

std::string different_moves(const graph& g, const transfers& wanted, const transfers& got,
                            fault_location& where) {
  std::size_t i = 0;
  while (i < got.list.size() && i < wanted.list.size() && got.list[i] == wanted.list[i])
    ++i;
  where = first_difference(wanted, got, i);
  const auto say = [&](const transfers& t, std::size_t at) {
    if (at >= t.list.size())
      return std::string("nothing");
    const transfer& x = t.list[at];
    const bool made = x.source == combined || is_computed(g, x.source);
    return fmt::format("{} B at {:#x} of rank {} from {:#x} of rank {}", x.length, x.destination_address,
                       index(x.destination), x.source_address,
                       made ? std::string("no (computed)") : std::to_string(index(x.source)));
  };
  return fmt::format("the plan moves {} where the graph moves {}", say(got, i), say(wanted, i));
}

/// Bytes of reductions are the graph's by name, or terms.
std::string check_reductions(const graph& g, const expansion& e, const transfers& graph_moves,
                             const transfers& plan_moves, bool reassociate, fault_location& where) {
  const renaming renamed(e, graph_moves, plan_moves);
  if (std::string fault = renamed.difference(g); !fault.empty())
    return fault;
  const transfers wanted = joined(graph_moves), got = joined(plan_moves);
  combined_bytes by_terms(g, e, graph_moves, plan_moves);
  bool same = true;
  side_by_side(
      wanted.list, got.list,
      [&](const transfer* x, const transfer* y, std::uint64_t at, std::uint64_t there, std::uint64_t length) {
        same = x && y && length > 0 && x->source == y->source;
        if (!same)
          return false;
        if (x->source != combined) {
          same = x->source_address + at == y->source_address + there;
        } else if (renamed(y->source_address) == ~std::uint64_t{0}) {
          by_terms.add(*x, *y, at, there, length);
        } else {
          same = x->source_address + at == renamed(y->source_address) + there;
        }
        return same;
      });
  return same ? by_terms.difference(reassociate, where) : different_moves(g, wanted, got, where);
}

std::string check_transfers(const graph& g, const expansion& e, const transfers& wanted,
                            const transfers& plan_moves, bool reassociate, fault_location& where) {
  if (!wanted.reductions.empty() || !plan_moves.reductions.empty())
    return check_reductions(g, e, wanted, plan_moves, reassociate, where);
  const auto compare = [&](const transfers& all_wanted, const transfers& got) {
    return got.list == all_wanted.list ? std::string() : different_moves(g, all_wanted, got, where);
  };
  return wanted.kept.empty() && plan_moves.kept.empty() ? compare(wanted, plan_moves)
                                                        : compare(joined(wanted), joined(plan_moves));
}

/// Each computation of the graph runs once in the plan, on the same bytes.
std::string check_each_runs(const graph& g, const expansion& e, fault_location& where) {
  std::vector<char> runs(g.size(), 0);
  const auto all_bytes = [](std::span<const segment> list) {
    return bytes_between(list, 0, ~std::uint64_t{0});
  };
  for (std::uint32_t i = 0; i < e.g.size(); ++i) {
    const op_id call{i};
    if (e.g[call].kind != op_kind::opaque)
      continue;
    const op_id original = e.original[i];
    where = location_of(e.g, call);
    if (runs[index(original)]++ || g[original].rank != e.g[call].rank ||
        all_bytes(g.reads(original)) != all_bytes(e.g.reads(call)) ||
        all_bytes(g.writes(original)) != all_bytes(e.g.writes(call)))
      return fmt::format("{} runs twice, or elsewhere", describe(g, original));
  }
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (g[op_id{i}].kind == op_kind::opaque && !runs[i]) {
      where = location_of(g, op_id{i});
      return fmt::format("{} does not run", describe(g, op_id{i}));
    }
  return {};
}

std::string check_order_of_computations(const graph& g, const run_order& o, const expansion& e,
                                        const run_order& eo, fault_location& where) {
  const computations_before wanted(g, o), got(e.g, eo);
  if (!wanted.known() || !got.known())
    return "too many computations to compare their order";
  std::unordered_map<op_id, std::vector<op_id>> got_by_original;
  for (const auto& [call, before] : got.all())
    for (const op_id b : before)
      got_by_original[e.original[index(call)]].push_back(e.original[index(b)]);
  for (auto& [call, before] : got_by_original)
    std::sort(before.begin(), before.end());
  for (const auto& [call, before] : wanted.all())
    for (const op_id b : before) {
      const std::vector<op_id>& list = got_by_original[call];
      if (std::binary_search(list.begin(), list.end(), b))
        continue;
      where = location_of(g, call);
      return fmt::format("{} no longer waits for {}", describe(g, call), describe(g, b));
    }
  return {};
}

/// What was combined by a collective of the plan is compared by its terms, all else by name.
std::string check_operands_of_computations(const graph& g, const transfers& wanted, const expansion& e,
                                           const transfers& got, bool reassociate, fault_location& where) {
  const renaming renamed(e, wanted, got);
  combined_bytes by_terms(g, e, wanted, got);
  // Of operands that are compared by terms, as if they were left behind: apart from each other.
  std::uint64_t place = 0;
  std::unordered_map<op_id, const std::vector<fragment>*> read;
  for (const operands_of_call& c : got.calls)
    read[e.original[index(c.op)]] = &c.read;
  for (const operands_of_call& c : wanted.calls) {
    const rank_id rank = g[c.op].rank;
    const auto same = [&](const fragment& x, const fragment& y, std::uint64_t at, std::uint64_t there,
                          std::uint64_t length) {
      if (x.source != y.source)
        return false;
      if (x.source != combined)
        return x.source_address + at == y.source_address + there;
      if (const std::uint64_t name = renamed(y.source_address + there); name != ~std::uint64_t{0})
        return x.source_address + at == name;
      by_terms.add({place, x.source_address + at, length, combined, rank},
                   {place, y.source_address + there, length, combined, rank}, 0, 0, length);
      place += 2 * length;
      return true;
    };
    const auto found = read.find(c.op);
    bool all_same = found != read.end();
    if (all_same)
      side_by_side(c.read, *found->second,
                   [&](const fragment* x, const fragment* y, std::uint64_t at, std::uint64_t there,
                       std::uint64_t length) {
                     return all_same = x && y && length > 0 && same(*x, *y, at, there, length);
                   });
    if (!all_same) {
      where = location_of(g, c.op);
      return fmt::format("{} reads other bytes", describe(g, c.op));
    }
  }
  std::string fault = by_terms.difference(reassociate, where);
  return fault.empty() ? fault : "a computation reads other bytes: " + fault;
}

/// Gives what the computations of the plan write the names of those of the graph that they are. Each must run once.
void name_as_in_graph(const graph& g, const transfers& wanted, const expansion& e, transfers& moved) {
  std::unordered_map<op_id, std::size_t> number;
  for (std::size_t k = 0; k < wanted.calls.size(); ++k)
    number.emplace(wanted.calls[k].op, k);
  std::vector<rank_id> name;
  for (const operands_of_call& c : moved.calls)
    name.push_back(computed_by(g, number.at(e.original[index(c.op)])));
  const auto rename = [&](auto& some) {
    for (auto& x : some)
      if (is_computed(e.g, x.source))
        x.source = name[computation_of(e.g, x.source)];
  };
  rename(moved.list);
  rename(moved.kept);
  for (reduction& r : moved.reductions) {
    rename(r.left);
    rename(r.right);
  }
  for (operands_of_call& c : moved.calls)
    rename(c.read);
}

/// All that is left, and what each computation reads, which runs once and behind the same others.
std::string check_with_computations(const graph& g, const matching& m, const run_order& o, const expansion& e,
                                    const matching& em, const run_order& eo, bool reassociate,
                                    fault_location& where) {
  if (auto fault = check_each_runs(g, e, where); !fault.empty())
    return fault;
  if (auto fault = check_order_of_computations(g, o, e, eo, where); !fault.empty())
    return fault;
  diagnostics problems;
  const transfers wanted = follow_with_calls(g, m, o, problems);
  transfers moved = follow_with_calls(e.g, em, eo, problems);
  name_as_in_graph(g, wanted, e, moved);
  if (auto fault = check_transfers(g, e, wanted, moved, reassociate, where); !fault.empty())
    return fault;
  return check_operands_of_computations(g, wanted, e, moved, reassociate, where);
}

/// What the graph itself writes at each rank, normalized; a receive writes what is sent to it. No list at all if
/// there is no operation: ranks alone, be they millions, cost nothing.
std::vector<std::vector<segment>> written_bytes(const graph& g, const matching& m) {
  std::vector<std::vector<segment>> out(g.size() == 0 ? 0 : g.ranks());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id op{i};
    std::uint64_t left = ~std::uint64_t{0};
    if (g[op].kind == op_kind::recv)
      left = m.partner[i] == no_op ? 0 : g.message_length(m.partner[i]);
    for (segment s : g.writes(op)) {
      s.length = std::min(s.length, left);
      left -= s.length;
      append(out[index(g[op].rank)], s);
    }
  }
  for (auto& list : out)
    list = normalized(std::move(list));
  return out;
}

std::string check_frame(const graph& g, const matching& m, const plan& p, fault_location& where) {
  if (p.as_written)
    return {};
  const auto allowed = written_bytes(g, m);
  const std::vector<segment> nothing;
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (std::uint32_t i = 0; i < p.ranks[r].steps.size(); ++i) {
      const step& s = p.ranks[r].steps[i];
      std::vector<segment> user;
      const auto collect = [&](std::span<const segment> bytes) {
        for (const segment& b : bytes)
          if (b.address < scratch_base)
            user.push_back(b);
      };
      collect(s.writes);
      for (const block_run& run : s.receives.runs())
        collect(run.all_bytes());
      if (const segment extra = first_outside(user, allowed.empty() ? nothing : allowed[r]);
          extra.length > 0) {
        where = {rank_id{r}, extra.address};
        return fmt::format("{} writes {:#x}, which the graph leaves alone", describe_step(p, r, i),
                           extra.address);
      }
    }
  return {};
}

std::string check_synchronization(const graph& g, const matching& m, const run_order& o, const expansion& e,
                                  const matching& em, const run_order& eo, sync_policy policy) {
  if (g.ranks() < 2 || !keeps_orders(g, policy))
    return {};
  if (wait_sets_complete(e.g, em, eo, g.communicators().front().members, sync_paths::all))
    return {};
  if (g.ranks() > wait_set_limit)
    return std::string(too_many_to_compare);
  const wait_sets required =
      compute_wait_sets(g, m, o, policy == sync_policy::data ? sync_paths::explicit_only : sync_paths::all);
  const wait_sets kept = compute_wait_sets(e.g, em, eo, sync_paths::all);
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (std::uint32_t other = 0; other < g.ranks(); ++other)
      if (required.contains(rank_id{r}, rank_id{other}) && !kept.contains(rank_id{r}, rank_id{other}))
        return fmt::format("rank {} no longer waits for rank {}", r, other);
  return {};
}

} // namespace

std::string validate(const graph& g, const matching& m, const run_order& o, const transfers& t, const plan& p,
                     const plan_options& options, fault_location* found_at) {
  fault_location unused;
  fault_location& where = found_at ? *found_at : unused;
  if (auto fault = check_shape(g, p); !fault.empty())
    return fault;
  const bool computes = g.has_computations();
  const bool only_moves = !p.as_written && t.complete && t.reductions.empty() && t.kept.empty() && !computes;
  const bool no_orders = g.ranks() < 2 || !keeps_orders(g, options.policy);
  if (only_moves && no_orders && is_right_at_once(g, t, p))
    return options.progress == region_progress::collective ? std::string() : grown_waits(g, m, o, p);
  // From here on the plan is no plain assignment, or it is wrong.
  if (!p.as_written)
    if (auto fault = check_progress(g, p); !fault.empty())
      return fault;
  if (auto fault = check_frame(g, m, p, where); !fault.empty())
    return fault;

  const expansion e = expander(g, p).run();
  diagnostics problems = check_operations(e.g);
  if (has_errors(problems))
    return first_error(e, problems, where);
  const matching em = match(e.g, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  if (auto fault = check_lengths(e, em, p.as_written, where); !fault.empty())
    return fault;
  const run_order eo = order_operations(e.g, em, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  check_races(e.g, em, eo, problems);
  if (has_errors(problems))
    return first_error(e, problems, where);
  // The graph met its budget, and a plan moves each of its transfers at most twice: no further limit.
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  const flow_options no_limit{.fragment_budget = unlimited, .memory_budget = unlimited};
  if (t.complete && computes) {
    if (auto fault = check_with_computations(g, m, o, e, em, eo, options.reassociate, where); !fault.empty())
      return fault;
  } else if (t.complete) {
    const transfers moved = follow(e.g, em, eo, problems, no_limit);
    if (auto fault = check_transfers(g, e, t, moved, options.reassociate, where); !fault.empty())
      return fault;
  }
  if (auto fault = check_synchronization(g, m, o, e, em, eo, options.policy); !fault.empty())
    return fault;
  if (p.as_written || options.progress == region_progress::collective)
    return {};
  return grown_waits(g, m, o, p);
}

} // namespace tacit::graphs
