// Collectives among transfers: the visible list.
//
// Groups from the largest to the smallest, each set of members once, then groups that nobody named, for data and
// then for barriers; within a group from the highest abstraction to the lowest. Each family takes what it finds
// from the ledger; what is left at the end is the residual. The families say in their heads what they do and
// cost; altogether O(transfers · groups that contain them) plus what differing pieces need.
#include "graphs/detect/detect.h"

#include "graphs/detect/barrier_groups.h"
#include "graphs/detect/family.h"
#include "graphs/detect/subgroups.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace tacit::graphs {

namespace {

struct group {
  comm_id comm;
  std::span<const rank_id> members; ///< ascending: the communicator's own list, or `sorted`
  std::vector<rank_id> sorted;      ///< empty if the communicator's list is ascending already
};

group group_of(const graph& g, comm_id comm) {
  group made{comm, g.communicators()[index(comm)].members, {}};
  if (!std::is_sorted(made.members.begin(), made.members.end())) {
    made.sorted.assign(made.members.begin(), made.members.end());
    std::sort(made.sorted.begin(), made.sorted.end());
    made.members = made.sorted; // stays valid when the group is moved
  }
  return made;
}

std::vector<group> distinct_groups(const graph& g) {
  std::vector<group> groups;
  groups.reserve(g.communicators().size());
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(groups[a].members.begin(), groups[a].members.end(),
                                        groups[b].members.begin(), groups[b].members.end());
  };
  std::set<std::size_t, decltype(before)> known(before);
  for (std::uint32_t c = 0; c < g.communicators().size(); ++c) {
    groups.push_back(group_of(g, comm_id{static_cast<std::uint16_t>(c)}));
    if (!known.insert(groups.size() - 1).second)
      groups.pop_back();
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const group& a, const group& b) { return a.members.size() > b.members.size(); });
  return groups;
}

void refuse_all(findings& out, comm_id comm, reason why, const std::string& detail) {
  for (const pattern_row& row : patterns)
    if (is_uniform(row.kind) && !is_reduction(row.kind))
      out.refused.push_back({row.kind, comm, why, detail});
}

bool higher(const finding& a, const finding& b) {
  return a.kind < b.kind;
}

constexpr std::size_t most_groups = 60'000; // numbers of communicators have 16 bits

/// The number of a group behind the communicators of the graph: the one that it has, or would have if it joined those of findings.
std::size_t place_of_group(const findings& out, const graph& g, const rank_set& members) {
  const auto known = std::ranges::find(out.groups, members, &communicator::members);
  return g.communicators().size() + static_cast<std::size_t>(known - out.groups.begin());
}

/// Likewise, and it joins them if it is new. Nothing if there are too many.
std::optional<comm_id> number_of_group(findings& out, const graph& g, rank_set members) {
  const std::size_t number = place_of_group(out, g, members);
  if (number >= most_groups)
    return std::nullopt;
  if (number == g.communicators().size() + out.groups.size()) {
    std::string name = new_name(members, g.communicators(), out.groups);
    out.groups.push_back({std::move(name), std::move(members)});
  }
  return comm_id{static_cast<std::uint16_t>(number)};
}

/// Searches groups that no communicator has, among what is left. Of a group that is only a guess all pairs that a collective is about must
/// have something; but ranks that exchange with nobody else, and do so as a whole, are like all ranks of a graph.
class subgroup_search {
public:
  subgroup_search(ledger& book, const graph& g, const std::vector<group>& known,
                  const detect_options& options, findings& out)
      : book_(book), g_(g), wanted_(options), out_(out) {
    for (const group& one : known)
      tried_.emplace(one.members.begin(), one.members.end());
  }
  void run() {
    for (const auto hypotheses : {components, lattices, stars, most_ranks, even_fans, fans, uneven_fans})
      if (!try_all(hypotheses(book_, g_.ranks()), hypotheses == components))
        return;
  }

private:
  /// Guesses look at all transfers a few times; groups that overlap in many ways would do it once for each.
  bool may_look_at(const rank_set& members) {
    constexpr std::uint64_t times = 16, at_least = 1 << 20;
    const auto list = book_.list();
    for (const rank_id r : members) {
      const auto into = std::ranges::equal_range(list, r, {}, &transfer::destination);
      looked_at_ += static_cast<std::uint64_t>(into.size()) + 1;
    }
    if (looked_at_ <= times * list.size() + at_least)
      return true;
    out_.refused.push_back({pattern::bcast, world, reason::not_searched,
                            "of groups that no communicator has there are more guesses than are tried"});
    return false;
  }

