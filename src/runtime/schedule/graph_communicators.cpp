#include "runtime/schedule/graph_communicators.h"

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/private_communicator.h"

#include <atomic>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

constexpr const char* add_comm_name = "tacit_graph_add_comm";

[[noreturn]] void refuse_members(const std::string& text) {
  throw call_error(call_error::kind::argument, fmt::format("{}: {}", add_comm_name, text), true);
}

/// A group of processes, freed with its scope.
class group_of {
public:
  explicit group_of(MPI_Comm comm) { check_mpi(MPI_Comm_group(comm, &group_), "MPI_Comm_group"); }
  ~group_of() { MPI_Group_free(&group_); }
  group_of(const group_of&) = delete;
  group_of& operator=(const group_of&) = delete;
  MPI_Group get() const { return group_; }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// The members of `comm` as ranks of `parent`. Local.
std::vector<int> translate(MPI_Comm comm, int size, MPI_Comm parent) {
  std::vector<int> from(static_cast<std::size_t>(size)), to(from.size());
  for (int i = 0; i < size; ++i)
    from[static_cast<std::size_t>(i)] = i;
  const group_of members(comm), all(parent);
  check_mpi(MPI_Group_translate_ranks(members.get(), size, from.data(), all.get(), to.data()),
            "MPI_Group_translate_ranks");
  for (int i = 0; i < size; ++i)
    if (to[static_cast<std::size_t>(i)] == MPI_UNDEFINED)
      refuse_members(
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

/// Different from all that this process has given before, and from those of other ranks of the graph.
std::uint64_t new_number(int rank) {
  static std::atomic<std::uint32_t> count{0};
  return static_cast<std::uint64_t>(rank) << 32 | ++count;
}

} // namespace

int add_communicator(MPI_Comm comm, function_ref<graph_builder&()> part) {
  const auto own = private_communicator::like(comm);
  agreement all(own.comm(), own.rank(), own.size(), add_comm_name);
  graph_builder* graph = nullptr;
  local_communicator made;
  all.here("reading its arguments", [&] {
    graph = &part();
    if (graph->comm() == MPI_COMM_NULL)
      refuse_members("the graph's communicator has been freed; add communicators before that");
    made.members = translate(comm, own.size(), graph->comm());
    made.name = name_of(comm, graph->values().communicators.size() + 1);
    graph->expect_communicator();
  });
  all.agree();
  if (own.rank() == 0)
    made.id = new_number(graph->rank());
  broadcast(&made.id, 1, MPI_UINT64_T, 0, own.comm());
  return graph->know(std::move(made));
}

} // namespace tacit::runtime
