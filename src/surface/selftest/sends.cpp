// A naive reference: one message per edge, with a tag that says which edge it is. It asks MPI for the
// neighbor lists, as a library would, and thereby checks the oracle from the other side: a difference between
// the two would be a mistake of this suite.
#include "surface/selftest/implementation.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <unistd.h>

namespace tacit::surface {
namespace {

struct edge_end {
  int peer, tag;
};

struct ends {
  std::vector<edge_end> in, out;
  MPI_Comm comm = MPI_COMM_NULL; ///< a duplicate, apart from the program's messages
};

/// The k-th edge between the same two ranks has tag k.
std::vector<edge_end> numbered(const std::vector<int>& peers) {
  std::vector<edge_end> list;
  for (const int peer : peers) {
    const auto same = [peer](const edge_end& e) { return e.peer == peer; };
    list.push_back({peer, static_cast<int>(std::count_if(list.begin(), list.end(), same))});
  }
  return list;
}

/// The tag is the slot in which the block arrives.
void ask_cart(MPI_Comm comm, ends& found) {
  int dimensions = 0;
  MPI_Cartdim_get(comm, &dimensions);
  for (int d = 0; d < dimensions; ++d) {
    int lower = MPI_PROC_NULL, upper = MPI_PROC_NULL;
    MPI_Cart_shift(comm, d, 1, &lower, &upper);
    found.in.push_back({lower, 2 * d});
    found.in.push_back({upper, 2 * d + 1});
    found.out.push_back({lower, 2 * d + 1});
    found.out.push_back({upper, 2 * d});
  }
}

void ask_graph(MPI_Comm comm, ends& found) {
  int rank = 0, count = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Graph_neighbors_count(comm, rank, &count);
  std::vector<int> neighbors(static_cast<std::size_t>(count) + 1);
  MPI_Graph_neighbors(comm, rank, count, neighbors.data());
  neighbors.pop_back();
  found.in = found.out = numbered(neighbors);
}

void ask_dist_graph(MPI_Comm comm, ends& found) {
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const auto degree = [](int d) { return static_cast<std::size_t>(d) + 1; };
  std::vector<int> from(degree(in)), from_weights(degree(in)), to(degree(out)), to_weights(degree(out));
  MPI_Dist_graph_neighbors(comm, in, from.data(), from_weights.data(), out, to.data(), to_weights.data());
  from.pop_back();
  to.pop_back();
  found.in = numbered(from);
  found.out = numbered(to);
}

/// Start of a block: counted in extents, or in bytes for w.
void* block_start(const arguments& a, const side_arguments& side, std::size_t slot, bool sending) {
  auto* base = static_cast<char*>(side.buffer);
  if (a.what == call::alltoallw) // MPI_BOTTOM is 0 here: the displacement is the address
    return reinterpret_cast<void*>(reinterpret_cast<MPI_Aint>(base) + side.bytes[slot]);
  MPI_Aint lower_bound = 0, extent = 0;
  MPI_Type_get_extent(side.types[0], &lower_bound, &extent);
  const bool one_for_all = sending && (a.what == call::allgather || a.what == call::allgatherv);
  if (one_for_all)
    return base;
  const bool even = a.what == call::allgather || a.what == call::alltoall;
  const MPI_Aint places = even ? static_cast<MPI_Aint>(slot) * side.counts[0] : side.displs[slot];
  return base + places * extent;
}

struct block_shape {
  int count;
  MPI_Datatype type;
};

block_shape block_of(const arguments& a, const side_arguments& side, std::size_t slot, bool sending) {
  const bool even =
      a.what == call::allgather || a.what == call::alltoall || (sending && a.what == call::allgatherv);
  return {side.counts[even ? 0 : slot], side.types[a.what == call::alltoallw ? slot : 0]};
}

class messages final : public operation {
public:
  messages(const arguments& a, const ends& edges) {
    for (std::size_t slot = 0; slot < edges.in.size(); ++slot) {
      const auto [count, type] = block_of(a, a.recv, slot, false);
      MPI_Recv_init(block_start(a, a.recv, slot, false), count, type, edges.in[slot].peer, edges.in[slot].tag,
                    edges.comm, &requests_.emplace_back());
    }
    for (std::size_t slot = 0; slot < edges.out.size(); ++slot) {
      const auto [count, type] = block_of(a, a.send, slot, true);
      MPI_Send_init(block_start(a, a.send, slot, true), count, type, edges.out[slot].peer,
                    edges.out[slot].tag, edges.comm, &requests_.emplace_back());
    }
  }
  int start() override { // some libraries refuse a null list even if it is empty
    return requests_.empty() ? MPI_SUCCESS
                             : MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
  int wait() override {
    return MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  int free() override {
    for (MPI_Request& request : requests_)
      MPI_Request_free(&request);
    return MPI_SUCCESS;
  }

private:
  std::vector<MPI_Request> requests_;
};

class sends : public implementation {
public:
  std::string_view name() const override { return "sends"; }
  bool offers(call, mode) const override { return true; }

  MPI_Comm make(topology& where, MPI_Comm all) override {
    MPI_Comm made = implementation::make(where, all);
    ends& found = known_[made];
    found = {};
    int kind = MPI_UNDEFINED;
    MPI_Topo_test(made, &kind);
    kind == MPI_CART    ? ask_cart(made, found)
    : kind == MPI_GRAPH ? ask_graph(made, found)
                        : ask_dist_graph(made, found);
    MPI_Comm_dup(made, &found.comm);
    MPI_Comm_set_errhandler(found.comm, MPI_ERRORS_RETURN);
    return made;
  }
  void unmake(MPI_Comm comm) override {
    MPI_Comm_free(&known_[comm].comm);
    known_.erase(comm);
    implementation::unmake(comm);
  }

  int run(const arguments& a) override {
    messages all(a, known_[a.comm]);
    int code = all.start();
    if (code == MPI_SUCCESS)
      code = all.wait();
    all.free();
    return code;
  }
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    auto all = std::make_unique<messages>(a, known_[a.comm]);
    code = all->start();
    return all;
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    code = MPI_SUCCESS;
    return std::make_unique<messages>(a, known_[a.comm]);
  }

protected:
  std::map<MPI_Comm, ends> known_; ///< looked up only
};

/// An operation that never completes, to test the watch.
class stuck final : public operation {
public:
  int start() override { return MPI_SUCCESS; }
  int wait() override {
    for (;;)
      ::pause();
  }
  int free() override { return MPI_SUCCESS; }
};

class faulty final : public sends {
public:
  std::string_view name() const override { return "faulty"; }
  MPI_Comm make(topology& where, MPI_Comm all) override {
    kind_ = where.kind();
    return sends::make(where, all);
  }
  /// Writes a byte before the buffer.
  int run(const arguments& a) override {
    const int code = sends::run(a);
    if (a.what == call::allgatherv)
      static_cast<char*>(a.recv.buffer)[-1] ^= 1;
    return code;
  }
  /// Does not cross the blocks of a dimension with one neighbor on both sides.
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    ends edges = known_[a.comm];
    if (a.what == call::alltoall && (kind_ == topology_class::cart_two || kind_ == topology_class::cart_one))
      for (std::size_t s = 0; s + 1 < edges.out.size(); s += 2)
        if (edges.out[s].peer == edges.out[s + 1].peer)
          std::swap(edges.out[s].tag, edges.out[s + 1].tag);
    auto all = std::make_unique<messages>(a, edges);
    code = all->start();
    return all;
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    if (a.what == call::allgather && kind_ == topology_class::graph)
      std::raise(SIGSEGV);
    if (a.what == call::alltoallv && kind_ == topology_class::dist_multi)
      return std::make_unique<stuck>();
    return sends::init(a, code);
  }

private:
  topology_class kind_{};
};

} // namespace

std::unique_ptr<implementation> make_sends() {
  return std::make_unique<sends>();
}

std::unique_ptr<implementation> make_faulty() {
  return std::make_unique<faulty>();
}

} // namespace tacit::surface
