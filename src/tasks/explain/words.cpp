// Commands and exchanges in words.
#include "tasks/explain/explain.h"
#include "vocabulary/base/amounts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tacit::tasks {

const char* name_of(command_kind kind) {
  switch (kind) {
  case command_kind::epoch:
    return "epoch";
  case command_kind::horizon:
    return "horizon";
  case command_kind::fence:
    return "fence";
  case command_kind::execute:
    return "execute";
  case command_kind::push:
    return "push";
  case command_kind::await_push:
    return "await_push";
  case command_kind::collective:
    return "collective";
  }
  return "?";
}

namespace {

std::string buffer_name(buffer_id id, const std::vector<buffer>& buffers) {
  return name_of(id, buffers[index(id)]);
}

std::string parts_of(const collective& c, const std::vector<buffer>& buffers) {
  std::vector<std::string> out;
  for (const exchange_part& part : c.parts)
    out.push_back(text_of(part.where) + " of " + buffer_name(part.buffer, buffers));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string what_of(const command& c, const std::vector<buffer>& buffers) {
  switch (c.kind) {
  case command_kind::fence:
  case command_kind::execute:
    return fmt::format("{} {}", name_of(c.kind), text_of(c.chunk));
  case command_kind::push:
  case command_kind::await_push:
    return fmt::format("{} {} of {} {} rank {}", name_of(c.kind), text_of(c.what),
                       buffer_name(c.buffer, buffers), c.kind == command_kind::push ? "to" : "from",
                       index(c.peer));
  case command_kind::collective:
    return fmt::format("{} {} among {} ranks: {}", tasks::name_of(c.exchange->kind), index(c.number),
                       c.members.size(), parts_of(*c.exchange, buffers));
  default:
    return name_of(c.kind);
  }
}

std::string task_name(const planner& plan, task_id id) {
  const auto found = std::ranges::lower_bound(plan.tasks(), id, {}, &task_node::id);
  const bool named = found != plan.tasks().end() && found->id == id && !found->name.empty();
  return fmt::format("task {}{}", index(id), named ? " '" + found->name + "'" : "");
}

} // namespace

std::string text_of(const command& c, const std::vector<buffer>& buffers) {
  std::vector<std::uint64_t> after;
  for (const command_id before : c.after)
    after.push_back(index(before));
  std::string out = fmt::format("{}: {}, for task {}", index(c.id), what_of(c, buffers), index(c.task));
  return after.empty() ? out : out + fmt::format(", after {}", fmt::join(after, " "));
}

std::string explain_text(const planner& plan) {
  std::string out;
  for (const exchange_edge& e : plan.edges()) {
    out += fmt::format("{} needs {} of {} from {}: ", task_name(plan, e.consumer), text_of(e.where),
                       buffer_name(e.buffer, plan.buffers()), task_name(plan, e.producer));
    out += e.kind ? fmt::format("{} {}{}\n", tasks::name_of(*e.kind), index(e.number),
                                e.ahead ? ", as a later task needs more" : "")
                  : fmt::format("messages, {} ({})\n", reason_label(e.why_not),
                                find_reason(number(e.why_not))->title);
  }
  return out;
}

void plan_summary::add(const command& c, rank_id me, element_size size_of) {
  ++commands[c.kind == command_kind::collective ? tasks::name_of(c.exchange->kind) : name_of(c.kind)];
  const auto bytes = [&](const region& what, buffer_id of) {
    return static_cast<std::uint64_t>(what.volume()) * size_of(of);
  };
  if (c.kind == command_kind::push)
    bytes_sent += bytes(c.what, c.buffer);
  if (c.kind == command_kind::await_push)
    bytes_received += bytes(c.what, c.buffer);
  if (c.kind == command_kind::collective)
    for (const exchange_part& part : c.exchange->parts)
      bytes_received +=
          bytes(is_reduction(c.exchange->kind) ? reduced(part, me) : received(part, me), part.buffer);
}

std::size_t messages_replaced(const collective& c, rank_id me) {
  if (is_reduction(c.kind))
    return 0;
  const auto self = static_cast<std::uint32_t>(index(me));
  std::set<rank_id> to, from;
  for (const exchange_part& part : c.parts) {
    for (const box& mine : intersection(part.owner.first_copy(self), region(part.where)).boxes())
      for_each_holder(part.wanted, mine, [&](std::uint32_t rank, const region&) {
        if (!moved(part, me, rank_id{rank}).empty())
          to.insert(rank_id{rank});
      });
    for (const box& needed : received(part, me).boxes())
      for_each_first_holder(part.owner, needed, [&](std::uint32_t rank, const region&) {
        if (!moved(part, rank_id{rank}, me).empty())
          from.insert(rank_id{rank});
      });
  }
  return to.size() + from.size();
}

std::uint64_t plan_summary::all() const {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : commands)
    sum += count;
  return sum;
}

std::string text_of(const plan_summary& sum) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : sum.commands)
    kinds.push_back(fmt::format("{} {}", count, kind));
  return fmt::format("{} ({}), sends {} in messages, receives {}",
                     vocabulary::count_text(sum.all(), "command"), fmt::join(kinds, ", "),
                     vocabulary::readable_bytes(sum.bytes_sent),
                     vocabulary::readable_bytes(sum.bytes_received));
}

} // namespace tacit::tasks
