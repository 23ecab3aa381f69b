#include "surface/report/text.h"

#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <ranges>

namespace tacit::surface {
namespace {

/// Control characters of names must not reach a terminal.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f ? '?' : c;
  return out;
}

/// Characters of UTF-8 text, as far as columns are concerned.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width > columns(text) ? width - columns(text) : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string title_of(reason code) {
  const reason_page* known = find_reason(number(code));
  return std::string(known ? known->title : "unknown reason");
}

class text_renderer {
public:
  text_renderer(const page& p, std::size_t rows) : p_(p), rows_(rows) {}

  std::string run() {
    put("{}: {}\n", plain(p_.title), plain(p_.subtitle));
    for (const std::string& line : p_.headlines)
      put("{}\n", wrapped(plain(line), 100, 2));
    problems();
    tasks();
    findings("Collectives found", true);
    findings("Other messages", false);
    left();
    for (const table& t : p_.tables)
      table_text(t);
    section("Run");
    for (const auto& [name, value] : p_.facts)
      put("  {} {}\n", padded(plain(name), 20, false), plain(value));
    if (!p_.notes.empty())
      section("Notes");
    for (const std::string& note : p_.notes)
      put("  {}\n", wrapped(plain(note), 100, 2));
    return std::move(out_);
  }

private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void section(std::string_view title) { put("\n{}\n", title); }

  void problems() {
    if (p_.problems.empty())
      return;
    section("Problems");
    for (const problem_line& line : p_.problems) {
      put("  {}\n",
          wrapped(fmt::format("{} {}{}{}: {}", line.level, reason_label(line.code),
                              line.location.empty() ? "" : ", ", line.location, plain(line.message)),
                  100, 4));
      if (!line.remedy.empty())
        put("    {}\n", wrapped(plain(line.remedy), 100, 4));
    }
  }

  void tasks() {
    if (!p_.tasks)
      return;
    section("Tasks");
    for (const task_exchange& e : p_.tasks->exchanges) {
      const std::string by = e.collective.empty()
                                 ? fmt::format("messages ({}: {})", reason_label(e.why), title_of(e.why))
                                 : e.collective;
      put("  {}\n", wrapped(fmt::format("{} needs {} of {}, {}, by {}", plain(e.consumer), plain(e.buffer),
                                        plain(e.producer), counted(e.times, "time"), plain(by)),
                            100, 6));
    }
  }

  void findings(std::string_view title, bool collective) {
    const auto wanted = [&](const finding_card& f) { return f.collective == collective; };
    if (std::ranges::none_of(p_.findings, wanted))
      return;
    section(title);
    for (const finding_card& f : p_.findings | std::views::filter(wanted)) {
      put("  {}{}\n", plain(f.title),
          f.share >= 0 ? fmt::format("  ({} of MPI time)", percent(f.share)) : "");
      for (const auto& [name, value] : f.facts)
        put("      {} {}\n", padded(plain(name), 18, false), wrapped(plain(value), 100, 25, 25));
      for (std::size_t i = 0; i < f.sites.size(); ++i)
        put("      {} {}\n", padded(i == 0 ? "calls" : "", 18, false), plain(f.sites[i]));
      if (!f.certainty.empty())
        put("      {} {}\n", padded("certainty", 18, false), wrapped(plain(f.certainty), 100, 25, 25));
      if (f.why != reason::none)
        put("      {}\n", wrapped(fmt::format("left alone: {} ({}). {}", title_of(f.why), reason_label(f.why),
                                              plain(f.why_detail)),
                                  100, 6, 6));
    }
  }

  void left() {
    if (p_.left.empty())
      return;
    section(p_.left_title);
    for (const left_alone& l : p_.left) {
      put("  {}\n", wrapped(fmt::format("{}: {} ({}). {}", plain(l.what), title_of(l.why),
                                        reason_label(l.why), plain(l.detail)),
                            100, 6));
      for (const std::string& site : l.sites)
        put("      {}\n", plain(site));
    }
  }

  void table_text(const table& t) {
    section(plain(t.title));
    if (!t.note.empty())
      put("  {}\n", wrapped(plain(t.note), 100, 2));
    const std::size_t shown = rows_ == 0 ? t.rows.size() : std::min(rows_, t.rows.size());
    std::vector<std::size_t> width(t.head.size());
    for (std::size_t c = 0; c < t.head.size(); ++c) {
      width[c] = columns(t.head[c]);
      for (std::size_t r = 0; r < shown; ++r)
        if (c < t.rows[r].size())
          width[c] = std::max(width[c], columns(plain(t.rows[r][c])));
    }
    row(t.head, width);
    for (std::size_t r = 0; r < shown; ++r)
      row(t.rows[r], width);
    if (shown < t.rows.size())
      put("  … and {} more (--all shows them)\n", t.rows.size() - shown);
  }

  void row(const std::vector<std::string>& cells, const std::vector<std::size_t>& width) {
    std::string line = " ";
    for (std::size_t c = 0; c < cells.size(); ++c)
      line += ' ' + padded(plain(cells[c]), c < width.size() ? width[c] : 0, c > 0) + ' ';
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + '\n';
  }

  const page& p_;
  std::size_t rows_;
  std::string out_;
};

std::string shortened(const std::string& text, std::size_t width) {
  if (columns(text) <= width)
    return text;
  std::size_t end = 0, seen = 0; // byte after the last whole character that fits before "…"
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      if (seen++ == width - 1)
        break;
      end = i;
    }
  return text.substr(0, end) + "…";
}

} // namespace

std::string text_of(const page& p, std::size_t rows) {
  return text_renderer(p, rows).run();
}

std::string summary_of(const page& p, std::size_t lines) {
  constexpr std::size_t width = 100;
  const auto card_line = [](const finding_card& f) {
    const std::string why = f.why == reason::none ? "" : fmt::format(" ({})", reason_label(f.why));
    // The same pattern may be written at several sites: the busiest call tells them apart.
    const std::string busiest = f.sites.empty() ? "" : ", " + f.sites[0].substr(0, f.sites[0].find("  "));
    return fmt::format("  {:>6}  {}{}", f.share < 0 ? "" : percent(f.share),
                       shortened(plain(f.title + busiest), 78), why);
  };
  std::vector<std::string> out{
      shortened(fmt::format("tacit: {}, {}", plain(p.title), plain(p.subtitle)), width)};
  for (const std::string& line : p.headlines)
    out.push_back("  " + wrapped(plain(line), width - 2, 2));
  for (const problem_line& line : p.problems)
    if (line.level == "error")
      out.push_back(shortened(fmt::format("  {}: {}", reason_label(line.code), plain(line.message)), width));
  for (const finding_card& f : p.findings)
    if (f.collective)
      out.push_back(card_line(f));
  for (const finding_card& f : p.findings)
    if (!f.collective)
      out.push_back(card_line(f));
  std::size_t used = 0, shown = 0;
  std::string text;
  for (const std::string& entry : out) {
    const auto needs = static_cast<std::size_t>(std::ranges::count(entry, '\n')) + 1;
    if (used + needs + (shown + 1 < out.size()) > lines)
      break; // one line is kept for what is left out
    text += entry + '\n';
    used += needs;
    ++shown;
  }
  if (shown < out.size())
    text += fmt::format("  … and {} more in the report\n", out.size() - shown);
  return text;
}

} // namespace tacit::surface
