#include "neighbors/passes/choice.h"

#include "vocabulary/base/amounts.h"

#include <array>
#include <fmt/format.h>

namespace tacit::neighbors {
namespace {

/// Predictions are no better than this: within it, priority decides.
constexpr double same = 0.10;

std::string words(const variant& v) {
  return v.ns < 0 ? name(v) + " without price" : name(v) + " " + readable_seconds(v.ns * 1e-9);
}

} // namespace

std::string_view name(grouping g) {
  constexpr std::array<std::string_view, groupings> names{"coalesced", "direct", "combined"};
  return names[static_cast<std::size_t>(g)];
}

std::string name(const variant& v) {
  return v.driver == native_call ? std::string(native_call) : fmt::format("{} {}", name(v.blocks), v.driver);
}

std::size_t cheapest(std::span<const variant> variants) {
  double least = -1;
  for (const variant& v : variants)
    if (v.ns >= 0 && (least < 0 || v.ns < least))
      least = v.ns;
  for (std::size_t i = 0; i < variants.size(); ++i)
    if (variants[i].ns >= 0 && variants[i].ns <= least * (1 + same))
      return i;
  return 0;
}

std::string reason_for(std::span<const variant> variants, std::size_t taken) {
  std::string why = "predicted: " + words(variants[taken]);
  const char* before = "; not ";
  for (std::size_t i = 0; i < variants.size(); ++i)
    if (i != taken) {
      why += before + words(variants[i]);
      before = ", ";
    }
  return why;
}

} // namespace tacit::neighbors
