// Which process takes which rank, so that ranks that exchange much are near each other (`reorder` of MPI's
// topology functions).
//
// Problem: given the traffic between ranks and the distances between the places of processes, find the
// assignment with the least sum of traffic times distance. That is the quadratic assignment problem, NP-hard;
// the distances of a machine form a tree (node, package, cache, core), which is what the first step uses.
//
// 1. Division: from the outermost level inwards the ranks are divided into groups as large as the nodes
//    (packages, …) have processes. A group grows from a rank at the border, always by the rank with the
//    most traffic into the group and the least out of it. Equals are taken in an order that differs from
//    trial to trial.
// 2. Exchange: two ranks at most two edges apart in the traffic (any two of up to 256 ranks) swap their
// processes whenever that lowers the sum,
//    until no such pair is left (local search with the neighborhood N_C^2 of Schulz, Träff: Better Process
//    Mapping and Sparse Quadratic Assignment, SEA 2017). Every swap lowers a sum of natural numbers, so it
//    ends; after `work_limit` looked-up distances it stops in any case.
// Eight divisions are tried, and the order as it is; the best result is taken, the order as it is if none is
// better. So the sum is never larger than without.
//
// Cost: divisions O(levels · E log V); exchange at most `work_limit` distances, some tenths of a second.
#pragma once

#include "neighbors/topology/topology.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::neighbors {

/// Where a process runs: numbers of its node, package, shared cache and core. Unknown levels are 0 (for all
/// processes of the level above, or the process counts as somewhere else).
using hardware_place = std::array<std::uint64_t, 4>;

/// 0 on one core; else what a message costs that leaves the core, the cache, the package, the node: ratios
/// 1 : 2 : 4 : 40. Only their order and the gap to another node matter for the result.
std::uint64_t distance(const hardware_place& a, const hardware_place& b);

/// Traffic between pairs of different ranks, both directions together, by rank.
struct rank_traffic {
  struct link {
    std::uint32_t peer = 0;
    std::uint64_t weight = 0;
  };
  std::vector<std::vector<link>> of; ///< by rank; links by peer, each pair in both lists
};

/// Adds up the weights of all edges, each counted where it begins. `of_ranks[r]` are the edges that leave
/// rank r.
rank_traffic traffic_of(std::span<const std::vector<edge>> of_ranks);

/// `holder[rank]` is the process that holds the rank; places are those of processes.
std::uint64_t mapping_cost(const rank_traffic& traffic, std::span<const hardware_place> places,
                           std::span<const std::uint32_t> holder);

inline constexpr std::uint64_t mapping_work_limit = 100'000'000;

/// The holder of each rank: a permutation. Deterministic. Its cost is at most that of holder[r] == r.
std::vector<std::uint32_t> map_ranks(const rank_traffic& traffic, std::span<const hardware_place> places,
                                     std::uint64_t work_limit = mapping_work_limit);

} // namespace tacit::neighbors
