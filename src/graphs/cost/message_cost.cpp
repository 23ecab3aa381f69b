#include "graphs/cost/message_cost.h"

#include <algorithm>
#include <charconv>

namespace tacit::graphs {

std::optional<message_cost> parse_message_cost(std::string_view text) {
  message_cost cost;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (double* const number :
       {&cost.overhead, &cost.latency, &cost.byte, &cost.node_share, &cost.receive_share}) {
    if (number == &cost.receive_share && at == end)
      break;
    if (number != &cost.overhead && (at == end || *at++ != ','))
      return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, *number);
    if (error != std::errc() || !(*number > 0) || *number > 1e12)
      return std::nullopt;
    at = rest;
  }
  return at == end && cost.receive_share < 1 ? std::optional(cost) : std::nullopt;
}

message_cost cost_of(const machine_model& model) {
  constexpr double least = 1e-3; // all must be positive
  const double shortest = model.messages.empty() ? 0 : static_cast<double>(model.messages.front().bytes);
  const double longest = model.messages.empty() ? 1 : static_cast<double>(model.messages.back().bytes);
  message_cost cost;
  const double sender = std::max(send_at(model, shortest), least),
               receiver = std::max(receive_at(model, shortest), least);
  cost.overhead = (sender + receiver) / 2;
  cost.receive_share = receiver / (sender + receiver);
  cost.latency = std::max(model.latency(), least);
  cost.byte = std::max(gap_at(model, longest) / longest, least);
  cost.node_share = 1;
  return cost;
}

machine_model model_of(const message_cost& cost, pair_class c) {
  const double both_ends = 2 * cost.overhead * cost.share(c), latency = cost.latency * cost.share(c);
  const double receiver = both_ends * cost.receive_share;
  machine_model model;
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
    const auto flat = [](double ns) { return spread{ns, ns, ns}; };
    const double travel = cost.byte * static_cast<double>(bytes);
    model.messages.push_back(
        {bytes, flat(both_ends + latency), flat(both_ends - receiver), flat(receiver), flat(travel), {}});
  }
  return model;
}

} // namespace tacit::graphs
