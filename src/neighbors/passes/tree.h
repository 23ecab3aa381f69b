// Balancing trees: a rank with far more messages than the others hands most of them to helpers.
//
// Problem: all ranks wait for the slowest one. A rank to which 1000 others send 16 bytes each is busy with
// 1000 messages while they are busy with one each; its time is the time of the collective. Nothing that only
// changes the order of messages helps.
//
// Idea (Hoefler and Schneider, Optimization principles for collective neighborhood communications, SC 2012:
// "tree transformations", which need known sizes): arrange the ranks that send to the hot rank (its members)
// as a tree with the hot rank as root. A member waits for its children, appends what they sent to its own
// bytes and sends all of it to its parent in one message. The root receives `fan_out` messages instead of one
// per member, each as long as the bytes of a subtree, and knows the order of the bytes: preorder. A rank that
// *sends* to many is the mirror image: it sends each subtree's bytes to the child at its head, who keeps its
// own and hands on the rest; if all members get the same bytes (allgather), one copy travels over each edge.
//
// The tree is a complete one: the members stand in a line, the first `fan_out` are the root's children, the
// next fan_out times as many are theirs, and so on. The least busy ones stand first, because only they get
// work; among equals the one that follows the root, so that two roots do not choose the same helpers. Only
// messages that are cheaper to send than to start take part: a long one goes directly, as before. A message
// from one hot rank to another one belongs to the first of their trees in the list.
//
// What must be known, and how it gets there. Each rank knows its own messages and their sizes. All ranks
// exchange how many messages they have (one allgather of six numbers per rank); from that each computes which
// ranks are hot, and the same list everywhere (`hot_sides`). The tree of a hot rank is made by itself alone:
// it knows all members and their bytes. It tells each member its role: parent, children, bytes of each
// child's subtree. A member knows from the list that it will hear from the root. So there is no search and no
// probe, and ranks without a hot neighbor exchange nothing but the allgather. All of this needs sizes known
// at both ends and ranks that wait for each other: it is a pass of persistent operations only.
//
// It terminates: within a tree a message waits only for messages from deeper (gathering) or higher
// (scattering) levels, and no message of a tree waits for one of another tree or for a direct one. It is
// correct: every member's bytes are in exactly one message on each edge of its path, and their order is
// preorder on both sides of each edge, by induction over subtrees. Messages of different trees have different
// tags, so two ranks that meet in several trees cannot mix them up.
//
// Cost: as many messages as before (every member has one parent), the hot rank's share shrinks from D
// messages to fan_out, others get at most fan_out more per tree; log(D) / log(fan_out) latencies on the path;
// the bytes of inner members travel more than once: about D / (fan_out - 1) blocks on the longest path. As
// the number of messages stays the same, it can only help where they are unevenly spread: that is the
// condition.
#pragma once

#include "graphs/cost/message_cost.h"
#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacit::neighbors {

/// When a tree is worth it. The same on all ranks.
struct tree_rule {
  graphs::message_cost cost;
  std::uint32_t least_messages = 16; ///< below, there is nothing to win
  double times_average = 2;          ///< hot: so many times the messages of an average rank
  double at_most = graphs::worth_it; ///< of the time of direct messages
  std::uint32_t largest_fan_out = 64;
  std::size_t most_trees = 48; ///< each needs a tag

  /// Longest message that takes part: its bytes cost what starting it costs.
  std::uint64_t longest() const { return static_cast<std::uint64_t>(cost.overhead / cost.byte); }
};

/// The messages of one rank, and the short ones among them.
struct message_load {
  std::uint32_t in = 0, out = 0;
  std::uint32_t short_in = 0, short_out = 0;
  std::uint32_t short_bytes_in = 0, short_bytes_out = 0; ///< 2^32 - 1 if more
};
message_load load_of(const graphs::rank_plan& plan, const tree_rule& rule);

/// A rank that gets a tree, for what it receives (gathers) or for what it sends.
struct hot_side {
  rank_id root = no_rank;
  bool gathers = false;
  std::uint32_t fan_out = 2;
  friend bool operator==(const hot_side&, const hot_side&) = default;
};

/// All trees, from the loads of all ranks: the hottest first, at most rule.most_trees. O(p log p).
std::vector<hot_side> hot_sides(std::span<const message_load> loads, const tree_rule& rule);

/// Why the busiest rank has no tree, for people. Only if there is no tree at all.
std::string why_no_tree(std::span<const message_load> loads, const tree_rule& rule);

struct tree_child {
  rank_id rank = no_rank;
  std::uint64_t bytes = 0; ///< of its subtree
};

/// What a member must know.
struct tree_role {
  rank_id parent = no_rank; ///< no_rank: none, its message goes directly
  bool same = false;        ///< all members get the same bytes
  std::vector<tree_child> children;
};

/// The tree of one hot rank, as it makes it.
struct balancing_tree {
  std::uint32_t fan_out = 2;
  rank_id root = no_rank;
  bool same = false;
  std::vector<rank_id> members; ///< the line: those at fan_out * (i + 1) … belong to the one at i
  std::vector<std::uint64_t> bytes;
  std::vector<rank_id> left_out; ///< ranks that expect a role, but get none

  /// Of the member at this position. O(size of its subtree).
  tree_role role(std::size_t position) const;
  std::vector<std::size_t> preorder(std::size_t position) const;
};

/// Called by the root of sides[which]. `plan` must be coalesced and without dependencies.
balancing_tree make_tree(std::span<const hot_side> sides, std::size_t which, const graphs::rank_plan& plan,
                         std::span<const message_load> loads, const tree_rule& rule);

/// True if this rank expects a role from the root of sides[which].
bool is_member(std::span<const hot_side> sides, std::size_t which, rank_id rank,
               const graphs::rank_plan& plan, const tree_rule& rule);

/// What a rank has to do with one tree: it is its root, or a member with a parent.
struct tree_part {
  hot_side side;
  std::int32_t tag = 0;               ///< of its messages
  std::optional<balancing_tree> tree; ///< root
  tree_role role;                     ///< member
};

/// The plan with all its trees. `plan` must be coalesced (only messages with tag 0 take part) and without
/// dependencies.
graphs::rank_plan with_trees(graphs::rank_plan plan, std::span<const tree_part> parts);

/// A role as words, for a message: at most longest_role(rule).
std::vector<std::uint64_t> words_of(const tree_role& role);
tree_role role_of(std::span<const std::uint64_t> words);
std::size_t longest_role(const tree_rule& rule);

} // namespace tacit::neighbors
