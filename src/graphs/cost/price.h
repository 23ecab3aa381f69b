// What a plan costs on a machine: nanoseconds for one run, as seen by one rank, by a given driver.
//
// The prices, in LogGP (Alexandrov and others, 1995):
//
//   p2p   every message costs o_s where it leaves and o_r where it arrives, and its bytes at an end where
//         they lie in several pieces, which MPI packs and unpacks (two of 1 MiB in one message took 1.4 times
//         as long as in two under MPICH), in every round one latency L. With one round that is hidden behind
//         the bytes on the wire, or they behind it; in several rounds nothing starts before the last round
//         has ended. Between nodes both directions travel at the same time, within a node one after the
//         other: there cores move the bytes (27 blocks of 64 KiB between two ranks took 3 to 5 times as long
//         by messages as through memory, when this was overlooked)
//   shm   with ranks of this node, every message is copied into shared memory and fetched out of it, its
//         first cache line together with the flag; in every round a line travels; with others, and what is
//         too long to go through memory, as p2p and a little more: it looks at the memory all the same
//   rma   every message costs a put and a flush of its bytes and of its flag, in every round one of them
//
// and all copies within the rank cost their bytes, every further piece of memory of a message a little. Other
// drivers, and steps that are no messages, have no price: a negative one.
#pragma once

#include "graphs/cost/machine_costs.h"
#include "graphs/cost/traffic.h"
#include "graphs/plan/plan.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace tacit::graphs {

/// Nanoseconds; negative: no price. `longest_in_memory`: bytes of messages that this process may send through
/// shared memory.
double predicted(const traffic& t, std::string_view driver, const machine_costs& costs,
                 std::uint64_t longest_in_memory);

/// Of a whole plan: its slowest rank counts. Negative if some rank's part has no price.
double predicted(const plan& p, std::string_view driver, const machine_costs& costs,
                 const std::function<pair_class(rank_id, rank_id)>& class_of,
                 std::uint64_t longest_in_memory);

/// Predictions as words whose minimum over ranks stands for the maximum of the predictions; every MPI
/// computes minima of numbers below 2^62 rightly (MPICH 4.0.2 takes larger ones as negative).
std::uint64_t word_of_price(double ns);
double price_of_word(std::uint64_t word);

} // namespace tacit::graphs
