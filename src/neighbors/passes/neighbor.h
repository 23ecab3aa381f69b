// What one rank does in a neighborhood collective, as a plan.
//
// All five collectives are one thing: a block of bytes per outgoing edge, a block per incoming edge. `posted`
// writes that down naively: one message per edge. Every optimization is a pass over that plan, which can be
// left out by name. A pass may only use what both ends of an edge know alike, because each rank plans alone:
// who the peers are, which edges join them, and in which order (channels).
//
// In every plan without sizes known at both ends each pair exchanges a fixed number of messages, also if they
// are empty: a contradiction in sizes then shows as a message of the wrong length instead of a hang.
#pragma once

#include "graphs/plan/plan.h"
#include "neighbors/topology/topology.h"

#include <string>
#include <string_view>
#include <vector>

namespace tacit::neighbors {

/// The bytes of each edge, by slot. What stands at an open boundary is ignored.
struct neighbor_blocks {
  std::vector<std::vector<graphs::segment>> out, in; ///< per destination slot, per source slot
};

/// On unless left out by name.
struct neighbor_passes {
  bool self = true;     ///< edges to oneself become local copies
  bool coalesce = true; ///< all edges to one peer become one message
  bool order = true;    ///< messages are posted by round, in each of which a rank has at most one partner
  bool color = true;    ///< the rounds are an edge coloring of the whole graph (color.h), else distances
  bool combine = true;  ///< blocks travel a torus dimension by dimension (combine.h; needs agreed sizes)
  bool tree = true; ///< ranks with far more messages than others hand them to helpers (tree.h; as combine)
  bool aggregate = true; ///< short messages between two nodes become one (aggregate.h; as combine)
  bool regions = true;   ///< "static": each edge has its own place in memory of the destination (driver shm)
  bool canary = true;    ///< small messages there have their flag in the line of the payload
  bool place = true;     ///< long ones are written straight into memory of the program, if that is shared
  bool empty = true;     ///< messages that both ends know to be empty are left out (needs exchanged sizes)
};

/// None: a message per edge.
neighbor_passes no_passes();

/// Leaves out the passes in a list separated by commas. Returns what is not understood, or empty.
std::string leave_out(neighbor_passes& passes, std::string_view names);

/// Which passes are on, as a bit for each, so that ranks can compare them.
std::uint64_t word_of(const neighbor_passes& passes);

/// In which round each pair exchanges its messages: by peer, per direction.
struct edge_rounds {
  std::vector<std::uint32_t> in, out; ///< per source slot, per destination slot
};

/// A round for every edge that needs no communication to agree on: the distance from source to destination
/// among `size` ranks. No two edges of a rank to different peers share a round. Of a complete graph this is
/// an edge coloring with as few rounds as possible; of a sparse one it has more rounds than needed (color.h),
/// but spreads the messages.
edge_rounds rotated_rounds(const neighborhood& n, rank_id rank, std::uint32_t size);

/// Empty if this rank's own edges to itself agree in size on both sides, else which do not.
std::string own_mismatch(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks);

// The passes, in the order in which plan_neighbor runs them.

/// One receive per incoming and one send per outgoing edge, in slot order; the tag is the channel.
graphs::rank_plan posted(const neighborhood& n, neighbor_blocks blocks);
graphs::rank_plan without_own_messages(graphs::rank_plan plan, rank_id rank);
/// One message per peer and direction, its blocks in the order of channels; tag 0.
graphs::rank_plan coalesced(graphs::rank_plan plan);
/// Receives first, then sends, then copies; messages of one kind by round.
graphs::rank_plan in_rounds(graphs::rank_plan plan, const neighborhood& n, const edge_rounds& rounds);
/// Without messages of no bytes.
graphs::rank_plan without_empty_messages(graphs::rank_plan plan);

/// All passes that are on. `sizes_known`: both ends of every edge have compared sizes.
graphs::rank_plan plan_neighbor(const neighborhood& n, rank_id rank, neighbor_blocks blocks,
                                const edge_rounds& rounds, const neighbor_passes& passes, bool sizes_known);

} // namespace tacit::neighbors
