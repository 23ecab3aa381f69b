#include "recordings/meaning/replacements.h"

#include "recordings/meaning/roots.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tacit::recordings {

replacement collective_instead(const message_table& table, const fact_table& facts, const activity_key& key,
                               std::uint32_t example, std::span<const std::uint32_t> operation,
                               const timeline& before) {
  const episode_facts& f = facts.of_episode[example];
  const std::uint64_t q = table.groups[f.group].members.size();
  const auto log = static_cast<std::uint32_t>(std::bit_width(q - 1));
  const auto joint = facts.joint.find(example);
  const std::uint64_t blocks = joint == facts.joint.end() ? f.block : joint->second.bytes;
  replacement r;
  r.collective = key.kind;
  r.communicator = f.group;
  // Operations of one episode with one root are one call.
  r.calls = is_rooted(key.kind) ? roots_of(facts, example).size() : std::max(1u, f.operations);
  r.messages_before = operation.size();
  r.steps_before = before.steps;
  for (const std::uint32_t id : operation)
    r.bytes_before += table.messages[id].bytes;
  r.steps_after = log * static_cast<std::uint32_t>(r.calls);
  switch (row_of(key.kind).moves) {
  case signature::root_to_all: // binomial tree
  case signature::root_to_each:
  case signature::each_to_root:
    r.messages_after = r.calls * (q - 1);
    r.bytes_after = (q - 1) * blocks;
    break;
  case signature::each_to_all: // Bruck
    r.messages_after = r.calls * q * log;
    r.bytes_after = q * (q - 1) * blocks;
    break;
  case signature::each_to_each: // pairwise
    r.messages_after = r.calls * q * (q - 1);
    r.bytes_after = q * (q - 1) * blocks;
    r.steps_after = static_cast<std::uint32_t>(r.calls * (q - 1));
    break;
  case signature::all_into_root: // reductions are told from recordings by their shape alone
  case signature::all_into_all:
  case signature::all_into_each:
  case signature::up_to_each:
  case signature::before_each:
    break;
  case signature::no_data: // dissemination
    r.messages_after = q * log;
    break;
  }
  return r;
}

timeline timeline_instead(const message_table& table, const fact_table& facts, const activity_key& key,
                          std::uint32_t example, const replacement& r) {
  const episode_facts& f = facts.of_episode[example];
  const std::vector<std::uint32_t> roots = roots_of(facts, example);
  timeline after;
  timeline_collective call;
  call.kind = key.kind;
  call.bytes = f.block;
  for (const std::uint32_t member : table.groups[f.group].members)
    call.members.push_back(rank_id{member});
  after.ranks = call.members;
  std::sort(after.ranks.begin(), after.ranks.end());
  for (std::uint32_t i = 0; i < r.calls; ++i) {
    call.step = i;
    if (f.root != none)
      call.root = call.members[roots[i]];
    after.collectives.push_back(call);
  }
  after.steps = static_cast<std::uint32_t>(r.calls);
  return after;
}

replacement neighborhood_instead(const message_table& table, const exchange_round& round,
                                 const timeline& before) {
  replacement r;
  std::map<std::uint32_t, std::uint32_t> sent;
  for (const std::uint32_t id : round.messages) {
    const message& m = table.messages[id];
    r.bytes_before += m.bytes;
    r.steps_after = std::max(r.steps_after, ++sent[m.from]);
  }
  r.messages_before = r.messages_after = round.messages.size();
  r.steps_before = before.steps;
  r.bytes_after = r.bytes_before;
  r.if_independent = round.order != round_order::at_once;
  r.if_unheard = round.told_by_others;
  r.if_separate = round.overlapping;
  return r;
}

} // namespace tacit::recordings
