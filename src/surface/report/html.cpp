// A page as HTML: fixed order of sections, each a function. The file is also well-formed XML, so that any
// parser can check it. If the result is too large, everything that can grow is halved and written again: the
// caps shrink to nothing in a dozen rounds, so this ends.
#include "surface/report/html.h"

#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <tuple>

namespace tacit::surface {
namespace {

/// Length of the valid UTF-8 sequence at the beginning, 0 if there is none (overlong forms, surrogates
/// included).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80)
    return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length)
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f))
    return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  if (first == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe)
    return 0; // no characters of XML
  return length;
}

} // namespace

std::string escaped(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit)
      return out + "…";
    const std::size_t length = sequence_length(text);
    const unsigned char c = static_cast<unsigned char>(text.front());
    if (length == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
      out += "\xef\xbf\xbd";
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

namespace {

class html_renderer {
public:
  html_renderer(const page& p, const html_caps& caps) : p_(p), caps_(caps) {}

  std::string run() {
    head();
    raw("<main>");
    summary();
    problems();
    tasks();
    findings();
    whole_timelines();
    communication();
    left();
    for (std::size_t i = 0; i < p_.plots.size(); ++i)
      plot_section(p_.plots[i], fmt::format("p{}", i));
    for (std::size_t i = 0; i < p_.tables.size(); ++i)
      table_section(p_.tables[i], fmt::format("t{}", i));
    what_was_run();
    reasons();
    notes();
    raw("</main>");
    put("<footer>Written by tacit. This page is one file, loads nothing and needs no "
        "scripts.</footer></body></html>\n");
    return std::move(out_);
  }

private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void raw(std::string_view text) { out_ += text; }
  std::string safe(std::string_view text) const { return escaped(text, caps_.text); }

  /// Link to the explanation inside this page.
  std::string link(reason code) {
    used_.insert(number(code));
    return fmt::format("<a href=\"#{0}\">{0}</a>", reason_label(code));
  }
  static std::string_view title_of(reason code) {
    const reason_page* known = find_reason(number(code));
    return known ? known->title : "unknown reason";
  }

  void head() {
    put("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{} · tacit</title>",
        safe(p_.title));
    raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\"/>");
    raw("<meta name=\"color-scheme\" content=\"light dark\"/><style>");
    raw(html_style);
    put("</style></head><body><header class=\"top\"><div><div class=\"brand\">tacit</div><h1>{}</h1>",
        safe(p_.title));
    if (!p_.subtitle.empty())
      put("<p class=\"sub\">{}</p>", safe(p_.subtitle));
    navigation();
    raw("</div></header>");
  }

  void navigation() {
    raw("<nav aria-label=\"Sections\">");
    const auto listed = [&](bool collective) {
      return std::ranges::any_of(p_.findings,
                                 [&](const finding_card& f) { return f.collective == collective; });
    };
    if (p_.tasks)
      raw("<a href=\"#tasks\">Tasks</a><a href=\"#commands\">Commands</a>");
    if (listed(true))
      raw("<a href=\"#findings\">Collectives found</a>");
    if (listed(false))
      raw("<a href=\"#others\">Other messages</a>");
    if (!p_.before.empty())
      raw("<a href=\"#timelines\">Before and after</a>");
    if (!p_.communication.cells.empty())
      raw("<a href=\"#matrix\">Who sends to whom</a>");
    if (!p_.left.empty())
      put("<a href=\"#left\">{}</a>", safe(p_.left_title));
    for (std::size_t i = 0; i < p_.plots.size(); ++i)
      put("<a href=\"#p{}\">{}</a>", i, safe(p_.plots[i].title));
    for (std::size_t i = 0; i < p_.tables.size(); ++i)
      put("<a href=\"#t{}\">{}</a>", i, safe(p_.tables[i].title));
    raw("<a href=\"#run\">What was run</a></nav>");
  }

  void summary() {
    raw("<ul class=\"headlines\">");
    for (const std::string& line : p_.headlines)
      put("<li>{}</li>", safe(line));
    raw("</ul>");
    if (p_.figures.empty())
      return;
    raw("<div class=\"figures\">");
    for (const auto& [value, what] : p_.figures)
      put("<div><b>{}</b><span>{}</span></div>", safe(value), safe(what));
    raw("</div>");
  }

  void problems() {
    if (p_.problems.empty())
      return;
    raw("<h2 id=\"problems\">Problems</h2>");
    const std::size_t shown = std::min(p_.problems.size(), caps_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
      const problem_line& line = p_.problems[i];
      put("<div class=\"callout {}\"><p><strong>{}</strong> {}{}: {}</p>", safe(line.level), safe(line.level),
          link(line.code), line.location.empty() ? "" : ", " + safe(line.location), safe(line.message));
      if (!line.remedy.empty())
        put("<p class=\"note\">{}</p>", safe(line.remedy));
      raw("</div>");
    }
    cut(shown, p_.problems.size(), "problems");
  }

  void cut(std::size_t shown, std::size_t all, std::string_view what) {
    if (shown < all)
      put("<p class=\"note\">{} more {} are left out of this page; the JSON report has them all.</p>",
          all - shown, what);
  }

  /// What the tasks say of themselves; the messages and collectives below are what came of it.
  void tasks() {
    if (!p_.tasks)
      return;
    const task_story& t = *p_.tasks;
    raw("<h2 id=\"tasks\">Tasks</h2><div class=\"card\">");
    raw("<p class=\"note\">Tasks of one name are one row. An arc leads to who needs what was written, to the "
        "left in the "
        "next round of a loop.</p>");
    drawn(t.graph, "discovered collective", "messages");
    raw("</div><div class=\"card scroll\"><table class=\"words\"><tr><th>needs</th><th>of</th><th>times</th>"
        "<th>comes by</th></tr>");
    const std::size_t shown = std::min(t.exchanges.size(), caps_.rows);
    for (std::size_t i = 0; i < shown; ++i)
      exchange(t.exchanges[i]);
    raw("</table>");
    cut(shown, t.exchanges.size(), "exchanges");
    if (t.left_out > 0)
      put("<p class=\"note\">Of this long run only the beginning was written down; {} later tasks and "
          "exchanges are "
          "left out.</p>",
          t.left_out);
    put("</div><h2 id=\"commands\">{}</h2><div class=\"card\">", safe(t.commands.title));
    drawn(t.commands, "collective", "message");
    raw("</div>");
  }

  void drawn(const diagram& d, std::string_view collective, std::string_view message) {
    put("<div class=\"scroll\">{}</div><div class=\"key\"><span><i></i>{}</span><span><i "
        "class=\"fwd\"></i>{}</span></div>",
        svg_of(d), collective, message);
    if (const std::string note = cut_note(d); !note.empty())
      put("<p class=\"note\">{}</p>", note);
  }

  void exchange(const task_exchange& e) {
    put("<tr><td>{} needs {}</td><td>{}</td><td>{}</td><td>", safe(e.consumer), safe(e.buffer),
        safe(e.producer), e.times);
    if (e.collective.empty()) {
      put("messages: {} {}", link(e.why), safe(title_of(e.why)));
    } else {
      put("<strong>{}</strong>", safe(e.collective));
      if (e.replaced > 0)
        put("<div class=\"note\">in place of {} of rank {}</div>", counted(e.replaced, "message"),
            p_.tasks->rank);
      if (e.ahead)
        raw("<div class=\"note\">brings more, as a later task needs it</div>");
    }
    raw("</td></tr>");
  }

  /// Collectives first, then what else the messages are; both as they come, by share of time.
  void findings() {
    std::vector<const finding_card*> collectives, others;
    for (const finding_card& f : p_.findings)
      (f.collective ? collectives : others).push_back(&f);
    findings_section("findings", "Collectives found", collectives);
    findings_section("others", "Other messages", others);
  }

  void findings_section(std::string_view id, std::string_view title,
                        const std::vector<const finding_card*>& cards) {
    if (cards.empty())
      return;
    put("<h2 id=\"{}\">{}</h2>", id, title);
    const std::size_t shown = std::min(cards.size(), caps_.findings);
    for (std::size_t i = 0; i < shown; ++i)
      finding(*cards[i], i < caps_.pictures);
    cut(shown, cards.size(), "findings");
  }

  std::string share_text(double share, double seconds) const {
    std::string text;
    if (share >= 0)
      text = percent(share) + " of MPI time";
    if (seconds >= 0)
      text += (text.empty() ? "" : " · ") + readable_seconds(seconds) + " a rank";
    return text;
  }

  void finding(const finding_card& f, bool with_picture) {
    put("<article class=\"card\"><header><h3>{}</h3><span class=\"share\">{}</span></header>", safe(f.title),
        share_text(f.share, f.seconds));
    if (f.share >= 0)
      put("<div class=\"bar\"><i style=\"width:{:.1f}%\"></i></div>", std::min(100.0, f.share * 100));
    raw("<div class=\"tags\">");
    if (!f.call.empty())
      put("<span class=\"tag call\">{}</span>", safe(f.call));
    if (!f.certainty.empty())
      put("<span class=\"tag\">{}</span>", safe(f.certainty));
    raw("</div><div class=\"body\"><dl class=\"facts\">");
    for (const auto& [name, value] : f.facts)
      put("<dt>{}</dt><dd>{}</dd>", safe(name), safe(value));
    if (!f.sites.empty()) {
      raw("<dt>calls</dt><dd>");
      sites(f.sites);
      raw("</dd>");
    }
    raw("</dl>");
    const bool beside = with_picture && !f.before.empty() && f.after.empty() && f.before.steps <= 5;
    if (beside)
      pictures(f.before, f.after);
    raw("</div>");
    if (f.why != reason::none)
      put("<div class=\"callout\"><p>Left alone, because <strong>{}</strong> ({}). {}</p></div>",
          safe(title_of(f.why)), link(f.why), safe(f.why_detail));
    else if (f.replaced)
      put("<div class=\"callout good\"><p>{}</p></div>",
          safe(f.why_detail.empty() ? "Can be replaced." : f.why_detail));
    if (with_picture && !beside)
      pictures(f.before, f.after);
    raw("</article>");
  }

  void sites(const std::vector<std::string>& list) {
    raw("<ul class=\"sites\">");
    const std::size_t shown = std::min(list.size(), caps_.sites);
    for (std::size_t i = 0; i < shown; ++i)
      put("<li><code>{}</code></li>", safe(list[i]));
    if (shown < list.size())
      put("<li class=\"note\">and {} more</li>", list.size() - shown);
    raw("</ul>");
  }

  void picture(std::string_view head, const timeline& l) {
    put("<figure><figcaption><b>{}</b> {}</figcaption><div class=\"scroll\">{}</div>", head, safe(l.caption),
        svg_of(l, caps_));
    const std::string note = cut_note(l, caps_);
    if (!note.empty())
      put("<p class=\"note\">{}</p>", note);
    raw("</figure>");
  }

  void key(const timeline& before, const timeline& after) {
    bool plain = false, forwarded = false, sync = false;
    for (const timeline* l : {&before, &after})
      for (const timeline_message& m : l->messages) {
        plain |= m.bytes > 0 && !m.forwarded;
        forwarded |= m.bytes > 0 && m.forwarded;
        sync |= m.bytes == 0;
      }
    raw("<div class=\"key\">");
    if (plain)
      raw("<span><i></i>message</span>");
    if (forwarded)
      raw("<span><i class=\"fwd\"></i>passes on what it received</span>");
    if (sync)
      raw("<span><i class=\"sync\"></i>no payload</span>");
    if (!before.calls.empty() || !after.calls.empty())
      raw("<span><i class=\"call\"></i>one collective call, large dot: root</span>");
    if (!before.marks.empty() || !after.marks.empty())
      raw("<span><i class=\"work\"></i>local copy or computation</span>");
    raw("</div>");
  }

  void pictures(const timeline& before, const timeline& after) {
    if (before.empty())
      return;
    raw("<div class=\"pictures\"><div class=\"pair\">");
    picture(after.empty() ? "Example" : "Before", before);
    if (!after.empty())
      picture("After", after);
    raw("</div>");
    key(before, after);
    raw("</div>");
  }

  void whole_timelines() {
    if (p_.before.empty())
      return;
    raw("<h2 id=\"timelines\">Before and after</h2><div class=\"card\">");
    raw("<p class=\"note\">One row per rank. An operation stands one step after the latest of what it "
        "depends on.</p>");
    pictures(p_.before, p_.after);
    raw("</div>");
  }

  void communication() {
    if (p_.communication.cells.empty())
      return;
    raw("<h2 id=\"matrix\">Who sends to whom</h2><div class=\"card\"><p class=\"note\">Bytes from the rank "
        "of the row to the rank of the column; darker is more (logarithmic). ");
    put("{}</p><div class=\"pair\"><figure><div class=\"scroll\">{}</div></figure>",
        cut_note(p_.communication), svg_of(p_.communication, caps_));
    largest_pairs();
    raw("</div></div>");
  }

  void largest_pairs() {
    std::vector<matrix_cell> cells = p_.communication.cells;
    const std::size_t shown = std::min<std::size_t>({cells.size(), caps_.rows, 12});
    std::partial_sort(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(shown), cells.end(),
                      [](const matrix_cell& a, const matrix_cell& b) {
                        return std::tie(b.bytes, a.from, a.to) < std::tie(a.bytes, b.from, b.to);
                      });
    raw("<figure><figcaption>The largest</figcaption>"
        "<table><tr><th>pair</th><th>bytes</th><th>messages</th></tr>");
    for (std::size_t i = 0; i < shown; ++i)
      put("<tr><td>rank {} to rank {}</td><td>{}</td><td>{}</td></tr>", cells[i].from, cells[i].to,
          readable_bytes(cells[i].bytes), cells[i].messages);
    raw("</table></figure>");
  }

  void left() {
    if (p_.left.empty())
      return;
    put("<h2 id=\"left\">{}</h2><div class=\"card scroll\"><table "
        "class=\"words\"><tr><th>what</th><th>because</th></tr>",
        safe(p_.left_title));
    const std::size_t shown = std::min(p_.left.size(), caps_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
      const left_alone& l = p_.left[i];
      put("<tr><td>{}", safe(l.what));
      const std::string share = share_text(l.share, -1);
      if (l.messages > 0)
        put("<div class=\"note\">{}, {}{}</div>", counted(l.messages, "message"), readable_bytes(l.bytes),
            share.empty() ? "" : ", " + share);
      if (!l.sites.empty())
        sites(l.sites);
      put("</td><td>{}: {}<div class=\"note\">{}</div></td></tr>", link(l.why), safe(title_of(l.why)),
          safe(l.detail));
    }
    raw("</table>");
    cut(shown, p_.left.size(), "entries");
    raw("</div>");
  }

  void plot_section(const plot& p, const std::string& id) {
    put("<h2 id=\"{}\">{}</h2><div class=\"card\">", id, safe(p.title));
    if (!p.note.empty())
      put("<p class=\"note\">{}</p>", safe(p.note));
    put("<div class=\"scroll\">{}</div></div>", svg_of(p));
  }

  void table_section(const table& t, const std::string& id) {
    put("<h2 id=\"{}\">{}</h2><div class=\"card scroll\">", id, safe(t.title));
    if (!t.note.empty())
      put("<p class=\"note\">{}</p>", safe(t.note));
    if (!t.bars.empty())
      raw(svg_of(t.bars));
    raw("<table><tr>");
    for (const std::string& cell : t.head)
      put("<th>{}</th>", safe(cell));
    raw("</tr>");
    const std::size_t shown = std::min(t.rows.size(), caps_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
      raw("<tr>");
      for (const std::string& cell : t.rows[i])
        put("<td>{}</td>", safe(cell));
      raw("</tr>");
    }
    raw("</table>");
    cut(shown, t.rows.size(), "rows");
    raw("</div>");
  }

  void what_was_run() {
    raw("<h2 id=\"run\">What was run</h2><div class=\"card\"><dl class=\"facts\">");
    for (const auto& [name, value] : p_.facts)
      put("<dt>{}</dt><dd>{}</dd>", safe(name), safe(value));
    raw("</dl></div>");
  }

  void reasons() {
    if (used_.empty())
      return;
    raw("<h2 id=\"reasons\">What the codes mean</h2><div class=\"card\"><dl class=\"reasons\">");
    for (const std::uint16_t code : used_) {
      const reason_page* known = find_reason(code);
      if (known)
        put("<dt id=\"{0}\">{0} {1}</dt><dd>{2}</dd>", reason_label(known->code), safe(known->title),
            escaped(known->text, 4000));
      else
        put("<dt id=\"{0}\">{0}</dt><dd>no explanation in this version</dd>", reason_label(reason{code}));
    }
    raw("</dl></div>");
  }

  void notes() {
    if (p_.notes.empty())
      return;
    raw("<h2>Notes</h2>");
    for (std::size_t i = 0; i < std::min(p_.notes.size(), caps_.rows); ++i)
      put("<p class=\"note\">{}</p>", safe(p_.notes[i]));
  }

  const page& p_;
  const html_caps& caps_;
  std::set<std::uint16_t> used_; ///< reason codes that were named
  std::string out_;
};

} // namespace

std::string html_of(const page& p) {
  html_caps caps;
  for (;;) {
    std::string text = html_renderer(p, caps).run();
    if (text.size() < html_limit || caps.text < 8)
      return text;
    caps.findings = caps.findings * 2 / 3;
    caps.pictures = caps.pictures / 2;
    caps.messages = caps.messages * 2 / 3;
    caps.rows = caps.rows * 2 / 3;
    caps.sites = caps.sites * 2 / 3;
    caps.text = caps.text * 2 / 3;
  }
}

} // namespace tacit::surface
