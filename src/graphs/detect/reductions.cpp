// Idea: a part of the graph (flow/separate.h) is explained if every byte that it leaves is moved or belongs to a collective. So each
// term is looked at by itself first: one operator, an operand of each member of some communicator, an order that does not matter.
// Terms that combine the same elements then lie on one axis, the operand's addresses at the first member, and the axis is cut where
// one of them begins or ends. What reaches every member once is an allreduce, what reaches one is a reduce; reduces to all or nearly
// all members are one reduce-scatter. Before that, scans take what is theirs (scans.h): on some smaller communicator each of their
// terms would be a reduction by itself. Terms that must keep their order meet only others of the same order, and no scans. Parts can share a
// collective, as each rank's own sum of an exchange is a part by itself; so when a part turns out not to be explained, the others are
// looked at anew without it. Each round refuses at least one part.
//
// Ranks that no communicator has are a guess (detect_options::subgroups). What they combine is taken if all of them get it, as rows of
// a grid do, or if they are four or more and no member is in another such group: where each rank adds up what its neighbors have,
// the groups overlap. Of scans, whose terms have other ranks each, scan_groups.h says which groups they might be of.
//
// Cost O(operands written out · log) a round; nearly always there is one round.
#include "graphs/detect/reductions.h"

#include "graphs/detect/operand_groups.h"
#include "graphs/detect/scans.h"
#include "graphs/flow/terms.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tacit::graphs {
namespace {

constexpr std::uint64_t most_operands = std::uint64_t{1} << 22;
constexpr std::size_t most_refusals = 8;
/// Of a guess whose members do not all get the result: two messages are no pattern.
constexpr std::size_t smallest_rooted = 4;

/// What combines the same elements: the addresses differ from one member to the next as they do in all others.
struct axis {
  reducer_id by;
  comm_id comm;
  std::uint32_t order; ///< number of it; 0: any
  std::uint64_t phase; ///< where elements begin
  std::vector<std::uint64_t> distances;
  friend auto operator<=>(const axis&, const axis&) = default;
};

/// A term on its axis.
struct use {
  std::uint64_t begin, end;
  rank_id rank;
  std::uint64_t address; ///< of the result's byte `begin`
  std::uint32_t part;
};

class reduction_search {
public:
  reduction_search(const graph& g, const transfers& t, const detect_options& options, bool reassociate)
      : g_(g), t_(t), options_(options), reassociate_(reassociate), groups_(g) {
    for (const std::uint32_t part : t.part_of_kept)
      parts_ = std::max(parts_, part + 1);
    refused_.assign(parts_, false);
    combines_.assign(parts_, false);
    for (std::size_t i = 0; i < t.kept_operations.size(); ++i)
      combines_[t.part_of_kept[i]] = combines_[t.part_of_kept[i]] || g.reduces(t.kept_operations[i]);
  }

  combining run() {
    terms all = terms_of(g_, t_, most_operands);
    if (!all.complete) {
      out_.refused.push_back({pattern::allreduce, world, reason::not_searched,
                              fmt::format("more than {} operands", most_operands)});
      return std::move(out_);
    }
    list_ = std::move(all.list);
    if (reassociate_)
      for (term& x : list_)
        x.order.clear();
    refuse_unknown(all.other_parts);
    keep_computations();
    for (const term& x : list_)
      refuse_operator(x);
    std::size_t refused_before = 0;
    do {
      refused_before = refusals_;
      look();
      refuse_poor_guesses();
    } while (refusals_ > refused_before);
    finish();
    return std::move(out_);
  }

private:
  void refuse(std::uint32_t part, comm_id comm, reason why, std::string detail,
              pattern kind = pattern::allreduce) {
    if (refused_[part])
      return;
    refused_[part] = true;
    if (combines_[part] && ++refusals_ <= most_refusals)
      out_.refused.push_back({kind, comm, why, std::move(detail)});
  }

  void refuse_unknown(const std::vector<std::uint32_t>& other_parts) {
    for (std::size_t i = 0; i < t_.kept.size(); ++i)
      if (t_.kept[i].source == no_rank)
        refuse(t_.kept_part[i], world, reason::opaque_reaches_output,
               fmt::format("{} B at {:#x} of rank {} are computed", t_.kept[i].length,
                           t_.kept[i].destination_address, index(t_.kept[i].destination)));
    for (const std::uint32_t part : other_parts)
      refuse(part, world, reason::no_term,
             "bytes that are left are not whole elements combined by one operator from bytes of the ranks");
  }

