#include "runtime/shm/wait.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {

shm_wait::shm_wait(MPI_Comm comm, const shm_peers& peers)
    : let_mpi_progress_(comm), peers_(peers), oversubscribed_(peers.oversubscribed()) {}

bool shm_wait::probe_and_look() {
  let_mpi_progress_();
  const double now = MPI_Wtime();
  if (rounds_ <= rounds_per_probe[0]) { // the first probe since something arrived
    since_ = looked_ = now;
    ended_ = -1;
    return false;
  }
  waited_ = now - since_;
  if (waited_ > wait_before_sleep)
    stage_ = stage::sleep;
  else if (waited_ > wait_before_yield || oversubscribed_)
    stage_ = stage::yield;
  if (now - looked_ < 1)
    return false;
  looked_ = now;
  return true;
}

/// What a process wrote before it ended may still be on the way to being seen: only the second look counts.
void shm_wait::check(const action_note& note) {
  if (!has_ended(peers_.process(note.peer)))
    return;
  if (ended_ == note.peer)
    throw mpi_error(MPI_ERR_OTHER, fmt::format("{}: process {} of that rank has ended", describe(note),
                                               peers_.process(note.peer).pid));
  if (ended_ < 0)
    ended_ = note.peer;
}

void shm_wait::rest(double pause) const {
  if (pause < 0)
    return; // keeps the core
  peers_.set_absent(true);
  take_pause(pause);
  peers_.set_absent(false);
}

double shm_wait::nap() const {
  constexpr double longest = 500e-6; // so long may MPI and other schedules wait for progress
  return std::min(waited_ / 64, longest);
}

} // namespace tacit::runtime
