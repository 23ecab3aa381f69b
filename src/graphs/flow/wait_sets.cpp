// Wait sets (seed 000 section 2.3): which ranks has each rank heard from?
//
// Reachability in D ∪ M, forwards: 64 source ranks at a time, one word per operation says which of them have
// an operation with a path to it; an operation starts with its own rank and passes its word on along its
// edges in run order. A second word keeps only paths that contain a zero-byte message or a fence. One block
// of sources costs one pass over operations and dependencies and one or two words per operation, whatever p
// is.
#include "graphs/flow/flow.h"

#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

class reachability {
public:
  reachability(const graph& g, const matching& m, const run_order& o, sync_paths paths)
      : g_(g), m_(m), order_(o.order), only_explicit_(paths == sync_paths::explicit_only),
        after_(g, dependency_rows::direction::successors), fences_(order_fences(g)) {}

  /// Per rank of the graph: which of `sources` (at most 64) it has heard from.
  void heard(std::span<const rank_id> sources, std::vector<std::uint64_t>& out) {
    bit_of_rank_.assign(g_.ranks(), 0);
    for (std::size_t i = 0; i < sources.size(); ++i)
      bit_of_rank_[index(sources[i])] |= std::uint64_t{1} << i;
    any_.assign(g_.size(), 0);
    if (only_explicit_)
      explicit_.assign(g_.size(), 0);
    group_any_.assign(fences_.members.size(), 0);
    for (std::size_t group = 0; group < group_any_.size();
         ++group) // calling the fence is what the others wait for
      for (const op_id fence : fences_.members[group])
        group_any_[group] |= bit_of_rank_[index(g_[fence].rank)];
    out.assign(g_.ranks(), 0);
    for (const op_id op : order_)
      visit(op, out);
  }

private:
  void visit(op_id op, std::vector<std::uint64_t>& out) {
    const operation& x = g_[op];
    std::uint64_t any = any_[index(op)] | bit_of_rank_[index(x.rank)];
    std::uint64_t marked = only_explicit_ ? explicit_[index(op)] : 0;
    if (fences_.any()) {
      const std::uint32_t own = fences_.group[index(op)], before = fences_.group_before(op);
      std::uint64_t through = 0; // by a fence edge: everything that the group waited for
      if (own != no_group)
        through |= group_any_[own];
      if (before != no_group)
        through |= group_any_[before];
      any |= through;
      marked |= through;
      if (const std::uint32_t next = fences_.group_after(op); next != no_group)
        group_any_[next] |= any;
    }
    for (const op_id next : after_[op])
      pass(next, any, marked);
    const op_id partner = m_.partner[index(op)];
    if (partner != no_op && x.kind == op_kind::send)
      pass(partner, any, is_empty(op) ? any : marked);
    out[index(x.rank)] |= only_explicit_ ? marked : any;
  }

  void pass(op_id to, std::uint64_t any, std::uint64_t marked) {
    any_[index(to)] |= any;
    if (fences_.any() && fences_.group[index(to)] != no_group)
      group_any_[fences_.group[index(to)]] |= any;
    if (only_explicit_)
      explicit_[index(to)] |= marked;
  }

  bool is_empty(op_id send) const { return g_.message_length(send) == 0; }

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  bool only_explicit_;
  dependency_rows after_;
  fence_order fences_;
  std::vector<std::uint64_t> bit_of_rank_;
  std::vector<std::uint64_t> any_, explicit_; ///< per operation
  std::vector<std::uint64_t> group_any_;      ///< per fence group: all that it waits for
};

/// A rank of the group that cannot have heard from anybody, found without any search.
rank_id deaf_rank(const graph& g, std::span<const rank_id> group, sync_paths paths) {
  std::vector<bool> hears(g.ranks(), false);
  bool explicit_edge = false;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const operation& op = g[op_id{i}];
    if (op.kind == op_kind::recv || op.kind == op_kind::fence)
      hears[index(op.rank)] = true;
    if (op.kind == op_kind::fence || (op.kind == op_kind::send && g.message_length(op_id{i}) == 0))
      explicit_edge = true;
  }
  for (const rank_id r : group)
    if (!hears[index(r)] || (paths == sync_paths::explicit_only && !explicit_edge))
      return r;
  return no_rank;
}

void tell(rank_id who, rank_id whom, rank_id* rank, rank_id* missing) {
  if (rank != nullptr)
    *rank = who;
  if (missing != nullptr)
    *missing = whom;
}

} // namespace

wait_sets compute_wait_sets(const graph& g, const matching& m, const run_order& o, sync_paths paths) {
  wait_sets out;
  out.words_per_rank = (g.ranks() + 63) / 64;
  out.words.assign(out.words_per_rank * g.ranks(), 0);
  reachability reach(g, m, o, paths);
  std::vector<std::uint64_t> heard;
  std::vector<rank_id> sources;
  for (std::size_t word = 0; word < out.words_per_rank; ++word) {
    sources.clear();
    for (std::size_t r = word * 64; r < std::min<std::size_t>(g.ranks(), word * 64 + 64); ++r)
      sources.push_back(rank_id{static_cast<std::uint32_t>(r)});
    reach.heard(sources, heard);
    for (std::size_t r = 0; r < g.ranks(); ++r) {
      if (r / 64 == word)
        heard[r] &= ~(std::uint64_t{1} << (r % 64));
      out.words[r * out.words_per_rank + word] = heard[r];
    }
  }
  return out;
}

bool wait_sets_complete(const graph& g, const matching& m, const run_order& o, std::span<const rank_id> group,
                        sync_paths paths, rank_id* rank, rank_id* missing) {
  if (group.size() < 2)
    return true;
  if (const rank_id deaf = deaf_rank(g, group, paths); deaf != no_rank) {
    tell(deaf, deaf == group[0] ? group[1] : group[0], rank, missing);
    return false;
  }
  reachability reach(g, m, o, paths);
  std::vector<std::uint64_t> heard;
  for (std::size_t first = 0; first < group.size(); first += 64) {
    const auto sources = group.subspan(first, std::min<std::size_t>(64, group.size() - first));
    reach.heard(sources, heard);
    const std::uint64_t whole = sources.size() == 64 ? all_ones : (std::uint64_t{1} << sources.size()) - 1;
    for (const rank_id r : group) {
      std::uint64_t lacks = whole & ~heard[index(r)];
      for (std::size_t i = 0; i < sources.size() && lacks != 0; ++i, lacks >>= 1) {
        if ((lacks & 1) == 0 || sources[i] == r)
          continue;
        tell(r, sources[i], rank, missing);
        return false;
      }
    }
  }
  return true;
}

} // namespace tacit::graphs
