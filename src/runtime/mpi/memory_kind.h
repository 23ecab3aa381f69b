// Which memory the processor may touch.
//
// Programs with accelerators give MPI pointers into device memory, which MPI libraries that know devices
// take. A CPU that reads or writes there traps. So whatever copies a buffer of the program's by itself asks
// here first, and leaves the bytes to MPI where the answer is yes.
//
// No device library is linked or loaded: if the program has not loaded one (CUDA's, HIP's, Level Zero's), it
// has no device memory, and the question costs one look at how many libraries have been loaded so far, 15 ns.
// Memory that migrates between processor and device (managed, shared) counts as device memory: copying it
// here would be right, but would fetch it from the device.
#pragma once

#include "graphs/graph/graph.h"

#include <span>

namespace tacit::runtime {

/// Whether this process has loaded a library that gives out device memory. Local, thread-safe.
bool has_device_library();

/// Whether the byte at this address is device memory. Local, thread-safe.
bool in_device_memory(const void* address);

/// Whether any of these pieces begins there; none lies in both kinds of memory.
bool in_device_memory(std::span<const graphs::segment> bytes);

} // namespace tacit::runtime
