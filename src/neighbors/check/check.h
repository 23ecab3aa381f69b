// Whether the plans of all ranks together do what the neighborhood collective means.
//
// Each rank makes its plan from its own arguments, so that nobody sees all of it; here all pieces are
// together (the ranks gather them in check mode, TACIT_CHECK=1). The meaning is written down from the
// standard alone (MPI-4.1 section 8.6): every rank sends the block of each outgoing edge and receives the
// block of each incoming one, all at the same time. That is a communication graph, and the translation
// validator that checks every plan of a graph (graphs/plan) checks this one: the same bytes from the same
// places, no byte written that the call leaves alone, no race, no deadlock although no message is buffered.
// Blocks without bytes say nothing: a neighborhood collective need not synchronize.
//
// Cost: as matching and following the messages of all ranks.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"
#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::neighbors {

/// What one rank knows of the collective, and what it is about to do for it.
struct rank_piece {
  neighborhood edges;
  neighbor_blocks blocks;
  graphs::rank_plan plan;
};

struct check_result {
  std::string plan_fault; ///< not empty: our bug; names rank and edge
  std::string call_fault; ///< not empty: the ranks' arguments contradict each other or the standard, so that
                          ///< there is nothing that a plan could be compared with
};

/// `ranks`: the pieces of all ranks, by rank.
check_result check_plans(std::span<const rank_piece> ranks);

/// A piece as words, for a message.
std::vector<std::uint64_t> words_of(const rank_piece& piece);
rank_piece piece_of(std::span<const std::uint64_t> words);

} // namespace tacit::neighbors
