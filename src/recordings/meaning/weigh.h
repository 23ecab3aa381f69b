// What a survey has left out, shared among the examples that are there.
#pragma once

#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/survey.h"

namespace tacit::recordings {

/// Leaves out the episodes that may be cut, gives each message that is left the number of those that it stands for, and
/// sums up the facts anew. Cost O(messages · log classes).
regrouped weigh(const recording_set& recorded, message_table& table, const run_survey& survey,
                regrouped found);

} // namespace tacit::recordings
