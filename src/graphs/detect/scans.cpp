// Problem: the terms of a scan differ from member to member, so they do not meet on one axis as those of a reduction do. Idea: the
// longest one, at the last member, says where the operands of all lie, and so which terms the others must have: the operands of
// a shorter one begin as its do. On the axis of the first member's operands the terms of all members are cut where one of
// them begins or ends; between two cuts there is a scan if every member has a term. In an exclusive scan the second member gets the first
// one's operand as it is, which is no term but a transfer.
//
// Cost O(operands of the terms at members · log) for each group that terms can belong to; others cost their number of members.
#include "graphs/detect/scans.h"

#include "graphs/detect/scan_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Operands of the first members: where elements begin, and how far each is from the first.
struct prefix {
  reducer_id by;
  std::uint64_t phase;
  std::vector<std::uint64_t> distances;
  friend auto operator<=>(const prefix&, const prefix&) = default;
};

enum class item_kind : std::uint8_t { term, transfer, kept };

/// What a member has of bytes [begin, end) of the axis.
struct range {
  std::uint64_t begin, end;
  item_kind kind;
  std::uint32_t item;
  std::uint64_t offset;  ///< in the item
  std::uint64_t address; ///< of the result
};

struct interval {
  std::uint64_t begin, end;
};

class scan_search {
public:
  scan_search(const graph& g, const transfers& t, const std::vector<term>& list,
              const std::vector<bool>& refused)
      : g_(g), t_(t), list_(list), refused_(refused), position_(g.ranks(), nowhere) {
    taken_[0].resize(list.size());
    out_.missed_by.assign(list.size(), scans::no_miss);
  }

  scans run(const detect_options& options, operand_groups& groups) {
    for (const comm_id comm : by_size()) {
      const std::vector<rank_id>& members = g_.communicators()[index(comm)].members;
      if (members.size() < std::max(options.smallest_group, 3u))
        break;
      search(comm, members);
    }
    is_guess_ = true;
    if (options.subgroups)
      for (const std::vector<rank_id>& members : scan_groups(g_, t_, list_, uses(), options.smallest_group))
        if (const std::optional<comm_id> comm = groups.guess(members))
          search(*comm, members);
    for (std::uint32_t i = 0; i < list_.size(); ++i)
      if (!refused_[list_[i].part])
        for (const interval& free : free_of(taken_[0][i], list_[i].length))
          out_.rest.push_back({i, free.begin, free.end - free.begin});
    return std::move(out_);
  }

private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  using ranges = std::vector<range>;
  using prefixes = std::map<prefix, ranges>;

  /// Largest first; of those of one size the one that was made first.
  std::vector<comm_id> by_size() const {
    std::vector<comm_id> out;
    for (std::uint32_t c = 0; c < g_.communicators().size(); ++c)
      out.push_back(comm_id{static_cast<std::uint16_t>(c)});
    std::stable_sort(out.begin(), out.end(), [&](comm_id a, comm_id b) {
      return g_.communicators()[index(a)].members.size() > g_.communicators()[index(b)].members.size();
    });
    return out;
  }

  static std::vector<interval> free_of(std::vector<interval>& taken, std::uint64_t length) {
    std::sort(taken.begin(), taken.end(),
              [](const interval& a, const interval& b) { return a.begin < b.begin; });
    std::vector<interval> out;
    std::uint64_t at = 0;
    for (const interval& x : taken) {
      if (at < x.begin)
        out.push_back({at, x.begin});
      at = x.end;
    }
    if (at < length)
      out.push_back({at, length});
    return out;
  }

  /// Of each term, for those who guess.
  std::vector<term_use> uses() {
    std::vector<term_use> out;
    for (std::uint32_t i = 0; i < list_.size(); ++i)
      if (refused_[list_[i].part])
        out.push_back(term_use::refused);
      else
        out.push_back(free_of(taken_[0][i], list_[i].length).empty() ? term_use::taken : term_use::open);
    return out;
  }

  void search(comm_id comm, std::span<const rank_id> members) {
    members_ = members;
    for (std::uint32_t i = 0; i < members.size(); ++i)
      position_[index(members[i])] = i;
    search(comm);
    for (const rank_id r : members)
      position_[index(r)] = nowhere;
  }

