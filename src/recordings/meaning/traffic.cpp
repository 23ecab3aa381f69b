// Kinds are decided by shares of messages, so a few odd messages do not change a kind:
//
// * irregular: most receives are wildcards, or partners and sizes do not repeat;
// * changed exchange: most sends read where data was received before, with other content, both ways;
// * pipeline: the same, but one way only;
// * neighbor exchange: each rank exchanges again and again with the same partners, more than one, fewer than
//   all. A rank that exchanges with all others, as with meshes on few ranks, has neighbors, too, if rounds are fixed and every rank sends
//   all its messages before it gets any; on three ranks, where two neighbors are all, it need not (see exchange_round), but on a
//   line of three the middle one may as well be a center that asks and is answered: there nobody may answer, or the middle one
//   has to shift along the line. A halo need not send as many messages one way as the other: on staggered grids one component goes up, the
//   other down;
// * pairwise: exchanges of two ranks at a time.
#include "recordings/meaning/traffic.h"

#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::recordings {
namespace {

constexpr std::size_t sampled_for_changes =
    200000;                                ///< messages; changed content shows in any long enough part
constexpr std::size_t areas_per_rank = 64; ///< received areas remembered, the newest

struct traffic_event {
  std::uint32_t rank, position;
  bool receives;
  std::uint32_t message;
};

/// The memory of operations, by what describes it: the same buffers are used again and again.
class memory_table {
public:
  explicit memory_table(const recording_set& recorded) : recorded_(recorded) {}

  std::uint32_t find(std::uint32_t recording, const call& c, std::uint64_t bytes) {
    const auto [at, is_new] = ids_.try_emplace({recording, c.allocation, c.offset, c.layout, bytes},
                                               static_cast<std::uint32_t>(runs_.size()));
    if (is_new) {
      runs_.push_back(memory_runs(recorded_.recordings[recording], c, bytes));
      std::sort(runs_.back().begin(), runs_.back().end(),
                [](const graphs::segment& a, const graphs::segment& b) { return a.address < b.address; });
    }
    return at->second;
  }

  /// Bytes that two of them have in common.
  std::uint64_t common(std::uint32_t a, std::uint32_t b) {
    const auto [at, is_new] = common_.try_emplace({a, b}, 0);
    if (is_new)
      at->second = count_common(runs_[a], runs_[b]);
    return at->second;
  }

private:
  static std::uint64_t count_common(const std::vector<graphs::segment>& a,
                                    const std::vector<graphs::segment>& b) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
      const std::uint64_t low = std::max(a[i].address, b[k].address);
      const std::uint64_t end_a = a[i].address + a[i].length, end_b = b[k].address + b[k].length;
      bytes += std::min(end_a, end_b) > low ? std::min(end_a, end_b) - low : 0;
      (end_a < end_b ? i : k) += 1;
    }
    return bytes;
  }

  const recording_set& recorded_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint32_t, std::uint64_t>,
           std::uint32_t>
      ids_;
  std::vector<std::vector<graphs::segment>> runs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> common_;
};

/// Sends that read, at least by half, where an earlier receive of these messages wrote, but other bytes.
std::uint64_t count_changed(const recording_set& recorded, const message_table& table, const provenance& data,
                            std::vector<traffic_event>& events) {
  std::sort(events.begin(), events.end(), [](const traffic_event& a, const traffic_event& b) {
    return std::tie(a.rank, a.position, a.receives, a.message) <
           std::tie(b.rank, b.position, b.receives, b.message);
  });
  memory_table memory(recorded);
  std::uint64_t changed = 0;
  std::vector<std::uint32_t> received; // distinct places, the newest
  std::size_t oldest = 0;
  std::uint32_t rank = none;
  for (const traffic_event& e : events) {
    if (e.rank != rank) {
      rank = e.rank;
      received.clear();
      oldest = 0;
    }
    const message& m = table.messages[e.message];
    const std::uint32_t i = table.recording_of_rank[e.rank];
    const call& c = recorded.recordings[i].calls[e.receives ? m.recv_call : m.send_call];
    if (m.bytes == 0)
      continue;
    const std::uint32_t place = memory.find(i, c, m.bytes);
    if (!e.receives) {
      changed +=
          data.own_bytes[e.message] > m.bytes / 2 &&
                  std::any_of(received.begin(), received.end(),
                              [&](std::uint32_t known) { return memory.common(place, known) * 2 >= m.bytes; })
              ? 1
              : 0;
    } else if (std::find(received.begin(), received.end(), place) == received.end()) {
      if (received.size() < areas_per_rank)
        received.push_back(place);
      else
        received[oldest++ % areas_per_rank] = place;
    }
  }
  return changed;
}

bool is_pair(const message_table& table, std::span<const std::uint32_t> episode) {
  if (episode.size() < 2)
    return false;
  const message& first = table.messages[episode[0]];
  bool forth = false, back = false;
  for (const std::uint32_t id : episode) {
    const message& m = table.messages[id];
    forth = forth || (m.from == first.from && m.to == first.to);
    back = back || (m.from == first.to && m.to == first.from);
    if (!((m.from == first.from && m.to == first.to) || (m.from == first.to && m.to == first.from)))
      return false;
  }
  return forth && back && first.from != first.to;
}

bool is_ring(const message_table& table, std::span<const std::uint32_t> episode) {
  if (episode.size() < 3)
    return false;
  std::set<std::uint32_t> senders, receivers;
  for (const std::uint32_t id : episode) {
    senders.insert(table.messages[id].from);
    receivers.insert(table.messages[id].to);
  }
  return senders.size() == episode.size() && senders == receivers;
}

