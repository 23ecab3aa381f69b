#include "runtime/schedule/known_machine.h"

#include "runtime/channel/last_caches.h"
#include "runtime/exchange/known_models.h"
#include "runtime/mpi/errors.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace tacit::runtime {
graphs::machine_costs known_costs(bool one_node) {
  if (const std::string_view said = given(setting::message_cost); !said.empty()) {
    const auto cost = graphs::parse_message_cost(said);
    if (!cost)
      throw call_error(call_error::kind::argument,
                       fmt::format("TACIT_MESSAGE_COST is \"{}\", but must be {}", said,
                                   expected(row_of(setting::message_cost))),
                       true);
    return graphs::costs_of(*cost);
  }
  const known_models& here = models_here();
  const graphs::machine_costs defaults;
  graphs::machine_costs out = graphs::costs_of(
      here.within_node.model, here.between_nodes.measured ? here.between_nodes.model : defaults.between_nodes,
      one_node);
  if (here.between_caches.measured)
    out.between_caches = here.between_caches.model;
  return out;
}

std::string origin_of_costs(bool one_node) {
  const std::string_view said = given(setting::message_cost);
  return said.empty() ? origin_of_models(one_node) : fmt::format("TACIT_MESSAGE_COST={}", said);
}

std::uint64_t known_cache() {
  const bool has_prices = given(setting::message_cost).empty() && models_here().between_caches.measured;
  return has_prices ? cache_of_this_process() : 0;
}

std::uint32_t cores_here() {
  return static_cast<std::uint32_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

} // namespace tacit::runtime
