#include "neighbors/passes/combine.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace tacit::neighbors {
namespace {

/// Per block and dimension: steps in positive direction, 0 … size - 1.
std::vector<std::vector<int>> paths(const topology& t) {
  std::vector<std::vector<int>> out = t.offsets;
  for (std::vector<int>& path : out)
    for (std::size_t d = 0; d < path.size(); ++d)
      path[d] = (path[d] % t.shape.dims[d] + t.shape.dims[d]) % t.shape.dims[d];
  return out;
}

/// What tells contents apart when blocks are about to move in dimension d: which block it is, or, if all are
/// equal, only from where it has come.
std::vector<int> content_key(const std::vector<int>& path, std::size_t block, std::size_t d,
                             bool same_block) {
  if (!same_block)
    return {static_cast<int>(block)};
  return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(d)};
}

/// One message of dimension d: per distinct content the blocks that it stands for.
using by_offset = std::map<std::vector<int>, std::vector<std::size_t>>;

/// By distance, the messages of dimension d.
std::map<int, by_offset> messages_of(const std::vector<std::vector<int>>& all, std::size_t d,
                                     bool same_block) {
  std::map<int, by_offset> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i][d] != 0)
      out[all[i][d]][content_key(all[i], i, d, same_block)].push_back(i);
  return out;
}

bool moves_after(const std::vector<int>& path, std::size_t d) {
  return std::any_of(path.begin() + static_cast<std::ptrdiff_t>(d) + 1, path.end(),
                     [](int c) { return c != 0; });
}

/// Where the bytes of a block are, and which step puts them there.
struct location {
  graphs::segment_list bytes;
  std::int64_t made_by = -1;
};

class combiner {
public:
  combiner(const topology& t, rank_id rank, const neighbor_blocks& blocks, bool same_block)
      : t_(t), here_(coordinates_of(t.shape, rank)), blocks_(blocks), same_block_(same_block),
        paths_(paths(t)), delivered_(t.offsets.size(), false) {
    for (const auto& bytes : blocks.out)
      at_.push_back({bytes, -1});
  }

  graphs::rank_plan run() {
    for (std::size_t d = 0; d < here_.size(); ++d)
      for (const auto& [distance, load] : messages_of(paths_, d, same_block_)) {
        send(d, distance, load);
        receive(d, distance, load); // blocks of other distances are where they were
      }
    for (std::size_t i = 0; i < at_.size(); ++i)
      if (!delivered_[i] && graphs::total_length(blocks_.in[i]) > 0)
        copy(i);
    return std::move(plan_);
  }

private:
  void send(std::size_t d, int distance, const by_offset& load) {
    graphs::step s;
    s.kind = graphs::step_kind::send;
    s.peer = rank_at_distance(d, distance);
    std::set<std::uint32_t> before;
    for (const auto& [key, stands_for] : load) {
      const location& from = at_[stands_for.front()];
      graphs::append(s.reads, from.bytes);
      if (from.made_by >= 0)
        before.insert(static_cast<std::uint32_t>(from.made_by));
    }
    std::copy(before.begin(), before.end(), std::back_inserter(s.after));
    plan_.steps.push_back(std::move(s));
  }

  /// The same blocks arrive from the other side. What has nowhere else to go is received where it belongs.
  void receive(std::size_t d, int distance, const by_offset& load) {
    graphs::step s;
    s.kind = graphs::step_kind::recv;
    s.peer = rank_at_distance(d, -distance);
    const auto number = static_cast<std::int64_t>(plan_.steps.size());
    for (const auto& [key, stands_for] : load) {
      const std::size_t first = stands_for.front();
      const bool direct = stands_for.size() == 1 && !moves_after(paths_[first], d);
      const location there{direct ? blocks_.in[first] : new_scratch(graphs::total_length(at_[first].bytes)),
                           number};
      graphs::append(s.writes, there.bytes);
      delivered_[first] = direct;
      for (const std::size_t i : stands_for)
        at_[i] = there;
    }
    plan_.steps.push_back(std::move(s));
  }

  void copy(std::size_t i) {
    graphs::step s;
    s.reads = at_[i].bytes;
    s.writes = blocks_.in[i];
    if (at_[i].made_by >= 0)
      s.after = {static_cast<std::uint32_t>(at_[i].made_by)};
    plan_.steps.push_back(std::move(s));
  }

  /// Every stop has memory of its own, so that nothing is overwritten before it has been handed on.
  graphs::segment_list new_scratch(std::uint64_t bytes) {
    plan_.scratch_bytes += bytes;
    return {{graphs::scratch_base + plan_.scratch_bytes - bytes, bytes}};
  }

  rank_id rank_at_distance(std::size_t d, int distance) const {
    std::vector<int> offset(here_.size(), 0);
    offset[d] = distance;
    return rank_at(t_.shape, here_, offset);
  }

  const topology& t_;
  std::vector<int> here_;
  const neighbor_blocks& blocks_;
  bool same_block_;
  std::vector<std::vector<int>> paths_;
  std::vector<location> at_;
  std::vector<bool> delivered_;
  graphs::rank_plan plan_;
};

} // namespace

bool can_combine(const topology& t) {
  return t.what == topology::kind::stencil &&
         std::all_of(t.shape.periodic.begin(), t.shape.periodic.end(), [](bool p) { return p; });
}

combining_cost cost_of_combining(const topology& t, bool same_block) {
  const auto all = paths(t);
  combining_cost cost;
  std::set<std::vector<int>> peers;
  for (const std::vector<int>& path : all)
    if (std::any_of(path.begin(), path.end(), [](int c) { return c != 0; })) {
      ++cost.blocks_direct;
      peers.insert(path);
    }
  cost.messages_direct = peers.size();
  for (std::size_t d = 0; d < t.shape.dims.size(); ++d) {
    const auto messages = messages_of(all, d, same_block);
    cost.rounds += messages.empty() ? 0 : 1;
    cost.messages_combined += messages.size();
    for (const auto& [distance, load] : messages)
      cost.blocks_combined += load.size();
  }
  return cost;
}

graphs::rank_plan combined(const topology& t, rank_id rank, const neighbor_blocks& blocks, bool same_block) {
  return combiner(t, rank, blocks, same_block).run();
}

} // namespace tacit::neighbors
