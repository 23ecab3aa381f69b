// Scans by meaning: what the first members of a group give, combined, at the member that is the last of them or comes next. Groups are
// communicators of the graph, and guesses (scan_groups.h).
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/detect/operand_groups.h"
#include "graphs/flow/terms.h"

#include <string>
#include <vector>

namespace tacit::graphs {

struct scan_piece {
  pattern kind = pattern::scan; ///< or exscan
  comm_id comm = world;
  reducer_id by = no_reducer;
  combined_piece piece; ///< an exclusive scan has no operand of the last member
};

/// Bytes of a term, or of a transfer.
struct part_of_item {
  std::uint32_t item = 0; ///< number in its list
  std::uint64_t offset = 0, length = 0;
};

/// A communicator whose members have only nearly what a scan gives them.
struct scan_missed {
  pattern kind = pattern::scan;
  comm_id comm = world;
  std::string detail;
};

struct scans {
  std::vector<scan_piece> found;
  std::vector<part_of_item> rest; ///< of the terms: what no scan takes
  /// What the second member gets of an exclusive scan is moved: what was taken of `transfers::list` and `transfers::kept`.
  std::vector<part_of_item> moved, moved_of_kept;
  std::vector<scan_missed> missed;
  std::vector<std::uint32_t> missed_by; ///< per term: in which of `missed` it takes part first, or `no_miss`
  static constexpr std::uint32_t no_miss = ~std::uint32_t{0};
};

/// `list`: the terms of `t`; those of refused parts (by number) do not count, nor those that must keep their order. Groups of fewer than
/// options.smallest_group members, or of two, among whom a scan is a reduction, are not looked at. Each byte is taken once, by the largest communicator
/// first, then, if options.subgroups asks for them, by groups that no communicator has, which are put into `groups`.
scans find_scans(const graph& g, const transfers& t, const std::vector<term>& list,
                 const std::vector<bool>& refused, const detect_options& options, operand_groups& groups);

} // namespace tacit::graphs
