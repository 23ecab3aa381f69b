#include "runtime/schedule/graph_builder.h"

#include "graphs/graph/segments.h"
#include "runtime/mpi/datatype.h"
#include "runtime/mpi/errors.h"
#include "runtime/mpi/rank_and_size.h"
#include "vocabulary/base/function_ref.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse_operation(const std::string& text) {
  throw call_error(call_error::kind::argument, text);
}

/// Above are addresses that no program has; schedules use them for scratch memory.
constexpr std::uint64_t address_limit = graphs::user_memory_end;

void require_equal_sizes(const char* one, const graph_builder::bytes& a, const char* other,
                         const graph_builder::bytes& b) {
  if (graphs::total_length(a) != graphs::total_length(b))
    refuse_operation(
        fmt::format("{} {} B, but {} {} B", one, graphs::total_length(a), other, graphs::total_length(b)));
}

void require_reducer(MPI_Op operation, MPI_Datatype type) {
  if (!combines(operation))
    refuse_operation("the operator is MPI_OP_NULL, MPI_REPLACE or MPI_NO_OP, which combine nothing");
  if (type == MPI_DATATYPE_NULL)
    refuse_operation("the datatype is MPI_DATATYPE_NULL");
  if (const std::string fault = why_not_combined(operation, type); !fault.empty())
    refuse_operation(fault);
}

} // namespace

namespace {

/// `what` names the bytes, if something is wrong with them.
graph_builder::bytes bytes_named(function_ref<std::string()> what, const void* buffer, MPI_Count count,
                                 MPI_Datatype type) {
  if (count < 0)
    refuse_operation(fmt::format("{}: count is {}, but must not be negative", what(), count));
  if (buffer == MPI_IN_PLACE)
    refuse_operation(fmt::format("{}: MPI_IN_PLACE is no buffer; give its address", what()));
  if (type == MPI_DATATYPE_NULL)
    refuse_operation(fmt::format("{}: the datatype is MPI_DATATYPE_NULL", what()));
  if (count == 0)
    return {};
  graph_builder::bytes bytes = segments_of(buffer, static_cast<std::uint64_t>(count), flatten(type));
  for (const graphs::segment& s : bytes)
    if (s.address >= address_limit || s.length > address_limit - s.address)
      refuse_operation(
          fmt::format("{}: {} B at {:#x} are not in the memory of a program", what(), s.length, s.address));
  if (buffer == nullptr && !bytes.empty() && bytes.front().address == 0)
    refuse_operation(
        fmt::format("{}: the buffer is a null pointer, but has {} B", what(), graphs::total_length(bytes)));
  return bytes;
}

} // namespace

graph_builder::bytes bytes_of(const char* what, const void* buffer, MPI_Count count, MPI_Datatype type) {
  return bytes_named([&] { return std::string(what); }, buffer, count, type);
}

graph_builder::bytes bytes_of_pieces(const char* what, int pieces, const MPI_Aint* addresses,
                                     const MPI_Count* counts, const MPI_Datatype* types) {
  if (pieces < 0)
    refuse_operation(fmt::format("{}: the number of pieces is {}, but must not be negative", what, pieces));
  if (pieces > 0 && (!addresses || !counts || !types))
    refuse_operation(fmt::format("{}: an array of addresses, counts or datatypes is a null pointer", what));
  graph_builder::bytes all;
  for (int i = 0; i < pieces; ++i) {
    const auto* buffer = reinterpret_cast<const void*>(addresses[i]);
    const auto name = [&] { return fmt::format("piece {} of the {}", i, what); };
    for (const graphs::segment& s : bytes_named(name, buffer, counts[i], types[i]))
      graphs::append(all, s);
  }
  return all;
}

graph_builder::graph_builder(MPI_Comm comm) : comm_(comm), rank_(rank_in(comm)), size_(size_of(comm)) {
  values_.operations = local_operations(rank_, size_);
}

int graph_builder::add(local_operation made) {
  if (values_.operations.size() >= INT_MAX)
    refuse_operation("too many operations");
  const auto number = static_cast<int>(values_.operations.size());
  make_room_for_dependencies(1);
  values_.operations.push_back(std::move(made));
  if (last_stage_ >= 0)
    values_.dependencies.emplace_back(last_stage_, number);
  return number;
}

