// Windows of a communicator that wait to be freed.
//
// Problem. MPI_Win_free waits for all ranks of the window, but a schedule is given up by each rank when it
// pleases: ranks that free two schedules in different order would wait for each other for ever. And a window
// that is still there in MPI_Finalize makes some MPI libraries abort.
//
// Idea. Giving up a window only marks it. All ranks make the windows of a communicator in the same order, so
// they have equal lists of them; when they next make one together, they learn which windows all have given
// up (a bit for each of the oldest 64, in the agreement that is needed anyway) and free those, in list order.
// What remains is freed in MPI_Finalize, in the order of making, which is one in which no two ranks can wait
// for each other, because they waited for each other in it before.
#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

struct rma_window {
  MPI_Win handle = MPI_WIN_NULL; ///< in an epoch of MPI_Win_lock_all; null once it has been freed
  bool in_use = true;
};

class rma_windows {
public:
  /// The list of a communicator, for as long as that or its user lives. Local. Throws mpi_error.
  static std::shared_ptr<rma_windows> of(MPI_Comm comm);

  /// What windows of `comm` are to be made on: a duplicate that is not freed before them. Collective. MPICH
  /// 4.0.2 names a window after its communicator, and mistakes it for one of a later communicator with the
  /// same number. Throws mpi_error.
  MPI_Comm communicator(MPI_Comm comm);
  /// A window still to be made, known to MPI_Finalize, and room for it in the list. Local.
  std::shared_ptr<rma_window> make_room();
  /// A window from `make_room` that was not made. Local.
  void give_back(const std::shared_ptr<rma_window>& window);
  /// Into the list: on all ranks of the communicator, or on none. `window` is from the last `make_room`.
  /// Needs no memory.
  void add(const std::shared_ptr<rma_window>& window);
  /// Bit i: this rank has given up window i of the list. Local.
  std::uint64_t given_up() const;
  /// Collective: `everywhere` is the same on all ranks, and part of every rank's given_up().
  void free(std::uint64_t everywhere);
  /// Collective: frees this window now, and the duplicate if it was the last one.
  void free(rma_window& window);

private:
  void drop(rma_window& window);

  MPI_Comm own_ = MPI_COMM_NULL; ///< freed with the last window, or by MPI_Finalize
  std::vector<std::shared_ptr<rma_window>> list_;
};

} // namespace tacit::runtime
