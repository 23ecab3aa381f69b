#include "graphs/plan/may_replace.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace tacit::graphs {

std::pair<reason, std::string> may_replace(const graph& g, const transfers& t) {
  if (!t.complete)
    return {reason::fragment_budget, "the bytes could not be followed within the budget"};
  const auto computed = [](const transfer& x) { return x.source == no_rank; };
  const auto high = [](std::uint64_t address, std::uint64_t length) {
    return length > 0 && address + (length - 1) >= user_memory_end;
  };
  const auto too_high = [](rank_id rank) {
    return std::pair(
        reason::frame,
        fmt::format("rank {} uses addresses at or above 2^63, which plans keep for scratch memory",
                    index(rank)));
  };
  // Looked at once, as there may be millions; what is wrong is found out behind that.
  const auto may_move = [&](const transfer& x) {
    return !computed(x) && !high(x.source_address, x.length) && !high(x.destination_address, x.length);
  };
  const bool all_may_move = std::all_of(t.list.begin(), t.list.end(), may_move);
  if (const auto x = all_may_move ? t.list.end() : std::find_if(t.list.begin(), t.list.end(), computed);
      x != t.list.end())
    return {reason::opaque_reaches_output,
            fmt::format("{} B at {:#x} of rank {} are computed by rank {} op {}", x->length,
                        x->destination_address, index(x->destination),
                        index(g[op_id{static_cast<std::uint32_t>(x->source_address)}].rank),
                        x->source_address)};
  for (std::uint32_t i = 0; g.has_computations() && i < g.size(); ++i)
    if (g[op_id{i}].kind == op_kind::opaque)
      return {reason::opaque_reaches_output,
              describe(g, op_id{i}) + " is the program's own code and must run where it stands"};
  // In the bytes of reductions there are no such addresses (graph/check.cpp).
  if (!all_may_move) {
    const transfer& x = *std::find_if_not(t.list.begin(), t.list.end(), may_move);
    return too_high(high(x.source_address, x.length) ? x.source : x.destination);
  }
  for (const auto& [rank, live] : g.live_out_bytes())
    if (high(live.address, live.length)) // scratch memory of a plan must not count as live
      return too_high(rank);
  return {reason::none, {}};
}

} // namespace tacit::graphs
