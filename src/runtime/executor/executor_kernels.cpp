// Kernels and host tasks: a chunk in parts for the devices, memory that holds what they read, launches, results.
#include "runtime/executor/executor.h"

#include "runtime/executor/access_error.h"
#include "runtime/executor/device_parts.h"
#include "runtime/executor/error_text.h"
#include "runtime/executor/shapes.h"
#include "tasks/stream/check.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {

/// What one device, or the host, runs.
struct executor::execution_part {
  int device = -1; ///< -1: the host
  memory_number memory = host_memory;
  tasks::box chunk;
  std::shared_ptr<const std::vector<tasks::region>> touches; ///< by access
  std::vector<std::vector<std::byte>> results;
};

struct executor::execution {
  std::vector<execution_part> parts;
  std::size_t left = 1; ///< copies that have to arrive, then parts that have to end
};

/// The chunk in parts for the devices, each with what its accesses touch.
void executor::find_parts(running& r) const {
  if (!r.work)
    r.work = std::make_shared<execution>();
  execution& e = *r.work;
  e.parts.clear();
  e.left = 1;
  const tasks::task& what = *r.body->what;
  const bool kernel = what.kind == tasks::task_kind::kernel;
  const auto add = [&](int device, const tasks::box& chunk,
                       std::shared_ptr<const std::vector<tasks::region>> touches) {
    execution_part& p = e.parts.emplace_back();
    p.device = kernel ? device : -1;
    p.memory = kernel ? on_->memory_of(device) : host_memory;
    p.chunk = chunk;
    p.touches = std::move(touches);
    for (const detail::reduction& reduction : r.body->group.reductions)
      p.results.emplace_back(reduction.elements * reduction.element_bytes);
  };
  if (!kernel || on_->devices() == 1)
    return add(0, r.command.chunk, r.command.touches);
  const std::vector<tasks::box> chunks = parts_for_devices(what, r.command.chunk, on_->devices());
  const auto extent = [this](tasks::buffer_id b) { return to_range(buffer(b).range()); };
  for (int d = 0; d < on_->devices(); ++d)
    if (const tasks::box& chunk = chunks[static_cast<std::size_t>(d)]; !chunk.empty())
      add(d, chunk, std::make_shared<const std::vector<tasks::region>>(touched_by(what, chunk, extent)));
}

std::string executor::name_of_buffer(tasks::buffer_id number) const {
  tasks::buffer named;
  if (const auto found = names_.find(number); found != names_.end())
    named.name = found->second;
  return tasks::name_of(number, named);
}

/// What two devices of this rank would both write, which of them last nobody could say; empty if there is no such thing. The
/// planner looks at ranks only.
std::string executor::written_twice(const running& r) const {
  const execution& e = *r.work;
  const std::vector<tasks::access>& accesses = r.body->what->accesses;
  const auto common = [&](const execution_part& p, const execution_part& q) -> std::string {
    for (std::size_t a = 0; a < accesses.size(); ++a)
      for (std::size_t b = 0; b < accesses.size(); ++b)
        if (accesses[a].buffer == accesses[b].buffer && writes(accesses[a].mode) && writes(accesses[b].mode))
          if (const tasks::region both = intersection((*p.touches)[a], (*q.touches)[b]); !both.empty())
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
  find_parts(r);
  execution& e = *r.work;
  if (const std::string twice = written_twice(r); !twice.empty())
    return end(fmt::format("rank {}: {}: {}", rank_, name_of(*r.body), twice), true);
  const task_function one = [this, id = r.command.id] {
    if (--find(id)->work->left == 0)
      launch(id);
  };
  const std::vector<tasks::access>& accesses = r.body->what->accesses;
  for (const execution_part& p : e.parts)
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      if (reads(accesses[a].mode))
        e.left += buffer(accesses[a].buffer).bring(p.memory, (*p.touches)[a], one);
      if (writes(accesses[a].mode))
        e.left += buffer(accesses[a].buffer).quiet((*p.touches)[a], one);
    }
  for (const detail::reduction& reduction : r.body->group.reductions)
    if (includes_current(reduction, r)) {
      local_buffer& into = buffer(static_cast<tasks::buffer_id>(reduction.buffer));
      e.left += into.bring(host_memory, tasks::region(to_box(into.whole())), one);
    }
  one();
}

