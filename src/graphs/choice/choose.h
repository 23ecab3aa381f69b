// The one choice: everything that does what a graph means, with its price, and which of it runs.
//
// Plans    the graph as written; the same bytes straight from origin to destination; with the collectives that were found (reductions
//          that must give the bits of the graph by messages); and with each algorithm of graphs/generate that fits them in their place. Where
//          they combine long operands, each also with these in pieces (in_pieces.h). What belongs to no collective goes straight from origin
//          to destination, or as a neighborhood exchange (neighbors/leftovers, which this wing does not see: `choice_request` names it).
// Variants a plan by a driver. Plans of messages go through memory or by MPI's messages, collectives by MPI's, called in each run or made
//          once and started (MPI's persistent collectives).
//
// All prices are from one model (cost/makespan.h). MPI's collectives are priced as the cheapest algorithm known for them by MPI's
// messages, as libraries choose among the same ones, and what a library needs to set up and follow its schedule. The cheapest variant is
// taken, but another plan than the graph as written only if it is cheaper by more than the model can tell apart. Of large graphs most
// variants are known to be costlier before they are played, and often before they are made (cheapest.h).
#pragma once

#include "graphs/compile/compile.h"
#include "graphs/cost/makespan.h"

#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

inline constexpr std::string_view written_name = "as written", straight_name = "straight messages";
inline constexpr std::string_view in_stages =
    " in stages"; ///< end of the names of plans that replace each stage by itself
inline constexpr std::string_view cut_in_pieces = " in pieces"; ///< of plans whose long operands are cut

struct named_plan {
  /// For people: "as written", "straight messages", "collectives", or that of an algorithm; behind it " in stages" if each stage of
  /// the graph was replaced by itself, and " in pieces" if long operands are cut.
  std::string name;
  plan steps;
};

/// Other ways for messages that belong to no collective of a plan: the plan with each of them, named. `hand_on`: ranks may hand on what
/// others are to get, and wait for it.
using leftover_ways = std::vector<named_plan> (*)(const plan& p, const machine_costs& costs,
                                                  const process_map& where, bool hand_on);

struct variant {
  std::size_t plan = 0; ///< in `choice::plans`
  std::string driver;
  double predicted = -1; ///< ns; negative: no price
};

/// A variant as it was compared, whether or not it is kept.
struct priced_variant {
  std::string plan, driver;
  double predicted = -1;
  bool at_least = false; ///< it is no cheaper than that, which was enough to know
};

struct choice {
  std::vector<named_plan> plans;        ///< those of `variants`, in their order
  std::vector<variant> variants;        ///< kept, the one to be taken first; empty: none has that driver
  std::vector<priced_variant> compared; ///< all, cheapest first
  bool crowded = false;                 ///< somewhere ranks share cores
};

struct choice_request {
  machine_costs costs;
  std::string prices; ///< for people: where `costs` are from
  process_map where;
  std::string driver;                ///< that alone; empty: any of shm, p2p, coll, and pcoll if it is there
  std::string plan;                  ///< that alone, by its name; empty: any
  bool persistent = false;           ///< MPI's collectives can be made once and started (pcoll)
  leftover_ways leftovers = nullptr; ///< null: such messages go straight
  /// While ranks wait in other calls of MPI, MPI progresses our steps, or nobody waits for them there. If not, only plans whose
  /// messages all leave when a run starts are compared with a graph of which that is true.
  bool attended = true;
  bool replace_always =
      false; ///< the graph as written and straight messages do not count, if there is anything else
  /// Variants to keep. If several, they are to be measured: all of the graph as written and of MPI's collectives are among them.
  std::size_t most = 1;
  /// With `most` 1: of a graph that takes long as written, and where nothing is asked for by name, up to six are kept, for the first runs
  /// to measure: the one to be taken, the graph as written by MPI's messages, the cheapest three through memory, and what else is nearly
  /// as cheap (finalists.h); of a graph of which not all is played, no plans but what is taken, the graph as written and MPI's collectives.
  bool finalists = false;
  /// Operations, or transfers: the price of each variant of a larger graph is found only as far as it takes to know the cheapest one.
  std::size_t all_played_up_to = 10'000;
};

/// `c` is of `g`, without errors and with a plan. Plans that `validate` refuses are left out.
choice choose(const graph& g, const compilation& c, const compile_options& options,
              const choice_request& wanted);

} // namespace tacit::graphs
