// The pass list: graph in, schedule out. Read compile.cpp first; it is the program.
#pragma once

#include "graphs/described/find_described.h"
#include "graphs/detect/detect.h"
#include "graphs/detect/reductions.h"
#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/match/match.h"
#include "graphs/plan/plan.h"
#include "vocabulary/base/diagnostic.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::graphs {

struct pass_time {
  std::string_view name;
  double seconds = 0;
};

struct compile_options {
  flow_options flow;
  detect_options detection{.subgroups = true};
  plan_options planning;
  bool make_plan = true; ///< false: analysis only
  bool check_races = true;
  /// Passes switched off by name: "detect", "races", "rendezvous", "reductions", "replace", "validate",
  /// "stages".
  std::vector<std::string> disabled;
  std::vector<described_pattern> described;            ///< patterns of the user's own to look for
  std::function<void(std::string_view pass)> progress; ///< called before each pass, if set
};

/// What one stage of a graph means by itself (stages.h).
struct stage {
  findings found;
  bool as_written = false;
  reason why_as_written = reason::none;
  std::string detail;
};

struct staged {
  std::vector<stage> stages; ///< none: the graph has no stages
  plan schedule;             ///< one after the other; without ranks if nothing is replaced in any
  /// If the graph has computations, and some reduction of `schedule` keeps its order: the same, with these as written. It needs no comparison
  /// with the whole graph.
  plan without_order;
  std::string why_not;          ///< some rank ends a stage, but the graph has none
  bool at_computations = false; ///< computations end stages
};

/// All products of the passes. If `problems` has errors, the products after the failing pass are empty.
struct compilation {
  diagnostics problems;
  matching matched;
  run_order order;
  transfers moved;
  std::optional<transfers> apart; ///< the same, if the graph has computations: what they concern is kept
  combining combined;             ///< collectives among the reductions
  findings found;                 ///< those, too; slices are of `moves()`
  described_findings described;   ///< patterns of the user's own; they are not replaced
  plan schedule;
  staged in_stages;
  /// Groups of findings and steps that no communicator of the graph has. Whoever reads those adds them to the graph first: with_groups.
  std::vector<communicator> groups;
  std::vector<pass_time> times;

  /// The transfers that may be replaced, and what is kept beside them, all reductions among that.
  const transfers& uncombined() const { return apart ? *apart : moved; }
  /// Likewise without reductions that collectives stand for.
  const transfers& moves() const { return combined.any ? combined.rest : uncombined(); }
};

compilation compile(const graph& g, const compile_options& options = {});

// The same in two parts.

/// The passes up to the races: all that can be wrong with a graph. If nothing is, it can run as written.
compilation check_graph(const graph& g, const compile_options& options = {});
/// The passes after that, on what `check_graph` has returned for the same graph and options.
compilation find_meaning(const graph& g, compilation checked, const compile_options& options = {});

} // namespace tacit::graphs
