// Which of the collectives seen in single episodes count, in the light of all episodes of their phase.
#pragma once

#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/phases.h"

#include <vector>

namespace tacit::recordings {

/// For each episode, why the collective that was seen in it does not count: what its own facts say, and what
/// its phase says; `by_site`: phases by call sites alone. Cost O(episodes · log phases).
std::vector<doubt> doubts_of(const message_table& table, const episode_list& episodes,
                             const fact_table& facts, const std::vector<phase>& phases,
                             const std::vector<phase>& by_site);

} // namespace tacit::recordings
