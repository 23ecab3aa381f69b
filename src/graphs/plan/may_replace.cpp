#include "graphs/plan/may_replace.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace tacit::graphs {

namespace {

bool is_unknown(const transfer& x) {
  return x.source == no_rank;
}

bool is_high(std::uint64_t address, std::uint64_t length) {
  return length > 0 && address + (length - 1) >= user_memory_end;
}

std::pair<reason, std::string> too_high(rank_id rank) {
  return {reason::frame,
          fmt::format("rank {} uses addresses at or above 2^63, which plans keep for scratch memory",
                      index(rank))};
}

std::pair<reason, std::string> computed(const graph& g, const transfer& x) {
  return {reason::opaque_reaches_output,
          fmt::format("{} B at {:#x} of rank {} are computed by rank {} op {}", x.length,
                      x.destination_address, index(x.destination),
                      index(g[op_id{static_cast<std::uint32_t>(x.source_address)}].rank), x.source_address)};
}

bool is_own_code(const graph& g, op_id op) {
  return g[op].kind == op_kind::opaque;
}

std::pair<reason, std::string> own_code(const graph& g, op_id op) {
  return {reason::opaque_reaches_output,
          describe(g, op) + " is the program's own code and must run where it stands"};
}

/// no_op if there is none.
op_id computation_that_is_not_kept(const graph& g, const transfers& t) {
  if (!g.has_computations())
    return no_op;
  std::vector<char> kept(g.size(), 0);
  for (const op_id op : t.kept_operations)
    kept[index(op)] = 1;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (is_own_code(g, op_id{i}) && !kept[i])
      return op_id{i};
  return no_op;
}

} // namespace

std::pair<reason, std::string> may_replace(const graph& g, const transfers& t) {
  if (!t.complete)
    return {reason::fragment_budget, "the bytes could not be followed within the budget"};
  // Looked at once, as there may be millions; what is wrong is found out behind that.
  const auto may_move = [](const transfer& x) {
    return !is_unknown(x) && !is_high(x.source_address, x.length) &&
           !is_high(x.destination_address, x.length);
  };
  const auto wrong = std::find_if_not(t.list.begin(), t.list.end(), may_move);
  if (wrong != t.list.end())
    if (const auto x = std::find_if(wrong, t.list.end(), is_unknown); x != t.list.end())
      return computed(g, *x);
  if (const op_id lost = computation_that_is_not_kept(g, t); lost != no_op)
    return own_code(g, lost);
  if (g.has_computations() && (g.has_fences() || !g.made_pairs().empty()))
    return {reason::opaque_reaches_output,
            "the program's own code runs beside one-sided operations or fences"};
  // In the bytes of reductions there are no such addresses (graph/check.cpp).
  if (wrong != t.list.end())
    return too_high(is_high(wrong->source_address, wrong->length) ? wrong->source : wrong->destination);
  for (const auto& [rank, live] : g.live_out_bytes())
    if (is_high(live.address, live.length)) // scratch memory of a plan must not count as live
      return too_high(rank);
  return {reason::none, {}};
}

std::pair<reason, std::string> why_all_is_kept(const graph& g, const transfers& t) {
  if (const auto x = std::find_if(t.kept.begin(), t.kept.end(), is_unknown); x != t.kept.end())
    return computed(g, *x);
  const auto code = std::find_if(t.kept_operations.begin(), t.kept_operations.end(),
                                 [&](op_id op) { return is_own_code(g, op); });
  if (code != t.kept_operations.end())
    return own_code(g, *code);
  return {reason::reduction_kept, "all that moves belongs to reductions"};
}

} // namespace tacit::graphs
