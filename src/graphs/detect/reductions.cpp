// Idea: a part of the graph (flow/separate.h) is explained if every byte that it leaves is moved or belongs to a collective. So each
// term is looked at by itself first: one operator, an operand of each member of some communicator, an order that does not matter.
// Terms that combine the same elements then lie on one axis, the operand's addresses at the first member, and the axis is cut where
// one of them begins or ends. What reaches every member once is an allreduce, what reaches one is a reduce. Parts can share a
// collective, as each rank's own sum of an exchange is a part by itself; so when a part turns out not to be explained, the others are
// looked at anew without it. Each round refuses at least one part.
//
// Cost O(operands written out · log) a round; nearly always there is one round.
#include "graphs/detect/reductions.h"

#include "graphs/flow/terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tacit::graphs {
namespace {

constexpr std::uint64_t most_operands = std::uint64_t{1} << 22;
constexpr std::size_t most_refusals = 8;

/// What combines the same elements: the addresses differ from one member to the next as they do in all others.
struct axis {
  reducer_id by;
  comm_id comm;
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
      : g_(g), t_(t), options_(options), reassociate_(reassociate) {
    for (const std::uint32_t part : t.part_of_kept)
      parts_ = std::max(parts_, part + 1);
    refused_.assign(parts_, false);
  }

  combining run() {
    const terms all = terms_of(g_, t_, most_operands);
    if (!all.complete) {
      out_.refused.push_back({pattern::allreduce, world, reason::not_searched,
                              fmt::format("more than {} operands", most_operands)});
      return std::move(out_);
    }
    for (std::size_t i = 0; i < t_.kept.size(); ++i)
      if (t_.kept[i].source == no_rank)
        refuse(t_.kept_part[i], world, reason::opaque_reaches_output,
               fmt::format("{} B at {:#x} of rank {} are computed", t_.kept[i].length,
                           t_.kept[i].destination_address, index(t_.kept[i].destination)));
    for (const std::uint32_t part : all.other_parts)
      refuse(part, world, reason::no_term,
             "bytes that are left are not whole elements combined by one operator from bytes of the ranks");
    for (const term& x : all.list)
      place(x);
    std::size_t refused_before = 0;
    do {
      refused_before = refusals_;
      found_.clear();
      for (const auto& [where, uses] : axes_)
        sweep(where, uses);
    } while (refusals_ > refused_before);
    finish();
    return std::move(out_);
  }

private:
  void refuse(std::uint32_t part, comm_id comm, reason why, std::string detail) {
    if (refused_[part])
      return;
    refused_[part] = true;
    if (++refusals_ <= most_refusals)
      out_.refused.push_back({pattern::allreduce, comm, why, std::move(detail)});
  }

  /// The communicator whose members give the operands, and in its order if that counts; the first one.
  std::optional<comm_id> group_of(const std::vector<operand>& operands, bool commutative) {
    std::vector<rank_id> ranks;
    for (const operand& o : operands)
      ranks.push_back(o.rank);
    const auto [known, fresh] = groups_.try_emplace({ranks, commutative});
    for (std::uint32_t c = 0; fresh && c < g_.communicators().size() && !known->second; ++c) {
      std::vector<rank_id> members = g_.communicators()[c].members;
      if (commutative)
        std::sort(members.begin(), members.end());
      if (members == ranks)
        known->second = comm_id{static_cast<std::uint16_t>(c)};
    }
    return known->second;
  }

  /// Puts a term on its axis, or refuses its part.
  void place(const term& x) {
    const reducer& r = g_.reducers()[index(x.by)];
    if (!r.anywhere)
      return refuse(x.part, world, reason::private_operator, describe(r));
    if (r.rounds && !reassociate_)
      return refuse(x.part, world, reason::order_kept, describe(g_, x));
    const std::optional<comm_id> comm = group_of(x.operands, r.commutative);
    if (!comm)
      return refuse(
          x.part, world, reason::no_group,
          fmt::format("{} B at rank {} are the {}", x.length, index(x.destination), describe(g_, x)));
    if (x.operands.size() < std::max(options_.smallest_group, 2u))
      return refuse(x.part, *comm, reason::trivial_group, fmt::format("{} rank(s)", x.operands.size()));
    const std::vector<rank_id>& members = g_.communicators()[index(*comm)].members;
    std::map<rank_id, std::uint64_t> address;
    for (const operand& o : x.operands)
      address[o.rank] = o.address;
    const std::uint64_t begin = address[members.front()];
    axis where{x.by, *comm, begin % r.element, {}};
    for (const rank_id m : members)
      where.distances.push_back(address[m] - begin);
    axes_[where].push_back({begin, begin + x.length, x.destination, x.destination_address, x.part});
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
    const std::vector<rank_id>& members = g_.communicators()[index(where.comm)].members;
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
        refuse(u.part, where.comm, reason::no_common_block,
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
    found_[{for_all ? pattern::allreduce : pattern::reduce, where.comm, root, where.by}].push_back(
        std::move(piece));
  }

  void finish() {
    out_.any = refusals_ < parts_;
    if (!out_.any)
      return;
    for (auto& [key, pieces] : found_) {
      finding f;
      std::tie(f.kind, f.comm, f.root, f.by) = key;
      std::sort(pieces.begin(), pieces.end(), [](const combined_piece& a, const combined_piece& b) {
        return std::tie(a.operands, a.results) < std::tie(b.operands, b.results);
      });
      f.blocks = static_cast<std::uint32_t>(pieces.size());
      for (const combined_piece& p : pieces)
        f.bytes += p.length;
      f.combined = std::move(pieces);
      out_.found.push_back(std::move(f));
    }
    lift();
  }

  /// What explained parts only move is moved like all else; nobody keeps their operations.
  void lift() {
    transfers& rest = out_.rest;
    rest = t_;
    rest.kept.clear();
    rest.kept_part.clear();
    for (std::size_t i = 0; i < t_.kept.size(); ++i) {
      const transfer& x = t_.kept[i];
      if (refused_[t_.kept_part[i]]) {
        rest.kept.push_back(x);
        rest.kept_part.push_back(t_.kept_part[i]);
      } else if (x.source != combined) {
        rest.list.push_back(x);
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

  using group_key = std::pair<std::vector<rank_id>, bool>;
  using finding_key = std::tuple<pattern, comm_id, rank_id, reducer_id>;
  const graph& g_;
  const transfers& t_;
  const detect_options& options_;
  bool reassociate_;
  std::uint32_t parts_ = 0;
  std::vector<bool> refused_; ///< by part
  std::size_t refusals_ = 0;
  std::map<group_key, std::optional<comm_id>> groups_;
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
