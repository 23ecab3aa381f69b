// One activity for each part of the division: its sums, then either the collective that its episodes are, or
// what their traffic is; a typical example as a timeline, what it could become, and why it stays as it is.
#include "recordings/meaning/activities.h"

#include "recordings/meaning/division.h"
#include "recordings/meaning/exchange_round.h"
#include "recordings/meaning/memory_needs.h"
#include "recordings/meaning/obstacles.h"
#include "recordings/meaning/replacements.h"
#include "recordings/meaning/roots.h"
#include "recordings/meaning/timeline.h"
#include "recordings/meaning/traffic.h"
#include "recordings/meaning/word_of_messages.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace tacit::recordings {
namespace {

constexpr std::size_t most_tags = 16;  ///< listed in an activity
constexpr std::size_t most_paths = 16; ///< likewise

using episode_ids = std::vector<std::uint32_t>;

bool is_one_collective(const products_so_far& known, std::uint32_t e) {
  return known.facts.of_episode[e].seen && known.doubts[e] == doubt::no_doubt;
}

/// How many collectives, or exchanges, an episode is.
std::uint64_t operations_in(const products_so_far& known, std::uint32_t e) {
  const episode_facts& f = known.facts.of_episode[e];
  if (f.head != none)
    return 0; // counted where it begins
  const bool counts = (f.seen || f.shape != message_shape::no_shape) && known.doubts[e] != doubt::rare;
  return counts ? f.times * std::max(1u, f.operations) : f.times;
}

/// Smallest and largest block of collectives, message of all others.
void add_sizes(activity& a, const products_so_far& known, std::uint32_t e) {
  const auto add = [&](std::uint64_t bytes) {
    a.smallest = std::min(a.smallest, bytes);
    a.largest = std::max(a.largest, bytes);
  };
  if (!is_one_collective(known, e))
    for (const std::uint32_t id : known.episodes.of(e))
      add(known.table.messages[id].bytes);
  else if (known.facts.of_episode[e].head == none)
    add(known.facts.of_episode[e].block);
}

std::vector<std::vector<std::uint32_t>> callers_of(const message_table& table,
                                                   std::vector<std::uint32_t> paths) {
  std::stable_sort(paths.begin(), paths.end(), [&](std::uint32_t x, std::uint32_t y) {
    return table.path_seconds[x] > table.path_seconds[y];
  });
  std::vector<std::vector<std::uint32_t>> all;
  for (const std::uint32_t path : paths)
    if (const auto& callers = table.paths[path].callers;
        all.size() < most_paths && std::find(all.begin(), all.end(), callers) == all.end())
      all.push_back(callers);
  return all;
}

activity sum_of(const products_so_far& known, const activity_key& key, const episode_ids& episodes) {
  activity a;
  std::set<std::int32_t> tags;
  std::set<std::uint32_t> groups, sites, paths;
  a.group_size = key.in.group_size;
  a.smallest = ~0ull;
  for (const std::uint32_t e : episodes) {
    const episode_facts& f = known.facts.of_episode[e];
    groups.insert(f.group);
    a.messages += count_of(known.table, known.episodes.of(e));
    a.bytes += f.bytes;
    a.seconds += f.seconds;
    a.episodes += operations_in(known, e);
    add_sizes(a, known, e);
    paths.insert(known.facts.paths_of(f).begin(), known.facts.paths_of(f).end());
    for (const std::uint32_t id : known.episodes.of(e))
      tags.insert(known.table.messages[id].tag);
  }
  if (known.table.communication_seconds > 0)
    a.time_share = a.seconds / known.table.communication_seconds;
  a.communicators.assign(groups.begin(), groups.end());
  a.distinct_tags = tags.size();
  for (const std::int32_t tag : tags)
    if (a.tags.size() < most_tags)
      a.tags.push_back(tag);
  for (const std::uint32_t path : paths)
    sites.insert(known.table.paths[path].location);
  a.sites.assign(sites.begin(), sites.end());
  std::stable_sort(a.sites.begin(), a.sites.end(), [&](std::uint32_t x, std::uint32_t y) {
    return known.table.location_seconds[x] > known.table.location_seconds[y];
  });
  a.called_from = callers_of(known.table, {paths.begin(), paths.end()});
  return a;
}

/// The episode with the most messages among those of middle size: timelines show it.
std::uint32_t typical(const products_so_far& known, const episode_ids& episodes) {
  episode_ids by_bytes;
  const std::size_t most = 10000; // the typical one is among the first ones, too
  for (const std::uint32_t e : episodes)
    if (known.facts.of_episode[e].head == none && by_bytes.size() < most)
      by_bytes.push_back(e);
  std::stable_sort(by_bytes.begin(), by_bytes.end(), [&](std::uint32_t x, std::uint32_t y) {
    return known.episodes.of(x).size() != known.episodes.of(y).size()
               ? known.episodes.of(x).size() < known.episodes.of(y).size()
               : known.facts.of_episode[x].bytes < known.facts.of_episode[y].bytes;
  });
  return by_bytes.empty() ? episodes[0] : by_bytes[by_bytes.size() / 2];
}

/// The messages of these episodes.
std::vector<std::uint32_t> messages_of(const products_so_far& known, const episode_ids& episodes) {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t e : episodes)
    all.insert(all.end(), known.episodes.of(e).begin(), known.episodes.of(e).end());
  return all;
}

