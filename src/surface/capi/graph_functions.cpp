// tacit_graph_…: each function hands its arguments to the builder of this rank's part. An error is reported
// and also kept, so that tacit_compile fails on all ranks.
#include "surface/capi/handles.h"

#include "runtime/schedule/graph_communicators.h"
#include "runtime/schedule/graph_operators.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

using namespace tacit;
using namespace tacit::surface;
using runtime::bytes_of;
using runtime::bytes_of_pieces;
using runtime::graph_builder;

namespace {

int keep(tacit_graph graph, const runtime::call_error& e) {
  if (!graph->first_error)
    graph->first_error = e;
  return report(graph->part.comm(), e);
}

/// Runs `body` on the graph; errors that do not say where they are get it from `where(error)`.
template <typename Body, typename Where>
int with(tacit_graph graph, const char* name, Where&& where, Body&& body) {
  if (!graph)
    return report(MPI_COMM_NULL,
                  api_error(error_kind::argument, fmt::format("{}: the graph handle is null", name)));
  return guarded_with([&](const runtime::call_error& e) { return keep(graph, e.complete ? e : where(e)); },
                      [&] {
                        require_calls_allowed();
                        body(graph->part);
                      });
}

/// Adds the operation that `body` makes.
template <typename Body>
int add(tacit_graph graph, const char* name, tacit_op* op, Body&& body) {
  return with(
      graph, name,
      [&](const runtime::call_error& e) {
        return told(e, "rank {}, operation {} ({}): {}", graph->part.rank(),
                    graph->part.values().operations.size(), name, e.what());
      },
      [&](graph_builder& part) {
        const tacit_op made = body(part);
        if (op)
          *op = made;
      });
}

/// Declarations, which are no operations.
template <typename Body>
int declare(tacit_graph graph, const char* name, Body&& body) {
  return with(
      graph, name,
      [&](const runtime::call_error& e) {
        return told(e, "rank {} ({}): {}", graph->part.rank(), name, e.what());
      },
      body);
}

void require_intracommunicator(const char* function, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    refuse(fmt::format("{}: the communicator is MPI_COMM_NULL", function));
  int inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    refuse(fmt::format("{}: the communicator is an intercommunicator; merge it with MPI_Intercomm_merge",
                       function));
}

/// How many elements, or pieces, of a buffer are looked at: none if there is no peer, where programs give any pointer.
template <typename Count>
Count looked_at(Count count, int peer) {
  return peer == MPI_PROC_NULL ? std::min(count, Count{0}) : count;
}

int add_send(tacit_graph graph, const char* name, tacit_comm comm, const void* buf, MPI_Count count,
             MPI_Datatype type, int dest, int tag, tacit_op* op) {
  return add(graph, name, op, [&](graph_builder& part) {
    return part.send(bytes_of("buffer", buf, looked_at(count, dest), type), dest, tag, comm);
  });
}

int add_recv(tacit_graph graph, const char* name, tacit_comm comm, void* buf, MPI_Count count,
             MPI_Datatype type, int source, int tag, tacit_op* op) {
  return add(graph, name, op, [&](graph_builder& part) {
    return part.recv(bytes_of("buffer", buf, looked_at(count, source), type), source, tag, comm);
  });
}

int add_recv_reduce(tacit_graph graph, const char* name, tacit_comm comm, void* buf, MPI_Count count,
                    MPI_Datatype type, MPI_Op operation, int source, int tag, tacit_op* op) {
  return add(graph, name, op, [&](graph_builder& part) {
    return part.recv_reduce(bytes_of("buffer", buf, looked_at(count, source), type), operation, type, source,
                            tag, comm);
  });
}

const void* pointer(MPI_Aint address) {
  return reinterpret_cast<const void*>(address);
}

graph_builder::computation computation_of(tacit_compute_function* function, void* context) {
  if (!function)
    return {};
  return [function, context] { function(context); };
}

} // namespace

