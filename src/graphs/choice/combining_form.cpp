// Reduce and allreduce. Linear: one rank gets all operands and combines them in the order of ranks, from the last to the first, so that it
// works for operators that do not commute, too. Pairwise, for allreduce: every rank gets all operands and combines them for itself.
// Reduce-scatter-allgather (as Rabenseifner's, but with direct messages): each rank gets its piece of all operands, combines them, and sends
// the result to the root or to all. Binomial: up a tree in which partial results are combined. Recursive doubling, for
// allreduce among 2^k ranks: in round i every rank exchanges what it has with rank ± 2^i, and both combine, in the same order. An allreduce by one of the
// first two sends the result down again. Partial results are in scratch memory, or where the result will be.
//
// Scans, in the order of ranks whatever the operator. Linear: a chain, ((x0 ⊕ x1) ⊕ x2) ⊕ …. Recursive doubling (Hillis and Steele): in
// round i every rank sends the combination of the 2^i operands up to its own to the rank 2^i behind it, which puts it in front of its.
//
// Reduce-scatter. Linear: every rank gets its block of all others and combines in the order of ranks. Pairwise: the same messages, the
// nearest rank before it first, combined as they come. Ring: partial results of each block go round, n − 1 rounds of one block. Recursive
// halving, among 2^k ranks: ranks exchange half of the blocks that they still have with rank ± n / 2, n / 4, …. All but the first need
// operators that commute.
//
// What must give the bits of the graph is combined as the graph does it, by whoever has all operands of an element: linear, pairwise,
// reduce-scatter-allgather, linear with a binomial broadcast of the result, and the linear reduce-scatter; or at node leaders as far as they have
// the operands (combining_by_leaders.h).
#include "graphs/choice/combining_form.h"

#include "graphs/choice/combining_by_leaders.h"
#include "graphs/choice/combining_steps.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace tacit::graphs {
namespace {

using bytes = segment_list;

class combining_maker : combining_steps {
public:
  combining_maker(const reducer& by, const evaluation* order, const combining_steps& none)
      : combining_steps(none), by_(by), is_free_(!order), order_(order ? *order : from_the_last(size())) {}

  std::vector<step_list> run(algorithm form) {
    const pattern kind = calls_.front()->collective;
    if (is_scan(kind)) {
      form == algorithm::recursive_doubling ? doubling_scan() : chain();
    } else if (row_of(kind).moves == signature::all_into_each) {
      scatter(form);
    } else if (form == algorithm::recursive_doubling) {
      doubling();
    } else if (form == algorithm::pairwise) {
      for (std::uint32_t m = 0; m < size(); ++m)
        last_[m] = combine_all(m, operands(), result(m));
    } else if (form == algorithm::reduce_scatter_allgather) {
      by_pieces();
    } else if (form == algorithm::binomial) {
      is_free_ ? up() : to_hub();
      if (for_all())
        down();
    } else {
      to_hub();
      for (std::uint32_t m = 0; for_all() && m < size(); ++m)
        if (m != hub_)
          move(hub_, result(hub_), last_[hub_], m, result(m));
    }
    return take();
  }

private:
  std::vector<bytes> operands() const {
    std::vector<bytes> all;
    for (std::uint32_t m = 0; m < size(); ++m)
      all.push_back(given(m));
    return all;
  }
  void to_hub() { last_[hub_] = combine_all(hub_, operands(), result(hub_)); }

  /// Member `at` gets these bytes of all members and combines them in order. A reduction leaves its result in the memory of its right
  /// operand, so that of all is where the operand arrives that is last. The step after which it is there.
  std::uint32_t combine_all(std::uint32_t at, const std::vector<bytes>& of, const bytes& into) {
    struct value {
      bytes where;
      std::uint32_t ready;
      std::uint32_t own; ///< whose operand it is, as it is; no member's if it may be written
    };
    const std::uint64_t length = total_length(into);
    const std::uint32_t last =
        *std::find_if(order_.rbegin(), order_.rend(), [](std::uint32_t x) { return x != combine_both; });
    const auto place_for = [&](std::uint32_t m) { return m == last ? into : scratch(at, length); };
    const auto arrive = [&](std::uint32_t m) {
      if (m == at && m != last)
        return value{of[m], nothing, m};
      const bytes where = place_for(m);
      return value{where, m == at ? copy(at, of[m], where) : move(m, of[m], nothing, at, where).second,
                   nothing};
    };
    return evaluate(order_, arrive,
                    [&](const value& left, value right) {
                      if (right.own != nothing) {
                        const bytes copied = scratch(at, length);
                        right = {copied, copy(at, right.where, copied), nothing};
                      }
                      const std::uint32_t both =
                          combine(at, left.where, right.where, {left.ready, right.ready});
                      return value{right.where, both, nothing};
                    })
        .ready;
  }

