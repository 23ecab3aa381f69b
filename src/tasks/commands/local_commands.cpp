#include "tasks/commands/local_commands.h"

namespace tacit::tasks {

local_commands::local_commands() {
  command first;
  first.kind = command_kind::epoch;
  append_barrier(std::move(first));
}

void local_commands::number(command& c) {
  c.id = next_;
  next_ = command_id{index(next_) + 1};
}

void local_commands::append(command c, const std::vector<touched>& reads,
                            const std::vector<touched>& writes) {
  number(c);
  for (const touched& t : reads)
    order_.read(t.buffer, t.where, c.id, c.after);
  for (const touched& t : writes)
    order_.write(t.buffer, t.where, c.id, c.after);
  if (c.after.empty())
    c.after.push_back(last_horizon_);
  tidy(c.after);
  front_.add(c.id, c.after);
  add(std::move(c));
}

void local_commands::add(command&& c) {
  constexpr std::size_t of_a_task = 4; // most have fewer
  if (made_.empty())
    made_.reserve(of_a_task);
  made_.push_back(std::move(c));
}

void local_commands::append_barrier(command c) {
  number(c);
  c.after = front_.open();
  front_.restart(c.id);
  order_.forget_before(c.kind == command_kind::epoch ? c.id : last_horizon_);
  last_horizon_ = c.id;
  add(std::move(c));
}

void local_commands::touch_object(command& c, std::uint64_t object) {
  const auto [entry, fresh] = last_at_object_.try_emplace(object, next_);
  if (!fresh)
    c.after.push_back(order_.known(std::exchange(entry->second, next_)));
}

} // namespace tacit::tasks
