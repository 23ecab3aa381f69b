// Long operands cut into pieces, so that a rank combines one while the next is on its way.
//
// A message that is received whole leaves the caches before it is combined with what is there; in pieces it is combined where it has just
// arrived, and what is made of it goes on before the rest is there. Libraries do the same (segmented reductions, as in Open MPI's `tuned`).
// Each element is combined with the same ones in the same order. Operators that may give other bits beside other elements stay whole.
#pragma once

#include "graphs/plan/plan.h"

#include <optional>

namespace tacit::graphs {

/// In bytes. Defaults: what is shorter than four pieces gains nothing by them.
struct piece_sizes {
  std::uint64_t operand = 1048576; ///< shorter ones stay whole
  std::uint64_t piece = 262144;    ///< bytes_still_in_cache (cost/driver_prices.h)
};
/// Of a message; pieces of longer ones are longer, so that a plan grows by no more than that.
inline constexpr std::uint64_t most_pieces = 16;
/// Operations; what is cut in a larger graph would take longer to choose than it saves.
inline constexpr std::size_t largest_cut_graph = 10'000;

/// The graph is small enough, and some reduction of it long enough to be cut.
bool has_long_operands(const graph& g);

/// The same plan with such messages and reductions in pieces; nothing where there are none, or where the plan computes or has collectives.
/// Cost O(steps and what they wait for, times pieces squared).
std::optional<plan> in_pieces(const graph& g, const plan& whole, const piece_sizes& sizes = {});

} // namespace tacit::graphs
