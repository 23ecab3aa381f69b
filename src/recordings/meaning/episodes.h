// Episodes: messages that belong together because they move the same data, or belong to one step of an
// exchange.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

struct episode_list {
  std::vector<std::uint64_t> first;    ///< per episode: its first entry in `messages`; one more at the end
  std::vector<std::uint32_t> messages; ///< message ids, by episode
  std::vector<bool> simultaneous;      ///< per episode: no rank contributes after it got foreign data
  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t episode) const {
    return std::span(messages).subspan(first[episode], first[episode + 1] - first[episode]);
  }
};

/// Splits the messages into episodes, in the order in which their first messages were sent (by the ranks'
/// wall clocks).
episode_list find_episodes(const recording_set& recorded, const message_table& table, const provenance& data,
                           std::uint64_t smallest_evidence, const progress_callback& progress);

} // namespace tacit::recordings
