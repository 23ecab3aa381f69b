// A program that communicates in phases (the two transposes of a pencil decomposition, a computation between two exchanges): what
// each phase means by itself, where all of them together mean nothing that has a name.
//
// A mark is a copy of no bytes that every earlier operation of its rank comes before and every later one after. If all ranks that do
// anything have equally many, and no message crosses them, the graph is its stages one after the other, on each rank: so each of them
// is compiled as a graph of its own, in which everything it writes counts, and the plans follow each other. Other ranks may be a stage
// ahead or behind, in the plan as in the graph.
//
// Computations cut a graph without marks. The layer of an operation is how often computing and communicating take turns on the longest
// path to it, a message being one place of the path: what depends on no computation is in front of all of them, whether computations
// look at it or not. No dependency leads back, so the layers one after the other are one of the orders that the graph allows, and those
// that communicate can be replaced as stages are. Ranks wait for each other then where the graph does not ask them to.
#pragma once

#include "graphs/compile/compile.h"

#include <string>
#include <vector>

namespace tacit::graphs {

struct stage_cut {
  std::uint32_t stages = 1;      ///< 1: the graph has none
  std::vector<std::uint32_t> of; ///< per operation its stage; a mark belongs to the stage that it ends
  std::vector<bool> is_mark;     ///< per operation
  std::string why_not;           ///< there are marks, but no stages
  bool at_computations = false;  ///< some stages end because computations begin or end
};

/// Where the graph falls apart. `g` is matched without errors. Cost O(operations + dependencies).
stage_cut cut_in_stages(const graph& g, const matching& m);

/// Cuts the stages further, so that computations stand apart from all else. As before where messages would deadlock so without
/// buffering, where there are epochs, where ranks do so little in a layer that looking at each costs more than it may give, and
/// where a computation goes on beside messages, which it would come behind. `g` is matched without errors. Cost
/// O(operations + dependencies), each of which may be looked at 64 times.
stage_cut cut_at_computations(const graph& g, const matching& m, stage_cut cut);

/// Compiles every stage. `g` is compiled without errors. `groups`: those beyond the communicators of `g`, to which those of stages are
/// added.
staged compile_stages(const graph& g, const stage_cut& cut, const compile_options& options,
                      std::vector<communicator>& groups);

} // namespace tacit::graphs