  /// Whole elements of bytes: piece number `i` of as many as there are members, of lengths that differ by one element at most.
  bytes piece(const bytes& all, std::uint32_t i) const {
    const std::uint64_t elements = calls_.front()->largest_block / by_.element;
    const auto begin_of = [&](std::uint64_t k) { return elements * k / size() * by_.element; };
    return bytes_between(all, begin_of(i), begin_of(i + std::uint64_t{1}));
  }

  void by_pieces() {
    const std::uint32_t n = size();
    std::vector<bytes> made(n);
    for (std::uint32_t m = 0; m < n; ++m) {
      std::vector<bytes> mine;
      for (std::uint32_t from = 0; from < n; ++from)
        mine.push_back(piece(given(from), m));
      if (mine[m].empty())
        continue;
      const bool stays = for_all() || m == hub_;
      made[m] = stays ? piece(result(m), m) : scratch(m, total_length(mine[m]));
      last_[m] = combine_all(m, mine, made[m]);
    }
    for (std::uint32_t m = 0; m < n; ++m)
      for (std::uint32_t to = 0; to < n && !made[m].empty(); ++to)
        if (to != m && (for_all() || to == hub_))
          move(m, made[m], last_[m], to, piece(result(to), m));
  }

  std::uint32_t real(std::uint32_t virtual_rank) const { return (virtual_rank + hub_) % size(); }

  void up() {
    const std::uint32_t n = size();
    std::vector<bytes> at(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::uint32_t m = real(v);
      if (v % 2 == 1 || v + 1 == n) { // a leaf, or the last rank, which has no children
        at[v] = given(m);
        continue;
      }
      at[v] = v == 0 ? result(m) : scratch(m);
      last_[m] = copy(m, given(m), at[v]);
    }
    for (std::uint32_t k = 1; k < n; k *= 2)
      for (std::uint32_t v = 0; v + k < n; v += 2 * k) {
        const std::uint32_t to = real(v), from = real(v + k);
        const bytes arrived = scratch(to);
        const std::uint32_t got = move(from, at[v + k], last_[from], to, arrived).second;
        last_[to] = combine(to, arrived, at[v], {got, last_[to]});
      }
  }

  void down() {
    for (std::uint32_t k = std::bit_ceil(size()) / 2; k > 0; k /= 2)
      for (std::uint32_t v = 0; v + k < size(); v += 2 * k) {
        const std::uint32_t from = real(v), to = real(v + k);
        last_[to] = move(from, result(from), last_[from], to, result(to)).second;
      }
  }

  /// Who is in front gives the left operand on both sides, so that all ranks get the same bits also from what commutes only nearly:
  /// the largest of +0 and -0, functions of the program. What the one in front has is then in new memory.
  void doubling() {
    const std::uint32_t n = size();
    std::vector<bytes> own(n);
    for (std::uint32_t m = 0; m < n; ++m) {
      own[m] = result(m);
      last_[m] = copy(m, given(m), own[m]);
    }
    for (std::uint32_t k = 1; k < n; k *= 2) {
      std::vector<bytes> arrived(n);
      std::vector<std::uint32_t> sent(n), got(n);
      for (std::uint32_t m = 0; m < n; ++m) {
        arrived[m ^ k] = scratch(m ^ k);
        std::tie(sent[m], got[m ^ k]) = move(m, own[m], last_[m], m ^ k, arrived[m ^ k]);
      }
      for (std::uint32_t m = 0; m < n; ++m) {
        const bool in_front = by_.rounds && m < (m ^ k);
        if (in_front)
          std::swap(own[m], arrived[m]);
        last_[m] = combine(m, arrived[m], own[m], {sent[m], got[m], last_[m]});
      }
    }
    for (std::uint32_t m = 0; m < n; ++m)
      if (own[m] != result(m))
        last_[m] = copy(m, own[m], result(m), {last_[m]});
  }

