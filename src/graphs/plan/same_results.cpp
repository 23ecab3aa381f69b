#include "graphs/plan/same_results.h"

#include "graphs/flow/separate.h"
#include "graphs/flow/terms.h"
#include "graphs/graph/segments.h"
#include "graphs/plan/computation_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace tacit::graphs {
namespace {

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
                           b.source_address == a.source_address + a.length;
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
  /// What the i-th reduction of the plan stands for; null: nothing that the graph has.
  const reduction* original(std::size_t i) const { return same_[i]; }
  bool is_of_collective(std::size_t i) const { return of_collective_[i]; }
  /// The name in the graph of an address of source `combined`; all of `length` bytes lie in one reduction.
  std::uint64_t operator()(std::uint64_t address) const {
    const auto i = static_cast<std::size_t>(&made_by(got_, address) - got_.reductions.data());
    return same_[i] ? same_[i]->base + (address - got_.reductions[i].base) : ~std::uint64_t{0};
  }

private:
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
  /// Refers to all of them.
  combined_bytes(const graph& g, const expansion& e, const transfers& wanted, const transfers& got)
      : g_(g), e_(e), wanted_reductions_(wanted.reductions), got_reductions_(got.reductions) {}
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
    wanted_.reductions = wanted_reductions_;
    got_.reductions = got_reductions_;
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
  const std::vector<reduction>&wanted_reductions_, &got_reductions_;
  transfers wanted_, got_; ///< what is compared, as if nothing else were left
};

/// What operations of the graph read, and those of the plan that they are: by name, and what a collective of the plan has combined by its terms.
class read_alike {
public:
  /// Refers to all of them.
  read_alike(const graph& g, const expansion& e, const renaming& renamed, const transfers& wanted,
             const transfers& got)
      : renamed_(renamed), by_terms_(g, e, wanted, got) {}

  /// False if a byte has another name; what has none is compared in the end.
  bool by_name(const std::vector<fragment>& wanted, const std::vector<fragment>& got) {
    bool same = true;
    side_by_side(wanted, got,
                 [&](const fragment* x, const fragment* y, std::uint64_t at, std::uint64_t there,
                     std::uint64_t length) {
                   return same = x && y && length > 0 && by_name(*x, *y, at, there, length);
                 });
    return same;
  }
  /// Empty if all are equal.
  std::string difference(bool reassociate, fault_location& where) {
    return by_terms_.difference(reassociate, where);
  }

private:
  bool by_name(const fragment& x, const fragment& y, std::uint64_t at, std::uint64_t there,
               std::uint64_t length) {
    if (x.source != y.source)
      return false;
    if (x.source != combined)
      return x.source_address + at == y.source_address + there;
    if (const std::uint64_t name = renamed_(y.source_address + there); name != ~std::uint64_t{0})
      return x.source_address + at == name;
    // As if it were left behind somewhere, apart from all else.
    by_terms_.add({place_, x.source_address + at, length, combined, rank_id{0}},
                  {place_, y.source_address + there, length, combined, rank_id{0}}, 0, 0, length);
    place_ += 2 * length;
    return true;
  }

  const renaming& renamed_;
  combined_bytes by_terms_;
  std::uint64_t place_ = 0;
};

/// Reductions of the plan that stand for one of the graph have its operands.
std::string check_operands_of_reductions(const graph& g, const expansion& e, const renaming& renamed,
                                         const transfers& wanted, const transfers& got, bool reassociate,
                                         fault_location& where) {
  read_alike alike(g, e, renamed, wanted, got);
  for (std::size_t i = 0; i < got.reductions.size(); ++i) {
    const reduction& r = got.reductions[i];
    if (renamed.is_of_collective(i))
      continue;
    const reduction* const original = renamed.original(i);
    if (!original || original->length != r.length)
      return "the plan has a reduction that the graph has not";
    if (!alike.by_name(original->left, r.left) || !alike.by_name(original->right, r.right))
      return fmt::format("{} gets other operands", describe(g, original->op));
  }
  std::string fault = alike.difference(reassociate, where);
  return fault.empty() ? fault : "a reduction gets other operands: " + fault;
}

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
  if (std::string fault =
          check_operands_of_reductions(g, e, renamed, graph_moves, plan_moves, reassociate, where);
      !fault.empty())
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

/// What each computation reads.
std::string check_operands_of_computations(const graph& g, const transfers& wanted, const expansion& e,
                                           const transfers& got, bool reassociate, fault_location& where) {
  const renaming renamed(e, wanted, got);
  read_alike alike(g, e, renamed, wanted, got);
  std::unordered_map<op_id, const std::vector<fragment>*> read;
  for (const operands_of_call& c : got.calls)
    read[e.original[index(c.op)]] = &c.read;
  for (const operands_of_call& c : wanted.calls) {
    const auto found = read.find(c.op);
    if (found == read.end() || !alike.by_name(c.read, *found->second)) {
      where = location_of(g, c.op);
      return fmt::format("{} reads other bytes", describe(g, c.op));
    }
  }
  std::string fault = alike.difference(reassociate, where);
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

} // namespace

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
  if (!wanted.complete || !moved.complete)
    return "what computations write is in too many fragments to be compared";
  name_as_in_graph(g, wanted, e, moved);
  if (auto fault = check_transfers(g, e, wanted, moved, reassociate, where); !fault.empty())
    return fault;
  return check_operands_of_computations(g, wanted, e, moved, reassociate, where);
}

} // namespace tacit::graphs
