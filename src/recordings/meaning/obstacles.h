// Why activities are left as they are.
#pragma once

#include "recordings/meaning/analysis.h"

#include <vector>

namespace tacit::recordings {

/// Of a collective, most important first.
std::vector<obstacle> obstacles_of(const collective_evidence& seen);

/// Of messages that form no collective; `doubted` and `shape` are what they have the shape of, if any; `probed` is
/// true if a receiver probed for one of them.
std::vector<obstacle> obstacles_of(activity_kind kind, const traffic& t,
                                   const std::optional<doubted_collective>& doubted, message_shape shape,
                                   bool probed);

} // namespace tacit::recordings
