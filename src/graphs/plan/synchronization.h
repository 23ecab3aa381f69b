// Which synchronization a plan must add (E4): the wait sets that the policy keeps, minus what the plan's own
// data movement guarantees already.
#pragma once

#include "graphs/plan/plan.h"

#include <string>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// `waiter` must hear from `other` through a zero-byte message of its own.
struct wait_pair {
  rank_id waiter;
  rank_id other;
};

struct added_synchronization {
  std::vector<comm_id> barriers;   ///< communicators that get a barrier
  std::vector<wait_pair> messages; ///< pairs that get a zero-byte message, sorted
  std::string impossible;          ///< not empty: cannot be computed; says why
};

/// True if policy `policy` keeps any order of this graph beyond what payloads imply.
bool keeps_orders(const graph& g, sync_policy policy);

/// Data guarantees exactly the pairs (destination, source) of `t`: every transfer arrives straight from its
/// origin. Cost: one wait-set check per communicator; the full wait sets (p²/8 bytes) only if no barrier
/// covers all ranks, or if there are so many communicators that these cost less.
added_synchronization missing_synchronization(const graph& g, const matching& m, const run_order& o,
                                              const transfers& t, sync_policy policy);

/// Ranks beyond which full wait sets are not computed (128 MiB at this number).
inline constexpr std::uint32_t wait_set_limit = 32768;

} // namespace tacit::graphs