/// The messages of an operation: of its first episode and of those that continue it (a pipelined broadcast).
std::vector<std::uint32_t> operation_at(const products_so_far& known, const episode_ids& episodes,
                                        std::uint32_t head) {
  episode_ids parts{head};
  for (const std::uint32_t e : episodes)
    if (known.facts.of_episode[e].head == head)
      parts.push_back(e);
  return messages_of(known, parts);
}

/// Messages from the middle of the activity, until the same two ranks meet again the same way: for the eye only.
std::vector<std::uint32_t> example_messages(const products_so_far& known, const episode_ids& episodes,
                                            std::size_t largest) {
  std::vector<std::uint32_t> some;
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  for (std::size_t at = episodes.size() / 2; at < episodes.size(); ++at) {
    const auto messages = known.episodes.of(episodes[at]);
    bool again = false;
    for (const std::uint32_t id : messages)
      again = !met.insert({known.table.messages[id].from, known.table.messages[id].to}).second || again;
    if (!some.empty() && (again || some.size() + messages.size() > largest))
      break;
    some.insert(some.end(), messages.begin(), messages.end());
  }
  return some;
}

collective_evidence evidence_of(const products_so_far& known, const episode_ids& episodes) {
  collective_evidence seen;
  for (const std::uint32_t e : episodes) {
    const episode_facts& f = known.facts.of_episode[e];
    seen.episodes += f.times;
    seen.assumed_unchanged = seen.assumed_unchanged || f.assumed;
    seen.wildcards += f.wildcard ? f.times : 0;
    seen.probed += f.probed ? f.times : 0;
    seen.sparse += f.sparse ? f.times : 0;
    if (!f.probed)
      continue;
    for (const std::uint32_t id : known.episodes.of(e))
      if (const auto at = known.facts.probes.find(id); at != known.facts.probes.end())
        seen.probes += at->second * known.table.messages[id].times;
  }
  return seen;
}

/// Calls with nothing to move make nobody wait, messages do.
bool has_empty_messages(const products_so_far& known, const episode_ids& episodes) {
  return std::ranges::any_of(episodes, [&](std::uint32_t e) {
    return std::ranges::any_of(known.episodes.of(e),
                               [&](std::uint32_t id) { return known.table.messages[id].bytes == 0; });
  });
}

