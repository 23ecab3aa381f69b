// Idea: the reductions stand in an order in which operands come first, so each is written out once, from what is
// known of its operands: its bytes are cut where one of the two sides changes, and each piece has the operands of
// the left side before those of the right. An element that is cut in two is no term, nor is anything made of
// it, and neither is what another operator has made.
#include "graphs/flow/terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace tacit::graphs {
namespace {

/// Bytes of an operand or of a result that are written out alike.
struct piece {
  std::uint64_t offset = 0, length = 0;
  bool is_term = false; ///< also a single operand
  grouping grouped = grouping::single;
  std::vector<operand> operands; ///< from left to right
  evaluation order = {};         ///< by their numbers, if the operator rounds
};

struct over_limit {};

class expander_of_terms {
public:
  expander_of_terms(const graph& g, const transfers& t, std::uint64_t most)
      : g_(g), t_(t), most_(most), of_(t.reductions.size()) {}

  terms run() {
    for (std::size_t i = 0; i < t_.reductions.size(); ++i)
      of_[i] = combine(t_.reductions[i]);
    terms out;
    for (std::size_t i = 0; i < t_.kept.size(); ++i)
      if (t_.kept[i].source == combined)
        leave(t_.kept[i], t_.kept_part.empty() ? 0 : t_.kept_part[i], out);
    return out;
  }

private:
  std::uint64_t element(reducer_id by) const { return g_.reducers()[index(by)].element; }
  bool rounds(reducer_id by) const { return g_.reducers()[index(by)].rounds; }

  /// Single operands and unknown bytes are one piece; what a reduction made is cut as it is.
  std::vector<piece> pieces_of(const fragment& f, reducer_id by) {
    if (f.source == no_rank)
      return {{f.address, f.length, false, grouping::single, {}}};
    if (f.source != combined) {
      count(1);
      return {{f.address,
               f.length,
               true,
               grouping::single,
               {{f.source, f.source_address}},
               rounds(by) ? evaluation{0} : evaluation{}}};
    }
    const reduction& made = made_by(t_, f.source_address);
    const auto number = static_cast<std::size_t>(&made - t_.reductions.data());
    const std::uint64_t from = f.source_address - made.base, to = from + f.length;
    const bool same = g_.reduces_by(made.op) == by;
    std::vector<piece> out;
    for (const piece& p : of_[number]) {
      const std::uint64_t begin = std::max(from, p.offset), end = std::min(to, p.offset + p.length);
      if (begin >= end)
        continue;
      const std::uint64_t place = f.address + (begin - from), length = end - begin;
      // What is left of an element whose beginning is not taken is none.
      const std::uint64_t broken =
          std::min(length, (p.offset + element(by) - begin % element(by)) % element(by));
      const bool known = same && p.is_term;
      if (!known || broken > 0)
        out.push_back({place, known ? broken : length, false, grouping::other, {}});
      if (!known || broken == length)
        continue;
      count(p.operands.size());
      piece part{place + broken, length - broken, true, p.grouped, p.operands, p.order};
      for (operand& o : part.operands)
        o.address += begin + broken - p.offset;
      out.push_back(std::move(part));
    }
    return out;
  }

  void count(std::uint64_t operands) {
    written_ += operands;
    if (written_ > most_)
      throw over_limit{};
  }

  std::vector<piece> side(const std::vector<fragment>& list, reducer_id by) {
    std::vector<piece> out;
    for (const fragment& f : list)
      for (piece& p : pieces_of(f, by))
        out.push_back(std::move(p));
    return out;
  }

  std::vector<piece> combine(const reduction& r) {
    const reducer_id by = g_.reduces_by(r.op);
    const std::uint64_t size = element(by);
    const std::vector<piece> left = side(r.left, by), right = side(r.right, by);
    std::vector<std::uint64_t> cuts{r.length};
    for (const auto* pieces : {&left, &right})
      for (const piece& p : *pieces) { // an element that is cut becomes a piece of its own
        cuts.push_back(p.offset / size * size);
        cuts.push_back((p.offset + size - 1) / size * size);
      }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<piece> out;
    std::size_t l = 0, k = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const std::uint64_t begin = cuts[i], end = cuts[i + 1];
      while (left[l].offset + left[l].length <= begin)
        ++l;
      while (right[k].offset + right[k].length <= begin)
        ++k;
      out.push_back(joined(left[l], right[k], by, begin, end));
    }
    return out;
  }

