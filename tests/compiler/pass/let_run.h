/* For programs that need another process to come far before they go on. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Returns when this process has computed, or polled, much longer than what it does next without waiting takes: by its own clock, so that
 * the load of the machine does not count. */
static void let_run(int process) {
  clockid_t clock;
  struct timespec now;
  double begun = -1, seconds = 0;
  if (clock_getcpuclockid(process, &clock) != 0)
    abort();
  while (seconds < 0.05) {
    if (clock_gettime(clock, &now) != 0)
      abort();
    const double at = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    begun = begun < 0 ? at : begun;
    seconds = at - begun;
    usleep(1000);
  }
}
