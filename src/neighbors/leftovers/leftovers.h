// Messages of a communication graph that belong to no collective, as a neighborhood exchange.
//
// Problem: what detection leaves over (graphs/detect) goes straight from origin to destination, one message for each pair of ranks, in the
// order of the ranks' numbers: all send to rank 0 first, a rank with many partners keeps the others waiting, and ranks of two
// nodes exchange a message for each pair.
//
// Idea: such messages are a neighborhood, and what makes neighborhood collectives fast (neighbors/passes) makes them fast. A plan says at
// which of its steps a message may leave; messages that wait for the same steps at each rank are one exchange, of all ranks together. A plan
// that replaces a graph as a whole has one, of one that replaces stages each stage has its own. Three other ways for all exchanges of
// a plan come of that, and the choice compares them with the rest (graphs/choice):
//
//     in rounds         by edge coloring, where that saves anything (color.h); nobody hands on what is another's
//     through trees     a rank with far more messages than others hands them to helpers, who hand on one copy of what many get (tree.h)
//     between nodes     short messages between two nodes become one (aggregate.h)
//
// Each exchange is made by the passes as if nothing else existed, in its own memory and with its own tags, and put where its messages were:
// what they waited for its first steps wait for. Who waited for one of them waits for it alone if it is still a message of its own, as
// all are in rounds; else for the steps that send its bytes, or bring them. Within an exchange a
// message waits only for messages of the same exchange that reach their rank earlier, so no circle arises that way; whether the whole plan still
// does what the graph means is for `validate` to say, as of every plan.
//
// Cost: O(steps log steps), and that of the passes where there are such messages; more than `most_messages` are left as they are, and so
// are messages for whose trees or nodes the tags that MPI guarantees do not suffice.
#pragma once

#include "graphs/choice/choose.h"

#include <vector>

namespace tacit::neighbors {

/// Ranks and messages together; as for the coloring of a communicator's pairs (runtime/exchange).
inline constexpr std::size_t most_messages = 32768;

/// The plan with its exchanges in each of the ways that change anything, named "neighborhood in rounds" and so on. `hand_on`: ranks may
/// receive what others are to get, and wait for it.
std::vector<graphs::named_plan> with_neighborhoods(const graphs::plan& p, const graphs::machine_costs& costs,
                                                   const graphs::process_map& where, bool hand_on);

} // namespace tacit::neighbors
