#include "runtime/schedule/topology_communicator.h"

#include "neighbors/topology/mapping.h"
#include "runtime/exchange/topologies.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/hardware_place.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/packer.h"
#include "runtime/mpi/private_communicator.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

using topology_handle = std::shared_ptr<const neighbors::topology>;
using bytes = std::vector<std::byte>;

[[noreturn]] void refuse_topology(const std::string& text) {
  throw call_error(call_error::kind::argument, text, true);
}

struct membership {
  int rank = 0, size = 0;
  explicit membership(const private_communicator& own) : rank(own.rank()), size(own.size()) {}
};

void require_fit(const topology_handle& t, bool wanted, const membership& me, const char* function) {
  if (!t || !wanted)
    refuse_topology(fmt::format("rank {}: {}: the {} is null", me.rank, function,
                                t ? "place for the communicator" : "topology handle"));
  if (const std::string why = neighbors::misfit(*t, static_cast<std::uint32_t>(me.size)); !why.empty())
    refuse_topology(fmt::format("rank {}: {}: {}", me.rank, function, why));
}

/// Finds out together which process gets which rank of the topology.
class reordering {
public:
  reordering(const topology_handle& t, MPI_Comm comm, const membership& me, agreement& all)
      : topology_(t), comm_(comm), me_(me), all_(all) {}

  /// Collective: the new rank of each process, known to all.
  const std::vector<int>& ranks() {
    gather_places();
    gather_edges();
    all_.here("mapping ranks to processes", [&] {
      if (me_.rank == 0)
        map();
    });
    all_.agree();
    broadcast(new_ranks_.data(), me_.size, MPI_INT, 0, comm_);
    return new_ranks_;
  }

  /// Collective: the topology as this process has to know it at its new rank. A graph's edges were told by
  /// the process that had that rank before.
  topology_handle moved_topology() {
    if (topology_->what != neighbors::topology::kind::graph)
      return topology_;
    const auto holder = std::find(new_ranks_.begin(), new_ranks_.end(), me_.rank);
    const int to = static_cast<int>(holder - new_ranks_.begin());
    const int from = new_ranks_[static_cast<std::size_t>(me_.rank)];
    bytes mine, theirs;
    all_.here("packing this rank's edges", [&] {
      packer out;
      out.put_list(topology_->edges.sources);
      out.put_list(topology_->edges.destinations);
      out.put(topology_->edges.weighted);
      mine = out.take();
    });
    all_.agree();
    std::uint64_t size = mine.size(), coming = 0;
    send_receive(&size, sizeof size, to, &coming, sizeof coming, from, 0, comm_);
    all_.here("making room for the edges of the new rank", [&] { theirs.resize(coming); });
    all_.agree();
    send_receive(mine.data(), static_cast<int>(size), to, theirs.data(), static_cast<int>(coming), from, 1,
                 comm_);
    topology_handle moved;
    all_.here("reading the edges of the new rank", [&] {
      unpacker in(theirs);
      auto t = std::make_shared<neighbors::topology>();
      t->edges.sources = in.get_list<neighbors::edge>();
      t->edges.destinations = in.get_list<neighbors::edge>();
      t->edges.weighted = in.get<bool>();
      moved = std::move(t);
    });
    all_.agree();
    return moved;
  }

private:
  /// What every process says of itself.
  struct word {
    neighbors::hardware_place place{};
    std::uint64_t kind = 0;
  };

  void gather_places() {
    word mine;
    all_.here("looking where the process runs", [&] {
      mine = {place_of_this_process(me_.rank), static_cast<std::uint64_t>(topology_->what)};
      words_.resize(static_cast<std::size_t>(me_.size));
      new_ranks_.resize(static_cast<std::size_t>(me_.size));
    });
    all_.agree();
    allgather(&mine, words_.data(), sizeof mine, MPI_BYTE, comm_);
    for (std::size_t r = 0; r < words_.size(); ++r)
      if (words_[r].kind != words_[0].kind)
        refuse_topology(fmt::format(
            "tacit_topology_comm_reordered: ranks 0 and {} give topologies of different kinds; all "
            "ranks must give the same one",
            r));
  }

  /// Rank 0 must know the edges of all. Those of grids it can tell itself.
  void gather_edges() {
    const bool graph = topology_->what == neighbors::topology::kind::graph;
    bytes mine;
    all_.here("packing this rank's edges", [&] {
      edges_.resize(me_.rank == 0 ? static_cast<std::size_t>(me_.size) : 0);
      packer out;
      out.put_list(graph ? topology_->edges.destinations : std::vector<neighbors::edge>());
      mine = out.take();
    });
    all_.agree();
    if (graph && me_.rank != 0)
      send_bytes(&mine, 0, comm_);
    for (int r = 0; me_.rank == 0 && r < me_.size; ++r)
      all_.always("collecting the edges of all ranks", [&] {
        if (graph && r > 0)
          receive_bytes(mine, r, comm_);
        edges_[static_cast<std::size_t>(r)] =
            graph ? unpacker(mine).get_list<neighbors::edge>()
                  : topology_->of(rank_id{static_cast<std::uint32_t>(r)}).destinations;
      });
    all_.agree();
  }

  void map() {
    std::vector<neighbors::hardware_place> places;
    for (const word& w : words_)
      places.push_back(w.place);
    const std::vector<std::uint32_t> holder = neighbors::map_ranks(neighbors::traffic_of(edges_), places);
    for (std::size_t rank = 0; rank < holder.size(); ++rank)
      new_ranks_[holder[rank]] = static_cast<int>(rank);
  }

  const topology_handle& topology_;
  MPI_Comm comm_;
  membership me_;
  agreement& all_;
  std::vector<word> words_;                         ///< by process
  std::vector<std::vector<neighbors::edge>> edges_; ///< at rank 0: by rank
  std::vector<int> new_ranks_;                      ///< by process
};

} // namespace

MPI_Comm make_topology_comm(const topology_handle& t, MPI_Comm comm, bool wanted) {
  auto made = private_communicator::like(comm);
  const membership me(made);
  agreement all(made.comm(), me.rank, me.size, "tacit_topology_comm");
  all.here("attaching the topology", [&] {
    require_fit(t, wanted, me, "tacit_topology_comm");
    attach_topology(made.comm(), t);
  });
  all.agree();
  return made.release_to_user(comm);
}

MPI_Comm make_reordered_comm(const topology_handle& t, MPI_Comm comm, bool wanted) {
  const auto own = private_communicator::like(comm);
  const membership me(own);
  agreement all(own.comm(), me.rank, me.size, "tacit_topology_comm_reordered");
  all.here("looking at its arguments", [&] {
    require_fit(t, wanted, me, "tacit_topology_comm_reordered");
    if (const std::string fault = fault_of(setting::ranks_per_node);
        !fault.empty()) // node_identity cannot say it
      throw call_error(call_error::kind::environment, fault);
  });
  all.agree();
  reordering order(t, own.comm(), me, all);
  const int rank = order.ranks()[static_cast<std::size_t>(me.rank)];
  const topology_handle moved = order.moved_topology();
  // There is no split that lets go on what is under way. So it starts when all ranks have come to it, and waits for nothing else.
  all.agree();
  private_communicator made;
  check_mpi(MPI_Comm_split(own.comm(), 0, rank, made.address()), "MPI_Comm_split");
  all.here("attaching the topology", [&] { attach_topology(made.comm(), moved); });
  all.agree();
  return made.release_to_user(comm);
}

} // namespace tacit::runtime
