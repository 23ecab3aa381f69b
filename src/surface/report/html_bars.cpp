// Times as horizontal bars, inline SVG on a linear axis from zero: label, bar with a line from the lower to
// the upper quartile, the number and a remark. The axis ends at a few times the shortest bar, so that short
// ones can be told apart; longer ones are cut and say so with "»".
#include "surface/report/html.h"
#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tacit::surface {
namespace {

constexpr double names = 210, bar_width = 480, numbers = 300, line_height = 24;
constexpr double longest = 8; ///< times the shortest bar

} // namespace

std::string svg_of(const std::vector<bar>& bars) {
  if (bars.empty())
    return {};
  double shortest = bars.front().seconds, end = 0;
  for (const bar& b : bars) {
    shortest = std::min(shortest, b.seconds);
    end = std::max({end, b.seconds, b.high});
  }
  end = std::min(end, longest * shortest);
  if (!(end > 0))
    return "<p class=\"note\">Nothing to draw.</p>";
  const auto x = [&](double seconds) { return names + bar_width * std::clamp(seconds / end, 0.0, 1.0); };
  std::string out;
  const auto put = [&out]<typename... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  const double height = line_height * static_cast<double>(bars.size()) + 8;
  put("<svg class=\"figure bars\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"times as bars\">",
      names + bar_width + numbers, height);
  double y = 4;
  for (const bar& b : bars) {
    const bool cut = b.seconds > end;
    put("<g{}>", b.marked ? " class=\"on\"" : "");
    put("<text class=\"axis\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", names - 8, y + 15,
        escaped(b.label, 40));
    put("<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>", names, y + 3,
        x(b.seconds) - names, line_height - 8);
    if (b.low > 0 && b.high > b.low && b.low < end)
      put("<line class=\"spread\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", x(b.low),
          x(b.high), y + line_height / 2 - 1);
    put("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}{}{}</text></g>",
        std::max(x(b.seconds), cut ? 0 : x(b.high)) + 8, y + 15, cut ? "» " : "", readable_seconds(b.seconds),
        b.remark.empty() ? "" : " · ", escaped(b.remark, 80));
    y += line_height;
  }
  return out + "</svg>";
}

} // namespace tacit::surface
