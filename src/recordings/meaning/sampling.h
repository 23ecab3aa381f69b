// Which calls stand for the others: messages are paired, summed up by class, and kept in windows around those that are novel
// (survey.h says why).
#pragma once

#include "recordings/meaning/rank_survey.h"
#include "recordings/meaning/survey.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::recordings {

/// The calls of one rank that are halves of messages, and of those the ones that are kept, with the calls that complete them.
struct call_marks {
  std::vector<bool> halves, kept;
};

bool is_kept(std::span<const kept_window> windows, std::int64_t time);

/// Fills in classes, windows and what stayed without a partner. The marks are by recording; none if keeping everything is no more.
/// `calls` are those of each recording. Cost O(messages · log messages).
std::optional<std::vector<call_marks>> choose_sample(run_survey& out, const halves& found,
                                                     std::span<const std::uint32_t> calls,
                                                     std::span<const std::uint32_t> recording_of_rank,
                                                     const survey_options& options);

} // namespace tacit::recordings
