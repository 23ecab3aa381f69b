// From episodes to activities: what each part of the program does with its messages.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"

#include <cstdint>
#include <vector>

namespace tacit::recordings {

/// Everything the analysis has found out, by reference.
struct findings_so_far {
  const recording_set& recorded;
  const message_table& table;
  const provenance& data;
  const episode_list& episodes;
  fact_table& facts;
};

/// Fills `activities` of the result; sites and communicators in them are places and groups of the message
/// table.
std::vector<activity> form_activities(const findings_so_far& known, const std::vector<std::string>& shapes,
                                      const analysis_options& options);

} // namespace tacit::recordings
