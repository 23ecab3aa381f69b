/* MPICH 4.0.2 of Debian 12 never gives a core back while it waits: its setting for that,
 * MPIR_CVAR_POLLS_BEFORE_YIELD, does nothing with the UCX device. A test with three ranks on two cores then
 * waits for the end of a time slice in each message (8 ms a barrier; a hundred thousand of them are a
 * time-out), and one with two ranks does so beside any other busy process.
 *
 * The launcher of the tests preloads this: after POLLS looks in vain a rank sleeps for as short as the kernel
 * lets it. Who sleeps gets a core at once when it wakes, who yields does not. Measured beside three busy
 * processes: a barrier of 3 ranks takes 8300 us as it is, 940 with sched_yield, 170 so; of 2 ranks on free
 * cores no wait is long enough to sleep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { POLLS = 300 };

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  static _Thread_local int in_vain;
  if (!progress)
    progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = progress(worker);
  in_vain = done ? 0 : in_vain + 1;
  if (in_vain == POLLS) {
    in_vain = 0;
    nanosleep(&(struct timespec){0, 1000}, NULL);
  }
  return done;
}
