#include "graphs/choice/tried_algorithms.h"

#include "graphs/choice/generated_form.h"
#include "graphs/choice/plan_traits.h"
#include "graphs/cost/driver_prices.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// Those of few rounds first: what they cost rules out most of the others.
constexpr algorithm forms[] = {algorithm::linear, // of some reductions; else it is what straight messages are
                               algorithm::binomial,
                               algorithm::bruck,
                               algorithm::recursive_doubling,
                               algorithm::recursive_halving,
                               algorithm::butterfly,
                               algorithm::two_level,
                               algorithm::reduce_scatter_allgather,
                               algorithm::pipelined_binomial,
                               algorithm::scatter_allgather,
                               algorithm::pipelined,
                               algorithm::ring,
                               algorithm::pairwise};

/// So many ns more than the loop of the program took a broadcast, scatter, gather, allgather and alltoall of 64 B among four ranks under
/// Open MPI 4.1.
constexpr double schedule_of_collective = 400, part_of_collective = 200;
/// Of those that were made before: they were faster by 0.1 to 0.4 us on two ranks and by 0.3 to 1.6 us on four.
constexpr double start_of_collective = 200, part_of_started = 90;
/// What collectives that combine took beyond that: 0.5 to 1.4 us on three ranks of two cores (reduce, allreduce and reduce-scatter of 8 B
/// among three ranks under Open MPI 4.1).
constexpr double combining_in_a_schedule = 1000;

} // namespace

std::vector<algorithm> forms_for(const graph& g, const plan& collectives, const process_map& where) {
  constexpr auto all = vector_collectives::by_algorithm;
  // Ranks that share cores combine their pieces one after the other, and wait for each other in between, which the prices do not foresee.
  const bool share_cores = rank_nodes(where, g.ranks()).any_crowded();
  std::vector<algorithm> out;
  for (const algorithm form : forms) {
    const bool same =
        form == algorithm::butterfly && has_form(g, collectives, algorithm::recursive_doubling, all);
    const bool straight = form == algorithm::linear && !has_linear_form(collectives);
    const bool crowded = form == algorithm::reduce_scatter_allgather && share_cores;
    if (!same && !straight && !crowded && has_form(g, collectives, form, all, where))
      out.push_back(form);
  }
  return out;
}

as_messages of_library(const graph& g, const plan& collectives, algorithm form, const as_messages& ours,
                       const machine_costs& costs, const process_map& where, double most) {
  if (!has_vector_collectives(collectives))
    return ours;
  if (!has_form(g, collectives, form, vector_collectives::straight, where))
    return {};
  const plan theirs = with_messages(g, collectives, form, vector_collectives::straight, where);
  return {makespan(theirs, "p2p", costs, where, most), most_steps(theirs)};
}

double beyond_messages_of_mpi(const collective_calls& calls, std::size_t steps, bool started) {
  const double schedule = started ? start_of_collective : schedule_of_collective,
               part = started ? part_of_started : part_of_collective;
  return schedule * static_cast<double>(calls.all) +
         combining_in_a_schedule * static_cast<double>(calls.combining) + part * static_cast<double>(steps);
}

} // namespace tacit::graphs
