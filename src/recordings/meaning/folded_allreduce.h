// An allreduce by recursive doubling on a number of ranks that is no power of two.
#pragma once

#include "recordings/meaning/known_messages.h"
#include "recordings/meaning/stream.h"

#include <optional>

namespace tacit::recordings {

/// The next operations of a stream if they have this shape. On three ranks no content would have to agree, so nothing
/// is claimed there. Cost O(ranks · log ranks).
std::optional<portion> folded_allreduce(const known_messages& known, const stream& in);

} // namespace tacit::recordings
