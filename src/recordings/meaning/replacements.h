// What messages could become: the collective in their place, by a simple count.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/division.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/exchange_round.h"
#include "recordings/meaning/messages.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

/// The collective in the place of `operation`, the messages of the episode `example` and of those that continue
/// it, executed as in `before`, with the usual algorithm of each pattern. Its communicator is a group of the
/// table.
replacement collective_instead(const message_table& table, const fact_table& facts, const activity_key& key,
                               std::uint32_t example, std::span<const std::uint32_t> operation,
                               const timeline& before);
/// What the ranks would do with the replacement in place, as a timeline.
timeline timeline_instead(const message_table& table, const fact_table& facts, const activity_key& key,
                          std::uint32_t example, const replacement& r);

/// A neighborhood collective in the place of a round whose order allows it.
replacement neighborhood_instead(const message_table& table, const exchange_round& round,
                                 const timeline& before);

} // namespace tacit::recordings
