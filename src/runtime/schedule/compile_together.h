// From the parts of all ranks to one schedule. Read compile_together.cpp first; it is the list of what
// happens.
#pragma once

#include "runtime/schedule/graph_builder.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/schedule.h"
#include "vocabulary/base/function_ref.h"

#include <memory>

namespace tacit::runtime {

/// Compiles the parts that all ranks of the graph's communicator have built. Collective, blocks. What a rank
/// fails with, all ranks throw (call_error). `arguments` gives this rank's options, of which those of rank 0
/// count; it may throw what is wrong on this rank already, so that the others learn of it. `function` is what
/// the user has called, for errors. The graph stays as it is, and neither it nor its communicator is needed
/// afterwards.
std::unique_ptr<schedule> compile_together(const graph_builder& part, const char* function,
                                           function_ref<compile_request()> arguments);

} // namespace tacit::runtime
