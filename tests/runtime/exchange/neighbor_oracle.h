// Random neighborhood collectives and what they mean, by plain sends and receives. Shares nothing with the
// library: channels are left to MPI's own rule that messages do not overtake each other, and in a grid to
// tags that name the slot in which a block must arrive.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <mpi.h>
#include <random>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace tacit::test {

inline int world_rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
inline int world_size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// One rank's edges, and the tag of each message.
struct edge_list {
  std::vector<int> sources, destinations;
  std::vector<int> source_tags, destination_tags;
};

/// A communicator with a topology, made from a seed that all ranks share.
struct random_topology {
  MPI_Comm comm = MPI_COMM_NULL;
  edge_list edges;
  std::string what;
};

class topology_maker {
public:
  explicit topology_maker(std::uint64_t seed) : random_(seed) {}

  random_topology make(bool only_ours = false) {
    switch (only_ours ? 3 + random_() % 3 : random_() % 6) {
    case 0:
      return grid(false);
    case 1:
      return dist_graph(false);
    case 2:
      return symmetric_graph();
    case 3:
      return grid(true);
    case 4:
      return dist_graph(true);
    default:
      return stencil();
    }
  }

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  void random_grid() {
    dims_.clear();
    periods_.clear();
    int left = world_size();
    while (left > 1 || below(3) == 0) {
      int d = 1 + below(left);
      while (left % d != 0)
        --d;
      dims_.push_back(d);
      periods_.push_back(below(2));
      left /= d;
      if (dims_.size() == 4) {
        dims_.back() *= left;
        break;
      }
    }
  }
  /// The rank at an offset, by the definition of row-major order.
  int rank_at(const std::vector<int>& offset, int sign) const {
    int rank = world_rank();
    std::vector<int> at(dims_.size());
    for (std::size_t d = dims_.size(); d-- > 0; rank /= dims_[d])
      at[d] = rank % dims_[d];
    int out = 0;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      int x = at[d] + sign * offset[d];
      if ((x < 0 || x >= dims_[d]) && !periods_[d])
        return MPI_PROC_NULL;
      x = (x % dims_[d] + dims_[d]) % dims_[d];
      out = out * dims_[d] + x;
    }
    return out;
  }

  random_topology grid(bool ours) {
    random_grid();
    random_topology t;
    t.what = ours ? "own grid" : "MPI_Cart";
    for (std::size_t d = 0; d < dims_.size(); ++d)
      t.what += " " + std::to_string(dims_[d]) + (periods_[d] ? "p" : "o");
    const int n = static_cast<int>(dims_.size());
    for (int s = 0; s < 2 * n; ++s) {
      std::vector<int> offset(dims_.size(), 0);
      offset[static_cast<std::size_t>(s / 2)] = s % 2 ? 1 : -1;
      t.edges.destinations.push_back(rank_at(offset, 1));
      t.edges.sources.push_back(rank_at(offset, 1));
      t.edges.destination_tags.push_back(s ^ 1); // where it arrives
      t.edges.source_tags.push_back(s);
    }
    if (ours) {
      tacit_topology own = TACIT_TOPOLOGY_NULL;
      EXPECT_EQ(tacit_topology_cart(n, dims_.data(), periods_.data(), &own), TACIT_SUCCESS);
      EXPECT_EQ(tacit_topology_comm(own, MPI_COMM_WORLD, &t.comm), TACIT_SUCCESS);
      tacit_topology_free(&own);
    } else {
      MPI_Cart_create(MPI_COMM_WORLD, n, dims_.data(), periods_.data(), 0, &t.comm);
    }
    return t;
  }

  random_topology stencil() {
    random_grid();
    random_topology t;
    t.what = "own stencil";
    const int n = static_cast<int>(dims_.size()), count = below(9);
    std::vector<int> offsets;
    for (int i = 0; i < count; ++i) {
      std::vector<int> offset;
      for (int d = 0; d < n; ++d)
        offset.push_back(below(5) - 2);
      offsets.insert(offsets.end(), offset.begin(), offset.end());
      t.edges.destinations.push_back(rank_at(offset, 1));
      t.edges.sources.push_back(rank_at(offset, -1));
      t.edges.destination_tags.push_back(i);
      t.edges.source_tags.push_back(i);
    }
    tacit_topology own = TACIT_TOPOLOGY_NULL;
    EXPECT_EQ(tacit_topology_stencil(n, dims_.data(), periods_.data(), count, offsets.data(), &own),
              TACIT_SUCCESS);
    EXPECT_EQ(tacit_topology_comm(own, MPI_COMM_WORLD, &t.comm), TACIT_SUCCESS);
    tacit_topology_free(&own);
    return t;
  }

  random_topology dist_graph(bool ours) {
    const int p = world_size(), me = world_rank();
    random_topology t;
    t.what = ours ? "own graph" : "MPI_Dist_graph";
    const int hot = below(p);
    for (int e = below(4 * p + 2); e > 0; --e) {
      const int a = below(p), b = below(3) == 0 ? hot : below(p);
      if (a == me)
        t.edges.destinations.push_back(b);
      if (b == me)
        t.edges.sources.push_back(a);
    }
    t.edges.destination_tags.assign(t.edges.destinations.size(), 0);
    t.edges.source_tags.assign(t.edges.sources.size(), 0);
    const auto& e = t.edges;
    const std::vector<int> in_weights(e.sources.size() + 1, 3), out_weights(e.destinations.size() + 1, 4);
    if (ours) {
      tacit_topology own = TACIT_TOPOLOGY_NULL;
      EXPECT_EQ(tacit_topology_graph(static_cast<int>(e.sources.size()), e.sources.data(), in_weights.data(),
                                     static_cast<int>(e.destinations.size()), e.destinations.data(),
                                     out_weights.data(), &own),
                TACIT_SUCCESS);
      EXPECT_EQ(tacit_topology_comm(own, MPI_COMM_WORLD, &t.comm), TACIT_SUCCESS);
      tacit_topology_free(&own);
    } else {
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(e.sources.size()), e.sources.data(),
                                     in_weights.data(), static_cast<int>(e.destinations.size()),
                                     e.destinations.data(), out_weights.data(), MPI_INFO_NULL, 0, &t.comm);
    }
    return t;
  }

  random_topology symmetric_graph() {
    const int p = world_size();
    std::vector<std::vector<int>> lists(static_cast<std::size_t>(p));
    for (int e = below(3 * p + 1); e > 0; --e) {
      const int a = below(p), b = below(p);
      lists[static_cast<std::size_t>(a)].push_back(b);
      if (a != b)
        lists[static_cast<std::size_t>(b)].push_back(a);
    }
    std::vector<int> index, all{};
    for (const auto& list : lists) {
      all.insert(all.end(), list.begin(), list.end());
      index.push_back(static_cast<int>(all.size()));
    }
    all.push_back(0); // never a null pointer
    random_topology t;
    t.what = "MPI_Graph";
    t.edges.sources = t.edges.destinations = lists[static_cast<std::size_t>(world_rank())];
    t.edges.destination_tags.assign(t.edges.destinations.size(), 0);
    t.edges.source_tags.assign(t.edges.sources.size(), 0);
    MPI_Graph_create(MPI_COMM_WORLD, p, index.data(), all.data(), 0, &t.comm);
    return t;
  }

  std::mt19937_64 random_;
  std::vector<int> dims_, periods_;
};

/// The block of one edge: `count` elements of `type`, `offset` bytes into the buffer.
struct edge_block {
  MPI_Aint offset = 0;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// Does what the collective means, by one message per edge.
inline void plain_exchange(const edge_list& edges, const char* send, const std::vector<edge_block>& out,
                           char* receive, const std::vector<edge_block>& in, MPI_Comm comm) {
  std::vector<MPI_Request> requests(in.size() + out.size(), MPI_REQUEST_NULL);
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    MPI_Irecv(receive + in[i].offset, in[i].count, in[i].type, edges.sources[i], edges.source_tags[i], comm,
              &requests[next++]);
  for (std::size_t i = 0; i < out.size(); ++i)
    MPI_Isend(send + out[i].offset, out[i].count, out[i].type, edges.destinations[i],
              edges.destination_tags[i], comm, &requests[next++]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

} // namespace tacit::test
