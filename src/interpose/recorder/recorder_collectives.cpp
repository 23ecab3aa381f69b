// Records of collective calls.
#include "interpose/layer/mpi_library.h"
#include "interpose/recorder/recorder.h"

namespace tacit::interpose {

namespace rec = recordings;

namespace {

/// The call that a nonblocking or persistent collective means.
mpi_call blocking_form(mpi_call call) {
  const call_row* row = find_call(static_cast<std::uint16_t>(call));
  return row && row->twin != mpi_call::none ? row->twin : call;
}

/// Which of its two data parts a collective has at this rank.
struct collective_parts {
  bool sends = true;
  bool receives = true;
};

collective_parts parts_of(const invocation& v, const known_comm* comm) {
  const bool inter = comm && comm->inter;
  const bool root = inter ? v.root == MPI_ROOT : comm && v.root == static_cast<int>(comm->rank);
  const bool idle = inter && v.root == MPI_PROC_NULL; // a bystander in the root's group
  switch (blocking_form(v.call)) {
  case mpi_call::Barrier:
    return {false, false};
  case mpi_call::Bcast:
    return {root, !root && !idle};
  case mpi_call::Gather:
  case mpi_call::Gatherv:
  case mpi_call::Reduce:
    return {!idle && !(inter && root), root};
  case mpi_call::Scatter:
  case mpi_call::Scatterv:
    return {root, !idle && !(inter && root)};
  default:
    return {};
  }
}

} // namespace

/// Bytes that this rank gives to a collective.
std::uint64_t call_recorder::contributed_bytes(const invocation& v) {
  if (!parts_of(v, names_->communicator(v.comm)).sends || v.send.buffer == MPI_IN_PLACE)
    return 0;
  const std::uint64_t count = total_count(v, {false, &v.send, rank_code(v.root), 0, {}});
  const data_layout* const layout = names_->layout_of(v.send, count > 0);
  return layout ? layout->size * count : 0;
}

/// Elements in one data part. v- and w-forms have a count per peer; of neighborhood ones the number of peers
/// is not known here, so 0 stands for "not counted".
std::uint64_t call_recorder::total_count(const invocation& v, const part& p) {
  const data_part& d = *p.data;
  const known_comm* comm = v.comm == MPI_Comm{} ? nullptr : names_->communicator(v.comm);
  const mpi_call call = blocking_form(v.call);
  const auto positive = [](MPI_Count n) { return n > 0 ? static_cast<std::uint64_t>(n) : 0; };
  number_list counts = d.counts;
  if (call == mpi_call::Reduce_scatter)
    counts = v.recv.counts;
  if (call == mpi_call::Reduce_scatter_block && !p.receives && comm)
    return positive(v.recv.count) * comm->size;
  if (!counts)
    return positive(d.count);
  if (!comm || v.kind == call_class::neighbor || v.kind == call_class::ineighbor ||
      v.kind == call_class::neighbor_init)
    return 0;
  if (call == mpi_call::Reduce_scatter && p.receives)
    return positive(counts[comm->rank]);
  std::uint32_t peers = comm->size;
  if (comm->inter && call != mpi_call::Reduce_scatter) {
    int remote = 0;
    TACIT_PMPI(Comm_remote_size)(v.comm, &remote);
    peers = static_cast<std::uint32_t>(remote);
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < peers; ++i)
    sum += positive(counts[i]);
  return sum;
}

void call_recorder::after_collective(invocation& v, int result) {
  const std::uint64_t id = result == MPI_SUCCESS ? post(v) : 0;
  const std::span<const std::uint64_t> ids(&id, id ? 1 : 0);
  const std::int32_t root = rank_code(v.root);
  const collective_parts has = parts_of(v, names_->communicator(v.comm));
  if (!has.sends && !has.receives)
    write_call(v, result, {false, nullptr, root, 0, {}}, ids);
  if (has.sends)
    write_call(v, result, {false, &v.send, root, 0, {}}, ids);
  if (has.receives)
    write_call(v, result, {true, &v.recv, root, 0, {}}, ids);
}

void call_recorder::after_constructor(invocation& v, int result) {
  if (v.kind == call_class::comm_idup) {
    const std::uint64_t id = result == MPI_SUCCESS ? post(v) : 0;
    write_call(v, result, part{}, std::span(&id, id ? 1 : 0));
    return;
  }
  const std::uint64_t key = names_->constructor_key(v);
  write_call(v, result, part{});
  if (result == MPI_SUCCESS && v.new_comm)
    names_->made(*v.new_comm, v.comm == MPI_Comm{} ? 0 : names_->comm_id(v.comm), v.call, key);
}

} // namespace tacit::interpose