extern "C" {

int tacit_graph_create(MPI_Comm comm, tacit_graph* graph) {
  return guarded(MPI_COMM_NULL, [&] {
    if (!graph)
      refuse("tacit_graph_create: the place for the graph is a null pointer");
    *graph = TACIT_GRAPH_NULL;
    require_calls_allowed();
    require_intracommunicator("tacit_graph_create", comm);
    *graph = new tacit_graph_s{graph_builder(comm), std::nullopt};
  });
}

int tacit_graph_free(tacit_graph* graph) {
  if (!graph)
    return report(MPI_COMM_NULL,
                  api_error(error_kind::argument, "tacit_graph_free: the pointer to the handle is null"));
  delete *graph;
  *graph = TACIT_GRAPH_NULL;
  return TACIT_SUCCESS;
}

int tacit_graph_add_comm(tacit_graph graph, MPI_Comm comm, tacit_comm* added) {
  const auto tell = [&](const runtime::call_error& e) {
    return graph ? keep(graph, e) : report(MPI_COMM_NULL, e);
  };
  return guarded_with(tell, [&] {
    require_calls_allowed();
    require_intracommunicator("tacit_graph_add_comm", comm);
    const tacit_comm made = runtime::add_communicator(comm, [&]() -> graph_builder& {
      if (!graph || !added)
        refuse(
            fmt::format("tacit_graph_add_comm: rank {} of the communicator: {}", rank_if_known(comm),
                        graph ? "the place for the result is a null pointer" : "the graph handle is null"));
      return graph->part;
    });
    *added = made;
  });
}

int tacit_graph_add_operator(tacit_graph graph, MPI_Op operation, MPI_Datatype datatype) {
  return declare(graph, "tacit_graph_add_operator",
                 [&](graph_builder& part) { runtime::add_operator(part, operation, datatype); });
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
  return add(graph, "tacit_graph_put", op, [&](graph_builder& part) {
    graph_builder::bytes here = bytes_of("local buffer", buf, looked_at(count, target), datatype);
    if (target == MPI_PROC_NULL)
      return part.put({}, target, {});
    return part.put(std::move(here), target,
                    bytes_of("buffer at the target", pointer(target_address), target_count, target_datatype));
  });
}

int tacit_graph_get(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype, int target,
                    MPI_Aint target_address, MPI_Count target_count, MPI_Datatype target_datatype,
                    tacit_op* op) {
  return add(graph, "tacit_graph_get", op, [&](graph_builder& part) {
    graph_builder::bytes here = bytes_of("local buffer", buf, looked_at(count, target), datatype);
    if (target == MPI_PROC_NULL)
      return part.get({}, target, {});
    return part.get(std::move(here), target,
                    bytes_of("buffer at the target", pointer(target_address), target_count, target_datatype));
  });
}

int tacit_graph_copy(tacit_graph graph, const void* from, MPI_Count from_count, MPI_Datatype from_datatype,
                     void* to, MPI_Count to_count, MPI_Datatype to_datatype, tacit_op* op) {
  return add(graph, "tacit_graph_copy", op, [&](graph_builder& part) {
    return part.copy(bytes_of("source", from, from_count, from_datatype),
                     bytes_of("destination", to, to_count, to_datatype));
  });
}

int tacit_graph_reduce(tacit_graph graph, const void* from, void* into, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op operation, tacit_op* op) {
  return add(graph, "tacit_graph_reduce", op, [&](graph_builder& part) {
    return part.reduce(bytes_of("left operand", from, count, datatype),
                       bytes_of("right operand", into, count, datatype), operation, datatype);
  });
}

int tacit_graph_recv_reduce(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op operation, int source, int tag, tacit_op* op) {
  return add_recv_reduce(graph, "tacit_graph_recv_reduce", TACIT_COMM_GRAPH, buf, count, datatype, operation,
                         source, tag, op);
}

int tacit_graph_recv_reduce_on(tacit_graph graph, tacit_comm comm, void* buf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op operation, int source, int tag, tacit_op* op) {
  return add_recv_reduce(graph, "tacit_graph_recv_reduce_on", comm, buf, count, datatype, operation, source,
                         tag, op);
}

int tacit_graph_compute(tacit_graph graph, tacit_compute_function* function, void* context, const void* reads,
                        MPI_Count read_count, MPI_Datatype read_datatype, void* writes, MPI_Count write_count,
                        MPI_Datatype write_datatype, tacit_op* op) {
  return add(graph, "tacit_graph_compute", op, [&](graph_builder& part) {
    return part.compute(computation_of(function, context),
                        bytes_of("bytes read", reads, read_count, read_datatype),
                        bytes_of("bytes written", writes, write_count, write_datatype));
  });
}

int tacit_graph_sendw(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                      const MPI_Count counts[], const MPI_Datatype datatypes[], int dest, int tag,
                      tacit_op* op) {
  return add(graph, "tacit_graph_sendw", op, [&](graph_builder& part) {
    return part.send(bytes_of_pieces("buffer", looked_at(pieces, dest), addresses, counts, datatypes), dest,
                     tag, comm);
  });
}

int tacit_graph_recvw(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                      const MPI_Count counts[], const MPI_Datatype datatypes[], int source, int tag,
                      tacit_op* op) {
  return add(graph, "tacit_graph_recvw", op, [&](graph_builder& part) {
    return part.recv(bytes_of_pieces("buffer", looked_at(pieces, source), addresses, counts, datatypes),
                     source, tag, comm);
  });
}

int tacit_graph_recv_reducew(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                             const MPI_Count counts[], MPI_Datatype datatype, MPI_Op operation, int source,
                             int tag, tacit_op* op) {
  return add(graph, "tacit_graph_recv_reducew", op, [&](graph_builder& part) {
    const int looked = looked_at(pieces, source);
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(std::max(looked, 0)), datatype);
    return part.recv_reduce(bytes_of_pieces("buffer", looked, addresses, counts, types.data()), operation,
                            datatype, source, tag, comm);
  });
}

