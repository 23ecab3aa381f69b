#include "capi/explain.h"

#include "calls/reasons.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tacit::capi {
namespace {

using json = nlohmann::ordered_json;

std::string words(const graph& g, const finding& f) {
  std::string text =
      fmt::format("{} among {} ranks", name(f.kind), g.communicators()[index(f.comm)].members.size());
  if (is_rooted(f.kind))
    text += fmt::format(", root {}", index(f.root));
  if (f.kind != pattern::barrier)
    text += fmt::format(", {} B per block", f.bytes);
  return text;
}

std::string in_text(const graph& g, const compilation& c) {
  std::string out =
      fmt::format("{} ranks, {} operations, {} transfers\n", g.ranks(), g.size(), c.moved.list.size());
  for (const finding& f : c.found.found)
    out += "found: " + words(g, f) + "\n";
  for (const refusal& r : c.found.refused)
    out += fmt::format("not found: {} ({}: {})\n", name(r.kind), reason_label(r.why), r.detail);
  if (c.schedule.as_written)
    out += fmt::format(
        "runs as written: {}{}\n",
        c.schedule.why_as_written == reason::none ? "" : reason_label(c.schedule.why_as_written) + " ",
        c.schedule.detail);
  for (const diagnostic& d : c.problems)
    out += fmt::format("note: TACIT-{:03} {} ({})\n", d.code, d.message, d.remedy);
  return out;
}

json in_json(const graph& g, const compilation& c) {
  json found = json::array(), refused = json::array(), notes = json::array(), times = json::object();
  for (const finding& f : c.found.found) {
    json one{{"pattern", name(f.kind)},
             {"ranks", g.communicators()[index(f.comm)].members.size()},
             {"bytes", f.bytes}};
    if (is_rooted(f.kind))
      one["root"] = index(f.root);
    found.push_back(one);
  }
  for (const refusal& r : c.found.refused)
    refused.push_back({{"pattern", name(r.kind)}, {"reason", reason_label(r.why)}, {"detail", r.detail}});
  for (const diagnostic& d : c.problems)
    notes.push_back(
        {{"reason", fmt::format("TACIT-{:03}", d.code)}, {"message", d.message}, {"remedy", d.remedy}});
  for (const pass_time& t : c.times)
    times[std::string(t.name)] = t.seconds;
  json out{{"ranks", g.ranks()}, {"operations", g.size()}, {"transfers", c.moved.list.size()},
           {"found", found},     {"refused", refused},     {"as_written", c.schedule.as_written}};
  if (c.schedule.as_written) {
    out["reason"] = c.schedule.why_as_written == reason::none ? "" : reason_label(c.schedule.why_as_written);
    out["detail"] = c.schedule.detail;
  }
  out["notes"] = notes;
  out["seconds"] = times;
  return out;
}

} // namespace

explanation explain(const graph& g, const compilation& c) {
  return {in_text(g, c), in_json(g, c).dump()};
}

explanation explain_here(const explanation& shared, std::string_view driver, const std::string& steps) {
  json all = json::parse(shared.json);
  all["driver"] = driver;
  all["here"] = steps;
  return {shared.text + fmt::format("driver {}; this rank: {}\n", driver, steps), all.dump()};
}

} // namespace tacit::capi
