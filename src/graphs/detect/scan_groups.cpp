// Problem: each term of a scan has the operands of another set of ranks, so the terms name no group as those of an allreduce do. Idea: these
// sets are a chain that grows by one member, and that member is the one that gets the next term (or has got the last one, if the
// scan is exclusive). So terms are looked at from the shortest to the longest, and each is linked to one that has its operands but for
// the one member. The longest of a chain says who scans, and the chain in which order, be the operator commutative or not.
//
// Not all chains are scans of a group. Where each rank adds up what some ranks before it have, the first ones find less, which is a chain;
// but as many operands of some others are combined beside it. So a chain counts only if all that is as long and has operands of
// its ranks is a chain, too, or belongs to a communicator, or reaches all whose operands it has. And who gets what an allreduce gives all
// ranks gets it for that, not as the last of a scan.
//
// Cost O(operands of the terms · log); where many terms of one length at one rank are alike, more is not tried than a few looks at all.
#include "graphs/detect/scan_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tacit::graphs {
namespace {

using ranks_in_order = std::vector<rank_id>;
using set_by = std::pair<reducer_id, std::vector<rank_id>>; ///< an operator, and ranks in ascending order

/// Of a scan or of what is no chain: as of a reduce, three messages at least.
constexpr std::size_t smallest_scan = 4;
/// Two members have one that an allreduce gives both, as a rank and its partner do at the beginning of many algorithms.
constexpr std::size_t smallest_of_all = 3;

struct over_limit {};

/// A term whose operands are those of a link before it and of one member more.
struct link {
  std::uint32_t term = 0;
  std::uint32_t before = none; ///< number of that link; the shortest have none
  rank_id first = no_rank;     ///< of the shortest: its first member,
  rank_id second = no_rank;    ///< and the second one, if that is not the destination
  bool goes_on = false;        ///< there is a longer one
  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

class chain_search {
public:
  chain_search(const graph& g, const transfers& t, std::span<const term> list, std::span<const term_use> uses,
               std::uint32_t smallest)
      : g_(g), t_(t), list_(list), uses_(uses), smallest_(std::max<std::size_t>(smallest, smallest_scan)) {
    std::size_t operands = 0;
    for (const term& x : list)
      operands += x.operands.size();
    constexpr std::size_t times = 16, at_least = std::size_t{1} << 20;
    steps_left_ = times * operands + at_least;
  }

  std::vector<ranks_in_order> run() {
    const std::vector<std::uint32_t> numbers = shortest_first();
    if (numbers.empty() || list_[numbers.front()].operands.size() > 2)
      return {}; // nothing that a chain begins with, as in nearly all graphs
    note_owners();
    for (const std::uint32_t i : numbers)
      try_link(i);
    note_strays();
    std::set<ranks_in_order> known;
    for (const communicator& c : g_.communicators())
      known.insert(c.members);
    std::vector<ranks_in_order> out;
    for (std::uint32_t l = 0; l < links_.size(); ++l) {
      if (links_[l].goes_on)
        continue;
      ranks_in_order group = members_up_to(l);
      if (group.size() >= smallest_ && stands_alone(group, l) && known.insert(group).second)
        out.push_back(std::move(group));
    }
    std::ranges::stable_sort(out, std::greater<>(), &ranks_in_order::size);
    return out;
  }

private:
  using place = std::tuple<rank_id, std::size_t, bool>; ///< destination, number of operands, inclusive

  void count(std::size_t steps) {
    if (steps > steps_left_)
      throw over_limit{};
    steps_left_ -= steps;
  }

  static set_by set_of(const term& x) {
    std::vector<rank_id> ranks;
    for (const operand& o : x.operands)
      ranks.push_back(o.rank);
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
    return {x.by, std::move(ranks)};
  }

  /// Who has how many bytes combined of the operands of each set of ranks.
  void note_owners() {
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (uses_[i] != term_use::taken)
        owners_[set_of(list_[i])][list_[i].destination] += list_[i].length;
  }
  /// All whose operands these are have some: how many bytes at least; 0 if not.
  std::uint64_t everybody_has(const set_by& set) const {
    const auto& owners = owners_.at(set);
    std::uint64_t fewest = ~std::uint64_t{0};
    for (const rank_id r : set.second) {
      const auto found = owners.find(r);
      if (found == owners.end())
        return 0;
      fewest = std::min(fewest, found->second);
    }
    return fewest;
  }

  std::vector<std::uint32_t> shortest_first() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < list_.size(); ++i)
      if (uses_[i] == term_use::open && list_[i].order.empty() && list_[i].operands.size() >= 2)
        out.push_back(i);
    std::ranges::stable_sort(out, {}, [&](std::uint32_t i) { return list_[i].operands.size(); });
    return out;
  }

  bool commutes(const term& x) const { return g_.reducers()[index(x.by)].commutative; }

  void try_link(std::uint32_t number) {
    const term& x = list_[number];
    const std::size_t n = x.operands.size();
    const set_by set = set_of(x);
    if (set.second.size() != n)
      return;
    const bool inclusive = std::ranges::binary_search(set.second, x.destination);
    if (inclusive && !commutes(x) && x.operands.back().rank != x.destination)
      return;
    if (inclusive && n >= smallest_of_all && owners_.at(set).at(x.destination) <= everybody_has(set))
      return;
    const std::optional<link> made = n == 2 ? shortest(number, inclusive) : longer(number, inclusive);
    if (!made)
      return;
    at_[{x.destination, n, inclusive}].push_back(static_cast<std::uint32_t>(links_.size()));
    if (made->before != link::none)
      links_[made->before].goes_on = true;
    links_.push_back(*made);
    linked_.insert(number);
  }

