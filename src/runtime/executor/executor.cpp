#include "runtime/executor/executor.h"

#include "runtime/executor/access_error.h"
#include "runtime/executor/shapes.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/mpi/tags.h"
#include "tasks/layout/split.h"
#include "tasks/stream/check.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/prctl.h>

namespace tacit::runtime {

namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::uint64_t key(tasks::command_id id) {
  return static_cast<std::uint64_t>(id);
}

} // namespace

/// What one device, or the host, runs.
struct executor::execution_part {
  int device = -1; ///< -1: the host
  memory_number memory = host_memory;
  tasks::box chunk;
  std::vector<tasks::region> regions; ///< by access
  std::vector<std::vector<std::byte>> results;
};

struct executor::execution {
  tasks::command_id id;
  std::shared_ptr<task_body> body;
  std::vector<execution_part> parts;
  std::size_t left = 0;
};

// --- the thread

executor::executor(MPI_Comm world, std::unique_ptr<backend> on)
    : messages_(private_communicator::like(world)), barriers_(private_communicator::like(world)),
      rank_(rank_in(world)), size_(size_of(world)), most_tags_(highest_tag(world)), on_(std::move(on)),
      watch_(world), exchanges_(world, {[this](tasks::buffer_id b) -> local_buffer& { return buffer(b); },
                                        on_.get(), &requests_}),
      threads_{std::thread([this] { serve(); }), std::thread([this] { serve(); })} {}

executor::~executor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  change_.notify_all();
  for (std::thread& t : threads_)
    t.join();
  groups_.clear();
  while (elsewhere_.load() > 0) // work of the backend that an error has left behind
    std::this_thread::yield();
  if (failure_) { // MPI may still write into what is under way
    requests_.abandon();
    exchanges_.abandon();
    for (auto& [number, b] : buffers_)
      (void)b.release();
  }
}

/// With the lock. Who runs a kernel looks itself when it has ended, and who leads, before it rests.
void executor::wake() {
  if (!leading_ && asleep_ > 0 && in_kernel_ != std::this_thread::get_id())
    change_.notify_one();
}

void executor::post(task_function what) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(what));
  wake();
}

bool executor::run_posted() {
  std::vector<task_function> now;
  std::vector<delivery> tasks;
  {
    const std::lock_guard lock(mutex_);
    now.swap(posted_);
    tasks.swap(delivered_);
  }
  for (const auto& f : now)
    f();
  for (delivery& d : tasks)
    receive(std::move(d));
  return !now.empty() || !tasks.empty();
}

/// What has ended often makes the next thing start and end at once; asking MPI in between may cost the core.
constexpr int rounds_between_messages = 8;

/// After which a thread looks around if nobody leads.
constexpr std::chrono::milliseconds pause_comparing{1}, longest_pause{5};

void executor::serve() {
  // Who offers the core to others while it waits for messages wants it back as soon as it has slept: not 50 us later, the default.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  std::unique_lock lock(mutex_);
  for (;;) {
    take_the_lead(lock);
    lock.unlock();
    std::optional<ready_kernel> kernel = lead();
    lock.lock();
    leading_ = false;
    if (kernel) {
      run_here(lock, std::move(*kernel));
      continue;
    }
    if (stopping_ && !something_posted())
      return change_.notify_all();
    quiet_ = nothing_to_do();
    pause_ = !failure_ && watch_.open() > 0 ? pause_comparing : longest_pause;
    if (quiet_)
      room_.notify_all();
  }
}

/// Waits until there is something for who leads: posted, or, as long as anything is under way, to look for errors of others.
void executor::take_the_lead(std::unique_lock<std::mutex>& lock) {
  const auto wanted = [this] { return !leading_ && (something_posted() || stopping_); };
  ++asleep_;
  while (!wanted())
    if (quiet_) {
      ++rest_until_woken_;
      change_.wait(lock);
      --rest_until_woken_;
    } else if (change_.wait_for(lock, leading_ ? longest_pause : pause_) == std::cv_status::timeout &&
               !leading_)
      break;
  --asleep_;
  leading_ = true;
  quiet_ = false;
}

/// Goes on until there is nothing to do but wait for what other threads post, or a kernel to be run by this one.
std::optional<executor::ready_kernel> executor::lead() {
  for (;;) {
    try {
      bool moved = false;
      for (int i = 0; i < rounds_between_messages && run_posted(); ++i)
        moved = true;
      if (!failure_)
        moved |= requests_.test();
      look_around();
      if (moved) {
        waiting_since_ = 0;
        continue;
      }
      if (auto kernel = next_kernel())
        return kernel;
      if (!poll_on() || is_stopping())
        return std::nullopt;
    } catch (const std::exception& e) {
      end(fmt::format("rank {}: {}", rank_, e.what()), true);
    }
  }
}

