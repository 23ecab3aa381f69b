// Opening a communicator for neighborhood collectives: it is set up once, by whoever needs it first, and
// operations that are started before it is ready wait in line, so that no later one can overtake them.
#pragma once

#include "runtime/exchange/communicator_setup.h"
#include "runtime/exchange/operation_tags.h"

#include <deque>
#include <mpi.h>

namespace tacit::runtime {

class opening {
public:
  /// An operation that waits in line.
  class waiter {
  public:
    virtual void begin() = 0; ///< the communicator is ready; must not throw

  protected:
    ~waiter() = default;
  };

  /// `setup` has to outlive the opening.
  explicit opening(communicator_setup& setup) : setup_(setup) {}
  ~opening();
  opening(const opening&) = delete;
  opening& operator=(const opening&) = delete;

  /// Starts the setup, unless it has been. Local. Throws what the setup has thrown.
  void begin();
  /// True once the communicator is ready; then nobody waits in line any more. Throws as `begin`.
  bool advance();
  /// Blocks until it is ready; needs no memory if nobody has begun. Throws as `begin`.
  void finish();
  /// The communicator is being freed. May block on the other ranks.
  void let_go();

  bool ready() const { return tags_.assigned(); }
  MPI_Comm comm() const { return setup_.ready() ? setup_.comm() : MPI_COMM_NULL; }
  operation_tags& tags() { return tags_; }
  const operation_tags& tags() const { return tags_; }
  /// Gives the setup up, as communicator_setup says.
  void abandon() { setup_.abandon(); }

  void join(waiter& w) { line_.push_back(&w); }
  void leave(waiter& w) { std::erase(line_, &w); }

private:
  communicator_setup& setup_;
  bool begun_ = false;
  operation_tags tags_;
  std::deque<waiter*> line_;
};

} // namespace tacit::runtime
