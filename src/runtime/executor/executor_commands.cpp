// Commands of a rank: started when those before them are complete, until they complete themselves.
#include "runtime/executor/executor.h"

#include "runtime/executor/error_text.h"
#include "runtime/executor/shapes.h"
#include "runtime/mpi/mpi_error.h"
#include "tasks/stream/check.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {

void executor::receive(delivery&& d) {
  if (const tasks::task_id number = d.body->id; number >= first_body_) { // else one that could not be planned
    bodies_.resize(index(number) - index(first_body_) + 1);
    bodies_.back() = d.body;
  }
  for (const tasks::reduction& reduction : d.body->what->reductions)
    reductions_[reduction.buffer][d.body->id].body = d.body;
  for (tasks::command& c : d.commands)
    if (!failure_)
      receive(std::move(c));
  if (failure_ && d.body->failed)
    std::exchange(d.body->failed, nullptr)(std::make_exception_ptr(task_error(*failure_)));
}

void executor::receive(tasks::command&& c) {
  using kind = tasks::command_kind;
  const std::shared_ptr<task_body> body = body_of(c.task);
  if (body && (c.kind == kind::execute || c.kind == kind::fence) && tasks_since_.size() < watch::longest_text)
    (tasks_since_ += tasks_since_.empty() ? "" : ", ") += name_of(*body);
  // Each comparison is a collective. Tasks are numbered alike on all ranks; which of them have commands here is this rank's affair.
  constexpr std::uint64_t tasks_between = 16;
  const auto task = static_cast<std::uint64_t>(c.task);
  if (c.kind == kind::epoch || c.kind == kind::fence ||
      (c.kind == kind::horizon && task >= last_compared_ + tasks_between)) {
    last_compared_ = task;
    if (c.kind == kind::epoch)
      tasks_since_ += (tasks_since_.empty() ? "" : ", ") + (body ? body->what->name : "wait");
    watch_.compare(task, c.stream_hash, tasks_since_);
    tasks_since_.clear();
    note_comparisons();
  }
  if (index(c.id) != first_running_ + running_.size())
    throw std::logic_error("commands are not numbered as they come");
  running& r = *running_.emplace_back(fresh());
  for (const tasks::command_id before : c.after)
    if (running* other = find(before); other && other != &r) {
      other->next.push_back(c.id);
      ++r.waits;
    }
  r.body = body;
  if (c.kind == kind::collective)
    exchanges_.expect(c.id);
  if (c.kind == kind::push)
    r.tag = next_tag(sent_, c);
  if (c.kind == kind::await_push)
    r.tag = next_tag(awaited_, c);
  r.command = std::move(c);
  if (r.waits == 0)
    start(r);
}

void executor::start(running& r) {
  using kind = tasks::command_kind;
  const tasks::command_id id = r.command.id;
  switch (r.command.kind) {
  case kind::execute:
    return execute(r);
  case kind::push:
    return push(r);
  case kind::await_push:
    return await_push(r);
  case kind::fence:
    return fence(r);
  case kind::collective:
    return exchanges_.start(&r.command, partial_of(r.command), [this, id] { complete(id); });
  case kind::epoch:
  case kind::horizon:
    return epoch(r);
  }
}

/// Null: it has none, or is of no use any more.
std::shared_ptr<task_body> executor::body_of(tasks::task_id task) const {
  const bool known = task >= first_body_ && index(task) - index(first_body_) < bodies_.size();
  return known ? bodies_[index(task) - index(first_body_)] : nullptr;
}

std::unique_ptr<executor::running> executor::fresh() {
  if (spare_.empty())
    return std::make_unique<running>();
  auto out = std::move(spare_.back());
  spare_.pop_back();
  return out;
}

/// Null: it is complete.
executor::running* executor::find(tasks::command_id id) {
  return index(id) < first_running_ ? nullptr : running_[index(id) - first_running_].get();
}

