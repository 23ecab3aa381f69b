// Reading another process's memory without its help: Linux's cross-memory attach (process_vm_readv), which
// needs the right to trace it. Containers, Yama's ptrace_scope, different users or a process that made itself
// undumpable forbid it, at any time; so it is tried where two processes meet, and every read may fail.
// Anything else that gives access to a peer's memory (XPMEM) would stand behind these two functions.
#pragma once

#include "graphs/graph/graph.h"
#include "runtime/channel/shared_memory.h"

#include <cstdint>
#include <span>
#include <string>

namespace tacit::runtime {

/// Copies `from`, addresses in another process, into `into`, addresses here, of equal total length. False:
/// not allowed, or not all of it is memory there; what has been written is undefined. Does not wait for the
/// other process.
bool read_memory(std::int64_t process, std::span<const graphs::segment> from,
                 std::span<const graphs::segment> into);

/// A word in the memory of a process, by which others find out whether they can read it. Plain data.
struct readable_word {
  std::uint64_t address = 0, value = 0;
};

/// Fills in what nobody else will have at that address.
readable_word make_readable(std::uint64_t& word, const process_identity& me);

/// Empty if this process can read the owner's memory, else why not: reads the word.
std::string why_not_readable(const process_identity& owner, const readable_word& word);

} // namespace tacit::runtime