  void search(comm_id comm) {
    prefixes up_to, before;
    for (std::size_t at = 0; at < members_.size(); ++at)
      for (const term& x : std::ranges::equal_range(list_, members_[at], {}, &term::destination)) {
        const auto number = static_cast<std::uint32_t>(&x - list_.data());
        if (refused_[x.part] || !x.order.empty())
          continue;
        if (x.operands.size() == at + std::size_t{1})
          add(number, up_to);
        else if (x.operands.size() == at)
          add(number, before);
      }
    const std::size_t n = members_.size();
    for (const auto& [longest, unused] : up_to)
      if (longest.distances.size() == n)
        combine(comm, pattern::scan, longest, up_to);
    for (const auto& [longest, unused] : before)
      if (longest.distances.size() + 1 == n)
        combine(comm, pattern::exscan, longest, before);
  }

  /// If the operands are those of the first members, in their order if that counts.
  void add(std::uint32_t number, prefixes& all) {
    const term& x = list_[number];
    const reducer& r = g_.reducers()[index(x.by)];
    const std::size_t n = x.operands.size();
    std::vector<std::uint64_t> addresses(n);
    std::vector<bool> known(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t at = position_[index(x.operands[i].rank)];
      if (at >= n || known[at] || (!r.commutative && at != i))
        return;
      known[at] = true;
      addresses[at] = x.operands[i].address;
    }
    const std::uint64_t first = addresses.front();
    for (std::uint64_t& a : addresses)
      a -= first;
    ranges& mine = all[{x.by, first % r.element, std::move(addresses)}];
    for (const interval& free : free_of(taken_[0][number], x.length))
      mine.push_back({first + free.begin, first + free.end, item_kind::term, number, free.begin,
                      x.destination_address + free.begin});
  }

  /// What the second member gets of the first one's bytes, in whole elements.
  ranges moves(rank_id from, rank_id to, std::uint64_t phase, std::uint64_t element) {
    ranges out;
    for (const item_kind kind : {item_kind::kept, item_kind::transfer}) {
      const std::vector<transfer>& all = kind == item_kind::kept ? t_.kept : t_.list;
      const auto first =
          std::partition_point(all.begin(), all.end(), [&](const transfer& x) { return x.destination < to; });
      for (auto x = first; x != all.end() && x->destination == to; ++x) {
        const auto number = static_cast<std::uint32_t>(x - all.begin());
        if (x->source != from || (kind == item_kind::kept && refused_[t_.kept_part[number]]))
          continue;
        for (const interval& free : free_of(taken_of(kind, number), x->length)) {
          const std::uint64_t begin = x->source_address + free.begin, end = x->source_address + free.end;
          const std::uint64_t skipped = (phase + element - begin % element) % element;
          if (begin + skipped >= end)
            continue;
          const std::uint64_t whole = (end - begin - skipped) / element * element;
          if (whole > 0)
            out.push_back({begin + skipped, begin + skipped + whole, kind, number, free.begin + skipped,
                           x->destination_address + free.begin + skipped});
        }
      }
    }
    return out;
  }

  std::vector<interval>& taken_of(item_kind kind, std::uint32_t item) {
    std::vector<std::vector<interval>>& all = taken_[static_cast<std::size_t>(kind)];
    if (all.size() <= item)
      all.resize(item + std::size_t{1});
    return all[item];
  }

  void combine(comm_id comm, pattern kind, const prefix& longest, const prefixes& all) {
    std::vector<ranges> of_member; // from the second on
    for (std::size_t i = 1; i < members_.size(); ++i) {
      const std::size_t operands = kind == pattern::scan ? i + 1 : i;
      if (operands == 1) {
        of_member.push_back(
            moves(members_[0], members_[1], longest.phase, g_.reducers()[index(longest.by)].element));
      } else {
        const auto found = all.find(
            {longest.by,
             longest.phase,
             {longest.distances.begin(), longest.distances.begin() + static_cast<std::ptrdiff_t>(operands)}});
        of_member.push_back(found == all.end() ? ranges{} : untaken(found->second));
      }
    }
    for (ranges& list : of_member)
      std::stable_sort(list.begin(), list.end(),
                       [](const range& a, const range& b) { return a.begin < b.begin; });
    sweep(comm, kind, longest, of_member);
  }

