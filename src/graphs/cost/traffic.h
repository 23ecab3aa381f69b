// What one rank moves in one run of a plan: all that its price depends on.
#pragma once

#include "graphs/cost/message_cost.h"
#include "graphs/plan/plan.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tacit::graphs {

/// Messages that cost the same.
struct message_group {
  std::uint64_t bytes = 0, count = 0;
  pair_class between = pair_class::same_node;
  bool scattered = false; ///< in several pieces of memory at this rank
};

struct traffic {
  std::vector<message_group> sends, receives;
  std::uint64_t copies = 0, copied_bytes = 0; ///< within the rank
  std::uint64_t pieces = 0;                   ///< of memory in its messages, beyond one per message
  std::size_t rounds = 0;                     ///< longest chain of messages that wait for each other
  bool has_price = true; ///< false: some step is no message and no copy, so that nobody knows what it costs

  /// One message each; `pieces_of_memory`: that it lies in at this rank.
  void add_send(std::uint64_t bytes, pair_class to, std::size_t pieces_of_memory);
  void add_receive(std::uint64_t bytes, pair_class from, std::size_t pieces_of_memory);
  void add_copy(std::uint64_t bytes);
};

/// The class of the pair that a rank and this peer are.
using peer_class = std::function<pair_class(rank_id peer)>;

/// Of one rank's part of any plan.
traffic traffic_of(const rank_plan& plan, const peer_class& class_of);

} // namespace tacit::graphs
