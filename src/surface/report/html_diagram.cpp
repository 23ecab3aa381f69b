// Rows one below the other with arcs between them, inline SVG: downwards on the right, upwards on the left, wider arcs for longer
// ways. So loops need no layout, and nothing crosses a label of a row.
#include "surface/report/html.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tacit::surface {
namespace {

constexpr double row_height = 30, side = 190, row_width = 330;
constexpr std::size_t most_diagram_rows = 60, most_arcs = 240;

const char* class_of(diagram::style kind) {
  switch (kind) {
  case diagram::style::collective:
    return "coll";
  case diagram::style::message:
    return "mess";
  case diagram::style::order:
    return "order";
  case diagram::style::work:
    return "work";
  }
  return "work";
}

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(" × {}", count) : "";
}

double middle(std::size_t row) {
  return row_height * (static_cast<double>(row) + 0.5) + 4;
}

std::string arc(const diagram::arc& a) {
  const bool down = a.from < a.to;
  const double from = middle(a.from), to = middle(a.to), edge = down ? side + row_width : side;
  const double way = std::max(1.0, std::abs(to - from) / row_height);
  const double reach = std::min(side - 60, 26 + 14 * way) * (down ? 1 : -1);
  std::string out =
      fmt::format("<g class=\"{}\"><path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>",
                  class_of(a.kind), edge, from + (down ? 5 : -5), edge + reach, from, edge + reach, to, edge,
                  to + (down ? -5 : 5));
  out += fmt::format("<circle r=\"3\" cx=\"{:.1f}\" cy=\"{:.1f}\"/>", edge, to + (down ? -5 : 5));
  if (!a.label.empty())
    out += fmt::format("<text class=\"tick\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>",
                       down ? "start" : "end", edge + reach * 0.78 + (down ? 4 : -4), (from + to) / 2 + 4,
                       escaped(a.label, 40), times(a.count));
  return out + "</g>";
}

} // namespace

std::string svg_of(const diagram& d) {
  const std::size_t rows = std::min(d.rows.size(), most_diagram_rows);
  const double height = row_height * static_cast<double>(rows) + 8, width = 2 * side + row_width + 80;
  std::string out =
      fmt::format("<svg class=\"figure diagram\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                  "role=\"img\" aria-label=\"{2}\">",
                  width, height, escaped(d.title, 80));
  std::size_t drawn = 0;
  for (const diagram::arc& a : d.arcs)
    if (a.from < rows && a.to < rows && drawn++ < most_arcs)
      out += arc(a);
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = middle(r);
    out += fmt::format("<g class=\"{}\"><rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
                       class_of(d.rows[r].kind), side, y - row_height / 2 + 3, row_width, row_height - 6);
    out += fmt::format("<text class=\"axis\" text-anchor=\"middle\" x=\"{}\" y=\"{:.1f}\">{}{}</text></g>",
                       side + row_width / 2, y + 4, escaped(d.rows[r].label, 46), times(d.rows[r].count));
  }
  return out + "</svg>";
}

std::string cut_note(const diagram& d) {
  const std::size_t arcs = static_cast<std::size_t>(std::ranges::count_if(
      d.arcs, [](const diagram::arc& a) { return a.from < most_diagram_rows && a.to < most_diagram_rows; }));
  if (d.rows.size() <= most_diagram_rows && arcs <= most_arcs)
    return "";
  return fmt::format("Of {} rows and {} arcs the first {} and {} are drawn.", d.rows.size(), d.arcs.size(),
                     std::min(d.rows.size(), most_diagram_rows), std::min(arcs, most_arcs));
}

} // namespace tacit::surface
