// A random topology of any kind, with the edges of all ranks and random blocks.
#pragma once

#include "neighbors/passes/neighbor.h"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace tacit::test {

using namespace neighbors;

class random_case {
public:
  explicit random_case(std::uint64_t seed) : random_(seed) { make_topology(); }
  /// A graph in which one or two ranks have most of the edges.
  random_case(std::uint64_t seed, std::uint32_t most_ranks) : random_(seed) {
    make_graph(1 + below(most_ranks));
  }

  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::uint32_t size = 1;
  std::vector<neighborhood> all;
  std::vector<neighbor_blocks> blocks;

  /// Passes that rewrite the messages of one rank, each on or off.
  neighbor_passes some_passes() {
    neighbor_passes passes;
    passes.self = below(5) != 0;
    passes.empty = below(2) != 0;
    passes.order = below(2) != 0;
    return passes;
  }

  /// As allgather has them: all that a rank sends is one block.
  void make_same_blocks() {
    const std::uint64_t n = below(30);
    blocks.assign(size, {});
    for (std::uint32_t r = 0; r < size; ++r) {
      blocks[r].out.assign(all[r].destinations.size(), {});
      std::uint64_t at = 1000;
      const std::vector<graphs::segment> block = scattered(n, at);
      for (std::size_t i = 0; i < blocks[r].out.size(); ++i)
        if (all[r].destinations[i].peer != no_rank)
          blocks[r].out[i] = block;
      at = 500000;
      for (const edge& e : all[r].sources)
        blocks[r].in.push_back(scattered(e.peer == no_rank ? 0 : n, at));
    }
  }

  /// Sizes: per rank and slot any (w), or one for everybody (u).
  void make_blocks(bool uniform) {
    const std::uint64_t common = below(20);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
    blocks.assign(size, {});
    for (std::uint32_t r = 0; r < size; ++r) {
      std::uint64_t at = 1000; // send blocks grow from here, receive blocks from 500000: never overlapping
      for (const edge& e : all[r].destinations) {
        const std::uint64_t n = uniform ? common : below(4) == 0 ? 0 : below(40);
        if (e.peer != no_rank)
          bytes[{r, static_cast<std::uint32_t>(index(e.peer)), e.channel}] = n;
        blocks[r].out.push_back(scattered(n, at));
      }
    }
    for (std::uint32_t r = 0; r < size; ++r) {
      std::uint64_t at = 500000;
      for (const edge& e : all[r].sources)
        blocks[r].in.push_back(
            scattered(e.peer == no_rank ? below(9)
                                        : bytes.at({static_cast<std::uint32_t>(index(e.peer)), r, e.channel}),
                      at));
    }
  }

private:
  /// n bytes in pieces, with gaps or without, possibly in reverse order.
  std::vector<graphs::segment> scattered(std::uint64_t n, std::uint64_t& at) {
    std::vector<graphs::segment> list;
    const std::uint64_t gap = below(3);
    while (n > 0) {
      const std::uint64_t length = below(2) ? n : 1 + below(n);
      list.push_back({at, length});
      at += length + gap;
      n -= length;
    }
    if (below(4) == 0)
      std::reverse(list.begin(), list.end());
    return list;
  }

  void make_topology() {
    const std::uint32_t kind = below(3);
    if (kind < 2) {
      grid_shape shape;
      std::uint32_t product = 1;
      for (std::uint32_t d = below(4); d > 0; --d) {
        const std::uint32_t n = 1 + below(4);
        if (product * n > 24)
          continue;
        product *= n;
        shape.dims.push_back(static_cast<int>(n));
        shape.periodic.push_back(below(2) == 0);
      }
      size = product;
      std::vector<std::vector<int>> offsets(below(12), std::vector<int>(shape.dims.size()));
      for (auto& o : offsets)
        for (int& x : o)
          x = static_cast<int>(below(5)) - 2;
      for (std::uint32_t r = 0; r < size; ++r)
        all.push_back(kind == 0 ? cartesian_neighborhood(shape, rank_id{r})
                                : stencil_neighborhood(shape, offsets, rank_id{r}));
      return;
    }
    make_graph(1 + below(9));
  }

  void make_graph(std::uint32_t ranks) {
    size = ranks;
    std::vector<std::vector<rank_id>> in(size), out(size);
    const std::uint32_t hot = below(size), sender = below(size);
    for (std::uint32_t e = below(40 + 2 * size); e > 0; --e) {
      const std::uint32_t a = below(4) == 0 ? sender : below(size), b = below(3) == 0 ? hot : below(size);
      out[a].push_back(rank_id{b});
      in[b].push_back(rank_id{a});
    }
    for (std::uint32_t r = 0; r < size; ++r) {
      std::shuffle(in[r].begin(), in[r].end(), random_);
      all.push_back(graph_neighborhood(in[r], {}, out[r], {}));
    }
  }

  std::mt19937_64 random_;
};

} // namespace tacit::test
