// Fewer page faults for large arrays that are written once.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstddef>

namespace tacit::vocabulary {

/// Asks the system to back this memory by huge pages where it can. Advice only: what is there stays, and
/// where there are no huge pages (or the range holds none) nothing happens. Worth it for fresh arrays of
/// megabytes: clearing small pages one fault at a time took a third of the time of detecting an alltoall.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// Makes room in a vector that has none yet, for arrays of which a pass needs some as long as a large graph.
template <typename Vector>
void reserve_huge(Vector& list, std::size_t items) {
  list.reserve(items);
  prefer_huge_pages(list.data(), items * sizeof(typename Vector::value_type));
}

} // namespace tacit::vocabulary
