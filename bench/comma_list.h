// Lists in the command lines of the benchmarks.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The parts between commas.
inline std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    out.emplace_back(one);
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return out;
}

} // namespace bench
