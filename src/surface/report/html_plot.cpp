// Curves as inline SVG on logarithmic axes: grid lines at powers of ten (times) and of four (bytes), a bar
// from the lower to the upper quartile through each point, the names of the curves at their right ends,
// pushed apart where they would lie on each other.
#include "surface/report/html.h"
#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace tacit::surface {
namespace {

constexpr std::size_t most_curves = 8;
constexpr double left = 70, top = 14, plot_width = 640, plot_height = 340, names_width = 190, below = 46;

constexpr std::array<const char*, most_curves> colours{"#0b7a75", "#b4552d", "#4a6fa5", "#8a5a00",
                                                       "#7b4b94", "#1f7a3f", "#b3261e", "#5b656d"};

struct range {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void add(double v) {
    if (v > 0 && std::isfinite(v)) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  /// Widened to whole powers of the base.
  void round(double base) {
    const double b = std::log(base);
    low = std::pow(base, std::floor(std::log(low) / b + 1e-9));
    high = std::pow(base, std::ceil(std::log(high) / b - 1e-9));
    if (high <= low)
      high = low * base;
  }
  double share(double v) const {
    return (std::log(std::clamp(v, low, high)) - std::log(low)) / (std::log(high) - std::log(low));
  }
};

std::string tick_text(double value, bool bytes, bool seconds) {
  if (bytes)
    return readable_bytes(static_cast<std::uint64_t>(std::llround(value)));
  return seconds ? readable_seconds(value) : fmt::format("{:g}", value);
}

class plot_drawing {
public:
  explicit plot_drawing(const plot& p) : p_(p) {
    for (std::size_t i = 0; i < std::min(most_curves, p.curves.size()); ++i)
      for (const plot::point& at : p.curves[i].points) {
        x_.add(at.x);
        y_.add(at.y);
        y_.add(at.low);
        y_.add(at.high);
      }
  }

  std::string run() {
    if (x_.high == 0 || y_.high == 0)
      return "<p class=\"note\">Nothing to draw.</p>";
    const double x_base = p_.x_bytes ? 4 : 10;
    if (!p_.x_bytes)
      x_.round(x_base);
    y_.round(10);
    if (x_.high <= x_.low)
      x_.high = x_.low * x_base;
    put("<svg class=\"figure\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "aria-label=\"{2}\">",
        left + plot_width + names_width, top + plot_height + below, escaped(p_.title));
    put("<rect class=\"board\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", left, top, plot_width,
        plot_height);
    grid(x_base);
    curves();
    out_ += "</svg>";
    return std::move(out_);
  }

private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  double x(double v) const { return left + plot_width * x_.share(v); }
  double y(double v) const { return top + plot_height * (1 - y_.share(v)); }

  void grid(double x_base) {
    double v = std::pow(x_base, std::ceil(std::log(x_.low) / std::log(x_base) - 1e-9));
    while (v <= x_.high * 1.001) {
      put("<line class=\"rule\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x(v), top,
          top + plot_height);
      put("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>", x(v),
          top + plot_height + 16, tick_text(v, p_.x_bytes, false));
      v *= x_base;
    }
    v = y_.low;
    while (v <= y_.high * 1.001) {
      put("<line class=\"rule\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", left,
          left + plot_width, y(v));
      put("<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", left - 6, y(v) + 4,
          tick_text(v, false, p_.y_seconds));
      v *= 10;
    }
    put("<text class=\"axis\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>", left + plot_width / 2,
        top + plot_height + 38, escaped(p_.x_axis));
    put("<text class=\"axis\" transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        top + plot_height / 2, escaped(p_.y_axis));
  }

  void curves() {
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t i = 0; i < std::min(most_curves, p_.curves.size()); ++i) {
      const plot::curve& c = p_.curves[i];
      std::string path;
      double last = top + plot_height;
      for (const plot::point& at : c.points) {
        if (!(at.x > 0 && at.y > 0))
          continue;
        fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x(at.x),
                       last = y(at.y));
        if (at.low > 0 && at.high > at.low)
          put("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
              "stroke-opacity=\".4\" stroke-width=\"5\"/>",
              x(at.x), y(at.low), y(at.high), colours[i]);
        put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>", x(at.x), last, colours[i]);
      }
      if (path.empty())
        continue;
      put("<path d=\"{}\" fill=\"none\" stroke-width=\"1.8\" stroke=\"{}\"/>", path, colours[i]);
      ends.emplace_back(last, i);
    }
    std::sort(ends.begin(), ends.end());
    double free = 0;
    for (const auto& [end, i] : ends) {
      free = std::max(free, end);
      put("<text class=\"axis\" style=\"fill:{}\" x=\"{}\" y=\"{:.1f}\">{}</text>", colours[i],
          left + plot_width + 8, free + 4, escaped(p_.curves[i].name, 60));
      free += 15;
    }
  }

  const plot& p_;
  range x_, y_;
  std::string out_;
};

} // namespace

std::string svg_of(const plot& p) {
  return plot_drawing(p).run();
}

} // namespace tacit::surface
