// Which ranks have agreed that calls on communicators among them may be taken over.
//
// Problem. One rank whose program calls functions that no wrapper sees (coverage_check.h) forbids it to all
// ranks it communicates with, so they have to ask each other, in a call that may wait and that all of them
// make. In the world model that is MPI_Init, once for all. A program of MPI Sessions never calls it; there it
// is each MPI_Comm_create_from_group, the only call that makes an intracommunicator out of none, for the
// ranks of its group.
//
// Whatever is made of such a communicator has some of its ranks, and each of them has seen the call that
// makes it (or has a gap, and then the answer was no): the permission goes along, as an attribute that
// duplicates copy (MPI_Comm_idup, too) and that other constructors are followed by `inherit`. No rank asks
// another one for that, and all have the same answer. What has no permission is judged as before: by whether all
// its members are in an MPI_COMM_WORLD that has agreed. Members that came by dynamic processes have neither.
#pragma once

#include <mpi.h>
#include <optional>
#include <string>

namespace tacit::interpose {

/// What a rank says of itself, or all ranks together.
struct permission {
  bool allowed = false;
  bool nonblocking = false; ///< some rank has nonblocking neighborhood collectives (taken_comms.h)
};

inline constexpr const char* nothing_would_arrive = "TACIT_DRIVER=dry: nothing would arrive";

/// Within MPI_Init. Collective over MPI_COMM_WORLD. If the ranks' variables are why it is not allowed, `fault` says that.
permission agree_in_world(const permission& mine, std::string& fault);
bool world_may_be_used();
/// MPI_Finalize begins: MPI_COMM_WORLD may not be asked any more.
void world_ends();
/// Within MPI_Comm_create_from_group, which has made `made`. Collective over it. `keep`: the permission is kept
/// with it; this must be so unless the rank itself does not allow anything.
permission agree_in_group(MPI_Comm made, const permission& mine, bool keep, std::string& fault);
/// `made` has been made of `parent` (either may be null or of any kind). Local.
void inherit(MPI_Comm parent, MPI_Comm made);

enum class standing {
  agreed,
  refused, ///< by some rank
  unknown, ///< nobody was asked
};
/// Equal on all ranks of the communicator, an intracommunicator. Local.
standing standing_of(MPI_Comm comm);
/// It has agreed, and some rank has nonblocking calls. Local.
bool expects_nonblocking(MPI_Comm comm);

/// In MPI_COMM_WORLD, or as the launcher says; none if neither is known.
std::optional<int> rank_of_process();

} // namespace tacit::interpose
