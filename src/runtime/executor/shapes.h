// Boxes, mappers and modes of the public headers in the words of src/tasks.
#pragma once

#include "tasks/mapper/mapper.h"
#include "tasks/stream/stream.h"

#include <tacit/tasks/library.hpp>

namespace tacit::runtime {

tasks::box to_box(const detail::index_box& from);
detail::index_box to_index_box(const tasks::box& from);
tasks::range to_range(const detail::extents& from);
tasks::access_mode to_mode(access_mode from);
/// `kernel_dims`: of the task that has the access; `buffer`: how large what is accessed is.
tasks::mapper to_mapper(const detail::mapper& from, int kernel_dims);

} // namespace tacit::runtime
