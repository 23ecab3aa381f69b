// Scatters and gathers compete for the pairs that their lines share: how much each of them gets.
#pragma once

#include "graphs/detect/complete_lines.h"
#include "graphs/detect/family.h"
#include "graphs/detect/packing.h"

namespace tacit::graphs {

/// Bytes per block of each complete row and column. The matching costs min(rows, columns)² · max(rows, columns); beyond the
/// budget either only scatters or only gathers are taken, whichever is more, and the other is reported as not searched.
packing pack_lines(const group_search& search, const complete_lines& lines, pair_sorter& sorter);

} // namespace tacit::graphs
