// Recognizes the algorithm of a broadcast by the structure of its messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

/// A message of a broadcast; ranks are counted from the root (the root is 0, its successor in the
/// communicator 1).
struct hop {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
};

enum class broadcast_shape : std::uint8_t {
  linear,
  ring,
  modified_ring,
  two_rings,
  modified_two_rings,
  binomial_tree,
  binary_tree,
  chain, ///< along all ranks, in none of the known orders
  tree,  ///< none of the known ones
  spread_and_roll,
  modified_spread_and_roll,
  pieces, ///< pieces of the data go along several paths
};

struct broadcast_algorithm {
  broadcast_shape shape = broadcast_shape::tree;
  std::vector<broadcast_shape> same_as; ///< algorithms that send the same messages on this number of ranks
  std::uint32_t ranks = 0;
  bool backward = false;  ///< with ranks counted down from the root
  bool pipelined = false; ///< piece after piece
  friend bool operator==(const broadcast_algorithm&, const broadcast_algorithm&) = default;
};

/// `hops` are ordered, for each receiver, by the time of receiving; `bytes` is the size of the broadcast
/// data. Cost O(ranks · algorithms + hops).
broadcast_algorithm recognize_broadcast(std::uint32_t ranks, std::span<const hop> hops, std::uint64_t bytes);

} // namespace tacit::recordings