/// Of all operations together, each judged by itself.
memory_needs needs_of(const products_so_far& known, pattern kind, const episode_ids& episodes) {
  const known_messages messages{known.recorded, known.table, known.data};
  group_positions positions(known.table);
  memory_needs needs;
  for (const std::uint32_t e : episodes) {
    const episode_facts& f = known.facts.of_episode[e];
    if (f.operations == 1)
      needs.add(find_memory_needs(messages, known.episodes.of(e), kind, f.block, f.group, positions));
  }
  return needs;
}

/// What ranks contribute, each block where it is first sent.
std::vector<first_call> contributions_to(const products_so_far& known, pattern kind,
                                         std::span<const std::uint32_t> messages) {
  std::vector<first_call> sends;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> first; // by rank and content
  for (const std::uint32_t id : messages) {
    const message& m = known.table.messages[id];
    if (known.data.own_bytes[id] == 0)
      continue;
    if (!is_shared(kind)) {
      sends.push_back({m.from, m.send_call});
      continue;
    }
    const call& sent = known.recorded.recordings[known.table.recording_of_rank[m.from]].calls[m.send_call];
    const auto at = first.try_emplace({m.from, sent.hash}, m.send_call).first;
    at->second = std::min(at->second, m.send_call);
  }
  for (const auto& [of, call] : first)
    sends.push_back({of.first, call});
  return sends;
}

/// Where each rank begins to take part.
std::vector<first_call> first_calls_of(const products_so_far& known,
                                       std::span<const std::uint32_t> messages) {
  std::map<std::uint32_t, std::uint32_t> first;
  const auto add = [&](std::uint32_t rank, std::uint32_t call) {
    const auto at = first.try_emplace(rank, call).first;
    at->second = std::min(at->second, call);
  };
  for (const std::uint32_t id : messages) {
    add(known.table.messages[id].from, known.table.messages[id].send_call);
    add(known.table.messages[id].to, known.table.messages[id].recv_call);
  }
  std::vector<first_call> calls;
  for (const auto& [rank, call] : first)
    calls.push_back({rank, call});
  return calls;
}

/// What has to hold because, in one of three operations of the activity, ranks may have heard of what others got: then a part
/// may depend on that, or somebody waits for one who has left the collective before it begins.
void add_what_others_tell(replacement& r, const products_so_far& known, word_of_messages& word, pattern kind,
                          const episode_ids& episodes) {
  for (const std::uint32_t e : {episodes.front(), episodes[episodes.size() / 2], episodes.back()}) {
    const std::vector<std::uint32_t> messages = operation_at(
        known, episodes, known.facts.of_episode[e].head == none ? e : known.facts.of_episode[e].head);
    r.if_unheard = r.if_unheard || word.may_come_before(messages, contributions_to(known, kind, messages));
    r.if_in_time = r.if_in_time || word.may_come_before(messages, first_calls_of(known, messages));
  }
  r.if_in_time = r.if_in_time && !r.if_unheard;
}

std::optional<broadcast_algorithm> algorithm_of(const fact_table& facts, std::uint32_t algorithm) {
  if (algorithm == none)
    return {};
  return facts.algorithms[algorithm];
}

activity collective_activity(const products_so_far& known, word_of_messages& word, const activity_key& key,
                             const episode_ids& episodes, std::uint32_t largest) {
  activity a = sum_of(known, key, episodes);
  const std::uint32_t example = typical(known, episodes);
  a.kind = activity_kind::collective;
  a.found = key.kind;
  a.algorithm = algorithm_of(known.facts, key.algorithm);
  a.evidence = evidence_of(known, episodes);
  a.obstacles = obstacles_of(*a.evidence);
  if (is_rooted(key.kind)) {
    roots_found found = find_roots(known.table, known.episodes, known.facts, episodes);
    a.roots = std::move(found.roots);
    a.rule = std::move(found.rule);
  }
  const std::vector<std::uint32_t> operation = operation_at(known, episodes, example);
  a.before = timeline_of(known.recorded, known.table, known.data, operation, largest);
  a.would_be = collective_instead(known.table, known.facts, key, example, operation, a.before);
  add_what_others_tell(*a.would_be, known, word, key.kind, episodes);
  a.would_be->if_no_signals = key.kind != pattern::barrier && has_empty_messages(known, episodes);
  const memory_needs needs = needs_of(known, key.kind, episodes);
  a.would_be->if_in_one_array = needs.to_send;
  a.would_be->if_room = needs.to_receive;
  a.would_be->if_in_order = needs.order;
  a.after = timeline_instead(known.table, known.facts, key, example, *a.would_be);
  return a;
}

