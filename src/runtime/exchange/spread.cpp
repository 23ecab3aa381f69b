#include "runtime/exchange/spread.h"

#include "runtime/exchange/agreed_aggregation.h"
#include "runtime/exchange/agreed_trees.h"

#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

/// With fewer messages than this, three steps need as many as they save.
constexpr std::uint64_t least_aggregated = 6;

} // namespace

std::string spread(graphs::rank_plan& plan, const exchange_site& site,
                   const neighbors::neighbor_passes& passes, const graphs::message_cost& cost,
                   std::uint64_t busiest, int first_tag, agreement& all) {
  neighbors::tree_rule rule;
  rule.cost = cost;
  const int first_of_plan = site.widest + 1; // those below number parallel edges
  std::string remarks;
  if (passes.tree && busiest < rule.least_messages)
    all.here([&] { remarks = fmt::format("no trees: no rank has {} short messages", rule.least_messages); });
  if (passes.tree && busiest >= rule.least_messages) {
    tree_outcome trees =
        add_trees(plan, site.rank, site.size, first_of_plan, first_tag, rule, site.comm, all);
    remarks = std::move(trees.remark);
    if (trees.any)
      return remarks; // helpers are chosen for their load, not for their node
  }
  if (!passes.aggregate || busiest < least_aggregated || site.model->one_node)
    return remarks;
  const std::string aggregated =
      aggregate(plan, site.model->nodes, site.rank, first_of_plan, first_tag, cost, site.comm, all);
  all.here([&] { add_line(remarks, aggregated); });
  return remarks;
}

void add_line(std::string& text, const std::string& line) {
  text += (text.empty() || line.empty() ? "" : "\n") + line;
}

} // namespace tacit::runtime
