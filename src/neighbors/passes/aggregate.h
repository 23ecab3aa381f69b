// Locality aggregation: between two nodes, all short messages become one.
//
// Problem: 16 ranks of one node that have neighbors on another one exchange up to 256 messages with it, each
// with the overhead of the network, while messages within a node are cheap.
//
// Idea (three steps, as in Bienz, Gropp, Olson: Improving performance models for irregular point-to-point
// communication, EuroMPI 2018; "locality-aware"): the ranks of node A hand what they have for node B to one
// rank of A, which sends it in one message to one rank of B, which hands it out. Who that is follows from the
// two nodes' numbers: another rank for another partner, so the work is spread over the node.
//
//   1 gather        a rank sends each other rank of its node at most one message: all that this one sends on
//   2 exchange      one message per pair of nodes and direction: by source rank, then by destination rank
//   3 redistribute  a rank sends each other rank of its node at most one message: by node, then by source
//   rank
//
// What must be known: all ranks know on which node each rank is. Ranks of one node tell each other how many
// bytes they have for each other node, and from which rank of another node they expect how many
// (`aggregation_words`). From that, sender and receiver of step 2 compute the same order, as both ends of
// every message know its bytes.
//
// It terminates: a message of a step waits only for messages of the step before. It is correct: every byte is
// in exactly one message of each step that it takes part in, and the order of parts is by rank numbers on
// both sides. Messages of different steps have different tags, and in one step a pair exchanges at most one
// message per direction. Long messages and those within the node go directly, as before.
//
// Cost: a rank with neighbors on n other nodes sends at most (ranks of its node - 1) messages in steps 1 and
// 3 and about n / (ranks of its node) in step 2; three latencies instead of one; a byte is sent three times,
// twice of them within a node.
#pragma once

#include "graphs/cost/message_cost.h"
#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tacit::neighbors {

/// Which rank is on which node. Nodes are numbered by their lowest ranks.
struct node_map {
  std::vector<std::uint32_t> node_of;        ///< per rank
  std::vector<std::vector<rank_id>> members; ///< per node, ascending

  /// The rank of node `from` that sends all messages to node `to`, and the one that receives them there.
  rank_id sender(std::uint32_t from, std::uint32_t to) const {
    return members[from][to % members[from].size()];
  }
  rank_id receiver(std::uint32_t from, std::uint32_t to) const {
    return members[to][from % members[to].size()];
  }
  bool useful() const { return members.size() > 1 && members.size() < node_of.size(); }
};

/// From any numbers that are equal for ranks of one node.
node_map map_of_nodes(std::span<const std::uint64_t> identity_of_rank);

/// What a rank tells the others of its node about its short messages: two lists with their lengths.
std::vector<std::uint64_t> aggregation_words(const node_map& nodes, rank_id rank,
                                             const graphs::rank_plan& plan, std::uint64_t longest);

/// The plan with its short messages to and from other nodes replaced. `plan` must be coalesced (only messages
/// with tag 0 take part) and without dependencies. `words`: those of the members of this rank's node, in
/// their order, its own included. Uses tags first_tag, first_tag + 1 and first_tag + 2.
graphs::rank_plan aggregated(graphs::rank_plan plan, const node_map& nodes, rank_id rank,
                             std::span<const std::vector<std::uint64_t>> words, std::int32_t first_tag,
                             std::uint64_t longest);

/// How long a rank is busy with the messages of its plan, in ns; those to other nodes cost
/// message_cost::overhead, those within the node less.
double busy_time(const graphs::rank_plan& plan, const node_map& nodes, rank_id rank,
                 const graphs::message_cost& cost);

} // namespace tacit::neighbors