/// Each rank exchanges with its two neighbors on one ring that joins all of them.
bool is_two_way_ring(const message_table& table, std::span<const std::uint32_t> episode) {
  std::map<std::uint32_t, std::set<std::uint32_t>> to, from;
  for (const std::uint32_t id : episode) {
    const message& m = table.messages[id];
    if (!to[m.from].insert(m.to).second)
      return false;
    from[m.to].insert(m.from);
  }
  if (to.size() < 3 || to != from)
    return false;
  std::uint32_t last = to.begin()->first, at = *to.begin()->second.begin();
  for (std::size_t steps = 1; steps < to.size(); ++steps) {
    const std::set<std::uint32_t>& next = to[at];
    if (next.size() != 2 || at == to.begin()->first)
      return false; // not two neighbors, or the ring closes too early
    last = std::exchange(at, *next.begin() == last ? *next.rbegin() : *next.begin());
  }
  return at == to.begin()->first && to.begin()->second.size() == 2;
}

} // namespace

traffic measure_traffic(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, std::span<const std::uint32_t> which) {
  traffic t;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> pairs;
  std::set<std::uint64_t> sizes;
  std::set<std::uint32_t> ranks;
  std::vector<traffic_event> events;
  for (const std::uint32_t episode : which) {
    const auto messages = episodes.of(episode);
    const std::uint64_t count = count_of(table, messages);
    t.messages += count;
    if (is_pair(table, messages))
      t.in_pairs += count;
    if (is_ring(table, messages))
      t.in_rings += count;
    if (is_two_way_ring(table, messages))
      t.in_two_way_rings += count;
    for (const std::uint32_t id : messages) {
      const message& m = table.messages[id];
      pairs[{m.from, m.to}] += m.times;
      ranks.insert(m.from);
      ranks.insert(m.to);
      if (sizes.size() < 1000)
        sizes.insert(m.bytes);
      t.wildcards += m.wildcard ? m.times : 0;
      t.empty += m.bytes == 0 ? m.times : 0;
      t.self += m.from == m.to ? m.times : 0;
      t.forwarded += m.bytes > 0 && data.own_bytes[id] < m.bytes / 2 ? m.times : 0;
      if (events.size() < 2 * sampled_for_changes && m.completion != none) {
        const rank_recording& receiver = recorded.recordings[table.recording_of_rank[m.to]];
        events.push_back({m.from, m.send_call, false, id});
        events.push_back(
            {m.to, static_cast<std::uint32_t>(receiver.completions[m.completion].call), true, id});
      }
    }
  }
  std::map<std::uint32_t, std::uint32_t> partners;
  for (const auto& [pair, count] : pairs) {
    if (pair.first == pair.second)
      continue;
    ++partners[pair.first];
    const auto back = pairs.find({pair.second, pair.first});
    if (back != pairs.end() && back->second * 3 >= count)
      t.answered += count;
  }
  t.ranks = static_cast<std::uint32_t>(ranks.size());
  t.fewest_partners = partners.empty() ? 0 : none;
  for (const auto& [rank, count] : partners) {
    t.most_partners = std::max(t.most_partners, count);
    t.fewest_partners = std::min(t.fewest_partners, count);
  }
  t.rounds = pairs.empty() ? 0 : static_cast<double>(t.messages) / static_cast<double>(pairs.size());
  t.sizes = sizes.size();
  // Events of the sample stand for all messages.
  const std::uint64_t sampled = std::max<std::uint64_t>(1, events.size() / 2);
  t.changed = count_changed(recorded, table, data, events) * std::max(t.messages, sampled) / sampled;
  return t;
}

bool one_partner_at_a_time(const traffic& t) {
  return t.in_pairs * 10 >= t.messages * 8 || t.most_partners == 1;
}

bool may_be_dense_exchange(const traffic& t) {
  return t.most_partners >= 2 && t.rounds >= 3 && t.answered * 10 >= (t.messages - t.self) * 9;
}

bool may_be_ring_of_three(const traffic& t, std::size_t group_size) {
  return group_size == 3 && t.fewest_partners == 2 && t.rounds >= 3 &&
         t.answered * 10 >= (t.messages - t.self) * 9;
}

activity_kind classify(const traffic& t, std::size_t group_size) {
  const auto share = [&](std::uint64_t part) {
    return t.messages == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(t.messages);
  };
  if (group_size <= 2)
    return activity_kind::trivial;
  if (share(t.wildcards) >= 0.5)
    return activity_kind::irregular;
  const bool both_ways = t.messages > t.self && t.answered * 10 >= (t.messages - t.self) * 9;
  if (share(t.changed) >= 0.5)
    return both_ways ? activity_kind::changed_exchange : activity_kind::pipeline;
  const bool repeats = t.rounds >= 3;
  const bool few = t.most_partners >= 2 && t.most_partners < group_size - 1;
  if (both_ways && few && repeats)
    return activity_kind::neighbor_exchange;
  if (share(t.in_two_way_rings) >= 0.8)
    return activity_kind::point_to_point;
  if (both_ways && (one_partner_at_a_time(t) || repeats))
    return activity_kind::pairwise;
  if (t.most_partners >= 2 && !repeats && t.sizes > 3)
    return activity_kind::irregular;
  return activity_kind::point_to_point;
}

} // namespace tacit::recordings
