#include "graphs/flow/flow.h"

#include <charconv>
#include <limits>
#include <string>

namespace tacit::graphs {
namespace {

/// Bytes of "K", "KB", "KiB", …, "TiB" in any case; 0 for other words. All are powers of 1024.
std::uint64_t unit_bytes(std::string_view word) {
  constexpr std::string_view letters = "kmgt";
  std::string lower;
  for (const char c : word)
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "b")
    return 1;
  const std::size_t power = lower.empty() ? letters.npos : letters.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(lower.empty() ? 0 : 1);
  if (power == letters.npos || !(rest.empty() || rest == "b" || rest == "ib"))
    return 0;
  return 1ull << (10 * (power + 1));
}

} // namespace

bool read_budget(std::string_view text, flow_options& options) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value == 0)
    return false;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) {
    options.fragment_budget = value;
    return true;
  }
  if (unit.front() == ' ')
    unit.remove_prefix(1);
  const std::uint64_t bytes = unit_bytes(unit);
  if (bytes == 0 || value > std::numeric_limits<std::uint64_t>::max() / bytes)
    return false;
  options.memory_budget = value * bytes;
  return true;
}

} // namespace tacit::graphs
