// Posting messages earlier: MPI_Isend, MPI_Issend, MPI_Irecv and MPI_Start move up as far as they may.
#pragma once

#include "compiler/pass/overlap.h"

namespace tacit::compiler {

/// Moves the posts of the function up where at least `options.min_window` instructions run meanwhile, with a
/// remark for each (a possibility, if `options` only asks for a report; to be called on a copy then). The
/// control-flow graph stays. Returns true if it moved one.
bool hoist_posts(function_context& context, effects& effects, const options& options);

} // namespace tacit::compiler
