// Memory for the buffers of a program that the ranks of its host can write: what tacit_alloc_mem gives.
//
// Each buffer is a region of its own (shared_memory.h), so that freeing it gives its memory back. Where such
// memory cannot be had, or would take more than half of the process's descriptors, it is ordinary memory, and
// messages are copied as to any other buffer. All functions are local and thread-safe.
#pragma once

#include "runtime/channel/shared_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tacit::runtime {

/// At least `bytes`, aligned to pages, zero. Null: there is no memory.
void* allocate_buffer(std::size_t bytes);
/// False: it is no such buffer.
bool free_buffer(void* buffer);

/// Where bytes of this process lie in a region that peers can open.
struct shared_location {
  region_address region;
  std::uint64_t offset = 0, bytes = 0;
};

/// Nothing if not all of them are in one buffer that is shared.
std::optional<shared_location> find_shared(std::uint64_t address, std::uint64_t bytes);

/// A buffer of another process, mapped once however many operations use it: mapping takes time and memory in
/// proportion to all of the buffer, of which an operation may need little. Null: `why` it cannot be opened.
std::shared_ptr<const shared_region> open_buffer(const process_identity& owner, const region_address& where,
                                                 std::string& why);

} // namespace tacit::runtime