bool executor::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

/// Kernels that are ready start elsewhere, but for one, if this thread has nothing better to do.
std::optional<executor::ready_kernel> executor::next_kernel() {
  std::vector<ready_kernel> ready;
  ready.swap(kernels_);
  if (failure_) {
    elsewhere_ -= ready.size(); // they never end
    return std::nullopt;
  }
  if (ready.empty())
    return std::nullopt;
  bool here = requests_.empty();
  if (here) {
    const std::lock_guard lock(mutex_);
    here = !in_kernel_ && !stopping_;
  }
  for (std::size_t i = here ? 1 : 0; i < ready.size(); ++i)
    on_->launch(ready[i].device, std::move(ready[i].what), std::move(ready[i].done));
  if (!here)
    return std::nullopt;
  return std::move(ready[0]);
}

/// Without the lead.
void executor::run_here(std::unique_lock<std::mutex>& lock, ready_kernel&& kernel) {
  in_kernel_ = std::this_thread::get_id();
  if (something_posted() || rest_until_woken_ > 0) // from now on the other one has to look around
    change_.notify_one();
  lock.unlock();
  on_->run(kernel.device, std::move(kernel.what), std::move(kernel.done));
  lock.lock();
  in_kernel_.reset();
}

bool executor::nothing_to_do() const {
  return failure_ || (running_.empty() && requests_.empty() && watch_.open() == 0);
}

/// With messages under way MPI has to be asked again and again; else whoever posts wakes a thread to lead, and one looks around now
/// and then for errors of others as long as anything runs.
bool executor::poll_on() {
  constexpr double before_offering = 20e-6; // as long as a message within a node takes
  const bool messages = !failure_ && !requests_.empty();
  if (messages || (!failure_ && watch_.open() > 0)) {
    const double now = MPI_Wtime();
    if (waiting_since_ == 0)
      waiting_since_ = now;
    if (messages && now - waiting_since_ > before_offering)
      offer_core();
    if (now - waiting_since_ > 1)
      if (const auto ended = watch_.look_for_ended())
        end(*ended, true);
  }
  return messages;
}

/// Now and then: MPI may yield the core whenever it is asked and has nothing to do.
void executor::look_around() {
  constexpr double pause = 1e-3;
  const double now = MPI_Wtime();
  if (failure_ || size_ == 1 || now - looked_ < pause)
    return;
  looked_ = now;
  if (auto problem = watch_.look())
    end(*problem, false);
  note_comparisons();
}

void executor::note_comparisons() {
  const std::lock_guard lock(mutex_);
  if (watch_.open() < compared_)
    room_.notify_all();
  compared_ = watch_.open();
}

void executor::end(const std::string& why, bool tell_others) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_)
      return;
    failure_ = why;
  }
  room_.notify_all();
  if (tell_others)
    watch_.tell(why);
  const auto error = std::make_exception_ptr(task_error(why));
  for (auto& [id, body] : bodies_)
    if (body->failed)
      std::exchange(body->failed, nullptr)(error);
}

std::optional<std::string> executor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// --- what other threads say

void executor::add_buffer(tasks::buffer_id number, const detail::buffer_description& what) {
  auto made = std::make_unique<local_buffer>(
      *on_, what, [this](task_function f) { post(std::move(f)); },
      [this](const std::exception_ptr& e) { end(fmt::format("rank {}: {}", rank_, text_of(e)), true); });
  post([this, number, made = std::make_shared<std::unique_ptr<local_buffer>>(std::move(made))] {
    buffers_[number] = std::move(*made);
  });
}

void executor::name_buffer(tasks::buffer_id number, const std::string& name) {
  post([this, number, name] { names_[number] = name; });
}

void executor::drop_buffer(tasks::buffer_id number, tasks::task_id before) {
  post([this, number, before] { dropped_.emplace_back(number, before); });
}

void executor::add_collective_group(std::uint32_t number, MPI_Comm communicator) {
  post([this, number, communicator] { groups_[number] = {communicator, std::make_unique<serial_thread>()}; });
}

void executor::wait_for_room(std::size_t most) {
  std::unique_lock lock(mutex_);
  constexpr std::size_t most_comparisons =
      256; // each is a nonblocking collective, of which MPI keeps some KiB
  room_.wait(lock, [&] { return (kept_ < most && compared_ < most_comparisons) || failure_; });
  ++kept_;
}