  /// They run where they stand, be what they leave behind live or not.
  void keep_computations() {
    for (std::size_t i = 0; g_.has_computations() && i < t_.kept_operations.size(); ++i)
      if (g_[t_.kept_operations[i]].kind == op_kind::opaque)
        refuse(t_.part_of_kept[i], world, reason::opaque_reaches_output,
               describe(g_, t_.kept_operations[i]) + " is the program's own code");
  }

  void refuse_operator(const term& x) {
    const reducer& r = g_.reducers()[index(x.by)];
    if (!r.anywhere)
      refuse(x.part, world, reason::private_operator, describe(r));
    else if (!x.order.empty() && (r.varies || !options_.ordered))
      refuse(x.part, world, reason::order_kept, describe(g_, x));
  }

  /// All of what no part that is refused leaves.
  void look() {
    found_.clear();
    axes_.clear();
    scans_ = find_scans(g_, t_, list_, refused_, options_, groups_);
    for (scan_piece& x : scans_.found)
      found_[{x.kind, x.comm, no_rank, x.by, 0}].push_back(std::move(x.piece));
    for (const part_of_item& x : scans_.rest)
      place(x);
    for (const auto& [where, uses] : axes_)
      sweep(where, uses);
  }

  /// Of a refusal: a guess that nothing is found for has no name.
  comm_id named(comm_id comm) const { return groups_.is_guess(comm) ? world : comm; }

  /// Puts what no scan has of a term on its axis, or refuses its part.
  void place(const part_of_item& of) {
    const term& x = list_[of.item];
    const reducer& r = g_.reducers()[index(x.by)];
    const bool ordered = !x.order.empty();
    std::vector<operand> by_rank = x.operands;
    if (ordered)
      std::sort(by_rank.begin(), by_rank.end());
    std::optional<comm_id> comm = groups_.known(by_rank, r.commutative || ordered);
    if (!comm && options_.subgroups && scans_.missed_by[of.item] == scans::no_miss)
      comm = groups_.guess(by_rank, x.destination);
    if (!comm)
      return refuse_without_group(of);
    if (x.operands.size() < std::max(options_.smallest_group, 2u))
      return refuse(x.part, named(*comm), reason::trivial_group,
                    fmt::format("{} rank(s)", x.operands.size()));
    const std::vector<rank_id>& members = groups_.members(*comm);
    std::map<rank_id, std::uint64_t> address;
    for (const operand& o : x.operands)
      address[o.rank] = o.address;
    const std::uint64_t first = address[members.front()];
    axis where{x.by, *comm, ordered ? number_of_order(x, members) : 0, first % r.element, {}};
    for (const rank_id m : members)
      where.distances.push_back(address[m] - first);
    axes_[where].push_back({first + of.offset, first + of.offset + of.length, x.destination,
                            x.destination_address + of.offset, x.part});
  }

  /// Of the term's order by positions in the group, from 1 on.
  std::uint32_t number_of_order(const term& x, const std::vector<rank_id>& members) {
    std::map<rank_id, std::uint32_t> position;
    for (std::uint32_t i = 0; i < members.size(); ++i)
      position[members[i]] = i;
    evaluation e = x.order;
    for (std::uint32_t& number : e)
      if (number != combine_both)
        number = position[x.operands[number].rank];
    const auto [known, fresh] = order_numbers_.try_emplace(std::move(e), orders_.size() + 1);
    if (fresh)
      orders_.push_back(&known->first);
    return known->second;
  }

  void refuse_without_group(const part_of_item& of) {
    const term& x = list_[of.item];
    if (!x.order.empty())
      return refuse(x.part, world, reason::order_kept, describe(g_, x));
    if (const std::uint32_t miss = scans_.missed_by[of.item]; miss != scans::no_miss) {
      const scan_missed& m = scans_.missed[miss];
      return refuse(x.part, m.comm, reason::no_common_block, m.detail, m.kind);
    }
    refuse(x.part, world, reason::no_group,
           fmt::format("{} B at rank {} are the {}", of.length, index(x.destination), describe(g_, x)));
  }

  void sweep(const axis& where, const std::vector<use>& all) {
    std::vector<use> uses;
    std::vector<std::uint64_t> cuts;
    for (const use& u : all)
      if (!refused_[u.part]) {
        uses.push_back(u);
        cuts.push_back(u.begin);
        cuts.push_back(u.end);
      }
    std::sort(uses.begin(), uses.end(), [](const use& a, const use& b) { return a.begin < b.begin; });
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<use> here;
    auto next = uses.begin();
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::erase_if(here, [&](const use& u) { return u.end <= cuts[i]; });
      for (; next != uses.end() && next->begin == cuts[i]; ++next)
        here.push_back(*next);
      if (!here.empty())
        classify(where, here, cuts[i], cuts[i + 1]);
    }
  }

