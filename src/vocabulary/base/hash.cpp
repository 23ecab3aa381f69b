#include "vocabulary/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tacit::vocabulary {

std::uint64_t hash_of(const void* bytes, std::size_t length) {
  return XXH3_64bits(bytes, length);
}

std::uint64_t hash_of(std::string_view text) {
  return hash_of(text.data(), text.size());
}

} // namespace tacit::vocabulary
