// What this process knows of the machine, for the prices of plans.
#pragma once

#include "graphs/cost/machine_costs.h"

#include <cstdint>
#include <string>

namespace tacit::runtime {

/// As TACIT_MESSAGE_COST says, else as measured by `tacit platform`, else the documented defaults. The files are read once per
/// process. Local. Throws call_error if the setting cannot be understood.
graphs::machine_costs known_costs(bool one_node);

/// For people: where these prices are from, or why the defaults were taken. Local.
std::string origin_of_costs(bool one_node);

/// The cache of this process (channel/last_caches.h), if `known_costs` here knows prices between caches; else 0. Local.
std::uint64_t known_cache();

/// Cores of this node that are online, also those that this process may not use: its ranks share them.
std::uint32_t cores_here();

} // namespace tacit::runtime
