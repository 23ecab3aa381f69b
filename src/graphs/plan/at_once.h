// The short way to validate a plan whose steps need not wait for each other.
#pragma once

#include "graphs/plan/plan.h"

namespace tacit::graphs {

/// Says whether the plan is plainly right: all its steps can start at once, or after the first one of their rank, a copy to
/// scratch memory; no byte that one of them writes is touched by another; every message and collective has all its sides; and the
/// bytes that they leave are exactly those of `t`, from the same sources. False says nothing: the expansion (expansion.h) has to
/// be followed then, and finds the fault if there is one. The plan must be well formed (shape.h), and the graph must have neither
/// reductions nor orders to keep. Cost O(steps + segments), and sorting of what is not in order; 24 bytes a message, or
/// 8 a rank and call where each rank sends in the order of ranks.
bool is_right_at_once(const graph& g, const transfers& t, const plan& p);

} // namespace tacit::graphs
