// Which way of doing a neighborhood collective is taken when nobody forces one.
//
// A way is a form of the plan and a driver. Forms:
//     coalesced   one message per neighbor (and, where they pay, trees or aggregation between nodes on top)
//     direct      one message per edge; differs only where several edges join two ranks
//     combined    dimension by dimension on a torus (combine.h)
// Each rank predicts from its own messages and the machine model (src/graphs/platform) what every way costs it. The
// slowest rank counts, so the ranks reduce the predictions to their maxima (in a reduction that the set-up
// makes anyway), and from the same numbers all choose the same: `choose` is a pure function of what it is
// given.
//
// The prices, in LogGP (Alexandrov and others, 1995), for one run, as seen by one rank:
//     p2p    every message costs o_s where it leaves and o_r where it arrives, and its bytes at an end where
//     they
//            lie in several pieces, which MPI packs and unpacks (two of 1 MiB in one message took 1.4 times
//            as long as in two under MPICH), in every round one latency L. With one round that is hidden
//            behind the bytes on the wire, or they behind it; in several rounds nothing starts before the
//            last round has ended. Between nodes both directions travel at the same time, within a node one
//            after the other: there cores move the bytes (27 blocks of 64 KiB between two ranks took 3 to 5
//            times as long by messages as through memory, when this was overlooked)
//     shm    with ranks of this node, every message is copied into shared memory and fetched out of it, its
//            first cache line together with the flag; in every round a line travels; with others, and what is
//            too long to go through memory, as p2p
//     rma    every message costs a put and a flush of its bytes and of its flag, in every round one of them
// and all copies within the rank cost their bytes, every further piece of memory of a message a little.
// Drivers without a price here are taken only by priority. One way has neither form nor price: the MPI
// library's own call, of which nobody knows what it does.
#pragma once

#include "graphs/cost/message_cost.h"
#include "graphs/plan/plan.h"
#include "graphs/platform/machine_model.h"
#include "neighbors/passes/neighbor.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::neighbors {

/// What all ranks of a communicator believe.
struct machine_costs {
  graphs::machine_model near = graphs::default_model();                        ///< between ranks of one node
  graphs::machine_model far = graphs::model_of(graphs::message_cost(), false); ///< between nodes
  graphs::message_cost messages =
      graphs::cost_of(graphs::default_model()); ///< in short, for passes that weigh messages only
};

/// Of a machine with these models; `one_node`: there are no others.
machine_costs costs_of(const graphs::machine_model& near, const graphs::machine_model& far, bool one_node);
/// As somebody says.
machine_costs costs_of(const graphs::message_cost& said);

/// Messages alike.
struct message_group {
  std::uint64_t bytes = 0, count = 0;
  bool near = true;       ///< with ranks of this node
  bool scattered = false; ///< in several pieces of memory at this rank
};

/// What one rank moves in one run.
struct traffic {
  std::vector<message_group> sends, receives;
  std::uint64_t copies = 0, copied_bytes = 0; ///< within the rank
  std::uint64_t pieces = 0;                   ///< of memory in its messages, beyond one per message
  std::size_t rounds = 0;                     ///< longest chain of messages that wait for each other
};

traffic traffic_of(const graphs::rank_plan& plan, const std::function<bool(rank_id)>& is_near);
/// The same of the plan with a message per edge, which need not be made for that.
traffic traffic_by_edge(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks,
                        const neighbor_passes& passes, const std::function<bool(rank_id)>& is_near);

/// Nanoseconds; negative: this driver has no price. `longest_in_memory`: bytes of messages that this process
/// may send through shared memory.
double predicted(const traffic& t, std::string_view driver, const machine_costs& costs,
                 std::uint64_t longest_in_memory);

enum class form : std::uint8_t { coalesced, direct, combined };
inline constexpr std::size_t forms = 3;
std::string_view name(form f);

struct way {
  form shape = form::coalesced;
  std::string_view driver; ///< its name
  double ns = -1;          ///< predicted, the most over all ranks; negative: no price
};

/// In place of a driver's name: the way that is the MPI library's own call.
inline constexpr std::string_view own_call = "mpi";
/// "coalesced shm"; "mpi".
std::string name(const way& w);

/// Position of the cheapest; among ways that differ by less than a tenth, and among those without price, the
/// first: they are given by priority. At least one way.
std::size_t cheapest(std::span<const way> ways);

/// One line: why that one was taken.
std::string reason_for(std::span<const way> ways, std::size_t taken);

/// Predictions as words whose minimum over ranks stands for the maximum of the predictions; every MPI
/// computes minima of numbers below 2^62 rightly (MPICH 4.0.2 takes larger ones as negative).
std::uint64_t word_of_price(double ns);
double price_of_word(std::uint64_t word);

} // namespace tacit::neighbors
