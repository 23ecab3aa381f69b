// tacit_graph_…: checks arguments, reads datatypes, appends to the local graph. An error is reported and also
// kept, so that tacit_compile fails on all ranks.
#include "surface/capi/handles.h"

#include "runtime/mpi/datatype.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

void tacit::surface::keep_first_error(tacit_graph_s& graph, int result) noexcept {
  if (result == TACIT_SUCCESS || graph.first_error != TACIT_SUCCESS)
    return;
  graph.first_error = result;
  try {
    graph.first_error_text = tacit_last_error();
  } catch (const std::bad_alloc&) { // the code must do
    graph.first_error_text.clear();
  }
}

namespace {

using namespace tacit;
using namespace tacit::surface;

[[noreturn]] void refuse(const std::string& text) {
  throw api_error(TACIT_ERR_ARGUMENT, text);
}

/// Above are addresses that no program has; schedules use them for scratch memory.
constexpr std::uint64_t address_limit = graphs::user_memory_end;

std::vector<graphs::segment> bytes_of(const char* what, const void* buffer, MPI_Count count,
                                      MPI_Datatype type) {
  if (count < 0)
    refuse(fmt::format("{}: count is {}, but must not be negative", what, count));
  if (buffer == MPI_IN_PLACE)
    refuse(fmt::format("{}: MPI_IN_PLACE is no buffer; give its address", what));
  if (type == MPI_DATATYPE_NULL)
    refuse(fmt::format("{}: the datatype is MPI_DATATYPE_NULL", what));
  if (count == 0)
    return {};
  std::vector<graphs::segment> bytes =
      runtime::segments_of(buffer, static_cast<std::uint64_t>(count), runtime::flatten(type));
  for (const graphs::segment& s : bytes)
    if (s.address >= address_limit || s.length > address_limit - s.address)
      refuse(fmt::format("{}: {} B at {:#x} are not in the memory of a program", what, s.length, s.address));
  if (buffer == nullptr && !bytes.empty() && bytes.front().address == 0)
    refuse(fmt::format("{}: the buffer is a null pointer, but has {} B", what, graphs::total_length(bytes)));
  return bytes;
}

/// Adds one operation; the common frame of all functions below.
template <typename Fill>
int add(tacit_graph graph, const char* name, tacit_op* op, Fill&& fill) {
  if (!graph)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, fmt::format("{}: the graph handle is null", name));
  const int result = guarded(graph->comm, [&] {
    require_calls_allowed();
    if (graph->local.operations.size() >= INT_MAX)
      refuse("too many operations");
    runtime::local_operation added;
    try {
      fill(added);
    } catch (const runtime::datatype_error& e) {
      refuse(fmt::format("datatype: {}", e.what()));
    } catch (const api_error& e) {
      throw api_error(e.code, fmt::format("rank {}, operation {} ({}): {}", graph->rank,
                                          graph->local.operations.size(), name, e.what()));
    }
    graph->local.operations.push_back(std::move(added));
    if (op)
      *op = static_cast<tacit_op>(graph->local.operations.size() - 1);
  });
  keep_first_error(*graph, result);
  return result;
}

/// The members of an added communicator.
const std::vector<int>& members_of(const tacit_graph graph, tacit_comm comm) {
  const auto& all = graph->local.communicators;
  if (comm < 1 || static_cast<std::size_t>(comm) > all.size())
    refuse(fmt::format("communicator {} has not been added to this graph; it has {}", comm, all.size()));
  return all[static_cast<std::size_t>(comm) - 1].members;
}

void set_peer(const tacit_graph graph, runtime::local_operation& op, runtime::local_kind kind, int peer,
              int tag, tacit_comm comm = TACIT_COMM_GRAPH) {
  const std::vector<int>* members = comm == TACIT_COMM_GRAPH ? nullptr : &members_of(graph, comm);
  const int size = members ? static_cast<int>(members->size()) : graph->size;
  if (peer == MPI_ANY_SOURCE)
    refuse("MPI_ANY_SOURCE: which message would be taken depends on time; name the source (TACIT-047)");
  if (tag == MPI_ANY_TAG)
    refuse("MPI_ANY_TAG: which message would be taken depends on time; name the tag (TACIT-047)");
  if (peer != MPI_PROC_NULL && (peer < 0 || peer >= size))
    refuse(fmt::format("rank {} is not in the communicator of {} ranks", peer, size));
  if (tag < 0)
    refuse(fmt::format("tag is {}, but must not be negative", tag));
  op.kind = peer == MPI_PROC_NULL ? runtime::local_kind::nothing : kind;
  op.peer = members && peer != MPI_PROC_NULL ? (*members)[static_cast<std::size_t>(peer)] : peer;
  op.comm = comm;
  op.tag = tag;
}

