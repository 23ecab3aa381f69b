// Divides the episodes of a run into activities: within a phase by what was found (pattern and algorithm), or
// was doubted, or by tags. Every episode is in exactly one part.
#pragma once

#include "recordings/meaning/doubts.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/phases.h"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace tacit::recordings {

/// What the episodes of one activity have in common.
struct activity_key {
  phase in;
  bool is_collective = false;
  pattern kind = pattern::bcast;   ///< found or doubted
  std::uint32_t algorithm = none;  ///< index in fact_table::algorithms
  doubt why_not = doubt::no_doubt; ///< tiny, dependent: a collective was seen, but does not count
  message_shape shape = message_shape::no_shape;
  std::int64_t tag = no_tag; ///< no_tag if tags do not divide the phase
  static constexpr std::int64_t no_tag = -2;
  auto operator<=>(const activity_key&) const = default;
};

/// The episodes of each activity. Cost O(messages · log messages).
std::map<activity_key, std::vector<std::uint32_t>>
divide_episodes(const recording_set& recorded, const message_table& table, const episode_list& episodes,
                const fact_table& facts, const std::vector<phase>& phases, const std::vector<doubt>& doubts);

} // namespace tacit::recordings
