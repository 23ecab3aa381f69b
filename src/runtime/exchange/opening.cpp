#include "runtime/exchange/opening.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/tags.h"
#include "runtime/run/progress.h"

namespace tacit::runtime {

opening::~opening() {
  end_progress(setup_);
}

void opening::begin() {
  if (setup_.failure)
    std::rethrow_exception(setup_.failure);
  if (begun_)
    return;
  begun_ = true;
  try {
    setup_.start();
    begin_progress(setup_);
  } catch (...) {
    setup_.failure = std::current_exception();
    throw;
  }
}

bool opening::advance() {
  if (setup_.failure)
    std::rethrow_exception(setup_.failure);
  if (!setup_.ready())
    return false;
  if (!tags_.assigned())
    tags_.assign(setup_.widest(), highest_tag(setup_.comm()));
  while (!line_.empty()) {
    waiter* const next = line_.front();
    line_.pop_front();
    next->begin();
  }
  return true;
}

void opening::finish() {
  if (!begun_ && !setup_.failure) {
    begun_ = true;
    try {
      setup_.start();
    } catch (...) {
      setup_.failure = std::current_exception();
      throw;
    }
    wait_unregistered(setup_);
  } else if (!ready()) {
    begin();
    if (!setup_.ready())
      wait_for(setup_);
  }
  advance();
}

/// A duplicate that is being made looks at the communicator until it is complete (Open MPI 4.1.4 crashes if
/// it is freed before). MPI_Comm_free is collective, so it may wait for the other ranks here.
void opening::let_go() {
  if (setup_.inside())
    return;
  try {
    while (setup_.duplicating() && !setup_.failure && !progress_all(setup_))
      offer_core();
  } catch (...) { // kept by the setup for those that wait for it
    setup_.failure = std::current_exception();
  }
}

} // namespace tacit::runtime
