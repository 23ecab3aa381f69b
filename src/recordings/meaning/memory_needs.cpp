#include "recordings/meaning/memory_needs.h"

#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tacit::recordings {
namespace {

using graphs::segment;

/// The blocks that one rank sends, or receives, in one operation.
struct blocks_of_rank {
  std::vector<segment> memory;
  std::map<std::uint32_t, std::uint64_t> begin_of; ///< by position in the group: whose block lies where
  std::set<std::uint32_t> allocations;
  bool whole = true; ///< each message is one block of one rank
};
using blocks_by_rank = std::map<std::uint32_t, blocks_of_rank>;

bool overlap_themselves(std::vector<segment> memory) {
  std::ranges::sort(memory, {}, &segment::address);
  for (std::size_t i = 1; i < memory.size(); ++i)
    if (memory[i - 1].address + memory[i - 1].length > memory[i].address)
      return true;
  return false;
}

/// Two blocks always are equally far apart.
bool lie_in_order(const blocks_of_rank& of) {
  if (!of.whole || of.begin_of.size() < 2)
    return true;
  const auto [rank, begin] = *of.begin_of.begin();
  const auto [next_rank, next] = *std::next(of.begin_of.begin());
  const std::uint64_t stride = (next - begin) / (next_rank - rank);
  return next > begin && (next - begin) % (next_rank - rank) == 0 && of.allocations.size() == 1 &&
         std::ranges::all_of(
             of.begin_of, [&](const auto& one) { return one.second == begin + (one.first - rank) * stride; });
}

class needs_finder {
public:
  needs_finder(const known_messages& known, std::uint64_t block, std::uint32_t group,
               group_positions& positions)
      : known_(known), block_(block), group_(group), positions_(positions) {}

  void add(std::uint32_t id) {
    const message& m = known_.table.messages[id];
    if (m.bytes == 0)
      return;
    if (known_.data.own_bytes[id] == m.bytes)
      put(sent_[m.from], m.from, known_.sent_by(id), m.bytes, m.to);
    if (known_.data.origin[id] != m.to)
      put(received_[m.to], m.to, known_.received_by(id), m.bytes, known_.data.origin[id]);
  }

  memory_needs of(pattern kind) const {
    const signature moves = row_of(kind).moves;
    const bool gives_each = moves == signature::root_to_each || moves == signature::each_to_each;
    const bool gets_each = moves == signature::each_to_root || moves == signature::each_to_each ||
                           moves == signature::each_to_all;
    memory_needs needs;
    for (const auto& [rank, of_rank] : sent_)
      if (gives_each) {
        needs.to_send = needs.to_send || overlap_themselves(of_rank.memory);
        needs.order = needs.order || (is_uniform(kind) && !lie_in_order(of_rank));
      }
    for (const auto& [rank, of_rank] : received_)
      if (gets_each) {
        needs.to_receive = needs.to_receive || overlap_themselves(of_rank.memory) ||
                           (moves == signature::each_to_all && covers_own(rank, of_rank));
        needs.order = needs.order || (is_uniform(kind) && !lie_in_order(of_rank));
      }
    if (needs.to_send || needs.to_receive)
      needs.order = false; // said with the other
    return needs;
  }

private:
  static bool is_uniform(pattern kind) { return row_of(kind).vector != kind; }

  const rank_recording& recording(std::uint32_t rank) const {
    return known_.recorded.recordings[known_.table.recording_of_rank[rank]];
  }

  void put(blocks_of_rank& to, std::uint32_t rank, const call& c, std::uint64_t bytes, std::uint32_t whose) {
    const std::vector<segment> runs = sorted_memory_runs(recording(rank), c, bytes);
    to.memory.insert(to.memory.end(), runs.begin(), runs.end());
    const std::uint32_t position = whose == none || whose == many_origins ? none : positions_(group_, whose);
    to.allocations.insert(c.allocation);
    if (bytes != block_ || position == none || runs.empty() ||
        !to.begin_of.try_emplace(position, runs[0].address).second)
      to.whole = false;
  }

  /// What arrives overwrites what the rank gave.
  bool covers_own(std::uint32_t rank, const blocks_of_rank& received) const {
    const auto own = sent_.find(rank);
    if (own == sent_.end())
      return false;
    return std::ranges::any_of(received.memory, [&](const segment& r) {
      return std::ranges::any_of(own->second.memory, [&](const segment& s) {
        return r.address < s.address + s.length && s.address < r.address + r.length;
      });
    });
  }

  const known_messages& known_;
  const std::uint64_t block_;
  const std::uint32_t group_;
  group_positions& positions_;
  blocks_by_rank sent_, received_;
};

} // namespace

memory_needs find_memory_needs(const known_messages& known, std::span<const std::uint32_t> messages,
                               pattern kind, std::uint64_t block, std::uint32_t group,
                               group_positions& positions) {
  needs_finder find(known, block, group, positions);
  for (const std::uint32_t id : messages)
    find.add(id);
  return find.of(kind);
}

} // namespace tacit::recordings