  /// Scans with another tail may have taken some since the ranges were made.
  ranges untaken(const ranges& list) {
    ranges out;
    for (const range& x : list)
      for (const interval& free : free_of(taken_of(x.kind, x.item), list_[x.item].length)) {
        const std::uint64_t begin = std::max(free.begin, x.offset),
                            end = std::min(free.end, x.offset + (x.end - x.begin));
        if (begin < end)
          out.push_back({x.begin + (begin - x.offset), x.begin + (end - x.offset), x.kind, x.item, begin,
                         x.address + (begin - x.offset)});
      }
    return out;
  }

  void sweep(comm_id comm, pattern kind, const prefix& longest, const std::vector<ranges>& of_member) {
    std::vector<std::uint64_t> cuts;
    for (const ranges& list : of_member)
      for (const range& x : list) {
        cuts.push_back(x.begin);
        cuts.push_back(x.end);
      }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<std::size_t> low(of_member.size(), 0);
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      std::vector<const range*> chosen;
      for (std::size_t m = 0; m < of_member.size(); ++m)
        chosen.push_back(covering(of_member[m], low[m], cuts[c], cuts[c + 1]));
      const auto without = std::find(chosen.begin(), chosen.end(), nullptr);
      if (without == chosen.end())
        take(comm, kind, longest, chosen, {cuts[c], cuts[c + 1]});
      else
        miss(comm, kind, chosen, static_cast<std::size_t>(without - chosen.begin()) + 1,
             cuts[c + 1] - cuts[c]);
    }
  }

  static const range* covering(const ranges& list, std::size_t& low, std::uint64_t begin, std::uint64_t end) {
    while (low < list.size() && list[low].end <= begin)
      ++low;
    for (std::size_t i = low; i < list.size() && list[i].begin <= begin; ++i)
      if (list[i].end >= end)
        return &list[i];
    return nullptr;
  }

  void take(comm_id comm, pattern kind, const prefix& longest, const std::vector<const range*>& chosen,
            interval where) {
    scan_piece made{kind, comm, longest.by, {}};
    made.piece.length = where.end - where.begin;
    for (const std::uint64_t distance : longest.distances)
      made.piece.operands.push_back(where.begin + distance);
    made.piece.results.push_back(0);
    for (const range* x : chosen) {
      const std::uint64_t inside = where.begin - x->begin, offset = x->offset + inside;
      made.piece.results.push_back(x->address + inside);
      taken_of(x->kind, x->item).push_back({offset, offset + made.piece.length});
      if (x->kind != item_kind::term)
        (x->kind == item_kind::kept ? out_.moved_of_kept : out_.moved)
            .push_back({x->item, offset, made.piece.length});
    }
    out_.found.push_back(std::move(made));
  }

  void miss(comm_id comm, pattern kind, const std::vector<const range*>& chosen, std::size_t member,
            std::uint64_t bytes) {
    if (is_guess_) // what only looks like a scan may be something else of these ranks
      return;
    const rank_id without = members_[member];
    bool noted = false;
    for (const range* x : chosen) {
      if (!x || x->kind != item_kind::term || out_.missed_by[x->item] != scans::no_miss)
        continue;
      if (!noted)
        out_.missed.push_back({kind, comm,
                               fmt::format("of {} B that others have of one among {} ranks, rank {} has none",
                                           bytes, chosen.size() + 1, index(without))});
      noted = true;
      out_.missed_by[x->item] = static_cast<std::uint32_t>(out_.missed.size() - 1);
    }
  }

  const graph& g_;
  const transfers& t_;
  const std::vector<term>& list_;
  const std::vector<bool>& refused_;
  std::span<const rank_id> members_;            ///< of the group that is looked at,
  std::vector<std::uint32_t> position_;         ///< and where in it a rank stands
  bool is_guess_ = false;                       ///< no communicator has it
  std::vector<std::vector<interval>> taken_[3]; ///< by kind and number of the item
  scans out_;
};

} // namespace

scans find_scans(const graph& g, const transfers& t, const std::vector<term>& list,
                 const std::vector<bool>& refused, const detect_options& options, operand_groups& groups) {
  return scan_search(g, t, list, refused).run(options, groups);
}

} // namespace tacit::graphs
