// What messages could become: the collective in their place, by a simple count.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/division.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

/// The collective in the place of the episode `example`, executed as in `before`, with the usual algorithm of
/// each pattern. Its communicator is a group of the table.
replacement collective_instead(const message_table& table, const episode_list& episodes,
                               const fact_table& facts, const activity_key& key, std::uint32_t example,
                               const timeline& before);
/// The timeline of that.
timeline timeline_instead(const message_table& table, const fact_table& facts, const activity_key& key,
                          std::uint32_t example, const replacement& r);

/// A neighborhood collective in the place of these messages.
replacement neighborhood_instead(const message_table& table, std::span<const std::uint32_t> round,
                                 const traffic& t, const timeline& before);

} // namespace tacit::recordings
