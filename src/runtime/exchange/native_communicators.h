// Duplicates of a communicator for operations that are calls of MPI's collectives.
//
// Problem. MPI matches collectives on one communicator by the order in which they start, but persistent
// operations may start in another order on each rank (MPI-4.1 section 6.13). So every operation needs a
// communicator of its own; the library has only some thousands of them, and all ranks must free one together,
// while each gives up an operation when it pleases.
//
// Idea, as for windows (rma/windows.h): giving one up only marks it. All ranks have equal lists; when
// they next need one they learn which of the first 64 all have given up, and take the first of those; if
// there is none, they make another one. A rank that has given one up will not start its operation again, so
// no other may either: nothing is under way there. All are freed with the communicator.
//
// Cost: a reduction of one word, and MPI_Comm_idup where nothing can be had again.
#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

class native_communicators {
public:
  struct entry {
    MPI_Comm comm = MPI_COMM_NULL; ///< null: could not be made
    bool in_use = true;
    bool abandoned = false; ///< something is left under way: never to be used again, nor freed
  };

  native_communicators() = default;
  ~native_communicators();
  native_communicators(const native_communicators&) = delete;
  native_communicators& operator=(const native_communicators&) = delete;

  /// What `take` needs if there is nothing to be had again. Local.
  std::shared_ptr<entry> make_room();
  /// A duplicate of `parent` (always the same one) with its topology, whose errors return; `room` if it is a
  /// new one. Collective. Needs no memory. Throws mpi_error; the lists stay equal.
  std::shared_ptr<entry> take(MPI_Comm parent, std::shared_ptr<entry> room);

private:
  std::uint64_t given_up() const;
  std::vector<std::shared_ptr<entry>> list_;
};

} // namespace tacit::runtime
