// When the messages of an episode could go if nothing took time but waiting: the columns of timelines, and
// the number of steps before a replacement.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <span>

namespace tacit::recordings {

/// An episode as executed: a rank sends one message in a step; what it gets in a step
/// it has in the next one. At most `largest` messages are listed (`cut` says if some are not), `steps` counts
/// all. Cost O(messages · log messages).
timeline timeline_of(const recording_set& recorded, const message_table& table, const provenance& data,
                     std::span<const std::uint32_t> episode, std::uint32_t largest);

} // namespace tacit::recordings
