#include "runtime/exchange/offers.h"

#include "neighbors/passes/combine.h"
#include "neighbors/passes/edge_traffic.h"
#include "neighbors/passes/tree.h"
#include "runtime/exchange/local_plan.h"
#include "runtime/exchange/native_call.h"
#include "runtime/exchange/neighbor_error.h"
#include "vocabulary/base/hash.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

using neighbors::grouping;

/// Bytes of every block of this rank, or 0 if they differ.
std::uint64_t common_size(const neighbors::neighbor_blocks& blocks) {
  std::uint64_t common = 0;
  for (const auto* side : {&blocks.out, &blocks.in})
    for (const auto& bytes : *side) {
      const std::uint64_t size = graphs::total_length(bytes);
      if (size == 0 || (common != 0 && size != common))
        return 0;
      common = size;
    }
  return common;
}

/// One word for topology and size of blocks.
std::uint64_t combining_word(const neighbors::topology* t, const neighbors::neighbor_blocks& blocks,
                             bool same_block) {
  const std::uint64_t size = common_size(blocks);
  if (!t || size == 0 || !neighbors::can_combine(*t))
    return 0;
  hashed_words word;
  word.add(same_block ? 2 : 1);
  word.add(size);
  for (const int d : t->shape.dims)
    word.add(static_cast<std::uint64_t>(d));
  for (const auto& offset : t->offsets)
    for (const int steps : offset)
      word.add(static_cast<std::uint64_t>(std::int64_t{steps}));
  return std::max<std::uint64_t>(word.value(), 1); // 0: cannot be combined
}

std::uint64_t short_messages(const graphs::rank_plan& coalesced, const graphs::message_cost& cost) {
  neighbors::tree_rule rule;
  rule.cost = cost;
  const neighbors::message_load load = neighbors::load_of(coalesced, rule);
  return std::max(load.short_in, load.short_out);
}

std::string native_call_or_why_not(const exchange_site& site, const neighbor_call& call,
                                   const neighbor_options& options) {
  std::string why_not = why_no_native_call(call, *site.edges, site.rank, site.comm, site.topology != nullptr,
                                           site.model->native_calls);
  if (options.driver == neighbors::native_call && !why_not.empty())
    throw neighbor_error(neighbor_error::kind::environment,
                         fmt::format("driver {}, MPI's native call, is not possible here: {}",
                                     neighbors::native_call, why_not));
  return why_not;
}

} // namespace

bool has_direct_plan(const exchange_site& site, const neighbors::neighbor_passes& passes) {
  return !passes.coalesce || site.has_parallel_edges();
}

exchange_offer offer_plans(const exchange_site& site, const neighbor_call& call,
                           const neighbors::neighbor_blocks& blocks, const neighbor_options& options,
                           const graphs::machine_costs& costs) {
  exchange_offer out;
  const neighbors::neighbor_passes& passes = options.passes;
  const bool same_block = call.send.blocks == neighbor_side::listing::same;
  const auto class_of = [&](rank_id peer) { return site.model->class_of(site.rank, peer); };
  if (passes.coalesce) {
    out.coalesced = local_plan(site, blocks, passes, true);
    out.prices.add(grouping::coalesced, graphs::traffic_of(out.coalesced, class_of), costs, options);
  }
  if (has_direct_plan(site, passes))
    out.prices.add(grouping::direct,
                   neighbors::traffic_by_edge(*site.edges, site.me(), blocks, passes, class_of), costs,
                   options);
  out.combining = passes.combine ? combining_word(site.topology, blocks, same_block) : 0;
  if (out.combining != 0) {
    out.combined = neighbors::combined(*site.topology, site.me(), blocks, same_block);
    out.prices.add(grouping::combined, graphs::traffic_of(out.combined, class_of), costs, options);
  }
  out.busiest = short_messages(out.coalesced, costs.messages);
  out.why_no_native_call = native_call_or_why_not(site, call, options);
  return out;
}

} // namespace tacit::runtime
