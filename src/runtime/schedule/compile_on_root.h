// What rank 0 does alone: it joins the parts of all ranks, compiles the graph and cuts the result into parts
// again.
#pragma once

#include "graphs/choice/choose.h"
#include "graphs/compile/compile.h"
#include "graphs/part/facts.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/wire.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tacit::runtime {

struct compiled_graph {
  joined_graph all;
  graphs::compilation products;
  explanation why;
  std::string driver; ///< that was asked for; empty: none
  graphs::choice chosen;
  bool of_finalists = false; ///< several variants are such (choose.h), and not what was asked to be measured
  measurement_name measured_as;
};

/// A graph of which it is known that nothing is wrong with it, but not yet what it means.
struct checked_graph {
  joined_graph all;
  graphs::compilation products;
  compile_request wanted;
  graphs::choice_request where; ///< what the ranks are and what communication costs among them
  diagnostics notes;
  measurement_name measured_as; ///< if variants are to be measured
};

/// Throws call_error: `graph`, with all that is wrong, if the parts do not fit together. A part is given free
/// as soon as it has been read.
checked_graph check_parts(std::vector<message> parts, const compile_request& wanted);
/// What it means and what is best done instead. Calls nothing of MPI; `go_on`, if it is not null, is called before each pass and may
/// throw. Throws call_error if what was asked for by name is not there.
compiled_graph find_meaning(checked_graph graph, std::function<void()> go_on = nullptr);

/// What scatter_by_tree takes: the explanation, and what each rank has to know.
std::vector<message> told_to_all(const compiled_graph& compiled);
/// All of it: what each rank has to know of the graph that the parts make. Graphs that are one collective as affine runs are not joined
/// (compile_runs.h).
std::vector<message> compile_and_tell(std::vector<message> parts, const compile_request& wanted);
/// The same of a graph that runs as written while it is found out what it means.
std::vector<message> told_meanwhile(checked_graph& graph);

/// The same for what remains of a graph of this size: each part has its communicators, what it gets from others, and a copy of what moves
/// within it. Nothing if not all that can be said of the graph can be said of that.
std::optional<compiled_graph> compile_remaining(std::vector<message> parts, const compile_request& wanted,
                                                const graph_size& whole);

/// How a collective is to be carried out that all ranks have found without their graph: the first variant, or whichever turns out to be the
/// fastest of them.
struct chosen_variants {
  std::vector<std::string> plans;        ///< their names (choose.h), that of the first variant first
  std::vector<program_variant> variants; ///< `candidate` is one of `plans`
  bool crowded = false;                  ///< ranks share cores
  explanation why;
};

/// Compares variants of the collective, by a graph that stands for the one that the ranks have, with so many operations and transfers;
/// nothing if that graph's plan is not this collective.
std::optional<chosen_variants> choose_for(const graphs::part_finding& what, std::uint64_t operations,
                                          std::uint64_t transfers, const std::vector<rank_facts>& ranks,
                                          const compile_request& wanted);

} // namespace tacit::runtime
