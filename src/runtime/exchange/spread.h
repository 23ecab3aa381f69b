// A step of preparing together: where some rank has many short messages, others help it.
#pragma once

#include "runtime/exchange/exchange_site.h"
#include "runtime/mpi/agreement.h"

#include <cstdint>
#include <string>

namespace tacit::runtime {

/// Trees, or aggregation between nodes, for a coalesced plan. `busiest`: the most short messages that any
/// rank sends or receives; `first_tag`: of the operation. Returns lines for people. Collective. Keeps what it
/// throws in `all`, and throws what `all` does.
std::string spread(graphs::rank_plan& plan, const exchange_site& site,
                   const neighbors::neighbor_passes& passes, const graphs::message_cost& cost,
                   std::uint64_t busiest, int first_tag, agreement& all);

/// Appends a line to text for people, unless either is empty.
void add_line(std::string& text, const std::string& line);

} // namespace tacit::runtime
