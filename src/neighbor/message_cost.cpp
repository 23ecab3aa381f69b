#include "neighbor/message_cost.h"

#include <charconv>

namespace tacit {

std::optional<message_cost> parse_message_cost(std::string_view text) {
  message_cost cost;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (double* const number : {&cost.overhead, &cost.latency, &cost.byte, &cost.near}) {
    if (number != &cost.overhead && (at == end || *at++ != ','))
      return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, *number);
    if (error != std::errc() || !(*number > 0) || *number > 1e12)
      return std::nullopt;
    at = rest;
  }
  return at == end ? std::optional(cost) : std::nullopt;
}

} // namespace tacit
