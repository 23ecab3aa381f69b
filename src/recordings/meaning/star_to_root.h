// Every rank but one gives it its messages, one rank after the other.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/known_messages.h"
#include "recordings/meaning/stream.h"

#include <optional>

namespace tacit::recordings {

struct star {
  portion count;
  std::uint32_t root = none;
  message_shape shape = message_shape::no_shape;
};

/// The next operations of a stream if each rank but the root sends it the same number of messages with data, perhaps
/// after the root has asked it to with an empty one. Cost O(ranks · messages of a rank).
std::optional<star> star_to_root(const known_messages& known, const stream& in);

} // namespace tacit::recordings
