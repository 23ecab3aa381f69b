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
    order_.read(t.buffer, t.where, c.id, after_);
  for (const touched& t : writes)
    order_.write(t.buffer, t.where, c.id, after_);
  if (after_.empty())
    after_.push_back(last_horizon_);
  tidy(after_);
  front_.add(c.id, after_);
  c.after = after_;
  after_.clear();
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

namespace {

using order = access_order<command_id>;

/// Whether a number now stands for what one stood for then. What is forgotten is one and the same.
bool same(const renumbering& r, command_id then, command_id now) {
  return then <= r.forgotten_then ? now <= r.forgotten_now : now > r.forgotten_now && r(then) == now;
}

bool same(const renumbering& r, const order::known& then, const order::known& now) {
  return std::ranges::equal(then.entries(), now.entries(), [&](const auto& a, const auto& b) {
    return a.where == b.where && same(r, a.value.writer, b.value.writer) &&
           std::ranges::equal(a.value.readers, b.value.readers,
                              [&](command_id x, command_id y) { return same(r, x, y); });
  });
}

} // namespace

local_commands::state local_commands::state_of(const std::vector<buffer_id>& buffers,
                                               const std::vector<std::uint64_t>& objects) const {
  state out{{}, {}, front_, next_, last_horizon_, order_.forgotten()};
  for (const buffer_id b : buffers)
    out.buffers.push_back(order_.of(b));
  for (const std::uint64_t object : objects) {
    const auto found = last_at_object_.find(object);
    out.objects.push_back(found == last_at_object_.end() ? std::nullopt : std::optional(found->second));
  }
  return out;
}

std::optional<renumbering> local_commands::matches(const state& then, const std::vector<buffer_id>& buffers,
                                                   const std::vector<std::uint64_t>& objects) const {
  const renumbering r{then.forgotten, order_.forgotten(), index(next_) - index(then.next)};
  if (!front_.looks_like(then.open) || !same(r, then.open.first(), front_.first()) ||
      !same(r, then.last_horizon, last_horizon_))
    return std::nullopt;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (!same(r, then.buffers[i], order_.of(buffers[i])))
      return std::nullopt;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto found = last_at_object_.find(objects[i]);
    const bool touched = found != last_at_object_.end();
    if (touched != then.objects[i].has_value() || (touched && !same(r, *then.objects[i], found->second)))
      return std::nullopt;
  }
  return r;
}

void local_commands::become(const state& after, const renumbering& now, const std::vector<buffer_id>& buffers,
                            const std::vector<std::uint64_t>& objects, bool barrier) {
  if (barrier) // of buffers that are not named, too
    order_.forget_before(now(after.forgotten));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    order::known& buffer = order_.of(buffers[i]);
    buffer = after.buffers[i];
    buffer.revalue([&](order::state& s) {
      s.writer = now(s.writer);
      for (command_id& reader : s.readers)
        reader = now(reader);
    });
  }
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (after.objects[i])
      last_at_object_[objects[i]] = now(*after.objects[i]);
  front_ = after.open;
  front_.renumber(now(after.open.first()));
  last_horizon_ = now(after.last_horizon);
  next_ = now(after.next);
}

void local_commands::touch_object(std::uint64_t object) {
  const auto [entry, fresh] = last_at_object_.try_emplace(object, next_);
  if (!fresh)
    after_.push_back(order_.stands_for(std::exchange(entry->second, next_)));
}

} // namespace tacit::tasks