std::size_t executor::open_tasks() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void executor::wait_until_quiet() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return (quiet_ && !leading_ && !something_posted()) || failure_; });
}

/// Tasks that are waited for all come with one wake-up, and those of a long program by the dozen.
void executor::add(std::shared_ptr<task_body> body, std::vector<tasks::command> commands) {
  constexpr std::size_t most_kept = 16;
  const std::lock_guard lock(mutex_);
  delivered_.push_back({std::move(body), std::move(commands)});
  if (delivered_.size() >= most_kept)
    wake();
}

void executor::deliver() {
  const std::lock_guard lock(mutex_);
  if (something_posted())
    wake();
}

void executor::fail(const std::string& why) {
  post([this, why] { end(why, true); });
}

// --- commands

void executor::receive(delivery&& d) {
  bodies_[d.body->what.id] = d.body;
  for (const tasks::reduction& reduction : d.body->what.reductions)
    reductions_[reduction.buffer][d.body->what.id].body = d.body;
  for (tasks::command& c : d.commands)
    if (!failure_)
      receive(std::move(c));
  if (failure_ && d.body->failed)
    std::exchange(d.body->failed, nullptr)(std::make_exception_ptr(task_error(*failure_)));
}

void executor::receive(tasks::command&& c) {
  using kind = tasks::command_kind;
  const auto body = bodies_.find(c.task);
  if (body != bodies_.end() && (c.kind == kind::execute || c.kind == kind::fence) &&
      tasks_since_.size() < 200)
    tasks_since_ += (tasks_since_.empty() ? "" : ", ") + name_of(body->second->what);
  if (c.kind == kind::epoch || c.kind == kind::horizon || c.kind == kind::fence) {
    if (c.kind == kind::epoch)
      tasks_since_ += (tasks_since_.empty() ? "" : ", ") + std::string("wait");
    watch_.compare(static_cast<std::uint64_t>(c.task), c.stream_hash, tasks_since_);
    tasks_since_.clear();
    note_comparisons();
  }
  running& r = running_[key(c.id)];
  for (const tasks::command_id before : c.after)
    if (const auto other = running_.find(key(before)); other != running_.end() && before != c.id) {
      other->second.next.push_back(c.id);
      ++r.waits;
    }
  if (body != bodies_.end())
    r.body = body->second;
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
    return exchanges_.start(r.command, partial_of(r.command), [this, id] { complete(id); });
  case kind::epoch:
  case kind::horizon:
    return epoch(r);
  }
}

void executor::complete(tasks::command_id id) {
  const auto found = running_.find(key(id));
  const std::vector<tasks::command_id> next = std::move(found->second.next);
  running_.erase(found);
  for (const tasks::command_id n : next)
    if (running& r = running_.at(key(n)); --r.waits == 0 && !failure_)
      start(r);
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

/// The chunk in parts for the devices, each with what its accesses touch.
std::shared_ptr<executor::execution> executor::parts_of(const running& r) const {
  auto e = std::make_shared<execution>();
  e->id = r.command.id;
  e->body = r.body;
  const tasks::task& what = r.body->what;
  const bool kernel = what.kind == tasks::task_kind::kernel;
  const int devices = kernel ? on_->devices() : 1;
  tasks::geometry here = what.shape;
  here.global = r.command.chunk;
  here.split = tasks::split_rule::one_dim;
  here.weights.clear();
  const tasks::split chunks = make_split(here, static_cast<std::uint32_t>(devices));
  for (int d = 0; d < devices; ++d) {
    execution_part p;
    p.device = kernel ? d : -1;
    p.memory = kernel ? on_->memory_of(d) : host_memory;
    p.chunk = chunks.chunk(static_cast<std::uint32_t>(d));
    if (p.chunk.empty())
      continue;
    for (const tasks::access& a : what.accesses) {
      const tasks::range extent = to_range(buffers_.at(a.buffer)->range());
      p.regions.push_back(intersection(image(a.how, p.chunk, what.shape.global, extent),
                                       tasks::region(tasks::box_of(extent))));
    }
    for (const detail::reduction& reduction : r.body->group.reductions)
      p.results.emplace_back(reduction.elements * reduction.element_bytes);
    e->parts.push_back(std::move(p));
  }
  return e;
}

std::string executor::name_of_buffer(tasks::buffer_id number) const {
  tasks::buffer named;
  if (const auto found = names_.find(number); found != names_.end())
    named.name = found->second;
  return tasks::name_of(number, named);
}

/// What two devices of this rank would both write, which of them last nobody could say; empty if there is no such thing. The
/// planner looks at ranks only.
std::string executor::written_twice(const execution& e) const {
  const std::vector<tasks::access>& accesses = e.body->what.accesses;
  const auto common = [&](const execution_part& p, const execution_part& q) -> std::string {
    for (std::size_t a = 0; a < accesses.size(); ++a)
      for (std::size_t b = 0; b < accesses.size(); ++b)
        if (accesses[a].buffer == accesses[b].buffer && writes(accesses[a].mode) && writes(accesses[b].mode))
          if (const tasks::region both = intersection(p.regions[a], q.regions[b]); !both.empty())
            return fmt::format(
                "its devices {} and {} both write {} of {}. Write through a mapper that maps disjoint "
                "chunks to disjoint regions",
                p.device, q.device, text_of(both), name_of_buffer(accesses[a].buffer));
    return "";
  };
  for (std::size_t i = 0; i < e.parts.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::string found = common(e.parts[k], e.parts[i]); !found.empty())
        return found;
  return "";
}

void executor::execute(running& r) {
  const auto e = parts_of(r);
  if (const std::string twice = written_twice(*e); !twice.empty())
    return end(fmt::format("rank {}: {}: {}", rank_, name_of(e->body->what), twice), true);
  const auto left = std::make_shared<std::size_t>(1);
  const task_function one = counted(left, [this, e] { launch(e); });
  const std::vector<tasks::access>& accesses = e->body->what.accesses;
  for (const execution_part& p : e->parts)
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      if (reads(accesses[a].mode))
        *left += buffer(accesses[a].buffer).bring(p.memory, p.regions[a], one);
      if (writes(accesses[a].mode))
        *left += buffer(accesses[a].buffer).quiet(p.regions[a], one);
    }
  for (const detail::reduction& reduction : e->body->group.reductions)
    if (includes_current(reduction, *e)) {
      local_buffer& into = buffer(static_cast<tasks::buffer_id>(reduction.buffer));
      *left += into.bring(host_memory, tasks::region(to_box(into.whole())), one);
    }
  one();
}

