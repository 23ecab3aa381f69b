// The roots of rooted collectives, and the rule that they follow.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

struct roots_found {
  std::vector<rank_id> roots; ///< distinct world ranks in order of first use
  root_rule rule;
};

/// The rule of roots in order of use.
root_rule rule_of(const std::vector<std::uint32_t>& roots);

/// Positions in the group of all roots of an episode.
std::vector<std::uint32_t> roots_of(const fact_table& facts, std::uint32_t episode);

/// The roots of these episodes, each group in the program order of its first member. Cost O(messages).
roots_found find_roots(const message_table& table, const episode_list& episodes, const fact_table& facts,
                       std::span<const std::uint32_t> which);

} // namespace tacit::recordings
