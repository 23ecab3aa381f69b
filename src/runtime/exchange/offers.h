// The second step of preparing together: what this rank could do, and what each variant would cost it.
#pragma once

#include "runtime/exchange/exchange_site.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/exchange/variants.h"

#include <cstdint>
#include <string>

namespace tacit::runtime {

/// This rank's plans, except the one with a message per edge, and what all of them would cost it.
struct exchange_offer {
  graphs::rank_plan coalesced, combined;
  variant_prices prices;
  std::uint64_t combining = 0; ///< what all ranks must have alike for combining; 0: this rank cannot
  std::uint64_t busiest = 0;   ///< short messages sent or received, whichever are more
  std::string why_no_native_call;
};

/// Without parallel edges a message per edge is the coalesced plan. The same on all ranks.
bool has_direct_plan(const exchange_site& site, const neighbors::neighbor_passes& passes);

/// Local. Throws neighbor_error and mpi_error.
exchange_offer offer_plans(const exchange_site& site, const neighbor_call& call,
                           const neighbors::neighbor_blocks& blocks, const neighbor_options& options,
                           const graphs::machine_costs& costs);

} // namespace tacit::runtime
