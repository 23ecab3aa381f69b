// Graphs for machines: DOT and JSON.
#include "tasks/explain/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tacit::tasks {
namespace {

/// For machines that want valid UTF-8, which names need not be.
std::string dumped(const nlohmann::json& what, int indent) {
  return what.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A label of Graphviz, where a backslash begins an escape sequence, and a line break is one.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : nlohmann::json::parse(dumped(text, -1)).get<std::string>()) {
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
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

template <typename Ids>
nlohmann::json numbers(const Ids& ids) {
  nlohmann::json out = nlohmann::json::array();
  for (const auto id : ids)
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

/// Loops repeat their exchanges; what one replaces is counted once.
using counted_messages = std::map<std::uint64_t, std::size_t>; ///< by signature

nlohmann::json json_of(const command& c, const planner& plan, counted_messages& replaced) {
  const std::vector<buffer>& buffers = plan.buffers();
  command shown = c;
  shown.after = id_list();
  nlohmann::json out = {{"id", index(c.id)},
                        {"kind", tasks::name_of(c.kind)},
                        {"task", index(c.task)},
                        {"after", numbers(c.after)},
                        {"text", text_of(shown, buffers)}};
  if (c.kind == command_kind::collective) {
    out["collective"] = tasks::name_of(c.exchange->kind);
    out["exchange"] = index(c.number);
    out["ranks"] = c.members.size();
    const auto [entry, fresh] = replaced.try_emplace(c.exchange->signature, 0);
    if (fresh)
      entry->second = messages_replaced(*c.exchange, plan.options().me);
    out["replaces"] = entry->second;
  }
  if (c.kind == command_kind::push || c.kind == command_kind::await_push) {
    out["peer"] = index(c.peer);
    out["buffer"] = index(c.buffer);
    out["elements"] = c.what.volume();
  }
  return out;
}

/// Blue as collectives, gray as messages.
std::string color_of(const command& c) {
  switch (c.kind) {
  case command_kind::collective:
    return ", color=blue";
  case command_kind::push:
  case command_kind::await_push:
    return ", color=gray";
  default:
    return "";
  }
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
    shown.after = id_list();
    out += fmt::format("  c{} [label={}{}];\n", index(c.id), quoted(text_of(shown, buffers)), color_of(c));
    for (const command_id before : c.after)
      out += fmt::format("  c{} -> c{};\n", index(before), index(c.id));
  }
  return out + "}\n";
}

std::string explain_json(const planner& plan, std::span<const command> commands) {
  nlohmann::json out = {
      {"ranks", plan.options().ranks}, {"rank", index(plan.options().me)}, {"left_out", plan.left_out()}};
  for (const char* list : {"buffers", "tasks", "exchanges", "commands"})
    out[list] = nlohmann::json::array();
  for (const buffer& b : plan.buffers())
    out["buffers"].push_back(
        {{"name", b.name}, {"extent", text_of(box_of(b.extent))}, {"element_size", b.element_size}});
  for (const task_node& t : plan.tasks())
    out["tasks"].push_back(
        {{"id", index(t.id)}, {"kind", name_of(t.kind)}, {"name", t.name}, {"after", numbers(t.after)}});
  for (const exchange_edge& e : plan.edges())
    out["exchanges"].push_back(json_of(e));
  counted_messages replaced;
  for (const command& c : commands)
    out["commands"].push_back(json_of(c, plan, replaced));
  return dumped(out, 1) + "\n";
}

} // namespace tacit::tasks
