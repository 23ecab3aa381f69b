// One rank's steps of a plan that all ranks make together, each its own (SEMANTICS 5.5 to 5.8).
#pragma once

#include "graphs/choice/choose.h"
#include "graphs/part/facts.h"
#include "graphs/part/part_run.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// What one rank knows of a collective that it takes part in.
struct own_part {
  const graph& part;
  rank_id self = no_rank;
  std::vector<transfer> gets;     ///< as part_run gives it
  std::vector<taken_bytes> gives; ///< by receiver, which is in `source`
};

/// The same collective with addresses that stand for those of all ranks, as messages from origin to destination: what is compared and
/// chosen for it holds for all graphs with this finding.
graph stand_in(const part_finding& what, std::uint32_t ranks);

/// The steps of `own.self` by the plan of this name (choose.h); nothing if there is no such plan. `where`: the nodes of all ranks, if they
/// are on several.
std::optional<rank_plan> own_steps(const part_finding& what, const own_part& own, std::string_view name,
                                   const process_map& where = {});

struct rank_among {
  rank_id rank = no_rank;
  std::uint32_t ranks = 0;
};
/// The same from the rank's own step of the collective, which comes last in `collective`.
std::optional<rank_plan> steps_in_form(const part_finding& what, rank_plan collective, rank_among self,
                                       std::string_view name, const process_map& where = {});

/// The members of groups that are not all ranks.
using group_members = std::map<comm_id, std::vector<rank_id>>;

/// The steps as a graph of this rank's operations, so that a `part_run` can follow them; collectives by what they mean. `groups`: of its
/// collectives.
graph steps_as_part(const rank_plan& steps, const own_part& own, const group_members& groups = {});

/// What is wrong with steps that were followed: they must leave what the part leaves, write nothing else of the program's
/// memory, and not touch a byte in two orders. none: nothing.
part_refusal check_steps(const rank_plan& steps, const own_part& own, const graph& as_part,
                         const part_run& followed);

} // namespace tacit::graphs
