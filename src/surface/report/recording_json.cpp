// The analysis of a recording for machines; the fields are described in docs/cli.md. Times are seconds, ranks
// are ranks of MPI_COMM_WORLD, references are positions in the lists of the same document.
#include "surface/report/recording_page.h"
#include "surface/report/recording_words.h"
#include "vocabulary/calls/reasons.h"

#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

using json = nlohmann::ordered_json;

json ranks_json(const std::vector<rank_id>& ranks) {
  json list = json::array();
  for (const rank_id r : ranks)
    list.push_back(index(r));
  return list;
}

json timeline_json(const recordings::timeline& l) {
  json messages = json::array(), collectives = json::array();
  for (const recordings::timeline_message& m : l.messages)
    messages.push_back({{"from", index(m.from)},
                        {"to", index(m.to)},
                        {"step", m.step},
                        {"bytes", m.bytes},
                        {"forwarded", m.forwarded}});
  for (const recordings::timeline_collective& c : l.collectives)
    collectives.push_back({{"pattern", name(c.kind)},
                           {"root", c.root == no_rank ? json(nullptr) : json(index(c.root))},
                           {"step", c.step},
                           {"bytes", c.bytes},
                           {"members", ranks_json(c.members)}});
  return {{"ranks", ranks_json(l.ranks)},
          {"steps", l.steps},
          {"messages", std::move(messages)},
          {"collectives", std::move(collectives)},
          {"cut", l.cut}};
}

json replacement_json(const recordings::analysis& a, const recordings::replacement& r) {
  return {{"call", call_text(a, r)},
          {"messages_before", r.messages_before},
          {"messages_after", r.messages_after},
          {"steps_before", r.steps_before},
          {"steps_after", r.steps_after},
          {"bytes_before", r.bytes_before},
          {"bytes_after", r.bytes_after},
          {"condition", condition_of(r)}};
}

json activity_json(const recordings::analysis& a, const recordings::activity& x) {
  json reasons = json::array();
  for (const recordings::obstacle what : x.obstacles)
    reasons.push_back({{"code", reason_label(code_of(what))}, {"detail", detail_of(a, x, what)}});
  return {{"kind", name(x.kind)},
          {"pattern", x.found ? json(name(*x.found)) : json(nullptr)},
          {"shape", shapes_of(x)},
          {"title", title_of(x)},
          {"sentence", sentence_of(a, x)},
          {"algorithm", algorithm_text(x)},
          {"certainty", certainty_of(x)},
          {"communicators", x.communicators},
          {"roots", ranks_json(x.roots)},
          {"root_rule", rule_text(x.rule)},
          {"episodes", x.episodes},
          {"messages", x.messages},
          {"bytes", x.bytes},
          {"smallest", x.smallest},
          {"largest", x.largest},
          {"seconds", x.seconds},
          {"time_share", x.time_share},
          {"tags", x.tags},
          {"distinct_tags", x.distinct_tags},
          {"sites", x.sites},
          {"called_from", x.called_from},
          {"same_lines", same_lines_text(a, x)},
          {"left_alone", std::move(reasons)},
          {"could_become", x.would_be ? replacement_json(a, *x.would_be) : json(nullptr)},
          {"before", timeline_json(x.before)},
          {"after", timeline_json(x.after)}};
}

json totals_json(const recordings::analysis& a) {
  return {{"wall_seconds", a.wall_seconds},
          {"program_seconds", a.program_seconds},
          {"cpu_seconds", a.cpu_seconds},
          {"communication_seconds", a.communication_seconds},
          {"recorder_seconds", a.recorder_seconds},
          {"hash_seconds", a.hash_seconds},
          {"other_seconds", a.other_seconds},
          {"calls", a.calls},
          {"messages", a.messages},
          {"bytes", a.bytes},
          {"counted_calls", a.counted_calls},
          {"messages_without_example", a.without_example},
          {"kept_until_seconds", a.kept_until_seconds},
          {"unmatched_sends", a.unmatched_sends},
          {"unmatched_receives", a.unmatched_receives},
          {"outside_sends", a.outside_sends},
          {"outside_bytes", a.outside_bytes},
          {"outside_receives", a.outside_receives},
          {"cancelled", a.cancelled},
          {"unmodelled_seconds", a.unmodelled_seconds},
          {"unmodelled_calls", a.unmodelled_calls},
          {"unmodelled_names", a.unmodelled_names}};
}

