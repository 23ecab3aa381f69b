// Problem: does some root, and some length for each name, make a signature equal to what ranks exchange? Idea: a root is a number to try;
// once it is chosen, every pair that the signature names gives one linear equation over the lengths, of which nearly all
// are the same. So pairs are compared first, which ends at the first difference, and the few different equations are then solved by
// elimination in whole numbers.
#include "graphs/described/find_described.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Pairs that one signature may name, and steps that are taken for one pattern on one communicator.
constexpr std::uint64_t most_pairs = 1u << 24;

struct flow_of_pair {
  std::uint32_t from, to; ///< places in the communicator
  std::uint64_t bytes;
};
using exchange = std::vector<flow_of_pair>; ///< sorted, each pair once

bool before(const flow_of_pair& a, const flow_of_pair& b) {
  return std::tie(a.from, a.to) < std::tie(b.from, b.to);
}

exchange joined(exchange all) {
  std::sort(all.begin(), all.end(), before);
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[last].from == all[i].from && all[last].to == all[i].to)
      all[last].bytes += all[i].bytes;
    else
      all[++last] = all[i];
  if (!all.empty())
    all.resize(last + 1);
  return all;
}

using wide = __int128;

/// Σ factor · length = bytes.
using equation = std::vector<wide>; ///< the factors, and last the bytes

struct too_large {};

wide times(wide a, wide b) {
  wide out = 0;
  if (__builtin_mul_overflow(a, b, &out))
    throw too_large();
  return out;
}

wide common_divisor(const equation& e) {
  wide a = 0;
  for (wide b : e) {
    b = b < 0 ? -b : b;
    while (b != 0)
      a = std::exchange(b, a % b);
  }
  return a;
}

/// Takes a multiple of `pivot` away, so that column `c` becomes 0.
void eliminate(equation& from, const equation& pivot, std::size_t c) {
  const wide a = pivot[c], b = from[c];
  if (b == 0)
    return;
  for (std::size_t i = 0; i < from.size(); ++i) {
    wide difference = 0;
    if (__builtin_sub_overflow(times(from[i], a), times(pivot[i], b), &difference))
      throw too_large();
    from[i] = difference;
  }
  if (const wide d = common_divisor(from); d > 1)
    for (wide& x : from)
      x /= d;
}

/// Brings the equations into a form in which each has an unknown that no other one has.
void solve(std::vector<equation>& all, std::size_t unknowns) {
  std::size_t done = 0;
  for (std::size_t c = 0; c < unknowns && done < all.size(); ++c) {
    const auto pivot = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(done), all.end(),
                                    [&](const equation& e) { return e[c] != 0; });
    if (pivot == all.end())
      continue;
    std::iter_swap(all.begin() + static_cast<std::ptrdiff_t>(done), pivot);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != done)
        eliminate(all[i], all[done], c);
    ++done;
  }
}

/// One pattern on what the members of one communicator exchange.
class comparison {
public:
  comparison(const described_pattern& pattern, const exchange& got, std::uint32_t members)
      : pattern_(pattern), got_(got), members_(members) {}

  /// With this root: true if nothing differs; else `difference` says what does, and `progress` how much was equal before.
  bool run(std::uint32_t root) {
    difference.clear();
    progress = 0;
    variables_.assign(pattern_.variables, 0);
    variables_[variable_p] = members_;
    variables_[variable_root] = root;
    expected_.clear();
    equations_.clear();
    lengths.clear();
    return set_variables() && expect_all() && compare() && find_lengths();
  }

  std::string difference;
  std::size_t progress = 0;
  std::vector<std::pair<std::string, std::uint64_t>> lengths;

private:
  struct wanted {
    std::uint32_t from, to;
    bool any;
    equation factors; ///< with the bytes that have no name, negative, in the last place
  };

  bool differs(std::string text) {
    difference = std::move(text);
    return false;
  }

  bool set_variables() {
    for (const auto& [variable, value] : pattern_.lets) {
      const auto number = evaluate(value, variables_);
      if (!number)
        return differs(fmt::format("a 'let' has no value on {} ranks", members_));
      variables_[variable] = *number;
    }
    if (pattern_.when.empty())
      return true;
    const auto holds = evaluate(pattern_.when, variables_);
    return (holds && *holds != 0) ||
           differs(fmt::format("its condition does not hold on {} ranks", members_));
  }

  bool expect_all() {
    for (const sending& s : pattern_.sends) {
      const std::uint32_t others = s.variables.size() > 1 ? members_ : 1;
      steps_ += std::uint64_t{members_} * others;
      if (steps_ > most_pairs)
        return differs(fmt::format("more than {} pairs to compare", most_pairs));
      for (std::uint32_t r = 0; r < members_; ++r)
        for (std::uint32_t k = 0; k < others; ++k) {
          variables_[s.variables[0]] = r;
          if (s.variables.size() > 1)
            variables_[s.variables[1]] = k;
          if (!expect(s, r))
            return false;
        }
    }
    return true;
  }

