// The choice for exchanges of all ranks with all that are too large to be looked at message by message.
//
// Beyond so many blocks no algorithm is made for a collective (tried_algorithms.h), so what is compared is the graph as written, by memory and by
// MPI's messages, and MPI's collective, which is taken to go by the same messages. In a linear exchange nothing waits for
// anything, so that the busiest core or wire tells what it takes: prices are bounds (cost/least_makespan.h), and said to be.
#pragma once

#include "graphs/choice/choose.h"
#include "vocabulary/calls/patterns.h"

#include <cstdint>
#include <optional>

namespace tacit::graphs {

/// All ranks exchange blocks of so many bytes with all others, one message for each, which waits for nothing. The first variant is "as
/// written"; there are no steps in the plans. Nothing if algorithms are made for so few blocks, if the pattern is another one,
/// or if something is asked for by name: then all plans have to be made (choose.h). `beyond`: blocks.
std::optional<choice> choose_large_exchange(pattern kind, std::uint32_t ranks, std::uint64_t bytes,
                                            const choice_request& wanted, double beyond);
/// Beyond what is tried.
std::optional<choice> choose_large_exchange(pattern kind, std::uint32_t ranks, std::uint64_t bytes,
                                            const choice_request& wanted);

} // namespace tacit::graphs
