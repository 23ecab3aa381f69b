/* A handler of a signal that jumps to where the program asks for. */
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out_of_here;

static void leave(int number) {
  (void)number;
  siglongjmp(out_of_here, 1);
}

sigjmp_buf* where_signals_lead(void);
sigjmp_buf* where_signals_lead(void) {
  signal(SIGUSR1, leave);
  return &out_of_here;
}
