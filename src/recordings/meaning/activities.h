// From episodes to activities: what each part of the program does with its messages.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/doubts.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/phases.h"

#include <cstdint>
#include <vector>

namespace tacit::recordings {

/// The products of the passes before, by reference.
struct products_so_far {
  const recording_set& recorded;
  const message_table& table;
  const provenance& data;
  const episode_list& episodes;
  const fact_table& facts;
  const std::vector<phase>& phases;
  const std::vector<doubt>& doubts;
};

/// All activities, most time first; sites and communicators in them are locations and groups of the message
/// table. Every message is in exactly one. Cost O(messages · log messages).
std::vector<activity> find_activities(const products_so_far& known, const analysis_options& options);

} // namespace tacit::recordings