std::string executor::what_failed(const task_body& body, const std::exception_ptr& error) const {
  const std::vector<tasks::access>& accesses = body.what->accesses;
  std::string what = text_of(error);
  try {
    std::rethrow_exception(error);
  } catch (const access_error& outside) {
    if (outside.accessor < accesses.size())
      what = name_of_buffer(accesses[outside.accessor].buffer) + " " + what;
  } catch (...) { // text_of() has it
  }
  return fmt::format("rank {}: {}: {}", rank_, name_of(body), what);
}

void executor::launch(tasks::command_id id) {
  if (failure_)
    return;
  const running& r = *find(id);
  r.work->left = r.work->parts.size();
  for (execution_part& p : r.work->parts) {
    std::vector<detail::allocation> memory;
    memory.reserve(p.touches->size());
    for (std::size_t a = 0; a < p.touches->size(); ++a) {
      const tasks::access& access = r.body->what->accesses[a];
      memory.push_back(buffer(access.buffer).in(p.memory));
      memory.back().accessed = to_index_box((*p.touches)[a].hull());
      if (writes(access.mode))
        buffer(access.buffer).written(p.memory, (*p.touches)[a]);
    }
    if (p.device >= 0)
      start_kernel(r, p, std::move(memory));
    else
      start_on_host(r, p, std::move(memory));
  }
}

void executor::start_kernel(const running& r, execution_part& p, std::vector<detail::allocation> memory) {
  kernel_launch what;
  what.what = &r.body->group;
  what.items = to_index_box(p.chunk);
  what.accesses = std::move(memory);
  for (auto& result : p.results)
    what.results.push_back(result.data());
  const tasks::command_id id = r.command.id;
  if (std::exception_ptr error; on_->run_if_short(p.device, what, error))
    ended_.push_back({id, error}); // and not at once: what comes next may be over as soon, and so on
  else if (on_->prefers_run())
    kernels_.push_back({p.device, std::move(what), when_part_ended(id)});
  else
    on_->launch(p.device, std::move(what), when_part_ended(id));
}

void executor::start_on_host(const running& r, const execution_part& p,
                             std::vector<detail::allocation> memory) {
  const bool collective = r.body->what->kind == tasks::task_kind::collective_host;
  const auto group = collective ? groups_.find(r.body->what->collective_group) : groups_.end();
  const MPI_Comm communicator = group != groups_.end() ? group->second.first : MPI_COMM_NULL;
  auto work = [body = r.body, communicator, items = to_index_box(p.chunk), memory = std::move(memory)] {
    const detail::placement where{memory.data(), memory.size(), nullptr};
    body->group.host({&where, items, communicator});
  };
  const when_done done = when_part_ended(r.command.id);
  if (group == groups_.end())
    return on_->run_on_host(std::move(work), done);
  group->second.second->post([work = std::move(work), done] { done(error_of(work)); });
}

when_done executor::when_part_ended(tasks::command_id id) {
  return back_here([this, id](const std::exception_ptr& error) { part_ended(id, error); });
}

void executor::part_ended(tasks::command_id id, const std::exception_ptr& error) {
  running& r = *find(id);
  if (error)
    return end(what_failed(*r.body, error), true);
  if (--r.work->left == 0)
    finish(r);
}

/// Combines what the devices have contributed to reductions, in their order; before it what the buffer held, at the first chunk.
void executor::finish(running& r) {
  execution& e = *r.work;
  const auto& reductions = r.body->group.reductions;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const detail::reduction& how = reductions[i];
    const auto into = static_cast<tasks::buffer_id>(how.buffer);
    partial_result mine;
    mine.of = r.body;
    mine.how = &how;
    if (includes_current(how, r)) {
      mine.bytes.resize(how.elements * how.element_bytes);
      pack(tasks::region(to_box(buffer(into).whole())), buffer(into).in(host_memory), how.element_bytes,
           mine.bytes.data());
    } else {
      mine.bytes = std::move(e.parts[0].results[i]);
    }
    for (std::size_t p = includes_current(how, r) ? 0 : 1; p < e.parts.size(); ++p)
      how.combine(mine.bytes.data(), e.parts[p].results[i].data(), how.elements);
    reductions_[into][r.body->id].mine = std::move(mine);
  }
  e.parts.clear();
  complete(r.command.id);
}

bool executor::includes_current(const detail::reduction& how, const running& r) {
  return how.include_current && r.work->parts[0].chunk.min() == r.body->what->shape.global.min();
}

} // namespace tacit::runtime