std::string executor::what_failed(const execution& e, const std::exception_ptr& error) const {
  const tasks::task& task = e.body->what;
  std::string what = text_of(error);
  try {
    std::rethrow_exception(error);
  } catch (const access_error& outside) {
    if (outside.accessor < task.accesses.size())
      what = name_of_buffer(task.accesses[outside.accessor].buffer) + " " + what;
  } catch (...) { // text_of() has it
  }
  return fmt::format("rank {}: {}: {}", rank_, name_of(task), what);
}

void executor::launch(const std::shared_ptr<execution>& e) {
  if (failure_)
    return;
  e->left = e->parts.size();
  for (execution_part& p : e->parts) {
    const when_done done = back_here([this, e](const std::exception_ptr& error) {
      if (error)
        return end(what_failed(*e, error), true);
      if (--e->left == 0)
        finish(*e);
    });
    std::vector<detail::allocation> memory;
    for (std::size_t a = 0; a < p.regions.size(); ++a) {
      const tasks::access& access = e->body->what.accesses[a];
      memory.push_back(buffer(access.buffer).in(p.memory));
      memory.back().accessed = to_index_box(p.regions[a].hull());
      if (writes(access.mode))
        buffer(access.buffer).written(p.memory, p.regions[a]);
    }
    if (p.device >= 0)
      start_kernel(e, p, std::move(memory), done);
    else
      start_on_host(e, p, std::move(memory), done);
  }
}

void executor::start_kernel(const std::shared_ptr<execution>& e, execution_part& p,
                            std::vector<detail::allocation> memory, const when_done& done) {
  kernel_launch what;
  what.what = &e->body->group;
  what.items = to_index_box(p.chunk);
  what.accesses = std::move(memory);
  for (auto& result : p.results)
    what.results.push_back(result.data());
  if (on_->prefers_run(what))
    kernels_.push_back({p.device, std::move(what), done});
  else
    on_->launch(p.device, std::move(what), done);
}

void executor::start_on_host(const std::shared_ptr<execution>& e, const execution_part& p,
                             std::vector<detail::allocation> memory, const when_done& done) {
  const bool collective = e->body->what.kind == tasks::task_kind::collective_host;
  const auto group = collective ? groups_.find(e->body->what.collective_group) : groups_.end();
  const MPI_Comm communicator = group != groups_.end() ? group->second.first : MPI_COMM_NULL;
  auto work = [e, communicator, items = to_index_box(p.chunk), memory = std::move(memory)] {
    const detail::placement where{memory.data(), memory.size(), nullptr};
    e->body->group.host({&where, items, communicator});
  };
  if (group == groups_.end())
    return on_->run_on_host(std::move(work), done);
  group->second.second->post([work = std::move(work), done] { done(error_of(work)); });
}

