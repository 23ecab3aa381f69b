#include "graphs/flow/evaluation.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {

bool is_evaluation_of(const evaluation& e, std::uint32_t operands) {
  if (operands == 0 || e.size() != 2 * std::size_t{operands} - 1)
    return false;
  std::vector<bool> seen(operands, false);
  std::size_t values = 0;
  for (const std::uint32_t x : e) {
    if (x == combine_both) {
      if (values < 2)
        return false;
      --values;
      continue;
    }
    if (x >= operands || seen[x])
      return false;
    seen[x] = true;
    ++values;
  }
  return values == 1;
}

evaluation from_the_last(std::uint32_t operands) {
  evaluation e;
  for (std::uint32_t i = 0; i < operands; ++i)
    e.push_back(i);
  e.resize(2 * std::size_t{operands} - 1, combine_both);
  return e;
}

std::string describe(const evaluation& e) {
  constexpr std::size_t longest = 120;
  const std::size_t n = (e.size() + 1) / 2;
  evaluation up{0}, down;
  for (std::uint32_t i = 1; i < n; ++i)
    up.insert(up.end(), {i, combine_both});
  if (n > 2 && e == up)
    return fmt::format("from 0 to {}", n - 1);
  if (n > 2 && e == from_the_last(static_cast<std::uint32_t>(n)))
    return fmt::format("from {} to 0", n - 1);
  struct text {
    std::string words;
    bool single;
  };
  const auto bracketed = [](const text& t) { return t.single ? t.words : "(" + t.words + ")"; };
  std::string all = evaluate(
                        e, [](std::uint32_t i) { return text{std::to_string(i), true}; },
                        [&](const text& a, const text& b) {
                          std::string both = bracketed(a) + " + " + bracketed(b);
                          both.resize(std::min(both.size(), 2 * longest));
                          return text{std::move(both), false};
                        })
                        .words;
  if (all.size() > longest)
    all = all.substr(0, longest) + " …";
  return all;
}

} // namespace tacit::graphs
