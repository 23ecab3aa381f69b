// The one hash of bytes: the same number on every rank and in every build, which std::hash does not promise.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tacit::vocabulary {

/// XXH3, 64 bits. Not for what an adversary may choose: collisions can be made.
std::uint64_t hash_of(const void* bytes, std::size_t length);
std::uint64_t hash_of(std::string_view text);

} // namespace tacit::vocabulary
