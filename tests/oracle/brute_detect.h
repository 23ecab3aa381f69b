// Detection by exhaustive packing: slow, obvious, and without a line in common with src/graphs/detect.
//
// Bytes are counted one by one. An instance of a pattern is a set of bytes moved: a broadcast takes the same
// source byte once per other rank, a scatter any byte of its root once per other rank, a gather one byte from
// every other rank, an alltoall one byte for every ordered pair, an allgather one broadcast for every rank.
// All ways to choose disjoint instances are tried; the best has the most allgathers, then the most
// broadcasts, then the most alltoalls, then the most scatters and gathers together. (Broadcasts come before
// alltoalls because an alltoall must never use bytes of a complete broadcast.)
#pragma once

#include "graphs/flow/flow.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tacit::oracle {

using namespace graphs;

/// Numbers of instances: allgather, bcast, alltoall, scatter and gather.
using counts = std::array<int, 4>;

/// The best packing of the bytes that move between different ranks of 0 … ranks−1; at most 20 of them.
counts brute_detect(std::uint32_t ranks, const std::vector<transfer>& moved);

} // namespace tacit::oracle
