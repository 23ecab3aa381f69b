// What always follows what on every rank that does both: lines of one halo, tags of its directions.
//
// A visit is a sequence of messages of one kind on one communicator. Two kinds follow each other if, on every rank that
// comes to both, nine of ten times that it comes to one it comes to the other before anything else on that communicator.
// A collective call ends the sequence. Cost O(calls · log kinds).
#pragma once

#include "recordings/meaning/calls.h"
#include "recordings/meaning/messages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tacit::recordings {

/// Pairs of kinds of which the second always follows the first. `kind_of` tells of a message's id an optional Kind;
/// messages without one are passed over.
template <typename Kind, typename KindOf>
std::vector<std::pair<Kind, Kind>> successions(const recording_set& recorded, const message_table& table,
                                               KindOf kind_of) {
  constexpr std::uint64_t enough_rounds = 3; // to say always
  struct ranks_that {
    std::uint64_t agree = 0, differ = 0;
  };
  std::map<std::pair<Kind, Kind>, ranks_that> follows;
  for (std::uint32_t i = 0; i < recorded.recordings.size(); ++i) {
    const rank_recording& r = recorded.recordings[i];
    const rank_index& ids = table.of_recording[i];
    std::map<std::uint32_t, Kind> last; // per group
    std::map<Kind, std::uint64_t> visits;
    std::map<std::pair<Kind, Kind>, std::uint64_t> next;
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      if (r.calls[c].comm != none && is_collective(class_of(r.calls[c])))
        last.erase(ids.group_of_comm[r.calls[c].comm]);
      const std::uint32_t id = ids.message_of_call[c];
      const std::optional<Kind> now = id == none ? std::nullopt : std::optional<Kind>(kind_of(id));
      if (!now)
        continue;
      const auto [at, is_first] = last.try_emplace(table.messages[id].comm, *now);
      if (!is_first && at->second == *now)
        continue;
      ++visits[*now];
      if (!is_first)
        ++next[{at->second, *now}];
      at->second = *now;
    }
    for (const auto& [pair, times] : next) {
      const std::uint64_t most = std::max(visits[pair.first], visits[pair.second]);
      ranks_that& count = follows[pair];
      ++(most >= enough_rounds && times * 10 >= most * 9 ? count.agree : count.differ);
    }
  }
  std::vector<std::pair<Kind, Kind>> always;
  for (const auto& [pair, ranks] : follows)
    if (ranks.agree > 0 && ranks.differ == 0)
      always.push_back(pair);
  return always;
}

} // namespace tacit::recordings
