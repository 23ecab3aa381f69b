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

/// One word for several, which come one after the other; needs no memory.
class hashed_words {
public:
  void add(std::uint64_t word) {
    const std::uint64_t both[2] = {so_far_, word};
    so_far_ = hash_of(both, sizeof both);
  }
  std::uint64_t value() const { return so_far_; }

private:
  std::uint64_t so_far_ = 0;
};

} // namespace tacit::vocabulary
