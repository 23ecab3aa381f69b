// A random neighborhood collective in all forms, and the same as blocks for plain sends.
#pragma once

#include "neighbor_oracle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tacit::test {

constexpr std::size_t arena_bytes = 12000; // 37 edges of up to 6 elements of 40 B

/// Types of four ints: a gap of each kind, an extent larger or smaller than the data spans, and freed at the
/// end.
class types_of_sixteen_bytes {
public:
  types_of_sixteen_bytes() {
    MPI_Type_contiguous(4, MPI_INT, &all[0]);
    MPI_Type_vector(2, 2, 3, MPI_INT, &all[1]);
    const int lengths[] = {1, 3};
    const MPI_Aint places[] = {32, 0};
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &all[2]); // backwards
    MPI_Type_create_resized(all[1], 0, 40, &all[3]);
    for (MPI_Datatype& t : all)
      MPI_Type_commit(&t);
  }
  ~types_of_sixteen_bytes() {
    for (MPI_Datatype& t : all)
      MPI_Type_free(&t);
  }
  std::array<MPI_Datatype, 4> all{};
};

enum class collective { allgather, allgatherv, alltoall, alltoallv, alltoallw };

/// One call, as arguments and as blocks. All ranks draw the same numbers.
class random_call {
public:
  random_call(const random_topology& t, std::uint64_t seed, const std::array<MPI_Datatype, 4>& types)
      : t_(t), random_(seed), types_(types) {
    what = static_cast<collective>(below(5));
    const auto in = t.edges.sources.size(), out = t.edges.destinations.size();
    const bool varying = what == collective::alltoallv || what == collective::alltoallw;
    const bool typed = what == collective::alltoallw;
    common_ = below(4);
    send_type_ = types[static_cast<std::size_t>(mine(4))];
    receive_type_ = types[static_cast<std::size_t>(mine(4))];
    const std::vector<int> sizes = edge_sizes(varying);
    if (what == collective::allgatherv)
      allgather_sizes();
    for (std::size_t i = 0; i < out; ++i) {
      send_counts.push_back(varying ? sizes[i] : what == collective::allgatherv ? own_count_ : common_);
      send_types.push_back(typed ? types[static_cast<std::size_t>(mine(4))] : send_type_);
    }
    receive_counts = what == collective::allgatherv ? gathered_
                     : varying                      ? received_
                                                    : std::vector<int>(in, common_);
    for (std::size_t i = 0; i < in; ++i)
      receive_types.push_back(typed ? types[static_cast<std::size_t>(mine(4))] : receive_type_);
    place(send_counts, send_types, send_places, what == collective::alltoall);
    place(receive_counts, receive_types, receive_places,
          what == collective::alltoall || what == collective::allgather);
  }

  collective what;
  std::vector<int> send_counts, receive_counts;
  std::vector<MPI_Datatype> send_types, receive_types;
  std::vector<MPI_Aint> send_places, receive_places; ///< in extents, or bytes if typed

  std::vector<edge_block> out_blocks() const {
    std::vector<edge_block> b;
    for (std::size_t i = 0; i < send_counts.size(); ++i)
      b.push_back(
          block(send_counts[i], send_types[i],
                what == collective::allgather || what == collective::allgatherv ? 0 : send_places[i]));
    return b;
  }
  std::vector<edge_block> in_blocks() const {
    std::vector<edge_block> b;
    for (std::size_t i = 0; i < receive_counts.size(); ++i)
      b.push_back(block(receive_counts[i], receive_types[i], receive_places[i]));
    return b;
  }

  /// form: 0 blocking, 1 nonblocking, 2 persistent; large: the _c functions.
  int call(int form, bool large, const char* send, char* receive, tacit_schedule* s) const;

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  /// A number that is this rank's own choice.
  int mine(int n) {
    int chosen = 0;
    for (int r = 0; r < world_size(); ++r) {
      const int x = below(n);
      chosen = r == world_rank() ? x : chosen;
    }
    return chosen;
  }
  static MPI_Aint extent_of(MPI_Datatype type) {
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_extent(type, &low, &extent);
    return extent;
  }
  edge_block block(int count, MPI_Datatype type, MPI_Aint at) const {
    return {what == collective::alltoallw ? at : at * extent_of(type), count, type};
  }
  /// Elements per outgoing edge; the receivers learn them from the sender by a plain message.
  std::vector<int> edge_sizes(bool varying) {
    std::vector<int> sizes;
    for (std::size_t i = 0; i < t_.edges.destinations.size(); ++i)
      sizes.push_back(static_cast<int>((random_() ^ static_cast<std::uint64_t>(world_rank())) % 5));
    random_.seed(random_() + 1); // ranks with more edges have drawn more often …
    received_.assign(t_.edges.sources.size(), 0);
    if (varying) {
      std::vector<edge_block> out, in;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        out.push_back({static_cast<MPI_Aint>(i * sizeof(int)), 1, MPI_INT});
      for (std::size_t i = 0; i < received_.size(); ++i)
        in.push_back({static_cast<MPI_Aint>(i * sizeof(int)), 1, MPI_INT});
      plain_exchange(t_.edges, reinterpret_cast<const char*>(sizes.data()), out,
                     reinterpret_cast<char*>(received_.data()), in, MPI_COMM_WORLD);
    }
    std::uint64_t common = random_(); // … and go on together
    MPI_Bcast(&common, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    random_.seed(common);
    return sizes;
  }
  void allgather_sizes() {
    own_count_ = mine(5);
    for (const int source : t_.edges.sources)
      gathered_.push_back(source == MPI_PROC_NULL ? 2 : source);
    std::vector<int> all(static_cast<std::size_t>(world_size()));
    MPI_Allgather(&own_count_, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < gathered_.size(); ++i)
      gathered_[i] = t_.edges.sources[i] == MPI_PROC_NULL ? 2 : all[static_cast<std::size_t>(gathered_[i])];
  }
  void place(const std::vector<int>& counts, const std::vector<MPI_Datatype>& types,
             std::vector<MPI_Aint>& places, bool back_to_back) {
    MPI_Aint at = 0;
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!back_to_back && world_rank() % 2)
      std::reverse(order.begin(), order.end());
    places.assign(counts.size(), 0);
    for (const std::size_t i : order) {
      places[i] = back_to_back ? static_cast<MPI_Aint>(i) * counts[i] : at;
      at += (counts[i] + 1) * (what == collective::alltoallw ? extent_of(types[i]) : 1);
    }
  }

