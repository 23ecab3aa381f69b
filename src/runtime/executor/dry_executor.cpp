#include "runtime/executor/dry_executor.h"

#include <cstring>

namespace tacit::runtime {

void dry_executor::add_buffer(tasks::buffer_id number, const detail::buffer_description& what) {
  const std::lock_guard lock(mutex_);
  element_bytes_[number] = what.element_bytes;
}

void dry_executor::add(std::shared_ptr<task_body> body, std::vector<tasks::command>& commands) {
  const std::vector<tasks::command> taken = std::exchange(commands, {});
  const std::lock_guard lock(mutex_);
  ++planned_;
  room_.notify_all();
  if (failure_ && body->failed)
    return std::exchange(body->failed, nullptr)(std::make_exception_ptr(task_error(*failure_)));
  if (body->done)
    waiting_[body->id] = std::move(body);
  for (const tasks::command& c : taken) {
    if (failure_)
      return;
    const auto bytes = [&](tasks::buffer_id b) { return element_bytes_.at(b); };
    summary_.add(c, me_, bytes);
    if (c.kind == tasks::command_kind::fence || c.kind == tasks::command_kind::epoch)
      finish(c);
  }
}

void dry_executor::finish(const tasks::command& c) {
  const auto found = waiting_.find(c.task);
  if (found == waiting_.end())
    return;
  const std::shared_ptr<task_body> body = std::move(found->second);
  waiting_.erase(found);
  if (c.kind == tasks::command_kind::fence && !body->what->accesses.empty())
    fill_with_zeros(*body);
  body->failed = nullptr;
  std::exchange(body->done, nullptr)();
}

/// A fence names a box of its buffer, whatever the chunk.
void dry_executor::fill_with_zeros(const task_body& fence) const {
  const tasks::access& a = fence.what->accesses[0];
  const tasks::box one = tasks::box_of(tasks::range{});
  const tasks::region what = image(a.how, one, one, {});
  std::memset(fence.into, 0, static_cast<std::size_t>(what.volume()) * element_bytes_.at(a.buffer));
}

void dry_executor::wait_for_room(std::size_t most) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return submitted_ - planned_ < most || failure_; });
  ++submitted_;
}

std::size_t dry_executor::open_tasks() const {
  const std::lock_guard lock(mutex_);
  return submitted_ - planned_;
}

void dry_executor::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failure_)
    return;
  failure_ = why;
  room_.notify_all();
  for (auto& [id, body] : std::exchange(waiting_, {}))
    if (body->failed)
      std::exchange(body->failed, nullptr)(std::make_exception_ptr(task_error(why)));
}

std::optional<std::string> dry_executor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

tasks::plan_summary dry_executor::summary() const {
  const std::lock_guard lock(mutex_);
  return summary_;
}

} // namespace tacit::runtime