template <typename List, typename Convert>
json list_json(const List& list, Convert convert) {
  json out = json::array();
  for (const auto& x : list)
    out.push_back(convert(x));
  return out;
}

json tasks_json(const task_story& t) {
  return {{"ranks", t.ranks},
          {"rank", t.rank},
          {"tasks", t.tasks},
          {"left_out", t.left_out},
          {"exchanges", list_json(t.exchanges, [](const task_exchange& e) -> json {
             return {{"producer", e.producer},
                     {"consumer", e.consumer},
                     {"buffer", e.buffer},
                     {"times", e.times},
                     {"collective", e.collective.empty() ? json(nullptr) : json(e.collective)},
                     {"replaced_messages", e.replaced},
                     {"ahead", e.ahead},
                     {"reason", e.collective.empty() ? json(reason_label(e.why)) : json(nullptr)}};
           })}};
}

} // namespace

std::string json_of(const recordings::analysis& a, const diagnostics& problems, const run_info& run,
                    const task_story* tasks) {
  json out = {{"tacit", "recording analysis"},
              {"format", 1},
              {"command", run.command},
              {"outcome", run.outcome},
              {"program", a.program},
              {"library", a.library},
              {"ranks", a.ranks},
              {"recorded_ranks", a.recorded_ranks},
              {"complete", a.complete},
              {"hashing", a.hashing},
              {"in_device_memory", a.in_device},
              {"totals", totals_json(a)}};
  out["problems"] = list_json(problems, [](const diagnostic& d) -> json {
    constexpr const char* levels[] = {"error", "warning", "remark"};
    return {{"level", levels[static_cast<int>(d.level)]},
            {"code", reason_label(reason{d.code})},
            {"rank", d.rank == no_rank ? json(nullptr) : json(index(d.rank))},
            {"message", d.message},
            {"remedy", d.remedy}};
  });
  out["ends"] = list_json(a.ends, [&](const recordings::rank_end& e) -> json {
    return {{"rank", index(e.rank)},
            {"seconds", e.seconds},
            {"inside", e.inside},
            {"aborted", e.aborted},
            {"site", e.site < a.sites.size() ? json(e.site) : json(nullptr)},
            {"peer", e.peer == no_rank ? json(nullptr) : json(index(e.peer))},
            {"text", end_text(a, e)}};
  });
  out["communicators"] = list_json(a.communicators, [&](const recordings::communicator_summary& c) -> json {
    const auto number = static_cast<std::size_t>(&c - a.communicators.data());
    return {
        {"name", communicator_name(number)}, {"shape", shape_text(c)}, {"members", ranks_json(c.members)}};
  });
  out["activities"] =
      list_json(a.activities, [&](const recordings::activity& x) { return activity_json(a, x); });
  out["collectives"] = list_json(a.collectives, [](const recordings::collective_use& c) -> json {
    return {{"call", c.call},   {"communicator", c.communicator}, {"calls", c.calls},
            {"bytes", c.bytes}, {"seconds", c.seconds},           {"time_share", c.time_share}};
  });
  out["matrix"] = list_json(a.matrix, [](const auto& entry) -> json {
    return {{"from", index(entry.first.first)},
            {"to", index(entry.first.second)},
            {"messages", entry.second.messages},
            {"bytes", entry.second.bytes}};
  });
  out["sites"] = list_json(a.sites, [](const recordings::call_site& s) -> json {
    return {{"call", s.call},      {"module", s.module},       {"build_id", s.build_id},
            {"offset", s.offset},  {"function", s.function},   {"file", s.file},
            {"line", s.line},      {"text", location_text(s)}, {"calls", s.calls},
            {"seconds", s.seconds}};
  });
  out["callers"] = list_json(a.callers, [](const recordings::call_site& s) -> json {
    return {{"module", s.module},      {"build_id", s.build_id}, {"offset", s.offset},
            {"function", s.function},  {"file", s.file},         {"line", s.line},
            {"text", location_text(s)}};
  });
  if (tasks)
    out["tasks"] = tasks_json(*tasks);
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace tacit::surface
