#include "graphs/flow/flow.h"
#include "vocabulary/base/amounts.h"

#include <charconv>
#include <string_view>

namespace tacit::graphs {
bool read_budget(std::string_view text, flow_options& options) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value == 0)
    return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) {
    options.fragment_budget = value;
    return true;
  }
  const auto bytes = vocabulary::read_bytes(text);
  if (!bytes)
    return false;
  options.memory_budget = *bytes;
  return true;
}

} // namespace tacit::graphs
