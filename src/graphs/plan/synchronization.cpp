#include "graphs/plan/synchronization.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tacit::graphs {
namespace {

/// Sources per destination, sorted: the pairs that data guarantees.
class guaranteed_pairs {
public:
  explicit guaranteed_pairs(const graph& g, const transfers& t) : sources_(g.ranks()) {
    for (const transfer& x : t.list) {
      auto& known = sources_[index(x.destination)];
      if (x.source != x.destination && (known.empty() || known.back() != x.source))
        known.push_back(x.source);
    }
    for (auto& known : sources_) {
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
    }
  }
  bool has(rank_id waiter, rank_id other) const {
    const auto& known = sources_[index(waiter)];
    return std::binary_search(known.begin(), known.end(), other);
  }
  bool all_of(const std::vector<rank_id>& group) const {
    return std::all_of(group.begin(), group.end(), [&](rank_id waiter) {
      return std::all_of(group.begin(), group.end(),
                         [&](rank_id other) { return waiter == other || has(waiter, other); });
    });
  }

private:
  std::vector<std::vector<rank_id>> sources_;
};

std::vector<comm_id> widest_first(const graph& g) {
  std::vector<comm_id> all(g.communicators().size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = comm_id{static_cast<std::uint16_t>(i)};
  std::stable_sort(all.begin(), all.end(), [&](comm_id a, comm_id b) {
    return g.communicators()[index(a)].members.size() > g.communicators()[index(b)].members.size();
  });
  return all;
}

/// Wait sets of the graph: of single groups, or of all ranks once as many groups were asked for as that costs.
class waits_of_graph {
public:
  waits_of_graph(const graph& g, const matching& m, const run_order& o, sync_paths paths)
      : g_(g), m_(m), o_(o), paths_(paths) {}

  bool complete(const std::vector<rank_id>& members) {
    const std::size_t cost_of_all = (g_.ranks() + 63) / 64;
    passes_ += (members.size() + 63) / 64;
    if (!all_ && (passes_ <= cost_of_all || g_.ranks() > wait_set_limit))
      return wait_sets_complete(g_, m_, o_, members, paths_);
    return std::ranges::all_of(members, [&](rank_id waiter) {
      return std::ranges::all_of(
          members, [&](rank_id other) { return waiter == other || all().contains(waiter, other); });
    });
  }

  const wait_sets& all() {
    if (!all_)
      all_ = compute_wait_sets(g_, m_, o_, paths_);
    return *all_;
  }

private:
  const graph& g_;
  const matching& m_;
  const run_order& o_;
  sync_paths paths_;
  std::size_t passes_ = 0; ///< over all operations, for 64 ranks each
  std::optional<wait_sets> all_;
};

bool contains_all(const std::vector<rank_id>& sorted_whole, const std::vector<rank_id>& sorted_part) {
  return std::includes(sorted_whole.begin(), sorted_whole.end(), sorted_part.begin(), sorted_part.end());
}

} // namespace

bool keeps_orders(const graph& g, sync_policy policy) {
  return policy == sync_policy::keep_sync || g.has_fences() || g.has_empty_sends();
}

added_synchronization missing_synchronization(const graph& g, const matching& m, const run_order& o,
                                              const transfers& t, sync_policy policy) {
  added_synchronization out;
  if (g.ranks() < 2 || !keeps_orders(g, policy))
    return out;
  const sync_paths paths = policy == sync_policy::data ? sync_paths::explicit_only : sync_paths::all;
  const guaranteed_pairs data(g, t);
  waits_of_graph waits(g, m, o, paths);

  std::vector<std::vector<rank_id>> settled; // sorted member sets whose wait sets are complete in the plan
  for (const comm_id comm : widest_first(g)) {
    std::vector<rank_id> members = g.communicators()[index(comm)].members;
    std::sort(members.begin(), members.end());
    if (members.size() < 3)
      continue;
    if (std::any_of(settled.begin(), settled.end(), [&](const auto& s) { return contains_all(s, members); }))
      continue;
    if (!waits.complete(members))
      continue;
    if (!data.all_of(members))
      out.barriers.push_back(comm);
    settled.push_back(std::move(members));
  }
  if (!settled.empty() && settled.front().size() == g.ranks())
    return out;
  if (g.ranks() > wait_set_limit) {
    out.impossible = fmt::format("{} ranks are too many to keep orders pair by pair (at most {})", g.ranks(),
                                 wait_set_limit);
    return out;
  }

  const wait_sets& required = waits.all();
  std::vector<std::vector<std::uint64_t>> settled_words;
  for (const auto& members : settled) {
    auto& words = settled_words.emplace_back(required.words_per_rank, 0);
    for (const rank_id r : members)
      words[index(r) / 64] |= std::uint64_t{1} << (index(r) % 64);
  }
  for (std::uint32_t waiter = 0; waiter < g.ranks(); ++waiter)
    for (std::size_t w = 0; w < required.words_per_rank; ++w) {
      std::uint64_t bits = required.words[waiter * required.words_per_rank + w];
      for (const auto& words : settled_words)
        if (words[waiter / 64] >> (waiter % 64) & 1)
          bits &= ~words[w];
      for (; bits != 0; bits &= bits - 1) {
        const rank_id other{
            static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits)))};
        if (!data.has(rank_id{waiter}, other))
          out.messages.push_back({rank_id{waiter}, other});
      }
    }
  return out;
}

} // namespace tacit::graphs
