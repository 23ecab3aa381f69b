#include "runtime/exchange/local_plan.h"

#include "runtime/exchange/neighbor_error.h"

#include <utility>

namespace tacit::runtime {

graphs::rank_plan local_plan(const exchange_site& site, neighbors::neighbor_blocks blocks,
                             const neighbors::neighbor_passes& passes, bool sizes_known) {
  if (const std::string fault = neighbors::own_mismatch(*site.edges, site.me(), blocks); !fault.empty())
    throw neighbor_error(neighbor_error::kind::graph, fault);
  const neighbors::edge_rounds& rounds = passes.color && site.colors ? *site.colors : *site.distances;
  return neighbors::plan_neighbor(*site.edges, site.me(), std::move(blocks), rounds, passes, sizes_known);
}

graphs::rank_plan plain_plan(const exchange_site& site, neighbors::neighbor_blocks blocks) {
  return neighbors::posted(*site.edges, std::move(blocks));
}

program program_of(graphs::rank_plan plan, int rank, int first_tag, bool unattended) {
  program p;
  p.rank = rank;
  p.exact_sizes = true;
  p.unattended = unattended;
  p.plan = std::move(plan);
  for (graphs::step& s : p.plan.steps)
    s.tag += first_tag;
  return p;
}

} // namespace tacit::runtime
