// Explaining: one remark for every decision (decide.h), in the words of vocabulary/calls/remarks.def, with a
// reason code for every "no"; and the WaitGraph.
#pragma once

#include "compiler/pass/decide.h"
#include "compiler/pass/wait_graph.h"

namespace tacit::compiler {

/// Keeps a remark on what becomes of a site, or what could: to be called while its call is there.
void explain(const decision& made, remark_book& remarks, const options& options);
/// Says that a message is posted earlier, and how many instructions run meanwhile.
void explain_hoisted(const mpi_site& post, std::uint64_t window, remark_book& remarks,
                     const options& options);
/// Adds the site, what it completes, and what its completion has to stand before.
void draw(const decision& made, wait_graph& graph);

} // namespace tacit::compiler
