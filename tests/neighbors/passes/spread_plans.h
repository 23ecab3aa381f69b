// What ranks find out together in _init when they make balancing trees or aggregate messages between nodes,
// in one process: the plans of all ranks.
#pragma once

#include "neighbors/passes/aggregate.h"
#include "neighbors/passes/tree.h"
#include "random_case.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace tacit::test {

using namespace neighbors;

/// Trees wherever two messages meet, so that small graphs have them too.
inline tree_rule eager() {
  tree_rule rule;
  rule.least_messages = 2;
  rule.times_average = 0;
  rule.at_most = 1e9;
  rule.largest_fan_out = 5;
  rule.cost.byte = 1000.0 / 60; // messages up to 60 B take part
  return rule;
}

inline std::vector<graphs::rank_plan> direct_plans(const random_case& c, const neighbor_passes& passes = {}) {
  std::vector<graphs::rank_plan> plans;
  for (std::uint32_t r = 0; r < c.size; ++r)
    plans.push_back(plan_neighbor(c.all[r], rank_id{r}, c.blocks[r],
                                  rotated_rounds(c.all[r], rank_id{r}, c.size), passes, true));
  return plans;
}

struct planted {
  std::vector<graphs::rank_plan> plans;
  std::vector<hot_side> sides;
  std::vector<balancing_tree> trees;
};

/// What the ranks do together in _init: an allgather of loads, then a role for each member.
inline planted plant(const std::vector<graphs::rank_plan>& direct, const tree_rule& rule) {
  planted out;
  std::vector<message_load> loads;
  for (const graphs::rank_plan& p : direct)
    loads.push_back(load_of(p, rule));
  out.sides = hot_sides(loads, rule);
  std::vector<std::vector<tree_part>> parts(direct.size());
  for (std::size_t i = 0; i < out.sides.size(); ++i) {
    const hot_side& side = out.sides[i];
    const auto tag = static_cast<std::int32_t>(1 + i);
    const balancing_tree tree = make_tree(out.sides, i, direct[index(side.root)], loads, rule);
    std::set<rank_id> told(tree.left_out.begin(), tree.left_out.end());
    for (std::size_t m = 0; m < tree.members.size(); ++m) {
      const auto words = words_of(tree.role(m));
      EXPECT_LE(words.size(), longest_role(rule));
      parts[index(tree.members[m])].push_back({side, tag, {}, role_of(words)});
      told.insert(tree.members[m]);
    }
    parts[index(side.root)].push_back({side, tag, tree, {}});
    for (std::uint32_t r = 0; r < direct.size(); ++r)
      EXPECT_EQ(is_member(out.sides, i, rank_id{r}, direct[r], rule), told.contains(rank_id{r}));
    out.trees.push_back(tree);
  }
  for (std::size_t r = 0; r < direct.size(); ++r)
    out.plans.push_back(with_trees(direct[r], parts[r]));
  return out;
}

inline std::vector<graphs::rank_plan> through_nodes(const std::vector<graphs::rank_plan>& direct,
                                                    const node_map& nodes, std::uint64_t longest) {
  std::vector<graphs::rank_plan> plans;
  for (std::uint32_t r = 0; r < direct.size(); ++r) {
    std::vector<std::vector<std::uint64_t>> words;
    for (const rank_id m : nodes.members[nodes.node_of[r]])
      words.push_back(aggregation_words(nodes, m, direct[index(m)], longest));
    plans.push_back(aggregated(direct[r], nodes, rank_id{r}, words, 5, longest));
  }
  return plans;
}

} // namespace tacit::test
