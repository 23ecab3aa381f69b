// The communication matrix and timelines as inline SVG, with a layout of our own: positions are arithmetic on
// rank and step, so the cost is linear in what is drawn and no layout engine is needed.
//
// Large inputs: the matrix joins neighbouring ranks into blocks so that at most 64 by 64 cells are drawn;
// timelines show the first 64 ranks that take part and the first steps that fit, and say so.
#include "surface/report/html.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace tacit::surface {
namespace {

constexpr std::uint32_t most_rows = 64;
constexpr std::uint32_t most_cells = 64; // per side of the matrix
constexpr std::uint32_t most_steps = 64;

class svg {
public:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

std::uint32_t block_of(const matrix& m) {
  return (m.ranks + most_cells - 1) / most_cells;
}

/// Cells joined into blocks of ranks.
std::vector<matrix_cell> joined(const matrix& m, std::uint32_t block) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, matrix_cell> blocks;
  for (const matrix_cell& c : m.cells) {
    matrix_cell& b = blocks[{c.from / block, c.to / block}];
    b.from = c.from / block;
    b.to = c.to / block;
    b.bytes += c.bytes;
    b.messages += c.messages;
  }
  std::vector<matrix_cell> list;
  list.reserve(blocks.size());
  for (const auto& [key, cell] : blocks)
    list.push_back(cell);
  return list;
}

/// 0.12 … 1 on a logarithmic scale between the smallest and the largest value.
double shade(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (most <= least)
    return 0.75;
  const double low = std::log1p(static_cast<double>(least)), high = std::log1p(static_cast<double>(most));
  return 0.12 + 0.88 * (std::log1p(static_cast<double>(value)) - low) / (high - low);
}

std::string ranks_of_block(std::uint32_t at, std::uint32_t block, std::uint32_t ranks) {
  if (block == 1)
    return fmt::format("{}", at);
  return fmt::format("{}–{}", at * block, std::min(ranks, (at + 1) * block) - 1);
}

/// Short enough for a cell: "64", "3K", "1.2M".
std::string tiny_bytes(std::uint64_t bytes) {
  std::string text = readable_bytes(bytes);
  if (text.ends_with(" B"))
    return text.substr(0, text.size() - 2);
  const std::size_t blank = text.find(' ');
  return text.substr(0, blank) + text[blank + 1];
}

struct frame {
  std::vector<std::uint32_t> ranks; ///< shown, ascending
  std::uint32_t steps = 0;          ///< shown
  double left = 62, top = 26, row = 30, step = 60;
  double x(std::uint32_t at) const { return left + step * (at + 0.5); }
  double width() const { return left + step * steps + 12; }
  double height() const { return top + row * static_cast<double>(ranks.size()) + 6; }
  /// Middle of the rank's row, or of the border towards which hidden ranks lie.
  double y(std::uint32_t rank) const {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
    return top + row * (static_cast<double>(at) + 0.5);
  }
  bool shows(std::uint32_t rank) const { return std::binary_search(ranks.begin(), ranks.end(), rank); }
};

std::vector<std::uint32_t> active_ranks(const timeline& l) {
  if (!l.only.empty())
    return l.only;
  std::vector<std::uint32_t> active;
  if (l.ranks <= most_rows) {
    for (std::uint32_t r = 0; r < l.ranks; ++r)
      active.push_back(r);
    return active;
  }
  for (const timeline_message& m : l.messages)
    active.insert(active.end(), {m.from, m.to});
  for (const timeline_call& c : l.calls)
    active.insert(active.end(), c.members.begin(), c.members.end());
  for (const timeline_mark& m : l.marks)
    active.push_back(m.rank);
  std::sort(active.begin(), active.end());
  active.erase(std::unique(active.begin(), active.end()), active.end());
  return active;
}

frame frame_of(const timeline& l) {
  frame f;
  f.ranks = active_ranks(l);
  if (f.ranks.size() > most_rows)
    f.ranks.resize(most_rows);
  f.steps = std::min(l.steps, most_steps);
  const std::size_t n = f.ranks.size();
  f.row = n <= 8 ? 32 : n <= 16 ? 25 : n <= 32 ? 18.5 : 12.5;
  f.step = std::clamp(600.0 / std::max(1u, f.steps), 38.0, 100.0);
  return f;
}

void draw_rows(svg& out, const frame& f) {
  const std::size_t label_every = f.row < 18 ? 4 : 1;
  for (std::uint32_t s = 0; s < f.steps; ++s) {
    if (s % 2 == 1)
      out.put(R"(<rect class="stripe" x="{:.0f}" y="{:.0f}" width="{:.1f}" height="{:.0f}"/>)",
              f.left + f.step * s, f.top - 4, f.step, f.height() - f.top);
    out.put(R"(<text class="tick" x="{:.1f}" y="14" text-anchor="middle">{}</text>)", f.x(s), s + 1);
  }
  for (std::size_t i = 0; i < f.ranks.size(); ++i) {
    const double y = f.y(f.ranks[i]);
    out.put(R"(<line class="rule" x1="{:.0f}" y1="{:.1f}" x2="{:.0f}" y2="{:.1f}"/>)", f.left - 6, y,
            f.width() - 6, y);
    if (i % label_every == 0)
      out.put(R"(<text class="tick" x="{:.0f}" y="{:.1f}" text-anchor="end">rank {}</text>)", f.left - 12,
              y + 4, f.ranks[i]);
  }
}

/// Messages of the same ends in the same steps are one arrow.
struct arrow {
  std::uint64_t bytes = 0, messages = 0;
};

void draw_arrows(svg& out, const frame& f, const timeline& l, std::size_t limit) {
  std::map<std::array<std::int64_t, 5>, arrow> arrows;
  for (const timeline_message& m : l.messages) {
    if (m.start >= f.steps || m.end >= f.steps || (!f.shows(m.from) && !f.shows(m.to)))
      continue;
    arrow& a = arrows[{m.start, m.from, m.to, m.end, m.forwarded}];
    a.bytes += m.bytes;
    ++a.messages;
  }
  std::size_t drawn = 0;
  for (const auto& [key, a] : arrows) {
    if (drawn++ == limit)
      return;
    const auto [start, from, to, end, forwarded] = key;
    const double x1 = f.x(static_cast<std::uint32_t>(start)), x2 = f.x(static_cast<std::uint32_t>(end));
    const double y1 = f.y(static_cast<std::uint32_t>(from)), y2 = f.y(static_cast<std::uint32_t>(to));
    const double most = f.row < 18 ? 0.6 : 1; // many rows: thin lines
    const double wide = most * (1.1 + std::min(2.4, std::log10(static_cast<double>(a.bytes) + 1) * 0.35));
    const std::string size = a.messages == 1
                                 ? readable_bytes(a.bytes)
                                 : fmt::format("{} messages, {}", a.messages, readable_bytes(a.bytes));
    out.put(R"(<g class="msg{}"><title>rank {} to rank {}: {}</title>)",
            a.bytes == 0     ? " sync"
            : forwarded != 0 ? " fwd"
                             : "",
            from, to, size);
    if (from == to) {
      out.put(
          R"(<path d="M{0:.1f} {1:.1f}Q{2:.1f} {3:.1f} {4:.1f} {1:.1f}" fill="none" stroke-width="{5:.1f}"/>)",
          x1, y1, (x1 + x2) / 2, y1 - f.row * 0.8, x2, wide);
    } else {
      const double length = std::hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
      const double head = f.row < 18 ? 5 : 7, tip_x = x2 - ux * 3, tip_y = y2 - uy * 3;
      const double base_x = tip_x - ux * head, base_y = tip_y - uy * head, half = head * 0.45;
      out.put(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke-width="{:.1f}"/>)", x1, y1, base_x, base_y,
              wide);
      out.put(R"(<path class="head" d="M{:.1f} {:.1f}L{:.1f} {:.1f} {:.1f} {:.1f}z"/>)", tip_x, tip_y,
              base_x - uy * half, base_y + ux * half, base_x + uy * half, base_y - ux * half);
    }
    out.put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}"/></g>)", x1, y1, f.row < 18 ? "2" : "3");
  }
}

