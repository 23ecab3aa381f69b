// The words of the suite's command line. `tacit selftest`, which links no MPI, checks them before it launches
// anything, so nothing here needs mpi.h.
#pragma once

#include <array>
#include <string_view>

namespace tacit::surface {

/// The last is not a call: a mixture of all five amid point-to-point messages on the same communicator.
inline constexpr std::array<std::string_view, 6> call_names{"allgather", "allgatherv", "alltoall",
                                                            "alltoallv", "alltoallw",  "mixture"};

inline constexpr std::array<std::string_view, 3> mode_names{"blocking", "nonblocking", "persistent"};

inline constexpr std::array<std::string_view, 8> class_names{
    "cart-open", "cart-periodic", "cart-periodic-2", "cart-periodic-1",
    "graph",     "graph-multi",   "dist-graph",      "dist-graph-multi"};

/// Those that some suite knows: what a library lacks, its suite says.
inline constexpr std::array<std::string_view, 6> implementation_names{
    "mpi", "mpi-large", "tacit", "tacit-topology", "sends", "faulty"};

} // namespace tacit::surface
