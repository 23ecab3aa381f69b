// Where MPI's native call may be taken: what the kept verdict of `tacit selftest` says of it, and what the
// call itself cannot say.
#include "graphs/platform/model_file.h"
#include "runtime/exchange/native_call.h"
#include "runtime/exchange/native_collective.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/library_version.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {

namespace {

bool fits(std::int64_t x) {
  return x >= INT_MIN && x <= INT_MAX;
}

/// Whether the functions with int arguments can say it; MPI ignores what stands at open boundaries. Open MPI
/// 4.1.4 computes where equal blocks begin in int, too.
bool fits(const neighbor_side& s, const std::vector<neighbors::edge>& edges) {
  if (is_uniform(s))
    return !has_neighbor(edges) || (fits(s.count) && fits(s.count * static_cast<std::int64_t>(edges.size())));
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].peer != neighbors::no_rank &&
        (!fits(count_at(s, i)) ||
         (s.blocks == neighbor_side::listing::varying && !fits(displacement_at(s, i)))))
      return false;
  return true;
}

std::int64_t block_bytes(const neighbor_side& s) {
  MPI_Count size = 0;
  check_mpi(MPI_Type_size_x(s.type, &size), "MPI_Type_size_x");
  return size * s.count;
}

/// What a rank sends to each neighbor is as long as what it receives from each (MPI-4.1 sections 8.6.1,
/// 8.6.2: equal type signatures), which libraries check; tacit only wants the ends of each edge to agree.
bool is_uneven(const neighbor_call& call, const neighbors::neighborhood& n) {
  return is_uniform(call.send) && is_uniform(call.receive) && has_neighbor(n.destinations) &&
         has_neighbor(n.sources) && block_bytes(call.send) != block_bytes(call.receive);
}

/// Every kind of dimension that the grid has must be right.
std::vector<std::string> kinds_of_grid(MPI_Comm comm) {
  int n = 0;
  check_mpi(MPI_Cartdim_get(comm, &n), "MPI_Cartdim_get");
  const auto room = static_cast<std::size_t>(std::max(n, 1));
  std::vector<int> dims(room), periods(room), coordinates(room);
  check_mpi(MPI_Cart_get(comm, n, dims.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  std::vector<std::string> kinds;
  for (std::size_t d = 0; d < static_cast<std::size_t>(n); ++d)
    kinds.emplace_back(!periods[d]   ? "cart-open"
                       : dims[d] > 2 ? "cart-periodic"
                                     : fmt::format("cart-periodic-{}", dims[d]));
  if (n == 0)
    kinds.emplace_back("cart-open");
  return kinds;
}

/// Of a graph, this rank knows its own edges: if another one has parallel edges, it finds that out itself.
bool has_multiple_edges(const neighbors::neighborhood& n, int rank) {
  const auto multiple = [&](const neighbors::edge& e) {
    return e.peer != neighbors::no_rank && (e.channel > 0 || static_cast<int>(index(e.peer)) == rank);
  };
  return std::any_of(n.sources.begin(), n.sources.end(), multiple) ||
         std::any_of(n.destinations.begin(), n.destinations.end(), multiple);
}

/// As `tacit selftest` names them; none: no topology of MPI's.
std::vector<std::string> kinds_of_topology(const neighbors::neighborhood& n, int rank, MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  if (kind == MPI_CART)
    return kinds_of_grid(comm);
  std::vector<std::string> kinds;
  if (kind == MPI_GRAPH)
    kinds.emplace_back("graph");
  if (kind == MPI_DIST_GRAPH)
    kinds.emplace_back("dist-graph");
  if (!kinds.empty() && has_multiple_edges(n, rank))
    kinds.push_back(kinds.front() + "-multi");
  return kinds;
}

std::string why_not_shown(const graphs::selftest_verdict& verdict, const char* call,
                          const std::string& kind) {
  const std::string_view found = verdict.of(kind, call);
  if (found == "right")
    return {};
  if (found.empty() || found == "without cases")
    return fmt::format("{} does not cover nonblocking {} on {}; `tacit selftest --full` tests more",
                       verdict.origin, call, kind);
  return fmt::format("nonblocking {} on {} {} in {}; `tacit selftest` shows what is right", call, kind,
                     found == "dies" ? "hangs or crashes" : fmt::format("is {}", found), verdict.origin);
}

} // namespace

std::string why_no_native_call(const neighbor_call& call, const neighbors::neighborhood& n, int rank,
                               MPI_Comm comm, bool ours, const graphs::selftest_verdict& verdict) {
  if (!has_neighborhoods)
    return "SMPI has no neighborhood collectives";
  if (ours)
    return "the topology is tacit's own, which MPI's calls know nothing of";
  const std::vector<std::string> kinds = kinds_of_topology(n, rank, comm);
  if (kinds.empty())
    return "the duplicate of the communicator has no topology";
  if (verdict.cells.empty())
    return verdict.origin;
  if (const std::string here = graphs::short_library_name(library_version()); here != verdict.library)
    return fmt::format("{} is of {}, and this rank runs {}", verdict.origin, verdict.library, here);
  for (const std::string& kind : kinds)
    if (std::string why = why_not_shown(verdict, name_of(kind_of(call)), kind); !why.empty())
      return why;
  if (!fits(call.send, n.destinations) || !fits(call.receive, n.sources))
    return "counts or displacements are larger than an int, for which nothing is tested";
  if (is_uneven(call, n))
    return "blocks to neighbors and blocks from neighbors differ in size, which MPI's call does not allow";
  return {};
}

} // namespace tacit::runtime