  void classify(const axis& where, const std::vector<use>& here, std::uint64_t begin, std::uint64_t end) {
    const std::vector<rank_id>& members = groups_.members(where.comm);
    std::map<rank_id, std::uint64_t> results;
    for (const use& u : here)
      results.emplace(u.rank, u.address + (begin - u.begin));
    const bool once = results.size() == here.size();
    const auto is_member = [&](rank_id r) {
      return std::find(members.begin(), members.end(), r) != members.end();
    };
    const bool for_all =
        once && here.size() == members.size() &&
        std::all_of(members.begin(), members.end(), [&](rank_id r) { return results.contains(r); });
    const bool for_one = here.size() == 1 && is_member(here.front().rank);
    if (!for_all && !for_one) {
      for (const use& u : here)
        refuse(u.part, named(where.comm), reason::no_common_block,
               fmt::format("{} B combined of {} ranks reach {} of them{}", end - begin, members.size(),
                           results.size(), once ? "" : ", some twice"));
      return;
    }
    combined_piece piece;
    piece.length = end - begin;
    for (const std::uint64_t distance : where.distances)
      piece.operands.push_back(begin + distance);
    if (for_all)
      for (const rank_id r : members)
        piece.results.push_back(results[r]);
    else
      piece.results.push_back(results.begin()->second);
    const rank_id root = for_all ? no_rank : here.front().rank;
    found_[{for_all ? pattern::allreduce : pattern::reduce, where.comm, root, where.by, where.order}]
        .push_back(std::move(piece));
  }

  /// Sums over neighbors look like reduces of overlapping groups.
  void refuse_poor_guesses() {
    std::set<comm_id> reduced;                    // of which not all get all
    std::vector<std::uint32_t> in(g_.ranks(), 0); // so many of them
    for (const auto& [key, pieces] : found_)
      if (const auto& [kind, comm, root, by, order] = key; groups_.is_guess(comm) && kind == pattern::reduce)
        reduced.insert(comm);
    for (const comm_id comm : reduced)
      for (const rank_id r : groups_.members(comm))
        ++in[index(r)];
    for (const auto& [where, uses] : axes_) {
      if (!reduced.contains(where.comm))
        continue;
      const std::vector<rank_id>& members = groups_.members(where.comm);
      const bool alone = std::ranges::all_of(members, [&](rank_id r) { return in[index(r)] == 1; });
      if (alone && members.size() >= smallest_rooted)
        continue;
      for (const use& u : uses)
        refuse(u.part, world, reason::no_group,
               fmt::format("{} B at rank {} are combined of {} ranks that no communicator has{}",
                           u.end - u.begin, index(u.rank), members.size(),
                           alone ? "" : ", and other such groups share some"));
    }
  }

  void finish() {
    out_.any = refusals_ < parts_;
    if (!out_.any)
      return;
    join_reduces();
    for (auto& [key, pieces] : found_) {
      finding f;
      std::uint32_t order = 0;
      std::tie(f.kind, f.comm, f.root, f.by, order) = key;
      f.comm = groups_.keep(f.comm, out_.groups);
      if (order > 0)
        f.order = *orders_[order - 1];
      std::sort(pieces.begin(), pieces.end(), [](const combined_piece& a, const combined_piece& b) {
        return std::tie(a.operands, a.results, a.owner) < std::tie(b.operands, b.results, b.owner);
      });
      f.blocks = static_cast<std::uint32_t>(pieces.size());
      std::map<rank_id, std::uint64_t> length; // of each block
      for (const combined_piece& p : pieces)
        length[p.owner] += p.length;
      for (const auto& [owner, bytes] : length)
        f.bytes = std::max(f.bytes, bytes);
      f.combined = std::move(pieces);
      out_.found.push_back(std::move(f));
    }
    lift();
  }

  /// Reduces of the same members to as many of them as a vector collective must have are one reduce-scatter.
  void join_reduces() {
    std::map<std::tuple<comm_id, reducer_id, std::uint32_t>, std::vector<rank_id>> roots;
    for (const auto& [key, pieces] : found_)
      if (const auto& [kind, comm, root, by, order] = key; kind == pattern::reduce)
        roots[{comm, by, order}].push_back(root);
    for (const auto& [of, list] : roots) {
      const auto& [comm, by, order] = of;
      const std::size_t n = groups_.members(comm).size();
      const auto length = [&](rank_id root) {
        std::uint64_t all = 0;
        for (const combined_piece& p : found_[{pattern::reduce, comm, root, by, order}])
          all += p.length;
        return all;
      };
      const bool alike = list.size() == n && std::all_of(list.begin(), list.end(), [&](rank_id root) {
                           return length(root) == length(list.front());
                         });
      const double wanted = std::ceil(options_.density * static_cast<double>(n));
      const bool enough = options_.vector_forms && static_cast<double>(list.size()) >= wanted;
      if (list.size() < 2 || !(alike || enough))
        continue;
      auto& together =
          found_[{alike ? pattern::reduce_scatter_block : pattern::reduce_scatter, comm, no_rank, by, order}];
      for (const rank_id root : list) {
        const auto one = found_.find({pattern::reduce, comm, root, by, order});
        for (combined_piece& p : one->second) {
          p.owner = root;
          together.push_back(std::move(p));
        }
        found_.erase(one);
      }
    }
  }

