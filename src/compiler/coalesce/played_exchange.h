// What one process's exchange takes, from the beginning of its loop to the end of the call, by the costs of a machine.
//
// All that a process sends goes over one link, byte by byte; how many messages that are does not matter to the link, and their latencies
// pass side by side. So latency counts once, at the end, however many parts there are. What a part costs more is that the process is busy with
// its messages; receives of earlier parts complete while the last one is under way. Rows of one-sided puts are messages that nobody is
// busy to receive; behind them all processes tell each other that they are done, and what has come is copied.
#pragma once

#include "compiler/coalesce/known_exchange.h"

namespace tacit::compiler {

/// Seconds of each way, for a loop as long as that of this exchange was; more than any time where a way cannot be.
void play(const tacit_pipeline& p, const tacit_pipeline_costs& costs, int processes,
          double (&seconds)[all_ways]);

} // namespace tacit::compiler