void executor::complete(tasks::command_id id) {
  constexpr std::size_t most_spare = 1024; // some 500 bytes each; a program that runs ahead has as many
  std::unique_ptr<running> done = std::move(running_[index(id) - first_running_]);
  for (; !running_.empty() && !running_.front(); ++first_running_)
    running_.pop_front();
  for (const tasks::command_id n : done->next)
    if (running& r = *find(n); --r.waits == 0 && !failure_)
      start(r);
  if (spare_.size() >= most_spare)
    return;
  done->command = {};
  done->body = nullptr;
  done->next.clear();
  spare_.push_back(std::move(done));
}

/// Runs `then` when the function was called as often as `*left` says.
task_function executor::counted(std::shared_ptr<std::size_t> left, task_function then) {
  return [left = std::move(left), then = std::move(then)] {
    if (--*left == 0)
      then();
  };
}

when_done executor::back_here(std::function<void(std::exception_ptr)> then) {
  ++elsewhere_;
  return [this, then = std::move(then)](const std::exception_ptr& error) {
    post([then, error] { then(error); });
    --elsewhere_;
  };
}

/// What this rank contributes. Of a rank without a chunk that is what changes nothing.
std::optional<partial_result> executor::partial_of(const tasks::command& c) {
  const tasks::collective& x = *c.exchange;
  if (!reduces(x.kind))
    return std::nullopt;
  const tasks::buffer_id into = x.parts.at(0).buffer;
  auto& known = reductions_[into].at(c.partials_of);
  if (known.mine)
    return known.mine;
  partial_result nothing;
  nothing.of = known.body;
  nothing.how = &reduction_into(*known.body, into);
  nothing.bytes.resize(nothing.how->elements * nothing.how->element_bytes);
  nothing.how->fill_with_identity(nothing.bytes.data(), nothing.how->elements);
  return nothing;
}

const detail::reduction& executor::reduction_into(const task_body& body, tasks::buffer_id into) {
  for (const detail::reduction& r : body.group.reductions)
    if (static_cast<tasks::buffer_id>(r.buffer) == into)
      return r;
  throw std::logic_error("a task has no such reduction");
}

void executor::push(running& r) {
  const tasks::command& c = r.command;
  const auto left = std::make_shared<std::size_t>(1);
  const tasks::command_id id = c.id;
  const task_function one = counted(left, [this, id] {
    const tasks::command& sending = find(id)->command;
    local_buffer& from = buffer(sending.buffer);
    const detail::allocation& memory = from.in(host_memory);
    const std::size_t size = bytes_of(sending.what, from.element_bytes());
    const std::byte* bytes = contiguous(sending.what, memory, from.element_bytes());
    std::shared_ptr<std::vector<std::byte>> packed;
    if (!bytes) {
      packed = std::make_shared<std::vector<std::byte>>(size);
      pack(sending.what, memory, from.element_bytes(), packed->data());
      bytes = packed->data();
    }
    send_bytes_to(requests_, bytes, size, static_cast<int>(sending.peer), find(id)->tag, messages_.comm(),
                  [this, id, packed] { complete(id); });
  });
  *left += buffer(c.buffer).bring(host_memory, c.what, one);
  one();
}

void executor::await_push(running& r) {
  const tasks::command& c = r.command;
  const auto left = std::make_shared<std::size_t>(1);
  const tasks::command_id id = c.id;
  const task_function one = counted(left, [this, id] {
    const tasks::command& receiving = find(id)->command;
    local_buffer& into = buffer(receiving.buffer);
    const detail::allocation& memory = into.in(host_memory);
    const std::size_t size = bytes_of(receiving.what, into.element_bytes());
    std::byte* bytes = contiguous(receiving.what, memory, into.element_bytes());
    std::shared_ptr<std::vector<std::byte>> packed;
    if (!bytes) {
      packed = std::make_shared<std::vector<std::byte>>(size);
      bytes = packed->data();
    }
    receive_bytes_from(requests_, bytes, size, static_cast<int>(receiving.peer), find(id)->tag,
                       messages_.comm(), [this, id, packed] {
                         const tasks::command& received = find(id)->command;
                         local_buffer& there = buffer(received.buffer);
                         if (packed)
                           unpack(received.what, packed->data(), there.in(host_memory),
                                  there.element_bytes());
                         there.written(host_memory, received.what);
                         complete(id);
                       });
  });
  *left += buffer(c.buffer).quiet(c.what, one);
  one();
}

