#include "recordings/meaning/obstacles.h"

namespace tacit::recordings {
namespace {

obstacle obstacle_of(activity_kind kind, const traffic& t) {
  switch (kind) {
  case activity_kind::trivial:
    return obstacle::one_or_two_ranks;
  case activity_kind::neighbor_exchange:
    return obstacle::fixed_partners;
  case activity_kind::pairwise:
    return obstacle::pairs;
  case activity_kind::changed_exchange:
    return obstacle::changed_content;
  case activity_kind::pipeline:
    return obstacle::computed_on_the_way;
  case activity_kind::irregular:
    return obstacle::changing_partners;
  default:
    return t.forwarded * 2 > t.messages ? obstacle::only_forwarded : obstacle::no_pattern;
  }
}

} // namespace

reason code_of(obstacle what) {
  switch (what) {
  case obstacle::probed_operations:
  case obstacle::probed_messages:
    return reason::observed_probe;
  case obstacle::wildcard_operations:
  case obstacle::wildcard_messages:
    return reason::wildcard;
  case obstacle::observed_only:
    return reason::observation_only;
  case obstacle::one_or_two_ranks:
    return reason::trivial_group;
  case obstacle::fixed_partners:
    return reason::neighbor_exchange;
  case obstacle::pairs:
    return reason::pairwise;
  case obstacle::changed_content:
    return reason::content_changed;
  case obstacle::computed_on_the_way:
  case obstacle::foreign_data_first:
  case obstacle::computed_unseen:
    return reason::opaque_reaches_output;
  case obstacle::changing_partners:
    return reason::irregular;
  case obstacle::only_forwarded:
    return reason::no_common_block;
  case obstacle::no_pattern:
    return reason::not_recognised;
  case obstacle::small_or_constant:
    return reason::tiny_blocks;
  case obstacle::carried_on:
    return reason::carried_on;
  case obstacle::no_fixed_round:
    return reason::irregular;
  }
  return reason::none;
}

std::vector<obstacle> obstacles_of(const collective_evidence& seen) {
  std::vector<obstacle> list;
  if (seen.probed > 0)
    list.push_back(obstacle::probed_operations);
  if (seen.wildcards > 0)
    list.push_back(obstacle::wildcard_operations);
  list.push_back(obstacle::observed_only);
  return list;
}

std::vector<obstacle> obstacles_of(activity_kind kind, const traffic& t,
                                   const std::optional<doubted_collective>& doubted, message_shape shape,
                                   bool probed) {
  std::vector<obstacle> list;
  if (shape != message_shape::no_shape)
    list.push_back(obstacle::computed_unseen);
  if (doubted)
    list.push_back(doubted->why == doubt::tiny ? obstacle::small_or_constant : obstacle::foreign_data_first);
  const bool is_shape = shape != message_shape::no_shape || (doubted && doubted->why == doubt::dependent);
  if (const obstacle what = obstacle_of(kind, t); !is_shape && (!doubted || what != obstacle::no_pattern))
    list.push_back(what); // what the traffic is besides would contradict its shape
  if (t.wildcards > 0)
    list.push_back(obstacle::wildcard_messages);
  if (probed)
    list.push_back(obstacle::probed_messages);
  return list;
}

} // namespace tacit::recordings