  /// A rank that does not exist is nobody, and to itself a rank sends nothing.
  bool expect(const sending& s, std::uint32_t r) {
    if (!s.where.empty()) {
      const auto holds = evaluate(s.where, variables_);
      if (!holds)
        return differs(fmt::format("a condition has no value at rank {} of {}", r, members_));
      if (*holds == 0)
        return true;
    }
    const auto to = evaluate(s.to, variables_);
    if (!to)
      return differs(fmt::format("a destination has no value at rank {} of {}", r, members_));
    if (*to < 0 || *to >= members_ || *to == r)
      return true;
    wanted w{r, static_cast<std::uint32_t>(*to), s.length.empty(), equation(pattern_.lengths.size() + 1, 0)};
    for (const length_part& part : s.length) {
      const auto factor = evaluate(part.times, variables_);
      if (!factor || *factor < 0)
        return differs(fmt::format("a length has no value at rank {} of {}", r, members_));
      if (part.name)
        w.factors[*part.name] += *factor;
      else
        w.factors.back() -= *factor;
    }
    const bool nothing =
        !w.any && std::all_of(w.factors.begin(), w.factors.end(), [](wide x) { return x == 0; });
    if (!nothing)
      expected_.push_back(std::move(w));
    return true;
  }

  bool compare() {
    std::stable_sort(expected_.begin(), expected_.end(), [](const wanted& a, const wanted& b) {
      return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    auto next = got_.begin();
    for (std::size_t i = 0; i < expected_.size();) {
      wanted sum = std::move(expected_[i]);
      for (++i; i < expected_.size() && expected_[i].from == sum.from && expected_[i].to == sum.to; ++i) {
        sum.any = sum.any || expected_[i].any;
        for (std::size_t k = 0; k < sum.factors.size(); ++k)
          sum.factors[k] += expected_[i].factors[k];
      }
      if (next == got_.end() || std::tie(sum.from, sum.to) < std::tie(next->from, next->to))
        return differs(fmt::format("rank {} sends nothing to rank {}", sum.from, sum.to));
      if (std::tie(next->from, next->to) < std::tie(sum.from, sum.to))
        return differs(fmt::format("rank {} also sends {} B to rank {}", next->from, next->bytes, next->to));
      ++progress;
      if (!sum.any && !add_equation(sum, *next))
        return false;
      ++next;
    }
    return next == got_.end() ||
           differs(fmt::format("rank {} also sends {} B to rank {}", next->from, next->bytes, next->to));
  }

  bool add_equation(const wanted& sum, const flow_of_pair& pair) {
    const wide bytes = sum.factors.back() + static_cast<wide>(pair.bytes);
    const std::vector<wide> factors(sum.factors.begin(), sum.factors.end() - 1);
    const auto [known, fresh] = equations_.try_emplace(factors, bytes);
    const bool fits =
        known->second == bytes &&
        (bytes > 0 || std::all_of(factors.begin(), factors.end(), [](wide f) { return f == 0; })) &&
        (bytes == 0 || std::any_of(factors.begin(), factors.end(), [](wide f) { return f != 0; }));
    return fits || differs(fmt::format("rank {} sends {} B to rank {}, which is another length", pair.from,
                                       pair.bytes, pair.to));
  }

  bool find_lengths() {
    std::vector<equation> all;
    for (const auto& [factors, bytes] : equations_) {
      all.push_back(factors);
      all.back().push_back(bytes);
    }
    const std::size_t unknowns = pattern_.lengths.size();
    try {
      solve(all, unknowns);
    } catch (const too_large&) {
      return differs("lengths are too large to compare");
    }
    for (const equation& e : all) {
      const auto others = std::count_if(e.begin(), e.end() - 1, [](wide f) { return f != 0; });
      if (others == 0 && e.back() != 0)
        return differs("its lengths contradict each other");
      if (others != 1)
        continue;
      const auto name = static_cast<std::size_t>(
          std::find_if(e.begin(), e.end(), [](wide f) { return f != 0; }) - e.begin());
      if (e.back() % e[name] != 0 || e.back() / e[name] <= 0)
        return differs(fmt::format("no length '{}' fits", pattern_.lengths[name]));
      lengths.emplace_back(pattern_.lengths[name], static_cast<std::uint64_t>(e.back() / e[name]));
    }
    return true;
  }

  const described_pattern& pattern_;
  const exchange& got_;
  std::uint32_t members_;
  std::uint64_t steps_ = 0;
  std::vector<std::int64_t> variables_;
  std::vector<wanted> expected_;
  std::map<std::vector<wide>, wide> equations_;
};

class described_search {
public:
  described_search(const graph& g, const transfers& t, const slice_list& residual,
                   const std::vector<described_pattern>& patterns)
      : g_(g), t_(t), residual_(residual), patterns_(patterns), place_(g.ranks(), nowhere),
        nearest_(patterns.size()), progress_(patterns.size(), 0) {}

  described_findings run() {
    for (std::uint32_t c = 0; c < g_.communicators().size(); ++c)
      look(comm_id{static_cast<std::uint16_t>(c)});
    for (std::uint32_t p = 0; p < patterns_.size(); ++p)
      if (!nearest_[p].empty() &&
          std::none_of(out_.found.begin(), out_.found.end(),
                       [&](const described_finding& f) { return f.name == patterns_[p].name; }))
        out_.missed.push_back({patterns_[p].name, nearest_[p]});
    return std::move(out_);
  }

private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  void look(comm_id comm) {
    const std::vector<rank_id>& members = g_.communicators()[index(comm)].members;
    for (std::uint32_t i = 0; i < members.size(); ++i)
      place_[index(members[i])] = i;
    const exchange all = exchanged(), left = left_over();
    const bool other = left.size() != all.size() ||
                       !std::equal(left.begin(), left.end(), all.begin(), [](const auto& a, const auto& b) {
                         return a.from == b.from && a.to == b.to && a.bytes == b.bytes;
                       });
    for (std::uint32_t p = 0; p < patterns_.size(); ++p) {
      const bool whole = compare(comm, p, all, false);
      if (!whole && other)
        compare(comm, p, left, true);
    }
    for (const rank_id r : members)
      place_[index(r)] = nowhere;
  }

  void add(exchange& to, rank_id source, rank_id destination, std::uint64_t length) const {
    if (source == no_rank || source == destination)
      return;
    const std::uint32_t from = place_[index(source)], into = place_[index(destination)];
    if (from != nowhere && into != nowhere)
      to.push_back({from, into, length});
  }
  exchange exchanged() const {
    exchange out;
    for (const transfer& x : t_.list)
      add(out, x.source, x.destination, x.length);
    return joined(std::move(out));
  }
  exchange left_over() const {
    exchange out;
    for (const slice& s : residual_)
      add(out, t_.list[s.transfer].source, t_.list[s.transfer].destination, s.length);
    return joined(std::move(out));
  }

  bool compare(comm_id comm, std::uint32_t number, const exchange& got, bool leftover) {
    const std::vector<rank_id>& members = g_.communicators()[index(comm)].members;
    const auto n = static_cast<std::uint32_t>(members.size());
    if (n < 2 || got.empty())
      return false;
    comparison c(patterns_[number], got, n);
    for (std::uint32_t root = 0; root < (patterns_[number].rooted ? n : 1); ++root) {
      if (c.run(root)) {
        out_.found.push_back({patterns_[number].name, patterns_[number].says, comm,
                              patterns_[number].rooted ? members[root] : no_rank, leftover, c.lengths});
        return true;
      }
      const bool first = root == 0 && !leftover;
      if (comm == world && (first || c.progress > progress_[number])) {
        progress_[number] = c.progress;
        nearest_[number] =
            patterns_[number].rooted ? fmt::format("with root {}, {}", root, c.difference) : c.difference;
      }
    }
    return false;
  }

  const graph& g_;
  const transfers& t_;
  const slice_list& residual_;
  const std::vector<described_pattern>& patterns_;
  std::vector<std::uint32_t> place_;  ///< in the communicator that is looked at
  std::vector<std::string> nearest_;  ///< per pattern: what differs where it comes nearest,
  std::vector<std::size_t> progress_; ///< and how many pairs are equal before
  described_findings out_;
};

} // namespace

std::string describe(const described_finding& f, const graph& g) {
  const communicator& c = g.communicators()[index(f.comm)];
  std::string text = fmt::format("{} among {} ranks", f.name, c.members.size());
  if (f.comm != world)
    text += fmt::format(" of {}", c.name);
  if (f.root != no_rank)
    text += fmt::format(", root {}", index(f.root));
  for (const auto& [name, bytes] : f.lengths)
    text += fmt::format(", {} {} B", name, bytes);
  return f.leftover ? text + ", of what collectives leave" : text;
}

described_findings find_described(const graph& g, const transfers& t, const slice_list& residual,
                                  const std::vector<described_pattern>& patterns) {
  if (patterns.empty() || !t.complete)
    return {};
  return described_search(g, t, residual, patterns).run();
}

} // namespace tacit::graphs