/// So that none is lost once the operation is there.
void graph_builder::make_room_for_dependencies(std::size_t more) {
  const std::size_t needed = values_.dependencies.size() + more;
  if (needed > values_.dependencies.capacity())
    values_.dependencies.reserve(std::max(needed, 2 * values_.dependencies.capacity()));
}

int graph_builder::stage() {
  const auto first = static_cast<std::size_t>(std::ptrdiff_t{last_stage_} + 1);
  make_room_for_dependencies(values_.operations.size() - first + 1);
  local_operation mark;
  mark.kind = local_kind::copy;
  const int number = add(std::move(mark));
  for (int before = static_cast<int>(first); before < number; ++before)
    values_.dependencies.emplace_back(before, number);
  return last_stage_ = number;
}

const std::vector<int>& graph_builder::members_of(int on) const {
  const auto& all = values_.communicators;
  if (on < 1 || static_cast<std::size_t>(on) > all.size())
    refuse_operation(
        fmt::format("communicator {} has not been added to this graph; it has {}", on, all.size()));
  return all[static_cast<std::size_t>(on) - 1].members;
}

/// A message without its bytes; `nothing` if there is no peer.
local_operation graph_builder::message(local_kind kind, int peer, int tag, int on) const {
  const std::vector<int>* members = on == whole_graph ? nullptr : &members_of(on);
  const int size = members ? static_cast<int>(members->size()) : size_;
  if (peer == MPI_ANY_SOURCE)
    refuse_operation(
        "MPI_ANY_SOURCE: which message would be taken depends on time; name the source (TACIT-047)");
  if (tag == MPI_ANY_TAG)
    refuse_operation("MPI_ANY_TAG: which message would be taken depends on time; name the tag (TACIT-047)");
  if (peer != MPI_PROC_NULL && (peer < 0 || peer >= size))
    refuse_operation(fmt::format("rank {} is not in the communicator of {} ranks", peer, size));
  if (tag < 0)
    refuse_operation(fmt::format("tag is {}, but must not be negative", tag));
  local_operation made;
  made.kind = peer == MPI_PROC_NULL ? local_kind::nothing : kind;
  made.peer = members && peer != MPI_PROC_NULL ? (*members)[static_cast<std::size_t>(peer)] : peer;
  made.comm = on;
  made.tag = tag;
  return made;
}

int graph_builder::send(bytes what, int to, int tag, int on) {
  local_operation made = message(local_kind::send, to, tag, on);
  if (made.kind != local_kind::nothing)
    made.reads = std::move(what);
  return add(std::move(made));
}

int graph_builder::recv(bytes into, int from, int tag, int on) {
  local_operation made = message(local_kind::recv, from, tag, on);
  if (made.kind != local_kind::nothing)
    made.writes = std::move(into);
  return add(std::move(made));
}

shared_operator graph_builder::expect_operator(MPI_Op operation, MPI_Datatype type) {
  require_reducer(operation, type);
  shared_operator out{type, bind_reducer(operation, type), describe_shared_reducer(operation, type)};
  out.known = !out.reducer.operation.empty();
  if (!out.known)
    out.reducer.operation = fmt::format("operator {} of all ranks", shared_.size());
  shared_.reserve(shared_.size() + 1);
  reducers_.reserve(reducers_.size() + 1);
  values_.reducers.reserve(values_.reducers.size() + 1);
  return out;
}

void graph_builder::share(shared_operator agreed) {
  shared_.push_back({agreed.type, static_cast<std::int32_t>(reducers_.size())});
  reducers_.push_back(std::move(agreed.bound));
  values_.reducers.push_back(std::move(agreed.reducer));
}

/// MPI's own operators are the same on all ranks, and so are those that the ranks have added; any other one of the program's is
/// nobody else's.
std::int32_t graph_builder::know_reducer(MPI_Op operation, MPI_Datatype type) {
  require_reducer(operation, type);
  for (const shared_reducer& s : shared_)
    if (s.type == type && reducer_of(s.number).operation == operation)
      return s.number;
  const bool own = is_predefined(type);
  const auto number = static_cast<std::int32_t>(reducers_.size());
  for (std::int32_t i = 0; own && i < number; ++i)
    if (const bound_reducer& known = reducer_of(i); known.operation == operation && known.type == type)
      return i;
  graphs::reducer r = describe_reducer(operation, type);
  if (r.operation.empty() || !own)
    r.operation = fmt::format("operator {} of rank {}", number, rank_);
  values_.reducers.reserve(values_.reducers.size() + 1);
  reducers_.push_back(bind_reducer(operation, type));
  values_.reducers.push_back(std::move(r));
  return number;
}