/// Combines what the devices have contributed to reductions, in their order; before it what the buffer held, at the first chunk.
void executor::finish(execution& e) {
  const auto& reductions = e.body->group.reductions;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const detail::reduction& how = reductions[i];
    const auto into = static_cast<tasks::buffer_id>(how.buffer);
    partial_result mine;
    mine.of = e.body;
    mine.how = &how;
    if (includes_current(how, e)) {
      mine.bytes.resize(how.elements * how.element_bytes);
      pack(tasks::region(to_box(buffer(into).whole())), buffer(into).in(host_memory), how.element_bytes,
           mine.bytes.data());
    } else {
      mine.bytes = std::move(e.parts[0].results[i]);
    }
    for (std::size_t p = includes_current(how, e) ? 0 : 1; p < e.parts.size(); ++p)
      how.combine(mine.bytes.data(), e.parts[p].results[i].data(), how.elements);
    reductions_[into][e.body->what.id].mine = std::move(mine);
  }
  complete(e.id);
}

bool executor::includes_current(const detail::reduction& how, const execution& e) {
  return how.include_current && e.parts[0].chunk.min() == e.body->what.shape.global.min();
}

/// What this rank contributes. Of a rank without a chunk that is what changes nothing.
std::optional<partial_result> executor::partial_of(const tasks::command& c) {
  const tasks::collective& x = *c.exchange;
  if (!reduces(x.kind))
    return std::nullopt;
  const tasks::buffer_id into = x.parts.at(0).buffer;
  auto& known = reductions_[into].at(x.partials_of);
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
    const tasks::command& sending = running_.at(key(id)).command;
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
    send_bytes_to(requests_, bytes, size, static_cast<int>(sending.peer), running_.at(key(id)).tag,
                  messages_.comm(), [this, id, packed] { complete(id); });
  });
  *left += buffer(c.buffer).bring(host_memory, c.what, one);
  one();
}

void executor::await_push(running& r) {
  const tasks::command& c = r.command;
  const auto left = std::make_shared<std::size_t>(1);
  const tasks::command_id id = c.id;
  const task_function one = counted(left, [this, id] {
    const tasks::command& receiving = running_.at(key(id)).command;
    local_buffer& into = buffer(receiving.buffer);
    const detail::allocation& memory = into.in(host_memory);
    const std::size_t size = bytes_of(receiving.what, into.element_bytes());
    std::byte* bytes = contiguous(receiving.what, memory, into.element_bytes());
    std::shared_ptr<std::vector<std::byte>> packed;
    if (!bytes) {
      packed = std::make_shared<std::vector<std::byte>>(size);
      bytes = packed->data();
    }
    receive_bytes_from(requests_, bytes, size, static_cast<int>(receiving.peer), running_.at(key(id)).tag,
                       messages_.comm(), [this, id, packed] {
                         const tasks::command& received = running_.at(key(id)).command;
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
  if (body->what.accesses.empty()) { // of a host object
    finish_waiting(*body);
    return complete(id);
  }
  const tasks::access& a = body->what.accesses[0];
  local_buffer& from = buffer(a.buffer);
  const tasks::region what = image(a.how, r.command.chunk, body->what.shape.global, to_range(from.range()));
  const auto left = std::make_shared<std::size_t>(1);
  const task_function one = counted(left, [this, id, body, what, &from] {
    const when_done done = back_here([this, id, body](const std::exception_ptr& error) {
      if (error)
        return end(fmt::format("rank {}: {}: {}", rank_, name_of(body->what), text_of(error)), true);
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
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(barriers_.comm(), &request), "MPI_Ibarrier");
  requests_.add(request, [pass](const MPI_Status&) { pass(); });
}

/// Frees what only tasks before this one can use: all of them are complete.
void executor::forget_before(tasks::task_id task) {
  const auto end = bodies_.lower_bound(task);
  {
    const std::lock_guard lock(mutex_);
    kept_ -= static_cast<std::size_t>(std::distance(bodies_.begin(), end));
  }
  room_.notify_one();
  bodies_.erase(bodies_.begin(), end);
  for (auto& [into, of] : reductions_) // of those before, the last one may still have to be combined
    if (const auto after = of.lower_bound(task); after != of.begin())
      of.erase(of.begin(), std::prev(after));
  std::erase_if(dropped_, [&](const auto& d) {
    if (d.second > task || buffers_.at(d.first)->busy())
      return false;
    buffers_.erase(d.first);
    names_.erase(d.first);
    reductions_.erase(d.first);
    return true;
  });
}

} // namespace tacit::runtime
