#include "runtime/executor/exit_status.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tacit::runtime {

namespace {

bool must_fail = false;
int status_of_program = EXIT_SUCCESS;

/// Nothing may call exit() again while it runs, so the status is changed by what runs last: the library's own end. Streams are
/// flushed after that, and so here.
[[gnu::destructor]] void end_of_library() {
  if (!must_fail || status_of_program != EXIT_SUCCESS)
    return;
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

} // namespace

void fail_at_exit() {
  if (must_fail)
    return;
  must_fail = true;
#ifdef __GLIBC__ // elsewhere the status cannot be known, and that of a program that failed is 1
  on_exit([](int status, void*) { status_of_program = status; }, nullptr);
#endif
}

} // namespace tacit::runtime
