// Names the algorithm of a broadcast from the structure of its messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tacit::recordings {

/// A message of a broadcast; ranks are counted from the root (the root is 0, its successor in the
/// communicator 1).
struct hop {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
};

/// "ring", "modified ring", "two rings", "modified two rings", "linear", "binomial tree", "binary tree",
/// "chain", "spread and roll (…)", "modified spread and roll (…)", "pipelined …", "tree" or "pieces along
/// several paths". Where several algorithms send the same messages on this number of ranks, all are named.
/// `hops` are ordered, for each receiver, by the time of receiving; `bytes` is the size of the broadcast
/// data. Cost O(ranks · algorithms + hops).
std::string name_broadcast(std::uint32_t ranks, std::span<const hop> hops, std::uint64_t bytes);

} // namespace tacit::recordings
