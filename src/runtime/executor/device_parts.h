// A rank's chunk in parts for its devices, and what each part touches.
#pragma once

#include "tasks/stream/stream.h"

#include <functional>

namespace tacit::runtime {

/// One part for each device: the chunk's first dimension as evenly as the task allows. Parts behind the last are empty.
std::vector<tasks::box> parts_for_devices(const tasks::task& what, const tasks::box& chunk, int devices);

/// By access, inside of the buffers: `extent` is that of a buffer.
std::vector<tasks::region> touched_by(const tasks::task& what, const tasks::box& chunk,
                                      const std::function<tasks::range(tasks::buffer_id)>& extent);

} // namespace tacit::runtime