std::vector<std::uint64_t> graph_builder::reducer_identities() const {
  static std::atomic<std::uint64_t> own_types{0};
  std::vector<std::uint64_t> out;
  for (const bound_reducer& r : reducers_) {
    static_assert(sizeof r.operation <= sizeof(std::uint64_t) && sizeof r.type <= sizeof(std::uint64_t));
    std::uint64_t operation = 0, type = 0;
    std::memcpy(&operation, &r.operation, sizeof r.operation);
    std::memcpy(&type, &r.type, sizeof r.type);
    out.push_back(operation);
    out.push_back(type);
    out.push_back(r.keeps_type ? ++own_types : 0);
  }
  return out;
}

int graph_builder::reduce(bytes from, bytes into, MPI_Op operation, MPI_Datatype type) {
  require_equal_sizes("one operand has", from, "the other", into);
  local_operation made;
  made.kind = local_kind::reduce;
  made.reducer = know_reducer(operation, type);
  made.reads = std::move(from);
  made.writes = std::move(into);
  return add(std::move(made));
}

int graph_builder::recv_reduce(bytes into, MPI_Op operation, MPI_Datatype type, int from, int tag, int on) {
  local_operation made = message(local_kind::recv, from, tag, on);
  const std::int32_t reducer = know_reducer(operation, type);
  if (made.kind != local_kind::nothing) {
    made.reducer = reducer;
    made.writes = std::move(into);
  }
  return add(std::move(made));
}

int graph_builder::add_one_sided(local_kind kind, int target, bytes reads, bytes writes) {
  local_operation made = message(kind, target, 0, whole_graph);
  if (made.kind != local_kind::nothing) {
    made.reads = std::move(reads);
    made.writes = std::move(writes);
  }
  return add(std::move(made));
}

int graph_builder::put(bytes what, int target, bytes there) {
  require_equal_sizes("here are", what, "at the target", there);
  return add_one_sided(local_kind::put, target, std::move(what), std::move(there));
}

int graph_builder::get(bytes into, int target, bytes there) {
  require_equal_sizes("here are", into, "at the target", there);
  return add_one_sided(local_kind::get, target, std::move(there), std::move(into));
}

int graph_builder::copy(bytes from, bytes into) {
  require_equal_sizes("the source has", from, "the destination", into);
  local_operation made;
  made.kind = local_kind::copy;
  made.reads = std::move(from);
  made.writes = std::move(into);
  return add(std::move(made));
}

int graph_builder::compute(computation work, bytes reads, bytes writes) {
  if (!work)
    refuse_operation("the function is a null pointer");
  local_operation made;
  made.kind = local_kind::compute;
  made.reads = std::move(reads);
  made.writes = std::move(writes);
  // First, so that no operation is without its function; a number that is not added is used by the next one.
  computations_[static_cast<int>(values_.operations.size())] = std::move(work);
  return add(std::move(made));
}

int graph_builder::fence(int on) {
  if (on != whole_graph)
    members_of(on);
  local_operation made;
  made.kind = local_kind::fence;
  made.comm = on;
  return add(std::move(made));
}

void graph_builder::depend(int before, int after) {
  const auto n = static_cast<std::int64_t>(values_.operations.size());
  if (before < 0 || after < 0 || before >= n || after >= n)
    refuse_operation(fmt::format("operation {} does not exist; the graph has {}",
                                 before < 0 || before >= n ? before : after, n));
  if (before >= after)
    refuse_operation(
        fmt::format("operation {} cannot wait for operation {}, which was created {} it (TACIT-006)", after,
                    before, before == after ? "as" : "after"));
  values_.dependencies.emplace_back(before, after);
}

void graph_builder::scratch(const bytes& what) {
  values_.scratch.insert(values_.scratch.end(), what.begin(), what.end());
}

void graph_builder::live_out(const bytes& what) {
  values_.live_out.insert(values_.live_out.end(), what.begin(), what.end());
}

int graph_builder::know(local_communicator made) {
  values_.communicators.push_back(std::move(made));
  return static_cast<int>(values_.communicators.size());
}

} // namespace tacit::runtime
