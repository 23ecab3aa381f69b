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
  hash_.add(digest(b));
  order_.add_buffer(b.extent, last_horizon_);
  buffers_.push_back(std::move(b));
  return id;
}

bool task_stream::horizon_is_due() const {
  return front_.depth() >= horizon_step_ || front_.size() > most_between;
}

submitted task_stream::number(std::uint64_t digest) {
  submitted out{next_, {}, 0};
  next_ = after_this(next_);
  hash_.add(digest);
  out.hash = hash_.value();
  return out;
}

void task_stream::order(const task& t, const std::vector<region>& touched, submitted& at) {
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch) {
    at.after = front_.open();
    restart(t.kind, at.id);
  } else {
    order_accesses(t, touched, at.id, at.after);
    tidy(at.after);
    front_.add(at.id, at.after);
  }
}

void task_stream::restart(task_kind kind, task_id id) {
  front_.restart(id);
  order_.forget_before(kind == task_kind::epoch ? id : last_horizon_);
  last_horizon_ = id;
}

void task_stream::order_accesses(const task& t, const std::vector<region>& touched, task_id id,
                                 std::vector<task_id>& after) {
  for (std::size_t i = 0; i < t.accesses.size(); ++i)
    if (reads(t.accesses[i].mode))
      order_.read(t.accesses[i].buffer, touched[i], id, after);
  for (std::size_t i = 0; i < t.accesses.size(); ++i)
    if (writes(t.accesses[i].mode))
      order_.write(t.accesses[i].buffer, touched[i], id, after);
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
      after.push_back(order_.stands_for(std::exchange(entry->second, id)));
  };
  for (const host_object_id object : t.host_objects)
    touch(index(object));
  if (t.kind == task_kind::collective_host)
    touch(first_group + t.collective_group);
}

} // namespace tacit::tasks
