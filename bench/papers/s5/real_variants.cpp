#include "real_case.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <tacit/tacit.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if defined(OPEN_MPI) && MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#define MPI_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init
#define HAVE_PERSISTENT_COLLECTIVES
#elif MPI_VERSION >= 4
#define HAVE_PERSISTENT_COLLECTIVES
#endif
#ifdef TACIT_BENCH_MPI_ADVANCE
#include <locality_aware.h>
#endif

namespace bench {
namespace {

/// Arguments of the collectives with a type per slot.
struct typed_arguments {
  explicit typed_arguments(const real_case& c)
      : out_counts(c.out_types.size(), 1), in_counts(c.in_types.size(), 1), out_places(c.out_types.size(), 0),
        in_places(c.in_types.size(), 0) {}
  std::vector<int> out_counts, in_counts;
  std::vector<MPI_Aint> out_places, in_places;
};

void require(int code, const char* what) {
  if (code == MPI_SUCCESS)
    return;
  std::fprintf(stderr, "%s has failed: %s\n", what, tacit_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

class tacit_persistent : public real_variant {
public:
  tacit_persistent(real_case& c, const char* called, const char* driver) : real_variant(called), w_(c) {
    MPI_Info info = MPI_INFO_NULL;
    if (driver) {
      MPI_Info_create(&info);
      MPI_Info_set(info, "tacit_driver", driver);
    }
    const int code =
        c.typed()
            ? tacit_neighbor_alltoallw_init(
                  MPI_BOTTOM, w_.out_counts.data(), w_.out_places.data(), c.out_types.data(), MPI_BOTTOM,
                  w_.in_counts.data(), w_.in_places.data(), c.in_types.data(), c.who.tacit, info, &schedule_)
            : tacit_neighbor_alltoallv_init(c.out.data(), c.out_counts.data(), c.out_places.data(),
                                            MPI_DOUBLE, c.in.data(), c.in_counts.data(), c.in_places.data(),
                                            MPI_DOUBLE, c.who.tacit, info, &schedule_);
    require(code, called);
    if (driver)
      MPI_Info_free(&info);
  }
  ~tacit_persistent() override { tacit_schedule_free(&schedule_); }
  void exchange() override {
    tacit_start(schedule_);
    tacit_wait(schedule_);
  }

private:
  typed_arguments w_;
  tacit_schedule schedule_ = TACIT_SCHEDULE_NULL;
};

class messages : public real_variant {
public:
  messages(real_case& c, const char* called)
      : real_variant(called), c_(c), requests_(c.who.sources.size() + c.who.destinations.size()) {}

protected:
  template <typename Receive, typename Send>
  void each(Receive&& receive, Send&& send) {
    const pattern& p = c_.who;
    std::size_t at = 0;
    for (std::size_t i = 0; i < p.sources.size(); ++i, ++at) {
      if (c_.typed())
        receive(MPI_BOTTOM, 1, c_.in_types[i], p.sources[i], p.receive_tags[i], p.comm, &requests_[at]);
      else
        receive(c_.in.data() + c_.in_places[i], c_.in_counts[i], MPI_DOUBLE, p.sources[i], p.receive_tags[i],
                p.comm, &requests_[at]);
    }
    for (std::size_t i = 0; i < p.destinations.size(); ++i, ++at) {
      if (c_.typed())
        send(MPI_BOTTOM, 1, c_.out_types[i], p.destinations[i], p.send_tags[i], p.comm, &requests_[at]);
      else
        send(c_.out.data() + c_.out_places[i], c_.out_counts[i], MPI_DOUBLE, p.destinations[i],
             p.send_tags[i], p.comm, &requests_[at]);
    }
  }
  int count() const { return static_cast<int>(requests_.size()); }
  real_case& c_;
  std::vector<MPI_Request> requests_;
};

class isend : public messages {
public:
  using messages::messages;
  void exchange() override {
    each([](auto... a) { MPI_Irecv(a...); }, [](auto... a) { MPI_Isend(a...); });
    MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE);
  }
};

class persistent : public messages {
public:
  persistent(real_case& c, const char* called) : messages(c, called) {
    each([](auto... a) { MPI_Recv_init(a...); }, [](auto... a) { MPI_Send_init(a...); });
  }
  ~persistent() override {
    for (MPI_Request& r : requests_)
      if (r != MPI_REQUEST_NULL)
        MPI_Request_free(&r);
  }
  void exchange() override {
    MPI_Startall(count(), requests_.data());
    MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE);
  }
};

class neighbor : public real_variant {
public:
  neighbor(real_case& c, const char* called) : real_variant(called), c_(c), w_(c) {}
  void exchange() override {
    if (c_.typed())
      MPI_Neighbor_alltoallw(MPI_BOTTOM, w_.out_counts.data(), w_.out_places.data(), c_.out_types.data(),
                             MPI_BOTTOM, w_.in_counts.data(), w_.in_places.data(), c_.in_types.data(),
                             c_.who.comm);
    else
      MPI_Neighbor_alltoallv(c_.out.data(), c_.out_counts.data(), c_.out_places.data(), MPI_DOUBLE,
                             c_.in.data(), c_.in_counts.data(), c_.in_places.data(), MPI_DOUBLE, c_.who.comm);
  }

private:
  real_case& c_;
  typed_arguments w_;
};

#ifdef HAVE_PERSISTENT_COLLECTIVES
class neighbor_init : public real_variant {
public:
  neighbor_init(real_case& c, const char* called) : real_variant(called), w_(c) {
    if (c.typed())
      MPI_Neighbor_alltoallw_init(MPI_BOTTOM, w_.out_counts.data(), w_.out_places.data(), c.out_types.data(),
                                  MPI_BOTTOM, w_.in_counts.data(), w_.in_places.data(), c.in_types.data(),
                                  c.who.comm, MPI_INFO_NULL, &request_);
    else
      MPI_Neighbor_alltoallv_init(c.out.data(), c.out_counts.data(), c.out_places.data(), MPI_DOUBLE,
                                  c.in.data(), c.in_counts.data(), c.in_places.data(), MPI_DOUBLE, c.who.comm,
                                  MPI_INFO_NULL, &request_);
  }
  ~neighbor_init() override { MPI_Request_free(&request_); }
  void exchange() override {
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }

private:
  typed_arguments w_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};
#endif

#ifdef TACIT_BENCH_MPI_ADVANCE
/// Edges in the order of their tags, with their blocks: as a graph, the k-th edge between two ranks must be
/// the same on both sides.
struct tagged_edges {
  tagged_edges(const std::vector<int>& peers_, const std::vector<int>& tags, const std::vector<int>& counts_,
               const std::vector<int>& places_) {
    std::vector<std::size_t> order(peers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return tags[a] < tags[b]; });
    for (const std::size_t i : order) {
      peers.push_back(peers_[i]);
      counts.push_back(counts_[i]);
      places.push_back(places_[i]);
    }
  }
  int size() const { return static_cast<int>(peers.size()); }
  std::vector<int> peers, counts, places;
};

/// No parallel edges on any rank, and none to the rank itself. Collective.
bool is_simple(const pattern& p) {
  std::vector<int> peers = p.destinations;
  MPI_Comm_rank(MPI_COMM_WORLD, &peers.emplace_back());
  std::sort(peers.begin(), peers.end());
  int mine = std::adjacent_find(peers.begin(), peers.end()) == peers.end(), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

/// MPI Advance takes graph topologies only, so it gets the same edges as one.
class advance : public real_variant {
public:
  advance(real_case& c, const char* called, NeighborAlltoallvInitMethod method)
      : real_variant(called), to_(c.who.destinations, c.who.send_tags, c.out_counts, c.out_places),
        from_(c.who.sources, c.who.receive_tags, c.in_counts, c.in_places) {
    MPIL_Info_init(&info_);
    MPIL_Dist_graph_create_adjacent(MPI_COMM_WORLD, from_.size(), from_.peers.data(), MPI_UNWEIGHTED,
                                    to_.size(), to_.peers.data(), MPI_UNWEIGHTED, info_, 0, &comm_);
    MPIL_Set_alltoallv_neighbor_init_alogorithm(method);
    MPIL_Neighbor_alltoallv_init(c.out.data(), to_.counts.data(), to_.places.data(), MPI_DOUBLE, c.in.data(),
                                 from_.counts.data(), from_.places.data(), MPI_DOUBLE, comm_, info_,
                                 &request_);
  }
  ~advance() override {
    MPIL_Request_free(&request_);
    MPIL_Comm_free(&comm_);
    MPIL_Info_free(&info_);
  }
  void exchange() override {
    MPIL_Start(request_);
    MPIL_Wait(request_, MPI_STATUS_IGNORE);
  }

private:
  tagged_edges to_, from_;
  MPIL_Comm* comm_ = nullptr;
  MPIL_Info* info_ = nullptr;
  MPIL_Request* request_ = nullptr;
};
#endif

} // namespace

std::vector<std::unique_ptr<real_variant>> real_variants(real_case& c,
                                                         const std::vector<std::string>& without) {
  std::vector<std::unique_ptr<real_variant>> variants;
  const auto add = [&]<typename Variant>(const char* called, auto... more) {
    if (std::find(without.begin(), without.end(), called) == without.end())
      variants.push_back(std::make_unique<Variant>(c, called, more...));
  };
  add.operator()<tacit_persistent>("tacit", nullptr);
  add.operator()<tacit_persistent>("tacit p2p", "p2p");
  add.operator()<isend>("isend");
  add.operator()<persistent>("persistent");
  add.operator()<neighbor>("neighbor");
#ifdef HAVE_PERSISTENT_COLLECTIVES
  add.operator()<neighbor_init>("neighbor init");
#endif
#ifdef TACIT_BENCH_MPI_ADVANCE
  if (!c.typed()) { // it has no alltoallw
    add.operator()<advance>("advance", NEIGHBOR_ALLTOALLV_INIT_STANDARD);
    if (is_simple(c.who)) // else it destroys the heap (commit 015711d)
      add.operator()<advance>("advance locality", NEIGHBOR_ALLTOALLV_INIT_LOCALITY);
  }
#endif
  return variants;
}

} // namespace bench
