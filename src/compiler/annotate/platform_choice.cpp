#include "compiler/annotate/platform_choice.h"

#include "vocabulary/calls/remarks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

namespace tacit::compiler {
namespace {

using vocabulary::remark;
using vocabulary::wording;

const char* const the_pragma = "pragma";
const char* const the_flag = "flag";
const char* const the_platform = "platform";
const char* const the_run = "run";

/// A call's own cost is then at most this part of what its elements cost.
constexpr double call_share = 1.0 / 32;
constexpr std::uint64_t least_factor = 512, most_factor = 65536; ///< the run time takes the most by itself
constexpr std::uint64_t element_bytes = 32; ///< that one value takes until it is sent, with its place
constexpr std::uint64_t usual_memory = 16 << 20, most_memory = 64 << 20;

std::string nanoseconds(double number) {
  char text[32];
  std::snprintf(text, sizeof text, number < 100 ? "%.3g" : "%.0f", number);
  return wording(remark::nanoseconds, {text});
}

/// All kinds that a region has, once each.
operation_costs sum_of(const operation_kinds& what, const one_sided_costs& costs) {
  operation_costs sum;
  const auto add = [&](bool has, const operation_costs& c) {
    sum.alone += has ? c.alone : 0;
    sum.together += has ? c.together + 2 * costs.copy : 0;
  };
  add(what.puts, costs.put);
  add(what.gets, costs.get);
  add(what.accumulates, costs.accumulate);
  return sum;
}

/// So many that their call does not count beside them. What was measured for each is of a call for 512.
std::uint64_t factor_for(const operation_costs& sum, const one_sided_costs& costs) {
  constexpr double measured_with = 512;
  const double element = std::max(sum.together - costs.flush / measured_with, 0.1 * sum.together);
  const double wanted = costs.flush / (call_share * element);
  return std::isfinite(wanted) && wanted < most_factor
             ? std::clamp(std::bit_ceil(static_cast<std::uint64_t>(wanted)), least_factor, most_factor)
             : most_factor;
}

void fill_amounts(const annotation& says, const platform_choices& by, coalescing_choice& made) {
  made.factor = says.factor.value_or(by.factor.value_or(0));
  made.memory_limit = says.memory_limit.value_or(by.memory_limit.value_or(0));
}

void choose_amounts(const operation_costs& sum, const one_sided_costs& costs, coalescing_choice& made) {
  if (made.factor == 0) {
    made.factor = factor_for(sum, costs);
    made.reason += wording(remark::so_many_together, {std::to_string(made.factor)});
  }
  if (made.memory_limit == 0) {
    const std::uint64_t wanted =
        made.factor * element_bytes * static_cast<std::uint64_t>(std::max(costs.cores, 1));
    if (made.factor < most_memory / element_bytes && wanted > usual_memory) {
      made.memory_limit = std::min(std::bit_ceil(wanted), most_memory);
      made.reason += wording(remark::up_to_memory, {std::to_string(made.memory_limit)});
    }
  }
}

} // namespace

bool is_by_platform(const choice_made& choice) {
  return choice.by == the_platform;
}

coalescing_choice choose_coalescing(const annotation& says, const operation_kinds& what,
                                    const platform_choices& by) {
  coalescing_choice made;
  fill_amounts(says, by, made);
  const bool by_pragma = says.when != wish::as_platform;
  const wish asked = by_pragma ? says.when : by.coalescing;
  if (asked != wish::as_platform) {
    made.collects = asked != wish::never;
    made.by = by_pragma ? the_pragma : the_flag;
    made.reason = wording(made.collects ? (by_pragma ? remark::by_pragma : remark::by_flag)
                                        : (by_pragma ? remark::pragma_never : remark::flag_never));
    return made;
  }
  if (made.factor > 0 || made.memory_limit > 0)
    made.by = says.factor || says.memory_limit ? the_pragma : the_flag;
  if (!by.one_sided || says.collective) // of packed messages no rate says anything
    return made;
  made.by = the_platform;
  if (what.accumulates && !says.no_overlap) {
    made.reason = wording(remark::collecting_combines);
    return made; // and the more at a time, the more are combined
  }
  const operation_costs sum = sum_of(what, *by.one_sided);
  made.collects = sum.together < sum.alone;
  made.reason = wording(made.collects ? remark::collecting_gains : remark::collecting_loses,
                        {nanoseconds(sum.alone), nanoseconds(sum.together)});
  if (made.collects)
    choose_amounts(sum, *by.one_sided, made);
  return made;
}

coherence_choice choose_coherence(const annotation& says, const platform_choices& by) {
  if (says.caches != coherence::as_platform)
    return {{wording(remark::by_pragma), the_pragma}, says.caches == coherence::coherent};
  if (by.caches != coherence::as_platform)
    return {{wording(remark::by_flag), the_flag}, by.caches == coherence::coherent};
  if (by.windows == window_memory::separate)
    return {{wording(remark::windows_separate), the_platform}, false};
  if (by.windows == window_memory::unified)
    return {{wording(remark::windows_unified), the_platform}, true};
  return {{"", the_run}, true};
}

node_choice choose_node_memory(const platform_choices& by) {
  if (by.shares_memory)
    return {{wording(remark::also_of_node), the_run}, true};
  return {{wording(remark::node_not_shared), the_platform}, false};
}

send_choice choose_send(const annotation& says, std::optional<std::uint64_t> bytes,
                        const platform_choices& by) {
  if (says.when == wish::always)
    return {{wording(remark::by_pragma), the_pragma}, true};
  const std::uint64_t limit = by.asked_eager_limit.value_or(by.eager_limit);
  if (!bytes || limit == 0 || *bytes > limit) // 0: it is not known
    return {{"", the_run}, true};
  return {{wording(by.asked_eager_limit ? remark::sent_eagerly_by_flag : remark::sent_eagerly,
                   {std::to_string(*bytes), std::to_string(limit)}),
           by.asked_eager_limit ? the_flag : the_platform},
          false};
}

exchange_choice choose_exchange(const annotation& says, const platform_choices& by) {
  using way = exchange_choice::way;
  const bool by_pragma = says.when != wish::as_platform;
  switch (by_pragma ? says.when : by.exchange) {
  case wish::never:
    return {{wording(by_pragma ? remark::pragma_never : remark::pipelines_off),
             by_pragma ? the_pragma : the_flag},
            way::as_written};
  case wish::always:
    return {{wording(by_pragma ? remark::by_pragma : remark::by_flag), by_pragma ? the_pragma : the_flag},
            way::in_parts};
  case wish::puts:
    return {{wording(by_pragma ? remark::by_pragma : remark::by_flag), by_pragma ? the_pragma : the_flag},
            way::by_puts};
  case wish::measured:
    return {{wording(remark::by_measuring), the_run}, way::measured};
  case wish::as_platform:
    break;
  }
  if (!by.exchanges)
    return {{wording(remark::by_measuring), the_run}, way::measured};
  const bool puts = by.exchanges->put_latency > 0;
  if (!(by.exchanges->progress > 0) && !(puts && by.exchanges->put_progress > 0))
    return {{wording(remark::nothing_moves), the_platform}, way::as_written};
  return {{wording(remark::by_predicting) + (puts ? "" : wording(remark::no_puts_there)), the_platform},
          way::predicted};
}

} // namespace tacit::compiler
