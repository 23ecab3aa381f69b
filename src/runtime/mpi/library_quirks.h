// In what MPI libraries differ, as facts with names: whoever behaves differently by library asks here. A fact is a
// constant, so that `if constexpr` leaves out what a library lacks.
//
// The preprocessor is asked elsewhere only for what decides which text can be compiled at all, and no constant can say: how
// handles and predefined functions look to a program that links no library, and in Fortran, which the standard ABI leaves to
// other libraries (interpose/layer: mpi_by_name.h, mpi_library.cpp, fortran.cpp, invocation.h; takeover/request_table.cpp);
// under which names persistent collectives are declared (collective_calls.cpp; surface/selftest/mpi_calls.cpp, which shares nothing
// with what it tests); and SMPI's clock in hooks, which are C and include nothing of ours (compiler/hooks/slot.c).
// tools/check_layers.py holds the sources against this list.
#pragma once

#include <mpi.h>

namespace tacit::runtime {

#ifdef SMPI_H
/// SimGrid's SMPI: all ranks are threads of one process, and time is computed.
inline constexpr bool ranks_are_simulated = true;
#else
inline constexpr bool ranks_are_simulated = false;
#endif

#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION) // behind the standard ABI there may be any library
/// Lets libraries join the loop that its waiting calls turn (library_progress.h), if it is Open MPI.
inline constexpr bool progress_can_be_joined = true;
#else
inline constexpr bool progress_can_be_joined = false;
#endif

#ifdef OPEN_MPI
inline constexpr bool progresses_before_set_up = true;
#else
/// MPICH 4.0.2 sets up its transports when a communicator of several processes is made; before that, whatever progresses
/// a message (MPI_Test is enough) crashes.
inline constexpr bool progresses_before_set_up = ranks_are_simulated;
#endif

#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION)
/// Open MPI 4.1.4 names the memory of a window by the job and by the number of its communicator, which is the same one for halves of the
/// world, say: those that make windows at the same time share memory, or find none.
inline constexpr bool mixes_up_windows = true;
#else
inline constexpr bool mixes_up_windows = false;
#endif

/// MPICH 4.0.2 loses puts into windows of MPI_Win_allocate unless the bytes of each process are a multiple of 16: it rounds them up where it
/// looks for the parts of others, and not where each process finds its own.
inline constexpr int unit_of_allocated_windows = 16;

/// SMPI declares MPI_Comm_idup and aborts in it.
inline constexpr bool has_comm_idup = !ranks_are_simulated;
/// In SMPI each of a few words sends a message from every rank to every other one, a million on 1024 ranks.
inline constexpr bool has_cheap_nonblocking_collectives = !ranks_are_simulated;
/// SMPI declares neighborhood collectives, graph topologies and their queries, and lacks them.
inline constexpr bool has_neighborhoods = !ranks_are_simulated;
/// SMPI forgets the info keys that a communicator is given.
inline constexpr bool keeps_info_of_communicators = !ranks_are_simulated;
/// One process can say for all its ranks when MPI ends.
inline constexpr bool has_one_rank_per_process = !ranks_are_simulated;

} // namespace tacit::runtime
