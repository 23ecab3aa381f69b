/* Device memory that says who touches it (guarded_device.c). */
#pragma once

#include <stddef.h>

/* Once per process, after MPI_Init, which may have handlers of signals of its own. Needs the path of the fake device in
 * FAKE_DEVICE; null if there is none. The interposer touching it ends the process with code 99. */
void* guarded_device_memory(size_t bytes);