  /// What is passed on is the result of an inclusive scan, and of an exclusive one what comes out when the own operand is added.
  void chain() {
    const bytes* so_far = &given(0);
    std::vector<bytes> kept(size());
    std::uint32_t ready = nothing;
    for (std::uint32_t m = 1; m < size(); ++m) {
      const bool last = m + 1 == size();
      if (inclusive()) {
        const bytes arrived = scratch(m);
        const std::uint32_t copied = copy(m, given(m), result(m));
        const std::uint32_t got = move(m - 1, *so_far, ready, m, arrived).second;
        ready = combine(m, arrived, result(m), {copied, got});
        so_far = &result(m);
        continue;
      }
      const std::uint32_t got = move(m - 1, *so_far, ready, m, result(m)).second;
      if (last)
        continue;
      kept[m] = scratch(m);
      const std::uint32_t copied = copy(m, given(m), kept[m]);
      ready = combine(m, result(m), kept[m], {copied, got});
      so_far = &kept[m];
    }
  }

  /// `at`: the combination of the operands up to a member's own, ever more of them; an exclusive scan has one without it beside it.
  void doubling_scan() {
    const std::uint32_t n = size();
    std::vector<bytes> at(n);
    std::vector<std::uint32_t> before(n, nothing); // after which step that one is there
    for (std::uint32_t m = 0; m < n; ++m) {
      if (m == 0 || (!inclusive() && m + 1 == n)) { // never written, or never read
        if (m == 0)
          at[m] = given(m);
        continue;
      }
      at[m] = inclusive() ? result(m) : scratch(m);
      last_[m] = copy(m, given(m), at[m]);
    }
    for (std::uint32_t k = 1; k < n; k *= 2) {
      const bool more = 2 * k < n;
      std::vector<bytes> arrived(n);
      std::vector<std::uint32_t> sent(n, nothing), got(n, nothing);
      for (std::uint32_t m = 0; m + k < n; ++m) {
        const std::uint32_t to = m + k;
        arrived[to] = scratch(to);
        std::tie(sent[m], got[to]) = move(m, at[m], last_[m], to, arrived[to]);
      }
      for (std::uint32_t m = k; m < n; ++m) {
        if (!inclusive())
          before[m] = k == 1 ? copy(m, arrived[m], result(m), {got[m]})
                             : combine(m, arrived[m], result(m), {got[m], before[m]});
        const bool read_again = more && m + 2 * k < n;
        if (inclusive() || read_again)
          last_[m] = combine(m, arrived[m], at[m], {sent[m], got[m], last_[m]});
      }
    }
  }

  void scatter(algorithm form) {
    if (form == algorithm::ring)
      round_the_ring();
    else if (form == algorithm::recursive_halving)
      halving();
    else
      form == algorithm::pairwise ? nearest_first() : at_each();
  }

  /// Every member combines its own block.
  void at_each() {
    for (std::uint32_t to = 0; to < size(); ++to) {
      std::vector<bytes> blocks;
      for (std::uint32_t m = 0; m < size(); ++m)
        blocks.push_back(given(m, to));
      if (!blocks[to].empty())
        last_[to] = combine_all(to, blocks, result(to));
    }
  }

  /// Every member combines its own block, each operand in front of what is there, that of the nearest member before it first.
  void nearest_first() {
    const std::uint32_t n = size();
    std::vector<std::uint32_t> last(n, nothing);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t to = 0; to < n; ++to)
        if (!given(to, to).empty())
          last[to] = put_in_front((to + n - i) % n, to, last[to]);
  }
  std::uint32_t put_in_front(std::uint32_t m, std::uint32_t to, std::uint32_t last) {
    const bytes operand = given(m, to);
    const bytes& into = result(to);
    if (m == to)
      return last == nothing ? copy(to, operand, into) : combine(to, operand, into, {last});
    if (last == nothing)
      return move(m, operand, nothing, to, into).second;
    const bytes arrived = scratch(to, total_length(operand));
    const std::uint32_t got = move(m, operand, nothing, to, arrived).second;
    return combine(to, arrived, into, {got, last});
  }

  /// The block of member `of` starts behind it and comes to it last, each member adding its operand.
  void round_the_ring() {
    const std::uint32_t n = size();
    for (std::uint32_t of = 0; of < n; ++of) {
      const std::uint64_t length = total_length(given(of, of));
      if (length == 0)
        continue;
      bytes so_far = given((of + 1) % n, of);
      std::uint32_t ready = nothing;
      for (std::uint32_t i = 2; i <= n; ++i) {
        const std::uint32_t from = (of + i - 1) % n, m = (of + i) % n;
        const bytes arrived = scratch(m, length), into = i == n ? result(m) : scratch(m, length);
        const std::uint32_t copied = copy(m, given(m, of), into);
        const std::uint32_t got = move(from, so_far, ready, m, arrived).second;
        ready = combine(m, arrived, into, {copied, got});
        so_far = into;
      }
    }
  }