int add_send(tacit_graph graph, const char* name, tacit_comm comm, const void* buf, MPI_Count count,
             MPI_Datatype type, int dest, int tag, tacit_op* op) {
  return add(graph, name, op, [&](runtime::local_operation& added) {
    set_peer(graph, added, runtime::local_kind::send, dest, tag, comm);
    auto bytes = bytes_of("buffer", buf, count, type);
    if (added.kind != runtime::local_kind::nothing)
      added.reads = std::move(bytes);
  });
}

int add_recv(tacit_graph graph, const char* name, tacit_comm comm, void* buf, MPI_Count count,
             MPI_Datatype type, int source, int tag, tacit_op* op) {
  return add(graph, name, op, [&](runtime::local_operation& added) {
    set_peer(graph, added, runtime::local_kind::recv, source, tag, comm);
    auto bytes = bytes_of("buffer", buf, count, type);
    if (added.kind != runtime::local_kind::nothing)
      added.writes = std::move(bytes);
  });
}

void one_sided(tacit_graph graph, runtime::local_operation& op, runtime::local_kind kind, const void* local,
               MPI_Count count, MPI_Datatype type, int target, MPI_Aint address, MPI_Count remote_count,
               MPI_Datatype remote_type) {
  set_peer(graph, op, kind, target, 0);
  auto here = bytes_of("local buffer", local, count, type);
  auto there =
      bytes_of("buffer at the target", reinterpret_cast<const void*>(address), remote_count, remote_type);
  if (graphs::total_length(here) != graphs::total_length(there))
    refuse(fmt::format("{} B here, but {} B at the target", graphs::total_length(here),
                       graphs::total_length(there)));
  if (op.kind == runtime::local_kind::nothing)
    return;
  const bool put = kind == runtime::local_kind::put;
  op.reads = std::move(put ? here : there);
  op.writes = std::move(put ? there : here);
}

} // namespace

extern "C" {

int tacit_graph_create(MPI_Comm comm, tacit_graph* graph) {
  return guarded(MPI_COMM_NULL, [&] {
    if (!graph)
      refuse("tacit_graph_create: the place for the graph is a null pointer");
    *graph = TACIT_GRAPH_NULL;
    require_calls_allowed();
    if (comm == MPI_COMM_NULL)
      refuse("tacit_graph_create: the communicator is MPI_COMM_NULL");
    int inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
      refuse(
          "tacit_graph_create: the communicator is an intercommunicator; merge it with MPI_Intercomm_merge");
    auto made = std::make_unique<tacit_graph_s>();
    made->comm = comm;
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->size);
    *graph = made.release();
  });
}

int tacit_graph_free(tacit_graph* graph) {
  if (!graph)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, "tacit_graph_free: the pointer to the handle is null");
  delete *graph;
  *graph = TACIT_GRAPH_NULL;
  return TACIT_SUCCESS;
}

int tacit_graph_send(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                     int tag, tacit_op* op) {
  return add_send(graph, "tacit_graph_send", TACIT_COMM_GRAPH, buf, count, datatype, dest, tag, op);
}

int tacit_graph_send_on(tacit_graph graph, tacit_comm comm, const void* buf, MPI_Count count,
                        MPI_Datatype datatype, int dest, int tag, tacit_op* op) {
  return add_send(graph, "tacit_graph_send_on", comm, buf, count, datatype, dest, tag, op);
}

int tacit_graph_recv(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                     int tag, tacit_op* op) {
  return add_recv(graph, "tacit_graph_recv", TACIT_COMM_GRAPH, buf, count, datatype, source, tag, op);
}

int tacit_graph_recv_on(tacit_graph graph, tacit_comm comm, void* buf, MPI_Count count, MPI_Datatype datatype,
                        int source, int tag, tacit_op* op) {
  return add_recv(graph, "tacit_graph_recv_on", comm, buf, count, datatype, source, tag, op);
}

int tacit_graph_put(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype, int target,
                    MPI_Aint target_address, MPI_Count target_count, MPI_Datatype target_datatype,
                    tacit_op* op) {
  return add(graph, "tacit_graph_put", op, [&](runtime::local_operation& added) {
    one_sided(graph, added, runtime::local_kind::put, buf, count, datatype, target, target_address,
              target_count, target_datatype);
  });
}

