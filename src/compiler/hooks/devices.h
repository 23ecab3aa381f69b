/* Whether buffers may be in the memory of a device, which MPI may read and write but the processor cannot. */
#ifndef TACIT_HOOKS_DEVICES_H
#define TACIT_HOOKS_DEVICES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Nonzero if this process has loaded a library that gives out such memory: then nothing of the program's is copied by us.
 * Thread-safe; costs one look at how many libraries have been loaded so far. */
int tacit_uses_devices(void);

#ifdef __cplusplus
}
#endif

#endif
