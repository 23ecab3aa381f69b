// Check mode: says where a process waits for long for others that the program claims come there, too. Nothing else can say it of a process
// that comes to a call of MPI's own instead, which asks nobody.
#pragma once

#include <pthread.h>

namespace tacit::compiler {

/// From here to the end of the block. Once said, with what may be the reason; a process that is only late is waited for like any other.
class long_wait {
public:
  long_wait(bool checks, const char* file, int line);
  ~long_wait();
  long_wait(const long_wait&) = delete;
  long_wait& operator=(const long_wait&) = delete;

private:
  static void* watch(void* self);

  bool watched_, over_ = false;
  const char* const file_;
  const int line_;
  int rank_ = 0;
  pthread_t watcher_{};
  pthread_mutex_t guard_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t ends_ = PTHREAD_COND_INITIALIZER;
};

} // namespace tacit::compiler