  const random_topology& t_;
  std::mt19937_64 random_;
  const std::array<MPI_Datatype, 4>& types_;
  int common_ = 0, own_count_ = 0;
  MPI_Datatype send_type_, receive_type_;
  std::vector<int> received_, gathered_;
};

template <typename To, typename From>
inline std::vector<To> as(const std::vector<From>& list) {
  std::vector<To> out(list.begin(), list.end());
  out.push_back(0); // never a null pointer
  return out;
}

inline int random_call::call(int form, bool large, const char* send, char* receive, tacit_schedule* s) const {
  const auto sc = as<int>(send_counts), rc = as<int>(receive_counts);
  const auto sp = as<int>(send_places), rp = as<int>(receive_places);
  const auto scl = as<MPI_Count>(send_counts), rcl = as<MPI_Count>(receive_counts);
  const auto spl = as<MPI_Aint>(send_places), rpl = as<MPI_Aint>(receive_places);
  const int n = what == collective::allgatherv ? own_count_ : common_;
  auto stypes = send_types, rtypes = receive_types;
  stypes.push_back(MPI_BYTE);
  rtypes.push_back(MPI_BYTE);
  const MPI_Datatype st = send_type_, rt = receive_type_;
  const MPI_Comm comm = t_.comm;
  const MPI_Info none = MPI_INFO_NULL;
  const auto run = [&](auto blocking, auto nonblocking, auto init, auto... arguments) {
    return form == 0   ? blocking(arguments..., comm)
           : form == 1 ? nonblocking(arguments..., comm, s)
                       : init(arguments..., comm, none, s);
  };
  switch (what) {
  case collective::allgather:
    return large ? run(tacit_neighbor_allgather_c, tacit_ineighbor_allgather_c,
                       tacit_neighbor_allgather_init_c, send, n, st, receive, n, rt)
                 : run(tacit_neighbor_allgather, tacit_ineighbor_allgather, tacit_neighbor_allgather_init,
                       send, n, st, receive, n, rt);
  case collective::allgatherv:
    return large ? run(tacit_neighbor_allgatherv_c, tacit_ineighbor_allgatherv_c,
                       tacit_neighbor_allgatherv_init_c, send, n, st, receive, rcl.data(), rpl.data(), rt)
                 : run(tacit_neighbor_allgatherv, tacit_ineighbor_allgatherv, tacit_neighbor_allgatherv_init,
                       send, n, st, receive, rc.data(), rp.data(), rt);
  case collective::alltoall:
    return large ? run(tacit_neighbor_alltoall_c, tacit_ineighbor_alltoall_c, tacit_neighbor_alltoall_init_c,
                       send, n, st, receive, n, rt)
                 : run(tacit_neighbor_alltoall, tacit_ineighbor_alltoall, tacit_neighbor_alltoall_init, send,
                       n, st, receive, n, rt);
  case collective::alltoallv:
    return large
               ? run(tacit_neighbor_alltoallv_c, tacit_ineighbor_alltoallv_c, tacit_neighbor_alltoallv_init_c,
                     send, scl.data(), spl.data(), st, receive, rcl.data(), rpl.data(), rt)
               : run(tacit_neighbor_alltoallv, tacit_ineighbor_alltoallv, tacit_neighbor_alltoallv_init, send,
                     sc.data(), sp.data(), st, receive, rc.data(), rp.data(), rt);
  case collective::alltoallw:
    return large
               ? run(tacit_neighbor_alltoallw_c, tacit_ineighbor_alltoallw_c, tacit_neighbor_alltoallw_init_c,
                     send, scl.data(), spl.data(), stypes.data(), receive, rcl.data(), rpl.data(),
                     rtypes.data())
               : run(tacit_neighbor_alltoallw, tacit_ineighbor_alltoallw, tacit_neighbor_alltoallw_init, send,
                     sc.data(), spl.data(), stypes.data(), receive, rc.data(), rpl.data(), rtypes.data());
  }
  return -1;
}

using arena = std::vector<char>;

inline void fill(arena& a, std::uint64_t seed) {
  std::mt19937_64 random(seed * 100 + static_cast<std::uint64_t>(world_rank()));
  for (char& c : a)
    c = static_cast<char>(random());
}

/// The library and plain sends on equal buffers; empty, or what differs.
inline std::string compare(const arena& got, const arena& expected) {
  const auto at = std::mismatch(got.begin(), got.end(), expected.begin());
  return at.first == got.end() ? "" : "byte " + std::to_string(at.first - got.begin()) + " differs";
}

} // namespace tacit::test
