// What the passes believe a message costs. Decisions that all ranks must take alike are computed from these
// constants and from facts that all ranks have.
#pragma once

namespace tacit {

/// LogGP in short: o, L and G, in ns. 1 us and 1/4 ns are what shared memory and fast networks have in
/// common; the latency is what a message takes beyond what its two ends are busy with.
struct message_cost {
  double overhead = 1000; ///< that sender and receiver are busy with one message, each
  double near = 0.3;      ///< share of it that a message within a node costs
  double latency = 1000;
  double byte = 0.25; ///< a byte that travels once more, with the copies at both ends
};

} // namespace tacit