  /// False: nothing is left, or no more may be looked at.
  bool try_all(std::vector<rank_set> guesses, bool are_apart) {
    for (rank_set& members : guesses) {
      if (members.size() < wanted_.smallest_group || !tried_.insert(members).second)
        continue;
      if (!may_look_at(members))
        return false;
      detect_options options = wanted_;
      if (!are_apart || !exchange_as_a_whole(book_, members, wanted_.density))
        options.density = 1;
      search(std::move(members), options);
    }
    return book_.open() > 0;
  }

  void search(rank_set members, const detect_options& options) {
    const std::size_t number = place_of_group(out_, g_, members);
    if (number >= most_groups)
      return;
    findings here;
    const group_view view(book_, comm_id{static_cast<std::uint16_t>(number)}, members, g_.ranks());
    const group_search one{view, options, here, false};
    find_broadcasts(one);
    find_alltoall(one);
    find_scatter_gather(one);
    if (here.found.empty())
      return;
    std::stable_sort(here.found.begin(), here.found.end(), higher);
    std::move(here.found.begin(), here.found.end(), std::back_inserter(out_.found));
    number_of_group(out_, g_, std::move(members));
  }

  ledger& book_;
  const graph& g_;
  const detect_options& wanted_;
  findings& out_;
  std::set<rank_set> tried_;
  std::uint64_t looked_at_ = 0; ///< transfers
};

/// Barriers of ranks that no communicator has, beside those that were found. Cost: that of wait sets, and the square of ranks.
void find_barriers_of_groups(const graph& g, const matching& m, const run_order& o,
                             const detect_options& options, findings& out) {
  const double steps = static_cast<double>(g.size()) * g.ranks() / 64;
  if ((!g.has_fences() && !g.has_empty_sends()) || g.ranks() > most_ranks_for_barriers ||
      steps > static_cast<double>(options.budget))
    return;
  std::vector<rank_set> settled;
  for (const finding& f : out.found)
    if (f.kind == pattern::barrier) {
      settled.push_back(g.communicators()[index(f.comm)].members);
      std::ranges::sort(settled.back());
      if (settled.back().size() == g.ranks())
        return;
    }
  for (rank_set& members : barrier_groups(compute_wait_sets(g, m, o, sync_paths::explicit_only), g.ranks())) {
    const auto covers = [&](const rank_set& larger) { return std::ranges::includes(larger, members); };
    if (members.size() < options.smallest_group || std::ranges::any_of(settled, covers))
      continue;
    if (const std::optional<comm_id> comm = number_of_group(out, g, std::move(members)))
      out.found.push_back({.kind = pattern::barrier, .comm = *comm, .blocks = 0, .slices = {}});
  }
}

} // namespace

graph with_groups(graph g, const std::vector<communicator>& groups) {
  for (const communicator& group : groups)
    g.add_communicator(group.name, group.members);
  return g;
}

findings detect(const graph& g, const matching& m, const run_order& o, const transfers& t,
                const detect_options& options) {
  findings out;
  if (!t.complete) {
    refuse_all(out, world, reason::fragment_budget,
               "the dataflow was given up, so there are no transfers to search");
    return out;
  }
  ledger book(t);
  const std::vector<group> groups = distinct_groups(g);
  for (const group& next : groups) {
    if (next.members.size() < std::max(options.smallest_group, 2u)) {
      refuse_all(out, next.comm, reason::trivial_group, fmt::format("{} rank(s)", next.members.size()));
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(out.found.size());
    const group_view view(book, next.comm, next.members, g.ranks());
    const group_search search{view, options, out, groups.size() == 1};
    find_broadcasts(search);
    find_alltoall(search);
    const bool is_of_all = next.members.size() == g.ranks() && options.subgroups;
    if (!is_of_all || !concerns_fewer(book, g.ranks(), options))
      find_scatter_gather(search);
    else
      for (const pattern kind : {pattern::scatter, pattern::gather})
        search.refuse(kind, reason::used_by_higher,
                      "some ranks exchange nothing, and the others as a group of their own");
    find_barrier(search, g, m, o);
    std::stable_sort(out.found.begin() + first, out.found.end(), higher);
  }
  if (options.subgroups && book.open() > 0)
    subgroup_search(book, g, groups, options, out).run();
  if (options.subgroups)
    find_barriers_of_groups(g, m, o, options, out);
  out.residual = book.rest();
  return out;
}

} // namespace tacit::graphs
