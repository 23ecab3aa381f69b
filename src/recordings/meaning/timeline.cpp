// Each rank runs through its sends and completed receives in program order with a clock of its own; a receive
// waits for its message's step. Ranks are run until they wait for a send that has not happened; a send wakes
// its receiver. Real time ordered the events, so all run to the end; in a damaged recording some may not, and
// their messages go to the last column.
#include "recordings/meaning/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tacit::recordings {
namespace {

struct half_event {
  std::uint32_t position;
  bool receives;
  std::uint32_t message; ///< index in the episode
};

struct rank_walk {
  std::vector<half_event> events;
  std::size_t next = 0;
  std::uint32_t clock = 0;
};

std::map<std::uint32_t, rank_walk> list_events(const recording_set& recorded, const message_table& table,
                                               std::span<const std::uint32_t> episode) {
  std::map<std::uint32_t, rank_walk> ranks;
  for (std::uint32_t i = 0; i < episode.size(); ++i) {
    const message& m = table.messages[episode[i]];
    const rank_recording& receiver = recorded.recordings[table.recording_of_rank[m.to]];
    const std::uint32_t done =
        m.completion == none ? none : static_cast<std::uint32_t>(receiver.completions[m.completion].call);
    ranks[m.from].events.push_back({m.send_call, false, i});
    ranks[m.to].events.push_back({done, true, i});
  }
  for (auto& [rank, state] : ranks)
    std::sort(state.events.begin(), state.events.end(), [](const half_event& a, const half_event& b) {
      return std::tie(a.position, a.receives, a.message) < std::tie(b.position, b.receives, b.message);
    });
  return ranks;
}

} // namespace

timeline timeline_of(const recording_set& recorded, const message_table& table, const provenance& data,
                     std::span<const std::uint32_t> episode, std::uint32_t largest) {
  timeline picture;
  std::map<std::uint32_t, rank_walk> ranks = list_events(recorded, table, episode);
  std::vector<std::uint32_t> step(episode.size(), none);
  std::vector<std::uint32_t> runnable;
  for (const auto& [rank, state] : ranks) {
    picture.ranks.push_back(rank_id{rank});
    runnable.push_back(rank);
  }
  while (!runnable.empty()) {
    rank_walk& walk = ranks[runnable.back()];
    runnable.pop_back();
    for (; walk.next < walk.events.size(); ++walk.next) {
      const half_event& e = walk.events[walk.next];
      if (!e.receives) {
        step[e.message] = walk.clock++;
        runnable.push_back(table.messages[episode[e.message]].to);
      } else if (step[e.message] == none) {
        break;
      } else {
        walk.clock = std::max(walk.clock, step[e.message] + 1);
      }
    }
  }
  for (const std::uint32_t s : step)
    if (s != none)
      picture.steps = std::max(picture.steps, s + 1);
  const std::uint32_t last_column = picture.steps;
  if (std::find(step.begin(), step.end(), none) != step.end())
    ++picture.steps;
  std::vector<std::uint32_t> order(episode.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return step[a] < step[b]; });
  for (const std::uint32_t i : order) {
    if (picture.messages.size() == largest) {
      picture.cut = true;
      break;
    }
    const message& m = table.messages[episode[i]];
    const std::uint32_t column = step[i] == none ? last_column : step[i];
    picture.messages.push_back(
        {rank_id{m.from}, rank_id{m.to}, column, m.bytes, data.own_bytes[episode[i]] < m.bytes});
  }
  return picture;
}

} // namespace tacit::recordings
