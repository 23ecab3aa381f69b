#include "runtime/schedule/explain.h"

#include "graphs/flow/terms.h"
#include "vocabulary/base/amounts.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

std::string words(const graphs::graph& g, const graphs::finding& f) {
  std::string text =
      fmt::format("{} among {} ranks", name(f.kind), g.communicators()[index(f.comm)].members.size());
  if (f.comm != world)
    text += fmt::format(" of {}", g.communicators()[index(f.comm)].name);
  if (is_rooted(f.kind))
    text += fmt::format(", root {}", index(f.root));
  if (is_reduction(f.kind))
    text +=
        fmt::format(", {} B {}, {}", f.bytes,
                    row_of(f.kind).moves == signature::all_into_each ? "per block" : "each",
                    describe(g.reducers()[index(f.by)])) +
        (f.order.empty() ? "" : fmt::format(", in the order of the graph ({})", graphs::describe(f.order)));
  else if (f.kind != pattern::barrier)
    text += fmt::format(", {} B per block", f.bytes);
  return text;
}

std::string words(const graphs::priced_variant& w) {
  return w.predicted < 0 ? fmt::format("{} by {}", w.plan, w.driver)
                         : fmt::format("{} by {} {}{}", w.plan, w.driver, w.at_least ? "at least " : "",
                                       readable_seconds(w.predicted * 1e-9));
}

/// All that was compared, cheapest first, and where the prices are from.
std::string compared(const graphs::choice& chosen, std::string_view prices) {
  std::string out;
  for (const graphs::priced_variant& w : chosen.compared)
    out += (out.empty() ? "predicted: " : ", ") + words(w);
  return out.empty() ? out : fmt::format("{}\nprices: {}\n", out, prices);
}

/// What reductions leave, as far as it is quickly said.
std::string combined(const graphs::graph& g, const graphs::compilation& c) {
  const graphs::transfers& moved = c.moved;
  constexpr std::size_t shown = 8;
  constexpr std::uint64_t most_operands = 1u << 16;
  if (moved.reductions.empty())
    return {};
  std::string out =
      fmt::format("reductions: {}, in {} operations; {} of the graph keep their order\n",
                  moved.reductions.size(), moved.kept_operations.size(), c.moves().kept_operations.size());
  const graphs::terms all = graphs::terms_of(g, moved, most_operands);
  for (std::size_t i = 0; i < std::min(all.list.size(), shown); ++i)
    out += fmt::format("leave {} B at rank {}: {}\n", all.list[i].length, index(all.list[i].destination),
                       describe(g, all.list[i]));
  if (all.list.size() > shown)
    out += fmt::format("and {} more\n", all.list.size() - shown);
  return out;
}

std::string in_text(const graphs::graph& g, const graphs::compilation& c, const graphs::choice& chosen,
                    std::string_view prices, const graph_size& size) {
  std::string out =
      fmt::format("{} ranks, {} operations, {} transfers\n", g.ranks(), size.operations, size.transfers);
  for (const graphs::finding& f : c.found.found)
    out += "found: " + words(g, f) + "\n";
  if (c.in_stages.at_computations)
    out += fmt::format("stages: {}, also by where computations stand\n", c.in_stages.stages.size());
  for (std::size_t s = 0; s < c.in_stages.stages.size(); ++s)
    for (const graphs::finding& f : c.in_stages.stages[s].found.found)
      out += fmt::format("found in stage {}: {}\n", s + 1, words(g, f));
  if (!c.in_stages.why_not.empty())
    out += fmt::format("not looked at in stages: {}\n", c.in_stages.why_not);
  for (const graphs::described_finding& f : c.described.found)
    out += fmt::format("found: {}{}{}\n", describe(f, g), f.says.empty() ? "" : ": ", f.says);
  for (const graphs::described_miss& m : c.described.missed)
    out += fmt::format("not found: {} ({}: {})\n", m.name, reason_label(reason::described_differs), m.detail);
  for (const graphs::refusal& r : c.found.refused)
    out += fmt::format("not found: {} ({}: {})\n", name(r.kind), reason_label(r.why), r.detail);
  for (const graphs::refusal& r : c.schedule.not_used)
    out += fmt::format("not used: {} ({}: {})\n", name(r.kind), reason_label(r.why), r.detail);
  out += combined(g, c);
  if (c.schedule.as_written)
    out += fmt::format(
        "runs as written: {}{}\n",
        c.schedule.why_as_written == reason::none ? "" : reason_label(c.schedule.why_as_written) + " ",
        c.schedule.detail);
  out += compared(chosen, prices);
  for (const diagnostic& d : c.problems)
    out += fmt::format("note: TACIT-{:03} {} ({})\n", d.code, d.message, d.remedy);
  return out;
}

// JSON is put together as text: nlohmann::json allocates in its destructor, so that being out of memory would
// end the program instead of becoming an error.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

