// Which algorithms are tried in place of collectives, and what MPI's own collectives are taken to cost.
#pragma once

#include "graphs/choice/form_shape.h"
#include "graphs/choice/plan_traits.h"
#include "graphs/cost/makespan.h"
#include "graphs/generate/generate.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace tacit::graphs {

/// Prices that differ by less are alike.
inline constexpr double worth_a_change = 0.9;
/// An algorithm is tried while its messages carry at most so many blocks in all: it is generated and played.
inline constexpr double most_blocks = 1'500'000;

/// Collectives by MPI's messages and an algorithm: the price, and the most steps of a rank.
struct as_messages {
  double price = -1;
  std::size_t steps = 0;
};

/// The algorithms that can carry out some collective of the plan, none twice. Those of few rounds come first.
std::vector<algorithm> forms_for(const graph& g, const plan& collectives, const process_map& where);

/// What MPI would take if it used the algorithm, which it does not for vector collectives; `ours` is with these. Infinite beyond `most`.
as_messages of_library(const graph& g, const plan& collectives, algorithm form, const as_messages& ours,
                       const machine_costs& costs, const process_map& where,
                       double most = std::numeric_limits<double>::infinity());

/// Whether libraries are taken to know it: not two levels. The defaults of Open MPI 4.1 have none, MPICH 4.0 has them for few collectives.
inline bool library_knows(algorithm form) {
  return form != algorithm::two_level;
}

/// What MPI needs for so many nonblocking collectives, and for each step that a rank takes in them, beyond the messages. `started`:
/// they were made before.
double beyond_messages_of_mpi(const collective_calls& calls, std::size_t steps, bool started);

} // namespace tacit::graphs