  void halving() {
    const std::uint32_t n = size();
    std::vector<std::vector<bytes>> at(n); // by member and block
    std::vector<std::vector<std::uint32_t>> ready(n, std::vector<std::uint32_t>(n, nothing));
    for (std::uint32_t m = 0; m < n; ++m)
      for (std::uint32_t of = 0; of < n; ++of)
        at[m].push_back(given(m, of));
    for (std::uint32_t k = n / 2; k > 0; k /= 2)
      for (std::uint32_t m = 0; m < n; ++m)
        if ((m & k) == 0)
          exchange_halves(m, m | k, k, at, ready);
  }

  /// Members a and b = a + k give each other the k blocks that the other one goes on with: those of the k members around it.
  void exchange_halves(std::uint32_t a, std::uint32_t b, std::uint32_t k, std::vector<std::vector<bytes>>& at,
                       std::vector<std::vector<std::uint32_t>>& ready) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const std::uint32_t first = to / k * k;
      bytes what, into;
      std::vector<std::uint32_t> after;
      for (std::uint32_t of = first; of < first + k; ++of) {
        append(what, at[from][of]);
        if (ready[from][of] != nothing)
          after.push_back(ready[from][of]);
      }
      const std::uint64_t length = total_length(what);
      if (length == 0)
        continue;
      const bytes arrived = scratch(to, length);
      const auto [sent, got] = move(from, what, nothing, to, arrived);
      step& send = out_[from][sent];
      send.after = after;
      std::uint64_t offset = arrived.front().address;
      for (std::uint32_t of = first; of < first + k; ++of) {
        const std::uint64_t bytes_of_block = total_length(at[to][of]);
        if (bytes_of_block == 0)
          continue;
        const bytes piece{{offset, bytes_of_block}};
        offset += bytes_of_block;
        std::uint32_t before = ready[to][of];
        if (before == nothing) { // the operand itself, which stays as it is
          const bytes here = of == to ? result(to) : scratch(to, bytes_of_block);
          before = copy(to, at[to][of], here);
          at[to][of] = here;
        }
        ready[to][of] = combine(to, piece, at[to][of], {got, before});
      }
    }
  }

  const reducer& by_;
  bool is_free_;     ///< what commutes may be combined in any order
  evaluation order_; ///< in which it is, if all operands are at one place
};

} // namespace

bool has_combining_form(const graph& g, const step& s, std::uint32_t n, algorithm form, bool nodes) {
  if (s.largest_block == 0)
    return false;
  if (is_scan(s.collective))
    return form == algorithm::linear || form == algorithm::recursive_doubling;
  const bool any_order = g.reducers()[index(s.by)].commutative && s.order == 0;
  if (row_of(s.collective).moves == signature::all_into_each)
    return form == algorithm::linear ||
           (any_order && (form == algorithm::pairwise || form == algorithm::ring ||
                          (form == algorithm::recursive_halving && std::has_single_bit(n))));
  const bool for_all = s.collective == pattern::allreduce;
  switch (form) {
  case algorithm::linear:
    return s.order > 0;
  case algorithm::pairwise:
    return for_all;
  case algorithm::reduce_scatter_allgather:
    return s.largest_block >= std::uint64_t{n} * g.reducers()[index(s.by)].element;
  case algorithm::binomial:
    return any_order || (for_all && s.order > 0);
  case algorithm::two_level:
    return nodes;
  case algorithm::recursive_doubling:
    return any_order && for_all && std::has_single_bit(n);
  default:
    return false;
  }
}

std::vector<step_list> combine_by_messages(const graph& g, std::span<const rank_id> members,
                                           std::span<const step* const> calls, const evaluation* order,
                                           algorithm form, std::span<const std::uint32_t> nodes,
                                           std::vector<rank_plan>& ranks,
                                           function_ref<std::int32_t(rank_id, rank_id)> next_tag) {
  const auto n = static_cast<std::uint32_t>(members.size());
  const bool exists = has_combining_form(g, *calls.front(), n, form, !nodes.empty());
  const combining_steps none(members, calls, ranks, next_tag);
  if (exists && form == algorithm::two_level)
    return combine_by_leaders(none, order ? *order : from_the_last(n), nodes);
  return combining_maker(g.reducers()[index(calls.front()->by)], order, none)
      .run(exists ? form : algorithm::linear);
}

} // namespace tacit::graphs
