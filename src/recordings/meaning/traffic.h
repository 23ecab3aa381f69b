// Statistics of messages that form no collective, and the plain name of what they are.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tacit::recordings {

struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t wildcards = 0; ///< received with any source or any tag
  std::uint64_t forwarded = 0; ///< mostly bytes received before, unchanged
  std::uint64_t changed = 0;   ///< sent from where a receive of the same kind had been, with other content
  std::uint64_t in_pairs = 0;  ///< in episodes that are an exchange of two ranks
  std::uint64_t in_rings =
      0; ///< in episodes where each rank sends one message and receives one, three ranks or more
  std::uint64_t in_two_way_rings = 0; ///< in episodes where each rank exchanges with its neighbors on a ring
  std::uint64_t answered = 0;         ///< for which there is one the other way between the same ranks
  std::uint64_t self = 0;             ///< from a rank to itself
  std::uint32_t ranks = 0;            ///< that take part
  std::uint32_t most_partners = 0;    ///< ranks that one rank sends to
  std::uint32_t fewest_partners = 0;
  double rounds = 0;       ///< messages per pair of ranks, on average
  std::uint64_t sizes = 0; ///< distinct sizes (counted up to 1000)
};

/// Cost O(messages · log messages).
traffic measure_traffic(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, std::span<const std::uint32_t> which);

/// Nearly all messages are exchanges of two ranks with nothing else in between.
bool one_partner_at_a_time(const traffic& t);

/// What this traffic is on a group of `group_size` ranks.
activity_kind classify(const traffic& t, std::size_t group_size);

} // namespace tacit::recordings
