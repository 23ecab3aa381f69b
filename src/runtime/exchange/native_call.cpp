#include "runtime/exchange/native_call.h"

#include "neighbors/passes/choice.h"
#include "runtime/exchange/native_collective.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"

#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

using listing = neighbor_side::listing;

/// Of one side, with types that live as long as this.
class native_side {
public:
  native_side(const neighbor_side& s, const std::vector<neighbors::edge>& edges, const neighbor_side& other,
              const std::vector<neighbors::edge>& edges_of_other)
      : buffer_(s.buffer) {
    try {
      copy(s, edges);
      // Libraries compare both sides of calls with blocks of one size, also where one has no block.
      if (is_uniform(s) && !has_neighbor(edges) && is_uniform(other) && has_neighbor(edges_of_other)) {
        counts_[0] = static_cast<int>(other.count);
        types_[0] = kept(other.type);
      }
    } catch (...) {
      free_types();
      throw;
    }
  }
  ~native_side() {
    int over = 0;
    MPI_Finalized(&over);
    if (!over)
      free_types();
  }
  native_side(const native_side&) = delete;
  native_side& operator=(const native_side&) = delete;

  void move(std::ptrdiff_t distance) { moved_ = distance; }
  void* buffer() const {
    return reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(buffer_) +
                                   static_cast<std::uint64_t>(moved_));
  }
  int count() const { return counts_.front(); }
  MPI_Datatype type() const { return types_.front(); }
  const int* counts() const { return counts_.data(); }
  const int* displacements() const { return displacements_.data(); }
  const MPI_Aint* bytes() const { return bytes_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }

private:
  /// No list stays empty, so that no null pointer is passed; at open boundaries stand values that any library
  /// accepts, whatever the user has put there.
  void copy(const neighbor_side& s, const std::vector<neighbors::edge>& edges) {
    const bool listed = !is_uniform(s);
    counts_.assign(listed ? edges.size() + 1 : 1, 0);
    displacements_.assign(counts_.size(), 0);
    bytes_.assign(counts_.size(), 0);
    types_.assign(s.blocks == listing::typed ? counts_.size() : 1, MPI_BYTE);
    owned_.reserve(types_.size());
    bool first = true;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].peer == no_rank)
        continue;
      if (s.blocks == listing::typed)
        types_[i] = kept(s.types[i]);
      else if (first)
        types_[0] = kept(s.type);
      if (listed || first)
        counts_[listed ? i : 0] = static_cast<int>(count_at(s, i));
      if (s.blocks == listing::varying)
        displacements_[i] = static_cast<int>(displacement_at(s, i));
      if (s.blocks == listing::typed)
        bytes_[i] = static_cast<MPI_Aint>(displacement_at(s, i));
      first = false;
    }
  }
  /// The user may free types as soon as the operation is made, and need not have committed them.
  MPI_Datatype kept(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    check_mpi(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
              "MPI_Type_get_envelope");
    if (combiner == MPI_COMBINER_NAMED)
      return type;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_dup(type, &copy), "MPI_Type_dup");
    owned_.push_back(copy);
    check_mpi(MPI_Type_commit(&owned_.back()), "MPI_Type_commit");
    return owned_.back();
  }
  void free_types() {
    for (MPI_Datatype& type : owned_)
      MPI_Type_free(&type);
  }

  const void* buffer_;
  std::ptrdiff_t moved_ = 0;
  std::vector<int> counts_, displacements_;
  std::vector<MPI_Aint> bytes_;
  std::vector<MPI_Datatype> types_, owned_;
};

int start_call(native_collective what, const native_side& s, const native_side& r, MPI_Comm comm,
               MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if constexpr (!has_neighborhoods) // why_no_native_call says so
    return MPI_ERR_OTHER;
  else
    switch (what) {
    case native_collective::allgather:
      return PMPI_Ineighbor_allgather(s.buffer(), s.count(), s.type(), r.buffer(), r.count(), r.type(), comm,
                                      request);
    case native_collective::allgatherv:
      return PMPI_Ineighbor_allgatherv(s.buffer(), s.count(), s.type(), r.buffer(), r.counts(),
                                       r.displacements(), r.type(), comm, request);
    case native_collective::alltoall:
      return PMPI_Ineighbor_alltoall(s.buffer(), s.count(), s.type(), r.buffer(), r.count(), r.type(), comm,
                                     request);
    case native_collective::alltoallv:
      return PMPI_Ineighbor_alltoallv(s.buffer(), s.counts(), s.displacements(), s.type(), r.buffer(),
                                      r.counts(), r.displacements(), r.type(), comm, request);
    case native_collective::alltoallw:
      return PMPI_Ineighbor_alltoallw(s.buffer(), s.counts(), s.bytes(), s.types(), r.buffer(), r.counts(),
                                      r.bytes(), r.types(), comm, request);
    }
  return MPI_ERR_OTHER;
}

/// Holds the duplicate of the communicator on which this operation alone calls MPI.
class native_connection : public connection {
public:
  native_connection(std::shared_ptr<native_communicators> comms, MPI_Comm parent)
      : comms_(std::move(comms)), parent_(parent), room_(comms_->make_room()) {}
  ~native_connection() override {
    if (entry_)
      entry_->in_use = false;
  }
  void create() override { entry_ = comms_->take(parent_, std::move(room_)); }
  native_communicators::entry& entry() const { return *entry_; }

private:
  std::shared_ptr<native_communicators> comms_;
  MPI_Comm parent_;
  std::shared_ptr<native_communicators::entry> room_, entry_;
};

class native_call_run : public execution {
public:
  native_call_run(const neighbor_call& call, const neighbors::neighborhood& n,
                  native_communicators::entry& where)
      : what_(kind_of(call)), text_(fmt::format("MPI_Ineighbor_{}", name_of(what_))),
        send_(call.send, n.destinations, call.receive, n.sources),
        receive_(call.receive, n.sources, call.send, n.destinations), where_(where) {}
  ~native_call_run() override {
    if (active_)
      where_.abandoned = true;
  }

  void start() override {
    active_ = true;
    check_mpi(start_call(what_, send_, receive_, where_.comm, &request_), text_.c_str());
  }
  bool progress() override {
    if (!active_)
      return true;
    int done = 0;
    check_mpi(PMPI_Test(&request_, &done, MPI_STATUS_IGNORE), text_.c_str());
    active_ = !done;
    return done != 0;
  }
  void finish() override {
    if (!active_)
      return;
    check_mpi(PMPI_Wait(&request_, MPI_STATUS_IGNORE), text_.c_str());
    active_ = false;
  }
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override {
    send_.move(reads);
    receive_.move(writes);
    return true;
  }

private:
  native_collective what_;
  std::string text_;
  native_side send_, receive_;
  native_communicators::entry& where_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool active_ = false;
};

} // namespace

std::string_view native_call_driver::name() const {
  return neighbors::native_call;
}

std::unique_ptr<connection> native_call_driver::offer(const program&, MPI_Comm comm) const {
  return std::make_unique<native_connection>(comms_, comm);
}

std::unique_ptr<execution> native_call_driver::prepare(program, MPI_Comm, connection* peers) const {
  return std::make_unique<native_call_run>(call_, n_, static_cast<native_connection*>(peers)->entry());
}

std::string native_call_driver::steps() const {
  return fmt::format("MPI_Ineighbor_{} on a duplicate of the communicator", name_of(kind_of(call_)));
}

} // namespace tacit::runtime
