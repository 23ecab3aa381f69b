#include "vocabulary/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace tacit::vocabulary {

// Damerau and Levenshtein's distance with three rows of its table, the swap being that of neighbors only.
std::size_t typing_errors(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last, last(other.size() + 1), now(other.size() + 1);
  std::iota(last.begin(), last.end(), 0u);
  for (std::size_t i = 1; i <= one.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = now;
  }
  return last[other.size()];
}

namespace {

/// Up to the last underscore before which all known names are like `typed`: MPI_ makes no two datatypes alike.
std::size_t shared_beginning(std::string_view typed, const std::vector<std::string_view>& known) {
  std::string_view shared = known.size() > 1 ? typed : "";
  for (const std::string_view name : known)
    shared = shared.substr(0, std::mismatch(shared.begin(), shared.end(), name.begin(), name.end()).first -
                                  shared.begin());
  return shared.rfind('_') + 1; // 0 where there is none
}

} // namespace

std::string_view nearest(std::string_view typed, const std::vector<std::string_view>& known) {
  const std::size_t shared = shared_beginning(typed, known);
  const std::string_view own = typed.substr(shared);
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(1, own.size() / 3) + 1;
  for (const std::string_view name : known) {
    const auto [shorter, longer] = std::minmax({typed.size(), name.size()});
    if (longer - shorter >= fewest) // so many letters are missing at least
      continue;
    const std::size_t errors = typing_errors(typed, name),
                      letters = std::max(own.size(), name.size() - shared);
    if (errors < fewest && 3 * errors <= letters) {
      best = name;
      fewest = errors;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& known) {
  const std::string_view name = nearest(typed, known);
  return name.empty() ? "" : " (did you mean " + std::string(name) + "?)";
}

} // namespace tacit::vocabulary