  /// Appends what exclusive scans have left of a transfer to `rest`.
  static void append_rest(const transfer& x, std::vector<part_of_item>::const_iterator& taken,
                          std::vector<part_of_item>::const_iterator end, std::uint32_t number,
                          std::vector<transfer>& rest) {
    std::uint64_t at = 0;
    const auto until = [&](std::uint64_t to) {
      if (at < to)
        rest.push_back({x.destination_address + at, x.source_address + at, to - at, x.source, x.destination});
    };
    for (; taken != end && taken->item == number; ++taken) {
      until(taken->offset);
      at = taken->offset + taken->length;
    }
    until(x.length);
  }

  static void sort(std::vector<part_of_item>& list) {
    std::sort(list.begin(), list.end(), [](const part_of_item& a, const part_of_item& b) {
      return std::tie(a.item, a.offset) < std::tie(b.item, b.offset);
    });
  }

  /// What explained parts only move is moved like all else; nobody keeps their operations.
  void lift() {
    transfers& rest = out_.rest;
    rest = t_;
    rest.kept.clear();
    rest.kept_part.clear();
    sort(scans_.moved);
    sort(scans_.moved_of_kept);
    if (auto taken = scans_.moved.cbegin(); taken != scans_.moved.cend()) {
      rest.list.clear();
      for (std::uint32_t i = 0; i < t_.list.size(); ++i)
        append_rest(t_.list[i], taken, scans_.moved.cend(), i, rest.list);
    }
    auto taken = scans_.moved_of_kept.cbegin();
    for (std::uint32_t i = 0; i < t_.kept.size(); ++i) {
      const transfer& x = t_.kept[i];
      if (refused_[t_.kept_part[i]]) {
        rest.kept.push_back(x);
        rest.kept_part.push_back(t_.kept_part[i]);
      } else if (x.source != combined) {
        append_rest(x, taken, scans_.moved_of_kept.cend(), i, rest.list);
      }
    }
    std::sort(rest.list.begin(), rest.list.end(), [](const transfer& a, const transfer& b) {
      return std::tie(a.destination, a.destination_address) < std::tie(b.destination, b.destination_address);
    });
    std::size_t last = 0;
    for (std::size_t i = 1; i < rest.list.size(); ++i) {
      transfer& a = rest.list[last];
      const transfer& b = rest.list[i];
      if (a.destination == b.destination && a.source == b.source && a.source != no_rank &&
          a.destination_address + a.length == b.destination_address &&
          a.source_address + a.length == b.source_address)
        a.length += b.length;
      else
        rest.list[++last] = b;
    }
    if (!rest.list.empty())
      rest.list.resize(last + 1);
    rest.kept_operations.clear();
    rest.part_of_kept.clear();
    for (std::size_t i = 0; i < t_.kept_operations.size(); ++i)
      if (refused_[t_.part_of_kept[i]]) {
        rest.kept_operations.push_back(t_.kept_operations[i]);
        rest.part_of_kept.push_back(t_.part_of_kept[i]);
      }
  }

  using finding_key = std::tuple<pattern, comm_id, rank_id, reducer_id, std::uint32_t>; ///< last: the order
  const graph& g_;
  const transfers& t_;
  const detect_options& options_;
  bool reassociate_;
  std::vector<term> list_;
  scans scans_; ///< of the last look
  std::uint32_t parts_ = 0;
  std::vector<bool> refused_;  ///< by part
  std::vector<bool> combines_; ///< by part: it has reductions
  std::size_t refusals_ = 0;
  operand_groups groups_;
  std::map<evaluation, std::uint32_t> order_numbers_;
  std::vector<const evaluation*> orders_;
  std::map<axis, std::vector<use>> axes_;
  std::map<finding_key, std::vector<combined_piece>> found_;
  combining out_;
};

} // namespace

combining find_reductions(const graph& g, const transfers& t, const detect_options& options,
                          bool reassociate) {
  if (!t.complete || t.reductions.empty())
    return {};
  return reduction_search(g, t, options, reassociate).run();
}

} // namespace tacit::graphs