  std::optional<link> shortest(std::uint32_t number, bool inclusive) {
    const term& x = list_[number];
    const operand &a = x.operands.front(), &b = x.operands.back();
    if (inclusive)
      return link{.term = number, .first = a.rank == x.destination ? b.rank : a.rank};
    // The second member has the operand of the first one as it is; who that is, the order of operands says or the message.
    if (gets(a, b.rank, x.length))
      return link{.term = number, .first = a.rank, .second = b.rank};
    if (commutes(x) && gets(b, a.rank, x.length))
      return link{.term = number, .first = b.rank, .second = a.rank};
    return std::nullopt;
  }

  bool gets(const operand& from, rank_id to, std::uint64_t length) {
    for (const std::vector<transfer>* all : {&t_.kept, &t_.list}) {
      const auto arrive = std::ranges::equal_range(*all, to, {}, &transfer::destination);
      count(arrive.size());
      for (const transfer& x : arrive)
        if (x.source == from.rank && x.source_address < from.address + length &&
            from.address < x.source_address + x.length)
          return true;
    }
    return false;
  }

  std::optional<link> longer(std::uint32_t number, bool inclusive) {
    const term& x = list_[number];
    for (std::size_t i = 0; i < x.operands.size(); ++i) {
      const rank_id last = x.operands[i].rank; // of those before the destination
      if (inclusive && last == x.destination)
        continue;
      count(1);
      const auto there = at_.find({last, x.operands.size() - 1, inclusive});
      if (there == at_.end())
        continue;
      for (const std::uint32_t before : there->second)
        if (continues(x, inclusive ? x.destination : last, list_[links_[before].term]))
          return link{.term = number, .before = before};
    }
    return std::nullopt;
  }

  /// Whether the operands are those of `shorter` and one of `added`, in this order if that counts: where terms are cut at other bytes all
  /// addresses differ by the same.
  bool continues(const term& x, rank_id added, const term& shorter) {
    if (x.by != shorter.by || (!commutes(x) && x.operands.back().rank != added))
      return false;
    std::optional<std::uint64_t> distance;
    std::size_t k = 0;
    for (const operand& o : x.operands) {
      count(1);
      if (o.rank == added)
        continue;
      if (k == shorter.operands.size() || shorter.operands[k].rank != o.rank)
        return false;
      const std::uint64_t here = o.address - shorter.operands[k].address;
      if (distance.value_or(here) != here)
        return false;
      distance = here;
      ++k;
    }
    return k == shorter.operands.size();
  }

  ranks_in_order members_up_to(std::uint32_t number) const {
    ranks_in_order out;
    for (; number != link::none; number = links_[number].before) {
      const link& l = links_[number];
      out.push_back(list_[l.term].destination);
      if (l.second != no_rank)
        out.push_back(l.second);
      if (l.first != no_rank)
        out.push_back(l.first);
    }
    std::ranges::reverse(out);
    return out;
  }

  /// What is combined and is neither of a chain nor of a group that is known or has all of it.
  void note_strays() {
    std::set<std::vector<rank_id>> known;
    for (const communicator& c : g_.communicators()) {
      std::vector<rank_id> members = c.members;
      std::ranges::sort(members);
      known.insert(std::move(members));
    }
    std::set<std::pair<set_by, std::size_t>> seen;
    strays_of_.resize(g_.ranks());
    for (std::uint32_t i = 0; i < list_.size(); ++i) {
      if (uses_[i] == term_use::taken || linked_.contains(i))
        continue;
      set_by set = set_of(list_[i]);
      const std::size_t n = list_[i].operands.size();
      const bool has_reason =
          n == set.second.size() && (known.contains(set.second) || everybody_has(set) > 0);
      if (has_reason || !seen.emplace(set, n).second)
        continue;
      for (const rank_id r : set.second)
        if (!is_computed(g_, r))
          strays_of_[index(r)].push_back(strays_.size());
      strays_.emplace_back(std::move(set), n);
    }
  }

  /// No others of as many operands have some of these ranks.
  bool stands_alone(const ranks_in_order& group, std::uint32_t end) {
    const term& longest = list_[links_[end].term];
    ranks_in_order members = group;
    std::ranges::sort(members);
    for (const rank_id r : members)
      for (const std::size_t s : strays_of_[index(r)]) {
        const auto& [set, operands] = strays_[s];
        count(members.size() + set.second.size());
        if (set.first == longest.by && operands >= longest.operands.size() &&
            !std::ranges::includes(members, set.second))
          return false;
      }
    return true;
  }

  const graph& g_;
  const transfers& t_;
  std::span<const term> list_;
  std::span<const term_use> uses_;
  std::size_t smallest_;
  std::size_t steps_left_ = 0;
  std::map<set_by, std::map<rank_id, std::uint64_t>> owners_; ///< bytes of each
  std::vector<link> links_;                                   ///< shorter ones first
  std::set<std::uint32_t> linked_;                            ///< terms
  std::map<place, std::vector<std::uint32_t>> at_;            ///< links
  std::vector<std::pair<set_by, std::size_t>>
      strays_; ///< with the number of operands, of which one rank may have several
  std::vector<std::vector<std::size_t>> strays_of_; ///< by rank
};

} // namespace

std::vector<std::vector<rank_id>> scan_groups(const graph& g, const transfers& t, std::span<const term> list,
                                              std::span<const term_use> uses, std::uint32_t smallest) {
  try {
    return chain_search(g, t, list, uses, smallest).run();
  } catch (const over_limit&) {
    return {};
  }
}

} // namespace tacit::graphs
