// Phases of the same call sites that say the same, wherever they are called from, become one: a broadcast of a library
// that a program calls in ten places is one finding, its halo another one.
#pragma once

#include "recordings/meaning/doubts.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/phases.h"

#include <vector>

namespace tacit::recordings {

/// The phase of each episode, after those that say the same have become one. `by_site`: phases by call sites alone.
/// Cost O(messages · log messages) for phases that share sites, nothing for all others.
std::vector<phase> join_alike(const recording_set& recorded, const message_table& table,
                              const provenance& data, const episode_list& episodes, const fact_table& facts,
                              const std::vector<doubt>& doubts, const std::vector<phase>& by_site,
                              std::vector<phase> phases);

} // namespace tacit::recordings