int tacit_graph_get(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype, int target,
                    MPI_Aint target_address, MPI_Count target_count, MPI_Datatype target_datatype,
                    tacit_op* op) {
  return add(graph, "tacit_graph_get", op, [&](runtime::local_operation& added) {
    one_sided(graph, added, runtime::local_kind::get, buf, count, datatype, target, target_address,
              target_count, target_datatype);
  });
}

int tacit_graph_copy(tacit_graph graph, const void* from, MPI_Count from_count, MPI_Datatype from_datatype,
                     void* to, MPI_Count to_count, MPI_Datatype to_datatype, tacit_op* op) {
  return add(graph, "tacit_graph_copy", op, [&](runtime::local_operation& added) {
    added.kind = runtime::local_kind::copy;
    added.reads = bytes_of("source", from, from_count, from_datatype);
    added.writes = bytes_of("destination", to, to_count, to_datatype);
    if (graphs::total_length(added.reads) != graphs::total_length(added.writes))
      refuse(fmt::format("the source has {} B, the destination {} B", graphs::total_length(added.reads),
                         graphs::total_length(added.writes)));
  });
}

int tacit_graph_compute(tacit_graph graph, tacit_compute_function* function, void* context, const void* reads,
                        MPI_Count read_count, MPI_Datatype read_datatype, void* writes, MPI_Count write_count,
                        MPI_Datatype write_datatype, tacit_op* op) {
  tacit_op made = -1;
  const int result = add(graph, "tacit_graph_compute", &made, [&](runtime::local_operation& added) {
    if (!function)
      refuse("the function is a null pointer");
    added.kind = runtime::local_kind::compute;
    added.reads = bytes_of("bytes read", reads, read_count, read_datatype);
    added.writes = bytes_of("bytes written", writes, write_count, write_datatype);
  });
  if (result != TACIT_SUCCESS)
    return result;
  graph->computations[made] = {function, context};
  if (op)
    *op = made;
  return TACIT_SUCCESS;
}

int tacit_graph_fence(tacit_graph graph, tacit_op* op) {
  return add(graph, "tacit_graph_fence", op,
             [](runtime::local_operation& added) { added.kind = runtime::local_kind::fence; });
}

int tacit_graph_fence_on(tacit_graph graph, tacit_comm comm, tacit_op* op) {
  return add(graph, "tacit_graph_fence_on", op, [&](runtime::local_operation& added) {
    if (comm != TACIT_COMM_GRAPH)
      members_of(graph, comm);
    added.kind = runtime::local_kind::fence;
    added.comm = comm;
  });
}

} // extern "C"

namespace {

/// Declarations, which are no operations.
template <typename Body>
int declare(tacit_graph graph, const char* name, Body&& body) {
  if (!graph)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, fmt::format("{}: the graph handle is null", name));
  const int result = guarded(graph->comm, [&] {
    require_calls_allowed();
    try {
      body();
    } catch (const api_error& e) {
      throw api_error(e.code, fmt::format("rank {} ({}): {}", graph->rank, name, e.what()));
    }
  });
  keep_first_error(*graph, result);
  return result;
}

} // namespace

extern "C" {

int tacit_graph_depend(tacit_graph graph, tacit_op before, tacit_op after) {
  return declare(graph, "tacit_graph_depend", [&] {
    const auto n = static_cast<std::int64_t>(graph->local.operations.size());
    if (before < 0 || after < 0 || before >= n || after >= n)
      refuse(fmt::format("operation {} does not exist; the graph has {}",
                         before < 0 || before >= n ? before : after, n));
    if (before >= after)
      refuse(fmt::format("operation {} cannot wait for operation {}, which was created {} it (TACIT-006)",
                         after, before, before == after ? "as" : "after"));
    graph->local.dependencies.emplace_back(before, after);
  });
}

int tacit_graph_scratch(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return declare(graph, "tacit_graph_scratch", [&] {
    for (const graphs::segment& s : bytes_of("buffer", buf, count, datatype))
      graph->local.scratch.push_back(s);
  });
}

int tacit_graph_live_out(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return declare(graph, "tacit_graph_live_out", [&] {
    for (const graphs::segment& s : bytes_of("buffer", buf, count, datatype))
      graph->local.live_out.push_back(s);
  });
}

} // extern "C"
