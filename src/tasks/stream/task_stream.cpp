#include "tasks/stream/task_stream.h"

namespace tacit::tasks {
namespace {

/// What collective groups count as among the objects that order tasks.
constexpr std::uint64_t first_group = std::uint64_t{1} << 32;

task_id after_this(task_id id) {
  return task_id{static_cast<std::uint64_t>(id) + 1};
}

} // namespace

task_stream::task_stream(int horizon_step) : horizon_step_(horizon_step) {
  front_.restart(task_id{0});
  next_ = task_id{1};
}

buffer_id task_stream::create_buffer(buffer b) {
  const buffer_id id{static_cast<std::uint32_t>(buffers_.size())};
  add_to_hash(hash_, b);
  order_.add_buffer(b.extent, last_horizon_);
  buffers_.push_back(std::move(b));
  return id;
}

std::optional<submitted> task_stream::due_horizon() {
  if (front_.depth() < horizon_step_ && front_.size() <= most_between)
    return std::nullopt;
  task t;
  t.kind = task_kind::horizon;
  return submit(std::move(t));
}

submitted task_stream::close(task t, std::vector<task_id> after) {
  const bool everything = t.kind == task_kind::horizon || t.kind == task_kind::epoch;
  if (everything) {
    front_.restart(t.id);
    order_.forget_before(t.kind == task_kind::epoch ? t.id : last_horizon_);
    last_horizon_ = t.id;
  } else {
    front_.add(t.id, after);
  }
  return {std::move(t), std::move(after), hash_.value()};
}

submitted task_stream::submit(task t) {
  t.id = next_;
  next_ = after_this(next_);
  add_to_hash(hash_, t, buffers_);
  std::vector<task_id> after;
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch)
    after = front_.open();
  else
    order(t, t.id, after);
  tidy(after);
  return close(std::move(t), std::move(after));
}

void task_stream::order(const task& t, task_id id, std::vector<task_id>& after) {
  const auto touched = [&](const access& a) {
    const range& extent = buffers_[index(a.buffer)].extent;
    return intersection(image(a.how, t.shape.global, t.shape.global, extent), region(box_of(extent)));
  };
  for (const access& a : t.accesses)
    if (reads(a.mode))
      order_.read(a.buffer, touched(a), id, after);
  for (const access& a : t.accesses)
    if (writes(a.mode))
      order_.write(a.buffer, touched(a), id, after);
  for (const reduction& r : t.reductions) {
    const region whole = box_of(buffers_[index(r.buffer)].extent);
    if (r.include_current)
      order_.read(r.buffer, whole, id, after);
    order_.write(r.buffer, whole, id, after);
  }
  order_objects(t, id, after);
  if (after.empty())
    after.push_back(last_horizon_);
}

void task_stream::order_objects(const task& t, task_id id, std::vector<task_id>& after) {
  const auto touch = [&](std::uint64_t object) {
    const auto [entry, fresh] = last_at_object_.try_emplace(object, id);
    if (!fresh)
      after.push_back(order_.known(std::exchange(entry->second, id)));
  };
  for (const host_object_id object : t.host_objects)
    touch(index(object));
  if (t.kind == task_kind::collective_host)
    touch(first_group + t.collective_group);
}

} // namespace tacit::tasks
