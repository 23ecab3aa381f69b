// Statistics of messages that form no collective, and what they are by these.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

/// Of the messages of some episodes. Cost O(messages · log messages).
traffic measure_traffic(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, std::span<const std::uint32_t> which);

/// What this traffic is on a group of `group_size` ranks.
activity_kind classify(const traffic& t, std::size_t group_size);

/// Every rank keeps its partners, of which there may be many: whether a fixed round would make this a neighbor exchange.
bool may_be_dense_exchange(const traffic& t);
/// On three ranks two neighbors are all others: whether a fixed round would make this a neighbor exchange.
bool may_be_ring_of_three(const traffic& t, std::size_t group_size);

} // namespace tacit::recordings
