// tacit_graph_add_comm: several communicators in one graph.
//
// Handles of communicators mean nothing on other ranks, so the members agree on a number when they add one:
// member 0 takes its rank in the graph and a count of its own, and broadcasts both on a duplicate, where a
// failing call of MPI's does not run the error handler of the user's communicator.
#include "runtime/mpi/agreement.h"
#include "runtime/schedule/private_communicator.h"
#include "surface/capi/handles.h"

#include "runtime/mpi/mpi_error.h"

#include <atomic>
#include <fmt/format.h>

namespace {

using namespace tacit;
using namespace tacit::surface;

[[noreturn]] void refuse(const std::string& text) {
  throw api_error(TACIT_ERR_ARGUMENT, "tacit_graph_add_comm: " + text);
}

/// The members of `comm` as ranks of `parent`. Local.
std::vector<int> translate(MPI_Comm comm, int size, MPI_Comm parent) {
  std::vector<int> from(static_cast<std::size_t>(size)), to(from.size());
  for (int i = 0; i < size; ++i)
    from[static_cast<std::size_t>(i)] = i;
  MPI_Group members = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  runtime::check_mpi(MPI_Comm_group(comm, &members), "MPI_Comm_group");
  int result = MPI_Comm_group(parent, &all);
  if (result == MPI_SUCCESS)
    result = MPI_Group_translate_ranks(members, size, from.data(), all, to.data());
  MPI_Group_free(&members);
  if (all != MPI_GROUP_NULL)
    MPI_Group_free(&all);
  runtime::check_mpi(result, "MPI_Group_translate_ranks");
  for (int i = 0; i < size; ++i)
    if (to[static_cast<std::size_t>(i)] == MPI_UNDEFINED)
      refuse(
          fmt::format("rank {} of the communicator is not in the graph's communicator; make the graph on one "
                      "that holds all",
                      i));
  return to;
}

std::string name_of(MPI_Comm comm, std::size_t number) {
  char text[MPI_MAX_OBJECT_NAME + 1] = {};
  int length = 0;
  if (MPI_Comm_get_name(comm, text, &length) == MPI_SUCCESS && length > 0)
    return text;
  return fmt::format("communicator {}", number);
}

std::uint64_t new_number(int rank) {
  static std::atomic<std::uint32_t> count{0};
  return static_cast<std::uint64_t>(rank) << 32 | ++count;
}

/// Collective over `comm`; all members throw the same error if one has one.
void add(tacit_graph graph, MPI_Comm comm, tacit_comm* added) {
  require_calls_allowed();
  if (comm == MPI_COMM_NULL)
    refuse("the communicator is MPI_COMM_NULL");
  int inter = 0, rank = 0, size = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    refuse("the communicator is an intercommunicator; merge it with MPI_Intercomm_merge");
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto own = runtime::private_communicator::like(comm);
  runtime::agreement all(own.comm, rank, size, "tacit_graph_add_comm");
  runtime::local_communicator made;
  all.here("reading its arguments", [&] {
    if (!graph || !added)
      refuse(fmt::format("rank {} of the communicator: {}", rank,
                         graph ? "the place for the result is a null pointer" : "the graph handle is null"));
    made.members = translate(comm, size, graph->comm);
    made.name = name_of(comm, graph->local.communicators.size() + 1);
    graph->local.communicators.reserve(graph->local.communicators.size() + 1);
  });
  all.agree();
  if (rank == 0)
    made.id = new_number(graph->rank);
  runtime::check_mpi(MPI_Bcast(&made.id, 1, MPI_UINT64_T, 0, own.comm), "MPI_Bcast");
  graph->local.communicators.push_back(std::move(made));
  *added = static_cast<tacit_comm>(graph->local.communicators.size());
}

} // namespace

extern "C" {

int tacit_graph_add_comm(tacit_graph graph, MPI_Comm comm, tacit_comm* added) {
  const int result = guarded(graph ? graph->comm : MPI_COMM_NULL, [&] { add(graph, comm, added); });
  if (graph)
    keep_first_error(*graph, result);
  return result;
}

} // extern "C"
