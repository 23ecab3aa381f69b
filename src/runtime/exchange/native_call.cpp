#include "runtime/exchange/native_call.h"

#include "graphs/platform/model_file.h"
#include "neighbors/passes/choice.h"
#include "runtime/mpi/library_version.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <array>
#include <climits>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

using listing = neighbor_side::listing;

enum class collective : std::uint8_t { allgather, allgatherv, alltoall, alltoallv, alltoallw };

collective kind_of(const neighbor_call& call) {
  if (call.send.blocks == listing::same)
    return call.receive.blocks == listing::equal ? collective::allgather : collective::allgatherv;
  if (call.send.blocks == listing::equal)
    return collective::alltoall;
  return call.send.blocks == listing::varying ? collective::alltoallv : collective::alltoallw;
}

const char* name_of(collective c) {
  constexpr std::array names{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
  return names[static_cast<std::size_t>(c)];
}

bool is_uniform(const neighbor_side& s) {
  return s.blocks == listing::same || s.blocks == listing::equal;
}

bool has_neighbor(const std::vector<neighbors::edge>& edges) {
  return std::any_of(edges.begin(), edges.end(), [](const neighbors::edge& e) { return e.peer != no_rank; });
}

// --- the call

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

int start_call(collective what, const native_side& s, const native_side& r, MPI_Comm comm,
               MPI_Request* request) {
#ifdef SMPI_H // declares the calls and lacks them; why_no_native_call says so
  static_cast<void>(what), static_cast<void>(s), static_cast<void>(r), static_cast<void>(comm);
  *request = MPI_REQUEST_NULL;
  return MPI_ERR_OTHER;
#else
  switch (what) {
  case collective::allgather:
    return PMPI_Ineighbor_allgather(s.buffer(), s.count(), s.type(), r.buffer(), r.count(), r.type(), comm,
                                    request);
  case collective::allgatherv:
    return PMPI_Ineighbor_allgatherv(s.buffer(), s.count(), s.type(), r.buffer(), r.counts(),
                                     r.displacements(), r.type(), comm, request);
  case collective::alltoall:
    return PMPI_Ineighbor_alltoall(s.buffer(), s.count(), s.type(), r.buffer(), r.count(), r.type(), comm,
                                   request);
  case collective::alltoallv:
    return PMPI_Ineighbor_alltoallv(s.buffer(), s.counts(), s.displacements(), s.type(), r.buffer(),
                                    r.counts(), r.displacements(), r.type(), comm, request);
  case collective::alltoallw:
    return PMPI_Ineighbor_alltoallw(s.buffer(), s.counts(), s.bytes(), s.types(), r.buffer(), r.counts(),
                                    r.bytes(), r.types(), comm, request);
  }
  return MPI_ERR_OTHER;
#endif
}

/// The operation's own duplicate.
class native_connection : public connection {
public:
  native_connection(std::shared_ptr<native_communicators> comms, MPI_Comm parent)
      : comms_(std::move(comms)), parent_(parent) {}
  ~native_connection() override {
    if (entry_)
      entry_->in_use = false;
  }
  void create() override { entry_ = comms_->take(parent_); }
  native_communicators::entry& entry() const { return *entry_; }

private:
  std::shared_ptr<native_communicators> comms_;
  MPI_Comm parent_;
  std::shared_ptr<native_communicators::entry> entry_;
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
  collective what_;
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

#ifdef SMPI_H

std::string why_no_native_call(const neighbor_call&, const neighbors::neighborhood&, int, MPI_Comm, bool,
                               const graphs::selftest_verdict&) {
  return "SMPI has no neighborhood collectives";
}

#else

// --- which verdicts count

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
        (!fits(count_at(s, i)) || (s.blocks == listing::varying && !fits(displacement_at(s, i)))))
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

#endif

} // namespace tacit::runtime
