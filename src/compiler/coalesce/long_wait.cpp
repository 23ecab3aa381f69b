#include "compiler/coalesce/long_wait.h"

#include "compiler/coalesce/claims.h"

#include <csignal>
#include <cstdio>
#include <time.h>

namespace tacit::compiler {
namespace {

constexpr int naps = 100; ///< 10 s in all; counted, as the whole program may be stopped meanwhile
constexpr long nap = 100'000'000;

timespec next_nap() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += nap;
  t.tv_sec += t.tv_nsec / 1'000'000'000;
  t.tv_nsec %= 1'000'000'000;
  return t;
}

} // namespace

// The program's signals are for its own threads. Without a thread nothing is said.
long_wait::long_wait(bool checks, const char* file, int line)
    : watched_(checks), file_(file ? file : "?"), line_(line) {
  if (!watched_)
    return;
  rank_ = world_rank();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watched_ = pthread_create(&watcher_, nullptr, watch, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

long_wait::~long_wait() {
  if (!watched_)
    return;
  pthread_mutex_lock(&guard_);
  over_ = true;
  pthread_cond_signal(&ends_);
  pthread_mutex_unlock(&guard_);
  pthread_join(watcher_, nullptr);
}

/// Calls nothing of MPI, which may allow one thread only.
void* long_wait::watch(void* self) {
  auto& w = *static_cast<long_wait*>(self);
  pthread_mutex_lock(&w.guard_);
  for (int slept = 0; !w.over_ && slept < naps; ++slept) {
    const timespec until = next_nap();
    pthread_cond_timedwait(&w.ends_, &w.guard_, &until);
  }
  if (!w.over_)
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: this process has waited 10 s for the others to come to this exchange: "
        "if one is at another call, as at an MPI_Alltoall without the annotation, it waits for ever, and the "
        "pragma's claim that all come here together is not true [TACIT-155]\n",
        w.rank_, w.file_, w.line_);
  pthread_mutex_unlock(&w.guard_);
  return nullptr;
}

} // namespace tacit::compiler
