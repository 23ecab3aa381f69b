// The environment variables of tacit. All of them may be set wherever a part of tacit is loaded, so every
// part that reports unknown ones needs the whole list.
#pragma once

#include "vocabulary/base/spoken.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tacit::vocabulary {

inline constexpr std::string_view known_variables[] = {"TACIT_RECORD",
                                                       "TACIT_APPLY",
                                                       "TACIT_WITNESS",
                                                       "TACIT_HASH",
                                                       "TACIT_CHAIN",
                                                       "TACIT_DRIVER",
                                                       "TACIT_PIECES",
                                                       "TACIT_EXPECTED_RANKS",
                                                       "TACIT_OVERLAP",
                                                       "TACIT_OVERLAP_MODE",
                                                       "TACIT_OVERLAP_RENAME",
                                                       "TACIT_OVERLAP_POKE",
                                                       "TACIT_OVERLAP_ERRORS",
                                                       "TACIT_OVERLAP_GRAPH",
                                                       "TACIT_OVERLAP_WINDOW",
                                                       "TACIT_OVERLAP_MEMORY",
                                                       "TACIT_OVERLAP_EAGER",
                                                       "TACIT_OVERLAP_CHECK",
                                                       "TACIT_OVERLAP_HOIST",
                                                       "TACIT_OVERLAP_DISABLE",
                                                       "TACIT_OVERLAP_COLLECTIVES",
                                                       "TACIT_OVERLAP_STATISTICS",
                                                       "TACIT_FC",
                                                       "TACIT_SHM",
                                                       "TACIT_NEIGHBOR_WITHOUT",
                                                       "TACIT_RANKS_PER_NODE",
                                                       "TACIT_NEIGHBOR_FORM",
                                                       "TACIT_NEIGHBOR_FEEDBACK",
                                                       "TACIT_PERSISTENT",
                                                       "TACIT_MESSAGE_COST",
                                                       "TACIT_PERSISTENT",
                                                       "TACIT_PLATFORM",
                                                       "TACIT_RMA_MODEL",
                                                       "TACIT_PROGRESS"};

/// `name` begins like a variable of tacit and is none.
inline bool is_unknown_variable(std::string_view name) {
  return name.starts_with("TACIT_") &&
         std::find(std::begin(known_variables), std::end(known_variables), name) == std::end(known_variables);
}

} // namespace tacit::vocabulary
