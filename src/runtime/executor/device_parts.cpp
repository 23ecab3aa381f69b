#include "runtime/executor/device_parts.h"

#include "tasks/layout/split.h"

namespace tacit::runtime {

std::vector<tasks::box> parts_for_devices(const tasks::task& what, const tasks::box& chunk, int devices) {
  tasks::geometry here = what.shape;
  here.global = chunk;
  here.split = tasks::split_rule::one_dim;
  here.weights = {};
  const tasks::split chunks = make_split(here, static_cast<std::uint32_t>(devices));
  std::vector<tasks::box> out;
  for (int d = 0; d < devices; ++d)
    out.push_back(chunks.chunk(static_cast<std::uint32_t>(d)));
  return out;
}

std::vector<tasks::region> touched_by(const tasks::task& what, const tasks::box& chunk,
                                      const std::function<tasks::range(tasks::buffer_id)>& extent) {
  std::vector<tasks::region> out;
  for (const tasks::access& a : what.accesses) {
    const tasks::range whole = extent(a.buffer);
    out.push_back(
        intersection(image(a.how, chunk, what.shape.global, whole), tasks::region(tasks::box_of(whole))));
  }
  return out;
}

} // namespace tacit::runtime
