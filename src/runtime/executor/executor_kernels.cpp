// Kernels and host tasks: a chunk in parts for the devices, memory that holds what they read, launches, results.
#include "runtime/executor/executor.h"

#include "runtime/executor/access_error.h"
#include "runtime/executor/error_text.h"
#include "runtime/executor/shapes.h"
#include "tasks/layout/split.h"
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
  tasks::command_id id;
  std::shared_ptr<task_body> body;
  std::vector<execution_part> parts;
  std::size_t left = 1; ///< copies that have to arrive, then parts that have to end
};

/// What a part of a rank's chunk touches, by access.
std::vector<tasks::region> executor::touched_by(const tasks::box& chunk, const tasks::task& what) const {
  std::vector<tasks::region> out;
  for (const tasks::access& a : what.accesses) {
    const tasks::range extent = to_range(buffers_.at(a.buffer)->range());
    out.push_back(
        intersection(image(a.how, chunk, what.shape.global, extent), tasks::region(tasks::box_of(extent))));
  }
  return out;
}

/// The chunk in parts for the devices, each with what its accesses touch.
std::shared_ptr<executor::execution> executor::parts_of(const running& r) const {
  auto e = std::make_shared<execution>();
  e->id = r.command.id;
  e->body = r.body;
  const tasks::task& what = r.body->what;
  const bool kernel = what.kind == tasks::task_kind::kernel;
  const auto add = [&](int device, const tasks::box& chunk,
                       std::shared_ptr<const std::vector<tasks::region>> touches) {
    execution_part p;
    p.device = kernel ? device : -1;
    p.memory = kernel ? on_->memory_of(device) : host_memory;
    p.chunk = chunk;
    p.touches = std::move(touches);
    for (const detail::reduction& reduction : r.body->group.reductions)
      p.results.emplace_back(reduction.elements * reduction.element_bytes);
    e->parts.push_back(std::move(p));
  };
  if (!kernel || on_->devices() == 1) {
    add(0, r.command.chunk, r.command.touches);
    return e;
  }
  tasks::geometry here = what.shape;
  here.global = r.command.chunk;
  here.split = tasks::split_rule::one_dim;
  here.weights.clear();
  const tasks::split chunks = make_split(here, static_cast<std::uint32_t>(on_->devices()));
  for (int d = 0; d < on_->devices(); ++d)
    if (const tasks::box chunk = chunks.chunk(static_cast<std::uint32_t>(d)); !chunk.empty())
      add(d, chunk, std::make_shared<const std::vector<tasks::region>>(touched_by(chunk, what)));
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
  const auto e = parts_of(r);
  if (const std::string twice = written_twice(*e); !twice.empty())
    return end(fmt::format("rank {}: {}: {}", rank_, name_of(e->body->what), twice), true);
  const task_function one = [this, e] {
    if (--e->left == 0)
      launch(e);
  };
  const std::vector<tasks::access>& accesses = e->body->what.accesses;
  for (const execution_part& p : e->parts)
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      if (reads(accesses[a].mode))
        e->left += buffer(accesses[a].buffer).bring(p.memory, (*p.touches)[a], one);
      if (writes(accesses[a].mode))
        e->left += buffer(accesses[a].buffer).quiet((*p.touches)[a], one);
    }
  for (const detail::reduction& reduction : e->body->group.reductions)
    if (includes_current(reduction, *e)) {
      local_buffer& into = buffer(static_cast<tasks::buffer_id>(reduction.buffer));
      e->left += into.bring(host_memory, tasks::region(to_box(into.whole())), one);
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
    for (std::size_t a = 0; a < p.touches->size(); ++a) {
      const tasks::access& access = e->body->what.accesses[a];
      memory.push_back(buffer(access.buffer).in(p.memory));
      memory.back().accessed = to_index_box((*p.touches)[a].hull());
      if (writes(access.mode))
        buffer(access.buffer).written(p.memory, (*p.touches)[a]);
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

} // namespace tacit::runtime
