// Progress inside MPI's own calls.
//
// Problem: MPI promises that an operation that was started goes on while its process is in any MPI call that
// waits. A schedule of several steps needs the same: a rank that starts it and then blocks in MPI_Recv,
// MPI_Barrier or MPI_Win_lock would otherwise hold up the ranks that wait for its next step, for ever if what
// it waits for comes after that.
//
// Idea: every call of Open MPI that waits turns one progress loop, which libraries may join
// (opal_progress_register, opal/runtime/opal_progress.h; MPI's nonblocking collectives join the same way, and
// send and test from there as we do). So nothing is wrapped, and calls that nobody thought of are covered.
// MPICH 4.0 has no such place (MPIX_Async_start came with 4.3): there a program is restricted to what needs
// no attention, see program::unattended.
#pragma once

namespace tacit::runtime {

/// TACIT_PROGRESS=waits: the program promises to wait for every operation before others wait for this rank.
bool only_waits_progress();

/// Whether MPI's own calls that wait do what `call_in_progress` asks: this library has a place for it, and
/// TACIT_PROGRESS leaves it to them. If not, a program that may be waited for there must be
/// program::unattended. Local; MPI need not be initialized.
bool mpi_progresses();

/// From now on the library calls `what` whenever it progresses; it returns how much it advanced. At the first
/// call that finds the place; later ones do nothing. Not thread-safe.
void call_in_progress(int (*what)());

} // namespace tacit::runtime