void draw_marks(svg& out, const frame& f, const timeline& l, std::size_t limit) {
  std::size_t drawn = 0;
  for (const timeline_mark& m : l.marks) {
    if (m.step >= f.steps || !f.shows(m.rank))
      continue;
    if (drawn++ == limit)
      return;
    out.put(
        R"(<rect class="mark" x="{:.1f}" y="{:.1f}" width="9" height="9" rx="2"><title>rank {}: {}</title></rect>)",
        f.x(m.step) - 4.5, f.y(m.rank) - 4.5, m.rank, escaped(m.label, 80));
  }
}

void draw_calls(svg& out, const frame& f, const timeline& l, std::size_t limit) {
  std::map<std::uint32_t, std::uint32_t> calls_at; // step → calls, drawn beside each other
  for (const timeline_call& c : l.calls)
    ++calls_at[c.step];
  std::map<std::uint32_t, std::uint32_t> taken;
  std::size_t drawn = 0;
  for (const timeline_call& c : l.calls) {
    std::vector<std::uint32_t> members;
    std::copy_if(c.members.begin(), c.members.end(), std::back_inserter(members),
                 [&](std::uint32_t r) { return f.shows(r); });
    if (c.step >= f.steps || members.empty())
      continue;
    if (drawn++ == limit)
      return;
    const double room = f.step / calls_at[c.step];
    const double x = f.left + f.step * c.step + room * (taken[c.step]++ + 0.5);
    const double wide = std::min(22.0, room * 0.8), top = f.y(members.front()) - f.row * 0.4;
    const double bottom = f.y(members.back()) + f.row * 0.4;
    out.put(R"(<g class="call"><title>{}{}, {}</title>)", escaped(c.label, 80),
            c.root ? fmt::format(", root {}", *c.root) : "", counted(c.members.size(), "rank"));
    out.put(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}"/>)", x - wide / 2, top,
            wide, bottom - top, wide / 2);
    for (const std::uint32_t r : members)
      out.put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}"{}/>)", x, f.y(r), c.root && *c.root == r ? 5.5 : 3.0,
              c.root && *c.root == r ? R"( class="root")" : "");
    out.put("</g>");
  }
}

} // namespace