/// Both sides number the messages between two ranks in the order of their transfers, so that tags repeat only after all of them.
int executor::next_tag(std::map<tasks::rank_id, messages_so_far>& with, const tasks::command& c) const {
  messages_so_far& before = with[c.peer];
  if (before.count > 0 && c.transfer <= before.last)
    throw std::logic_error("messages between two ranks do not come in the order of their transfers");
  before.last = c.transfer;
  return static_cast<int>(before.count++ % static_cast<std::uint64_t>(most_tags_));
}

void executor::fence(running& r) {
  const tasks::command_id id = r.command.id;
  const std::shared_ptr<task_body> body = r.body;
  if (body->what->accesses.empty()) { // of a host object
    finish_waiting(*body);
    return complete(id);
  }
  const tasks::access& a = body->what->accesses[0];
  local_buffer& from = buffer(a.buffer);
  const tasks::region what = r.command.touches->at(0);
  const auto left = std::make_shared<std::size_t>(1);
  const task_function one = counted(left, [this, id, body, what, &from] {
    const when_done done = back_here([this, id, body](const std::exception_ptr& error) {
      if (error)
        return end(fmt::format("rank {}: {}: {}", rank_, name_of(*body), text_of(error)), true);
      finish_waiting(*body);
      complete(id);
    });
    on_->run_on_host(
        [body, what, memory = from.in(host_memory), bytes = from.element_bytes()] {
          pack(what, memory, bytes, static_cast<std::byte*>(body->into));
        },
        done);
  });
  *left += from.bring(host_memory, what, one);
  one();
}

void executor::finish_waiting(task_body& body) {
  body.failed = nullptr;
  if (body.done)
    std::exchange(body.done, nullptr)();
}

void executor::epoch(running& r) {
  const tasks::command_id id = r.command.id;
  const std::shared_ptr<task_body> body = r.body;
  const tasks::task_id task = r.command.task;
  const auto pass = [this, id, body, task] {
    forget_before(task);
    if (body)
      finish_waiting(*body);
    complete(id);
  };
  if (!body || !body->all_ranks || size_ == 1)
    return pass();
  const auto start = [this] {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(barriers_.comm(), &request), "MPI_Ibarrier");
    return request;
  };
  requests_.add(start, [pass](const MPI_Status&) { pass(); });
}

/// Frees what only tasks before this one can use: all of them are complete.
void executor::forget_before(tasks::task_id task) {
  {
    const std::lock_guard lock(mutex_);
    for (; !bodies_.empty() && first_body_ < task;
         bodies_.pop_front(), first_body_ = tasks::task_id{index(first_body_) + 1})
      if (bodies_.front()) {
        --kept_;
        done_bodies_.push_back(std::move(bodies_.front()));
      }
  }
  first_body_ = std::max(first_body_, task);
  room_.notify_one();
  for (auto& [into, of] : reductions_) // of those before, the last one may still have to be combined
    if (const auto after = of.lower_bound(task); after != of.begin())
      of.erase(of.begin(), std::prev(after));
  std::erase_if(dropped_, [&](const auto& d) {
    if (d.second > task || buffer(d.first).busy())
      return false;
    buffers_[index(d.first)] = nullptr;
    names_.erase(d.first);
    reductions_.erase(d.first);
    return true;
  });
}

} // namespace tacit::runtime