  piece joined(const piece& a, const piece& b, reducer_id by, std::uint64_t begin, std::uint64_t end) {
    piece out{begin, end - begin, false, grouping::other, {}};
    const std::uint64_t size = element(by);
    const auto covers = [&](const piece& p) {
      return p.is_term && p.offset <= begin && end <= p.offset + p.length &&
             (p.operands.size() == 1 || (begin - p.offset) % size == 0);
    };
    if (!covers(a) || !covers(b))
      return out;
    out.is_term = true;
    for (const piece* p : {&a, &b}) {
      count(p->operands.size());
      for (operand o : p->operands) {
        o.address += begin - p->offset;
        out.operands.push_back(o);
      }
    }
    if (rounds(by))
      out.order = joined(a, b);
    const std::size_t n = a.operands.size(), m = b.operands.size();
    const auto is = [](const piece& p, grouping g) { return p.operands.size() <= 2 || p.grouped == g; };
    if (n == 1 && m == 1)
      out.grouped = grouping::single;
    else if (m == 1 && is(a, grouping::leftmost))
      out.grouped = grouping::leftmost;
    else if (n == 1 && is(b, grouping::rightmost))
      out.grouped = grouping::rightmost;
    return out;
  }

  static evaluation joined(const piece& a, const piece& b) {
    evaluation out = a.order;
    for (const std::uint32_t x : b.order)
      out.push_back(x == combine_both ? x : x + static_cast<std::uint32_t>(a.operands.size()));
    out.push_back(combine_both);
    return out;
  }

  /// Operands that commute, by number; those that are equal have one number.
  static void sort(piece& p) {
    std::vector<std::uint32_t> at(p.operands.size()), now(p.operands.size());
    std::iota(at.begin(), at.end(), 0u);
    std::sort(at.begin(), at.end(), [&](auto a, auto b) { return p.operands[a] < p.operands[b]; });
    for (std::uint32_t i = 0; i < at.size(); ++i)
      now[at[i]] = i > 0 && p.operands[at[i]] == p.operands[at[i - 1]] ? now[at[i - 1]] : i;
    for (std::uint32_t& x : p.order)
      x = x == combine_both ? x : now[x];
    std::sort(p.operands.begin(), p.operands.end());
  }

  void leave(const transfer& x, std::uint32_t part, terms& out) {
    const reducer_id by = g_.reduces_by(made_by(t_, x.source_address).op);
    for (piece& p : pieces_of({0, x.length, x.source_address, combined, 0}, by)) {
      const std::uint64_t whole = p.is_term ? p.length / element(by) * element(by) : 0;
      out.other_bytes += p.length - whole;
      if (whole < p.length && (out.other_parts.empty() || out.other_parts.back() != part))
        out.other_parts.push_back(part);
      p.length = whole;
      if (whole == 0)
        continue;
      if (g_.reducers()[index(by)].commutative)
        sort(p);
      term made{x.destination,
                x.destination_address + p.offset,
                p.length,
                by,
                part,
                p.grouped,
                std::move(p.operands),
                std::move(p.order)};
      if (out.list.empty() || !continued(out.list.back(), made))
        out.list.push_back(std::move(made));
      else
        out.list.back().length += made.length;
    }
  }

  static bool continued(const term& a, const term& b) {
    return a.destination == b.destination && a.destination_address + a.length == b.destination_address &&
           a.by == b.by && a.part == b.part && a.grouped == b.grouped && a.order == b.order &&
           std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                      [&](const operand& x, const operand& y) {
                        return x.rank == y.rank && x.address + a.length == y.address;
                      });
  }

  const graph& g_;
  const transfers& t_;
  std::uint64_t most_, written_ = 0;
  std::vector<std::vector<piece>> of_; ///< by reduction
};

} // namespace

terms terms_of(const graph& g, const transfers& t, std::uint64_t most_operands) {
  try {
    return expander_of_terms(g, t, most_operands).run();
  } catch (const over_limit&) {
    terms none;
    none.complete = false;
    return none;
  }
}

std::vector<rank_interval> rank_intervals(const std::vector<operand>& operands) {
  std::vector<rank_interval> out;
  std::int64_t step = 0; // of the last interval; 0: it has none
  for (const operand& o : operands) {
    const auto rank = static_cast<std::int64_t>(index(o.rank));
    if (!out.empty()) {
      const std::int64_t by = rank - static_cast<std::int64_t>(index(out.back().last));
      if ((by == 1 || by == -1) && (step == 0 || step == by)) {
        out.back().last = o.rank;
        step = by;
        continue;
      }
    }
    out.push_back({o.rank, o.rank});
    step = 0;
  }
  return out;
}

std::string describe(const graph& g, const term& x) {
  std::string ranks;
  std::vector<operand> initial;
  std::ranges::copy_if(x.operands, std::back_inserter(initial),
                       [&](const operand& o) { return !is_computed(g, o.rank); });
  for (const rank_interval& i : rank_intervals(initial))
    ranks += fmt::format("{}{}{}", ranks.empty() ? "ranks " : ", ", index(i.first),
                         i.first == i.last ? "" : fmt::format("..{}", index(i.last)));
  if (initial.size() < x.operands.size())
    ranks += fmt::format("{}{} computed", ranks.empty() ? "" : " and ", x.operands.size() - initial.size());
  return fmt::format("{} over {}", describe(g.reducers()[index(x.by)]), ranks);
}

} // namespace tacit::graphs