int tacit_graph_copyw(tacit_graph graph, int from_pieces, const MPI_Aint from_addresses[],
                      const MPI_Count from_counts[], const MPI_Datatype from_datatypes[], int to_pieces,
                      const MPI_Aint to_addresses[], const MPI_Count to_counts[],
                      const MPI_Datatype to_datatypes[], tacit_op* op) {
  return add(graph, "tacit_graph_copyw", op, [&](graph_builder& part) {
    return part.copy(bytes_of_pieces("source", from_pieces, from_addresses, from_counts, from_datatypes),
                     bytes_of_pieces("destination", to_pieces, to_addresses, to_counts, to_datatypes));
  });
}

int tacit_graph_computew(tacit_graph graph, tacit_compute_function* function, void* context, int read_pieces,
                         const MPI_Aint read_addresses[], const MPI_Count read_counts[],
                         const MPI_Datatype read_datatypes[], int write_pieces,
                         const MPI_Aint write_addresses[], const MPI_Count write_counts[],
                         const MPI_Datatype write_datatypes[], tacit_op* op) {
  return add(graph, "tacit_graph_computew", op, [&](graph_builder& part) {
    return part.compute(
        computation_of(function, context),
        bytes_of_pieces("bytes read", read_pieces, read_addresses, read_counts, read_datatypes),
        bytes_of_pieces("bytes written", write_pieces, write_addresses, write_counts, write_datatypes));
  });
}

int tacit_graph_fence(tacit_graph graph, tacit_op* op) {
  return add(graph, "tacit_graph_fence", op, [](graph_builder& part) { return part.fence(); });
}

int tacit_graph_fence_on(tacit_graph graph, tacit_comm comm, tacit_op* op) {
  return add(graph, "tacit_graph_fence_on", op, [&](graph_builder& part) { return part.fence(comm); });
}

int tacit_graph_stage(tacit_graph graph, tacit_op* op) {
  return add(graph, "tacit_graph_stage", op, [](graph_builder& part) { return part.stage(); });
}

int tacit_graph_depend(tacit_graph graph, tacit_op before, tacit_op after) {
  return declare(graph, "tacit_graph_depend", [&](graph_builder& part) { part.depend(before, after); });
}

int tacit_graph_scratch(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return declare(graph, "tacit_graph_scratch",
                 [&](graph_builder& part) { part.scratch(bytes_of("buffer", buf, count, datatype)); });
}

int tacit_graph_live_out(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return declare(graph, "tacit_graph_live_out",
                 [&](graph_builder& part) { part.live_out(bytes_of("buffer", buf, count, datatype)); });
}

} // extern "C"
