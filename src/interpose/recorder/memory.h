// In which block of memory does an address lie, and is it still the same block?
//
// Recordings name addresses relative to blocks, so that they mean the same in every run (address
// randomization) and so that a buffer that was freed and allocated anew is not mistaken for the old one.
// Large heap blocks are followed through malloc and free (malloc_hooks.cpp); static data is found in the
// loaded modules; the rest (stacks, small heap blocks, mappings) in /proc/self/maps, read only when an
// address is in nothing known. Blocks get ids when first used.
//
// Cost: free of a small block is one comparison of malloc_usable_size; large blocks are a node in a tree
// (≈100 ns).
#pragma once

#include "recordings/record/format.h"

#include <cstddef>
#include <cstdint>

namespace tacit::interpose {

/// Heap blocks smaller than this are not followed one by one. They are too small for their allocation to be
/// slow to follow, but too many.
inline constexpr std::size_t followed_block_bytes = 512;

struct memory_block {
  std::uint32_t id = 0; ///< 0: not in any known memory
  recordings::memory_kind kind = recordings::memory_kind::mapping;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint64_t module_base = 0; ///< load address, for module_data
  bool fresh = false;            ///< its id was given by this look-up
  bool contains(std::uint64_t address) const { return id != 0 && address - base < bytes; }
};

/// Starts and stops following malloc. Before, between and after, the hooks cost one load and one branch.
void follow_memory(bool on);
bool following_memory();

// Called by the malloc hooks; any thread.
void block_allocated(const void* base, std::size_t bytes);
void block_freed(const void* base);

/// The block an address lies in. Any thread.
memory_block find_block(std::uint64_t address);

/// In a forked child: other threads' locks are nobody's.
void memory_after_fork();

} // namespace tacit::interpose