std::string svg_of(const matrix& m, const html_caps&) {
  const std::uint32_t block = std::max(1u, block_of(m)), n = (m.ranks + block - 1) / block;
  const std::vector<matrix_cell> cells = joined(m, block);
  std::uint64_t least = ~0ull, most = 0;
  for (const matrix_cell& c : cells)
    least = std::min(least, c.bytes), most = std::max(most, c.bytes);
  const double size = n <= 8 ? 46 : n <= 16 ? 30 : n <= 32 ? 17 : 9.5, left = 70, top = 40;
  const double side = size * n;
  svg out;
  out.put(R"(<svg class="figure" role="img" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )",
          left + side + 12, top + side + 12);
  out.put(
      R"(aria-label="Communication matrix: bytes sent from the rank of the row to the rank of the column">)");
  out.put(R"(<text class="axis" x="{:.0f}" y="14" text-anchor="middle">to rank</text>)", left + side / 2);
  out.put(
      R"x(<text class="axis" transform="translate(14 {:.0f}) rotate(-90)" text-anchor="middle">from rank</text>)x",
      top + side / 2);
  const std::uint32_t every = n <= 16 ? 1 : n <= 32 ? 2 : 8;
  for (std::uint32_t i = 0; i < n; i += every) {
    const std::uint32_t shown = i * block;
    out.put(R"(<text class="tick" x="{:.1f}" y="{:.0f}" text-anchor="middle">{}</text>)",
            left + size * (i + 0.5), top - 7, shown);
    out.put(R"(<text class="tick" x="{:.0f}" y="{:.1f}" text-anchor="end">{}</text>)", left - 7,
            top + size * (i + 0.5) + 4, shown);
  }
  out.put(R"(<rect class="board" x="{:.0f}" y="{:.0f}" width="{:.1f}" height="{:.1f}"/>)", left, top, side,
          side);
  const double gap = size > 12 ? 1 : 0.4;
  for (const matrix_cell& c : cells) {
    const double strength = shade(c.bytes, least, most);
    out.put(
        R"(<rect class="cell" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{:.2f}">)",
        left + size * c.to + gap, top + size * c.from + gap, size - 2 * gap, size - 2 * gap, strength);
    out.put("<title>{} to {}: {} in {}</title></rect>", ranks_of_block(c.from, block, m.ranks),
            ranks_of_block(c.to, block, m.ranks), readable_bytes(c.bytes), counted(c.messages, "message"));
    if (n <= 16)
      out.put(R"(<text class="value{}" x="{:.1f}" y="{:.1f}" text-anchor="middle"{}>{}</text>)",
              strength > 0.55 ? " on" : "", left + size * (c.to + 0.5), top + size * (c.from + 0.5) + 4,
              n > 8 ? R"( font-size="8.5")" : "", tiny_bytes(c.bytes));
  }
  out.put("</svg>");
  return out.take();
}

std::string cut_note(const matrix& m) {
  const std::uint32_t block = std::max(1u, block_of(m));
  return block == 1 ? "" : fmt::format("Each cell joins {0} × {0} ranks.", block);
}

std::string svg_of(const timeline& l, const html_caps& caps) {
  const frame f = frame_of(l);
  svg out;
  out.put(
      R"(<svg class="figure" role="img" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" aria-label="{2}: )",
      f.width(), f.height(), escaped(l.caption, 120));
  out.put(R"(one row per rank, steps from left to right, arrows are messages">)");
  draw_rows(out, f);
  draw_calls(out, f, l, caps.messages);
  draw_arrows(out, f, l, caps.messages);
  draw_marks(out, f, l, caps.messages);
  out.put("</svg>");
  return out.take();
}

std::string cut_note(const timeline& l, const html_caps& caps) {
  std::string note;
  const std::size_t active = active_ranks(l).size();
  if (active > most_rows)
    note += fmt::format("The first {} of {} ranks that take part are drawn. ", most_rows, active);
  if (l.steps > most_steps)
    note += fmt::format("The first {} of {} steps are drawn. ", most_steps, l.steps);
  if (l.cut || l.messages.size() > caps.messages || l.marks.size() > caps.messages ||
      l.calls.size() > caps.messages)
    note += "Only the first messages are drawn. ";
  if (!note.empty())
    note.pop_back();
  return note;
}

} // namespace tacit::surface