/// [one of each, …], one made by `write`.
template <typename List, typename Write>
std::string array(const List& list, Write&& write) {
  std::string out;
  for (const auto& one : list)
    out += fmt::format("{}{{{}}}", out.empty() ? "" : ",", write(one));
  return "[" + out + "]";
}

std::string in_json(const graphs::graph& g, const graphs::compilation& c, const graphs::choice& chosen,
                    std::string_view prices, const graph_size& size) {
  const auto one = [&](const graphs::finding& f) {
    return fmt::format(R"("pattern":{},"ranks":{},"bytes":{}{})", json_string(name(f.kind)),
                       g.communicators()[index(f.comm)].members.size(), f.bytes,
                       is_rooted(f.kind) ? fmt::format(R"(,"root":{})", index(f.root)) : "");
  };
  const std::string found = array(c.found.found, one);
  const std::string stages = array(c.in_stages.stages, [&](const graphs::stage& s) {
    return fmt::format(R"("found":{})", array(s.found.found, one));
  });
  const std::string described = array(c.described.found, [&](const graphs::described_finding& f) {
    return fmt::format(R"("pattern":{},"ranks":{},"says":{})", json_string(f.name),
                       g.communicators()[index(f.comm)].members.size(), json_string(f.says));
  });
  const auto no = [](const graphs::refusal& r) {
    return fmt::format(R"("pattern":{},"reason":{},"detail":{})", json_string(name(r.kind)),
                       json_string(reason_label(r.why)), json_string(r.detail));
  };
  const std::string refused = array(c.found.refused, no), not_used = array(c.schedule.not_used, no);
  const std::string notes = array(c.problems, [](const diagnostic& d) {
    return fmt::format(R"("reason":"TACIT-{:03}","message":{},"remedy":{})", d.code, json_string(d.message),
                       json_string(d.remedy));
  });
  const std::string predicted = array(chosen.compared, [](const graphs::priced_variant& w) {
    return fmt::format(R"("plan":{},"driver":{},"nanoseconds":{:.0f}{})", json_string(w.plan),
                       json_string(w.driver), w.predicted, w.at_least ? R"(,"at_least":true)" : "");
  });
  std::string times;
  for (const graphs::pass_time& t : c.times)
    times += fmt::format("{}{}:{:.9f}", times.empty() ? "" : ",", json_string(t.name), t.seconds);
  std::string why;
  if (c.schedule.as_written)
    why = fmt::format(
        R"(,"reason":{},"detail":{})",
        json_string(c.schedule.why_as_written == reason::none ? "" : reason_label(c.schedule.why_as_written)),
        json_string(c.schedule.detail));
  return fmt::format(
      R"({{"ranks":{},"operations":{},"transfers":{},"found":{},"described":{},"stages":{},"refused":{},"not_used":{},"as_written":{}{},"predicted":{},"prices":{},"notes":{},"seconds":{{{}}}}})",
      g.ranks(), size.operations, size.transfers, found, described, stages, refused, not_used,
      c.schedule.as_written, why, predicted, json_string(prices), notes, times);
}

} // namespace

explanation explain(const graphs::graph& g, const graphs::compilation& c, const graphs::choice& chosen,
                    std::string_view prices, std::optional<graph_size> size) {
  const graph_size shown = size.value_or(graph_size{g.size(), c.moves().list.size()});
  return {in_text(g, c, chosen, prices, shown), in_json(g, c, chosen, prices, shown)};
}

explanation explain_unknown(const graphs::graph& g) {
  return {fmt::format("{} ranks, {} operations\n", g.ranks(), g.size()),
          fmt::format(R"({{"ranks":{},"operations":{},"as_written":true}})", g.ranks(), g.size())};
}

explanation with_note(const explanation& known, std::string_view what, std::string_view words) {
  const std::string open = known.json.substr(0, known.json.size() - 1); // without its last brace
  return {known.text + fmt::format("{}: {}\n", what, words),
          open + fmt::format(",{}:{}}}", json_string(what), json_string(words))};
}

explanation explain_here(const explanation& shared, std::string_view plan, std::string_view driver,
                         const std::string& steps) {
  const std::string open = shared.json.substr(0, shared.json.size() - 1); // without its last brace
  return {shared.text + fmt::format("driver {}; this rank: {}\n", driver, steps),
          open + fmt::format(R"(,"plan":{},"driver":{},"here":{}}})", json_string(plan), json_string(driver),
                             json_string(steps))};
}

explanation with_kept(const explanation& known, std::string_view kept) {
  return with_note(known, "kept", kept);
}

explanation with_measured_before(const explanation& known, std::string_view measured) {
  const std::string open = known.json.substr(0, known.json.size() - 1); // without its last brace
  return {known.text + fmt::format("{}\n", measured),
          open + fmt::format(R"(,"measured_before":{}}})", json_string(measured))};
}

explanation with_measured(const explanation& known, std::string_view measured) {
  const std::string open = known.json.substr(0, known.json.size() - 1); // without its last brace
  return {known.text + std::string(measured),
          open + fmt::format(R"(,"feedback":{}}})", json_string(measured))};
}

} // namespace tacit::runtime
