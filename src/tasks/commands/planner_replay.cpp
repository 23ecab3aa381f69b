// Windows that were planned before (replay.h says why that is right): what their plan made is recorded, and handed out again.
#include "tasks/commands/planner_parts.h"

namespace tacit::tasks {

void planner::plan_and_record(known_window& w) {
  recorded_plan& r = room_for_plan(w);
  r.first = window_[0].at.id;
  r.first_exchange = next_exchange_;
  r.found = contents_of(contents_, w.buffers);
  r.found_here = local_.state_of(w.buffers, w.objects);
  recording_ = &r;
  for (std::size_t position = 0; position < window_.size(); ++position) {
    const std::size_t before = local_.made();
    plan(position);
    for (std::size_t c = before; c < local_.made(); ++c) {
      r.commands.push_back(local_.made(c));
      r.of_task.push_back(static_cast<std::uint32_t>(position));
    }
  }
  recording_ = nullptr;
  if (r.commands.size() > most_commands) {
    w.too_long = true;
    return w.plans.pop_back();
  }
  r.next_exchange = next_exchange_;
  r.left = contents_of(contents_, w.buffers);
  r.left_here = local_.state_of(w.buffers, w.objects);
}

bool planner::replay(known_window& w) {
  for (const recorded_plan& plan : w.plans)
    if (const auto now = matches(w, plan, window_[0].at.id, next_exchange_, contents_, local_)) {
      replay(w, plan, *now);
      ++replayed_;
      return true;
    }
  return false;
}

void planner::replay(const known_window& w, const recorded_plan& plan, const moved_numbers& now) {
  local_.expect(plan.commands.size());
  for (std::size_t c = 0; c < plan.commands.size(); ++c)
    local_.add_again(again(plan, c, now));
  for (exchange_edge edge : plan.edges) {
    edge.producer = now.task(edge.producer);
    edge.consumer = now.task(edge.consumer);
    edge.number = edge.kind ? now.exchange(edge.number) : edge.number;
    note(edge);
  }
  if (w.ends_in_barrier())
    contents_.forget_before(window_.back().at.id);
  for (std::size_t i = 0; i < w.buffers.size(); ++i) {
    region_map<version>& buffer = contents_.of(w.buffers[i]);
    buffer = plan.left[i];
    buffer.revalue([&](version& v) { v.producer = now.task(v.producer); });
  }
  local_.become(plan.left_here, now.commands, w.buffers, w.objects, w.ends_in_barrier());
  next_exchange_ = now.exchange(plan.next_exchange);
}

command planner::again(const recorded_plan& plan, std::size_t number, const moved_numbers& now) const {
  const planned& p = window_[plan.of_task[number]];
  command c = plan.commands[number];
  c.id = now.commands(c.id);
  for (command_id& before : c.after)
    before = now.commands(before);
  c.task = p.at.id;
  c.stream_hash = p.at.hash;
  if (c.kind == command_kind::push || c.kind == command_kind::await_push)
    c.transfer = transfer_number(c);
  if (c.kind == command_kind::collective) {
    c.number = now.exchange(c.number);
    c.partials_of = is_reduction(c.exchange->kind) ? now.task(c.partials_of) : c.partials_of;
  }
  return c;
}

} // namespace tacit::tasks
