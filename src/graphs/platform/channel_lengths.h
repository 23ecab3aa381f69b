// Where messages through shared memory change their way: channels go by it (runtime/channel), platforms are measured by it
// (surface/measure), and plans priced (cost).
#pragma once

#include <cstdint>

namespace tacit::graphs {

/// From here on a message is read where it lies, by a system call.
///
/// Reading another process's memory costs that call, the pinning of pages, and reads of lines that are
/// dirty in the other core's caches. Buffers are written before and read after each exchange; two copies then
/// take 0.9-1 of its time at 512 KiB, 1.3 at 1 MiB and 2 MiB between cores that share a cache, and 0.27 to
/// 0.3 at all these sizes between cores that do not (AMD EPYC); there messages are never read directly. From
/// here on MPI libraries read directly, too.
inline constexpr std::uint64_t least_direct = std::uint64_t{1} << 20;

/// The longest message of which it is measured what copies through memory take: lengths that are measured are powers of two.
inline constexpr std::uint64_t longest_copied = least_direct / 2;

} // namespace tacit::graphs
