// Rounds for the messages of a neighborhood: an edge coloring of the whole communication graph.
//
// Problem. If every rank posts its messages in the order of its own list, many may begin with the same
// destination, which then works through a queue while others idle. Wanted are rounds in each of which a rank
// sends at most one message and receives at most one, and as few of them as possible.
//
// Idea. Give every rank two nodes, one that sends and one that receives; each message is an edge from a
// sending to a receiving node. That graph is bipartite, rounds are colors of its edges, and D colors are
// enough, D being the largest number of messages that one rank sends or receives (König 1916), which is
// also the least possible number. Edges are colored one after the other. Let a be a color that is free at
// the sender u and b one that is free at the receiver v. If b were free at u we should be done. Else the
// edges from v on that are colored a, b, a, b ... form a path, because no node has two edges of one color;
// swapping a and b along it frees a at v. The path cannot reach u: in a bipartite graph it enters sending
// nodes by edges of color a only, and u has none.
//
// An order of a program's own is often good already: on a torus, where everybody posts to the left, then to
// the right ..., the slots are rounds. And nobody waits between rounds, so where ranks have unequally many
// messages an order by color is not free of queues, either. So both are compared by a model: everybody posts
// one message per unit of time, everybody takes one per unit of time. The coloring is used where it saves at
// least a sixteenth of the time until all ranks have taken all messages, summed over the ranks; else the
// program's order stays.
//
// Terminates: a path visits each node once. Cost: D per edge to find free colors and at most 2 * ranks to
// swap, so O(E * (D + ranks)); in practice paths have a few edges. The coloring depends on the order of the
// edges only, so ranks that know the same edges find the same colors.
//
// Source: the slide "persistent communication topology" of Hoefler and Schneider (2012) names graph coloring
// for scheduling, but no algorithm; this is D. König, Über Graphen und ihre Anwendung, 1916.
#pragma once

#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::neighbors {

/// A message from one rank to another one.
struct arc {
  rank_id from, to;
  friend bool operator==(const arc&, const arc&) = default;
};

struct arc_coloring {
  std::vector<std::uint32_t> color; ///< per arc, from 0
  std::uint32_t colors = 0;         ///< the most arcs that leave or enter one rank
};

/// No two arcs that leave one rank, and no two that enter one, get the same color. `ranks`: all ends of arcs
/// are below it.
arc_coloring color_arcs(std::span<const arc> arcs, std::uint32_t ranks);

/// The ranks that this one sends to, each once, without itself, in the order of its slots.
std::vector<std::uint32_t> ranks_sent_to(const neighborhood& n, rank_id rank);

/// In the model above: the sum over all ranks of the times at which they have taken their last message, if
/// each posts its arcs in the order of `key`, equal ones in the order in which they are listed.
std::uint64_t time_to_take(std::span<const arc> arcs, std::span<const std::uint32_t> key,
                           std::uint32_t ranks);

/// True if posting by color is worth giving up the order in which the arcs of each rank are listed.
bool coloring_pays(std::span<const arc> arcs, const arc_coloring& coloring, std::uint32_t ranks);

/// Rounds that keep the order in which the program lists its edges.
edge_rounds listed_rounds(const neighborhood& n);

/// The colors of this rank's edges. Edges to itself come last. `arcs` must have all others.
edge_rounds colored_rounds(const neighborhood& n, rank_id rank, std::span<const arc> arcs,
                           const arc_coloring& coloring);

} // namespace tacit::neighbors
