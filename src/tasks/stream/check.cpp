#include "tasks/stream/check.h"

#include <fmt/format.h>

namespace tacit::tasks {
namespace {

region whole_image(const task& t, const access& a, const buffer& b) {
  return image(a.how, t.shape.global, t.shape.global, b.extent);
}

/// What the task misspells, or nothing.
std::string misspelled(const task& t, const by_buffer<region>& buffers) {
  for (int d = 0; d < dimensions; ++d) {
    if (t.shape.global[d].end < t.shape.global[d].begin)
      return "has a negative range";
    if (t.shape.granularity[d] < 1)
      return "has a granularity below one";
  }
  for (const access& a : t.accesses)
    if (!buffers.has(a.buffer))
      return fmt::format("accesses buffer {}, which does not exist", index(a.buffer));
  for (std::size_t i = 0; i < t.reductions.size(); ++i) {
    const reduction& r = t.reductions[i];
    if (!buffers.has(r.buffer))
      return fmt::format("reduces into buffer {}, which does not exist", index(r.buffer));
    for (const access& a : t.accesses)
      if (a.buffer == r.buffer)
        return fmt::format("reduces into buffer {} and accesses it as well", index(r.buffer));
    for (std::size_t k = 0; k < i; ++k)
      if (t.reductions[k].buffer == r.buffer)
        return fmt::format("reduces into buffer {} twice", index(r.buffer));
  }
  return {};
}

} // namespace

std::string name_of(task_id id, const std::string& name) {
  std::string out = "task ";
  out += std::to_string(index(id));
  if (!name.empty())
    out.append(" '").append(name).append("'");
  return out;
}

std::string name_of(const task& t) {
  return name_of(t.id, t.name);
}

std::string name_of(buffer_id id, const buffer& b) {
  return fmt::format("buffer {}{}", index(id), b.name.empty() ? "" : " '" + b.name + "'");
}

diagnostic problem(reason why, std::string message, std::string remedy) {
  diagnostic out;
  out.code = number(why);
  out.message = std::move(message);
  out.remedy = std::move(remedy);
  return out;
}

void stream_checks::add_buffer(const buffer& b) {
  initialized_.add(b.host_initialized ? region(box_of(b.extent)) : region{});
}

bool stream_checks::check_access(const task& t, const access& a, const buffer& b,
                                 diagnostics& problems) const {
  const region touched = whole_image(t, a, b);
  if (const region outside = difference(touched, box_of(b.extent)); !outside.empty()) {
    problems.push_back(
        problem(reason::mapper_outside_buffer,
                fmt::format("{}: mapper {} reaches {} of {}, which has only {}", name_of(t), a.how.name,
                            text_of(outside), name_of(a.buffer, b), text_of(box_of(b.extent))),
                "Shrink the execution range, or clamp in the mapper."));
    return false;
  }
  if (a.mode != access_mode::read && a.mode != access_mode::read_write)
    return true;
  return check_written(t, a.buffer, touched, a.how.name, b, problems);
}

bool stream_checks::check_written(const task& t, buffer_id buffer, const region& read, const std::string& how,
                                  const tasks::buffer& b, diagnostics& problems) const {
  const region& written = initialized_[buffer];
  if (written.contains(read))
    return true;
  problems.push_back(problem(reason::uninitialized_read,
                             fmt::format("{} reads {} of {} through {}, which nobody has written", name_of(t),
                                         text_of(difference(read, written)), name_of(buffer, b), how),
                             "Write it first, or give the buffer initial contents."));
  return false;
}

bool stream_checks::check(const task& t, const std::vector<buffer>& buffers, diagnostics& problems) {
  if (const std::string wrong = misspelled(t, initialized_); !wrong.empty()) {
    problems.push_back(problem(reason::bad_task, name_of(t) + " " + wrong, "Correct the task."));
    return false;
  }
  bool right = true;
  for (const access& a : t.accesses)
    right &= check_access(t, a, buffers[index(a.buffer)], problems);
  for (const reduction& r : t.reductions)
    if (r.include_current)
      right &= check_written(t, r.buffer, box_of(buffers[index(r.buffer)].extent), "include_current",
                             buffers[index(r.buffer)], problems);
  if (!right)
    return false;
  for (const access& a : t.accesses)
    if (region& known = initialized_[a.buffer];
        writes(a.mode) && !known.contains(box_of(buffers[index(a.buffer)].extent)))
      known = union_of(known, whole_image(t, a, buffers[index(a.buffer)]));
  if (!t.shape.global.empty()) // else there is no chunk that would contribute
    for (const reduction& r : t.reductions)
      initialized_[r.buffer] = box_of(buffers[index(r.buffer)].extent);
  return true;
}

} // namespace tacit::tasks