activity traffic_activity(const products_so_far& known, word_of_messages& word, const activity_key& key,
                          const episode_ids& episodes, std::uint32_t largest) {
  activity a = sum_of(known, key, episodes);
  a.moved = measure_traffic(known.recorded, known.table, known.data, known.episodes, episodes);
  a.kind = classify(*a.moved, key.in.group_size);
  if (key.why_not != doubt::no_doubt)
    a.doubted = doubted_collective{key.kind, key.why_not, algorithm_of(known.facts, key.algorithm)};
  a.shape = key.shape;
  exchange_round round;
  const bool dense = a.shape == message_shape::no_shape && a.kind == activity_kind::pairwise &&
                     may_be_dense_exchange(*a.moved);
  const bool of_three =
      a.shape == message_shape::no_shape && may_be_ring_of_three(*a.moved, key.in.group_size);
  if (a.kind == activity_kind::neighbor_exchange || dense || of_three)
    round = find_round(known.recorded, known.table, known.data, word, messages_of(known, episodes));
  const bool on_line =
      key.in.group_size == 3 && round.order != round_order::unknown && (!round.answers || round.shifts);
  if ((dense && (round.order == round_order::at_once || on_line)) ||
      (of_three && round.order != round_order::unknown))
    a.kind = activity_kind::neighbor_exchange;
  else if (a.kind != activity_kind::neighbor_exchange)
    round = {};
  const bool probed = std::any_of(episodes.begin(), episodes.end(),
                                  [&](std::uint32_t e) { return known.facts.of_episode[e].probed; });
  a.obstacles = obstacles_of(a.kind, *a.moved, a.doubted, a.shape, probed);
  if (round.messages.empty())
    round.messages = example_messages(known, episodes, largest);
  a.before = timeline_of(known.recorded, known.table, known.data, round.messages, largest);
  // An allreduce by recursive doubling keeps its partners, too: what was said of the shape is what it could become.
  const bool is_shape = a.shape != message_shape::no_shape || key.why_not == doubt::dependent;
  if (a.kind != activity_kind::neighbor_exchange || is_shape)
    return a;
  if (round.order == round_order::dependent || round.order == round_order::unknown) {
    a.obstacles.push_back(round.order == round_order::dependent ? obstacle::carried_on
                                                                : obstacle::no_fixed_round);
  } else {
    a.would_be = neighborhood_instead(known.table, round, a.before);
    a.would_be->if_no_signals = a.moved->empty > 0;
  }
  return a;
}

} // namespace

std::vector<activity> find_activities(const products_so_far& known, const analysis_options& options) {
  const auto parts =
      divide_episodes(known.recorded, known.table, known.episodes, known.facts, known.phases, known.doubts);
  word_of_messages word(known.recorded, known.table);
  std::vector<activity> all;
  for (const auto& [key, episodes] : parts) {
    if (options.progress)
      options.progress("describing", static_cast<double>(all.size()) / static_cast<double>(parts.size()));
    all.push_back(key.is_collective ? collective_activity(known, word, key, episodes, options.largest_picture)
                                    : traffic_activity(known, word, key, episodes, options.largest_picture));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const activity& a, const activity& b) { return a.seconds > b.seconds; });
  return all;
}

} // namespace tacit::recordings
