// Graphs for machines: DOT and JSON.
#include "tasks/explain/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tacit::tasks {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

const char* name_of(task_kind kind) {
  switch (kind) {
  case task_kind::epoch:
    return "epoch";
  case task_kind::horizon:
    return "horizon";
  case task_kind::fence:
    return "fence";
  case task_kind::kernel:
    return "kernel";
  case task_kind::host:
    return "host";
  case task_kind::collective_host:
    return "collective_host";
  }
  return "?";
}

std::string outcome(const exchange_edge& e) {
  return e.kind ? fmt::format("{} {}", tasks::name_of(*e.kind), index(e.number)) : reason_label(e.why_not);
}

nlohmann::json numbers(const std::vector<task_id>& ids) {
  nlohmann::json out = nlohmann::json::array();
  for (const task_id id : ids)
    out.push_back(index(id));
  return out;
}

nlohmann::json json_of(const exchange_edge& e) {
  nlohmann::json out = {{"producer", index(e.producer)},
                        {"consumer", index(e.consumer)},
                        {"buffer", index(e.buffer)},
                        {"where", text_of(e.where)}};
  if (e.kind) {
    out["collective"] = tasks::name_of(*e.kind);
    out["exchange"] = index(e.number);
    out["ahead"] = e.ahead;
  } else {
    out["reason"] = reason_label(e.why_not);
  }
  return out;
}

constexpr const char* opening = "digraph {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";

} // namespace

std::string dot_of_tasks(const planner& plan) {
  std::string out = opening;
  for (const task_node& t : plan.tasks()) {
    out += fmt::format("  t{} [label={}];\n", index(t.id),
                       quoted(fmt::format("{} {} {}", index(t.id), name_of(t.kind), t.name)));
    for (const task_id before : t.after)
      out += fmt::format("  t{} -> t{};\n", index(before), index(t.id));
  }
  for (const exchange_edge& e : plan.edges())
    out += fmt::format(
        "  t{} -> t{} [label={}, color={}, constraint=false];\n", index(e.producer), index(e.consumer),
        quoted(fmt::format("{} {}", tasks::name_of(e.buffer, plan.buffers()[index(e.buffer)]), outcome(e))),
        e.kind ? "blue" : "gray");
  return out + "}\n";
}

std::string dot_of_commands(std::span<const command> commands, const std::vector<buffer>& buffers) {
  std::string out = opening;
  for (const command& c : commands) {
    command shown = c; // what it comes after is drawn
    shown.after.clear();
    out += fmt::format("  c{} [label={}];\n", index(c.id), quoted(text_of(shown, buffers)));
    for (const command_id before : c.after)
      out += fmt::format("  c{} -> c{};\n", index(before), index(c.id));
  }
  return out + "}\n";
}

std::string explain_json(const planner& plan) {
  nlohmann::json out = {{"ranks", plan.options().ranks}, {"rank", index(plan.options().me)}};
  for (const buffer& b : plan.buffers())
    out["buffers"].push_back(
        {{"name", b.name}, {"extent", text_of(box_of(b.extent))}, {"element_size", b.element_size}});
  for (const task_node& t : plan.tasks())
    out["tasks"].push_back(
        {{"id", index(t.id)}, {"kind", name_of(t.kind)}, {"name", t.name}, {"after", numbers(t.after)}});
  out["exchanges"] = nlohmann::json::array();
  for (const exchange_edge& e : plan.edges())
    out["exchanges"].push_back(json_of(e));
  return out.dump(1);
}

} // namespace tacit::tasks
