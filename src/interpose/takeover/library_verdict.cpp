#include "interpose/takeover/library_verdict.h"

#include "runtime/mpi/library_version.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tacit::interpose {

namespace {

constexpr functions_of_library all_five{0b11111}, no_alltoall{0b11011}, no_alltoallw{0b01111},
    uniform{0b00111}, gathers{0b00011};

/// All that is known of a library, by kind of topology.
struct library_row {
  bool (*is)(std::string_view version);
  functions_of_library grid_open, grid_periodic, grid_of_two,
      grid_of_one; ///< by dimension: each must be right
  functions_of_library graph, multiple_graph, distributed, multiple_distributed;
};

bool is_mpich(std::string_view version, std::string_view number) {
  const std::string_view line =
      version.substr(0, version.find('\n')); // "MPICH Version:", white space and the number
  return line.starts_with("MPICH Version:") && line.substr(line.find_last_of(" \t:") + 1) == number;
}

constexpr library_row everything(bool (*is)(std::string_view)) {
  return {is, all_five, all_five, all_five, all_five, all_five, all_five, all_five, all_five};
}

const library_row libraries[] = {
    everything([](std::string_view v) { return v.starts_with("Open MPI v4.1.4,"); }),
    everything([](std::string_view v) { return v.starts_with("Open MPI v5.0.11,"); }),
    everything([](std::string_view v) { return is_mpich(v, "5.0.2"); }),
    {[](std::string_view v) { return is_mpich(v, "4.0.2"); },
     all_five,
     {},
     uniform,
     gathers,
     all_five,
     no_alltoall,
     no_alltoallw,
     no_alltoall& no_alltoallw},
};

const library_row* row_of_library() {
  static const library_row* const found = [] {
    const std::string version = runtime::library_version();
    const library_row* const row = std::find_if(std::begin(libraries), std::end(libraries),
                                                [&](const library_row& r) { return r.is(version); });
    return row == std::end(libraries) ? nullptr : row;
  }();
  return found;
}

functions_of_library on_grid(const library_row& row, MPI_Comm comm) {
  int n = 0;
  runtime::check_mpi(MPI_Cartdim_get(comm, &n), "MPI_Cartdim_get");
  constexpr std::size_t most = 64; // no memory that one rank may not have
  std::array<int, most> dims{}, periods{}, coordinates{};
  if (n > static_cast<int>(most))
    return {};
  runtime::check_mpi(MPI_Cart_get(comm, n, dims.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  functions_of_library right = all_five;
  for (std::size_t d = 0; d < static_cast<std::size_t>(n); ++d)
    right &= !periods[d]    ? row.grid_open
             : dims[d] == 1 ? row.grid_of_one
             : dims[d] == 2 ? row.grid_of_two
                            : row.grid_periodic;
  return right;
}

} // namespace

functions_of_library done_rightly_by_library(MPI_Comm comm, bool multiple_edges) {
  const library_row* const row = row_of_library();
  if (!row)
    return {};
  int kind = MPI_UNDEFINED;
  runtime::check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind == MPI_CART)
    return on_grid(*row, comm);
  if (kind == MPI_GRAPH)
    return multiple_edges ? row->multiple_graph : row->graph;
  if (kind == MPI_DIST_GRAPH)
    return multiple_edges ? row->multiple_distributed : row->distributed;
  return {};
}

} // namespace tacit::interpose
