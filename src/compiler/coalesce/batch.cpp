#include "compiler/coalesce/batch.h"

#include <algorithm>

namespace tacit::compiler {

void batch::cover(MPI_Aint from, MPI_Aint to) {
  low = empty() ? from : std::min(low, from);
  high = empty() ? to : std::max(high, to);
}

void batch::combine_elements(budget& memory, piece& p) {
  const MPI_Aint from = p.offset;
  while (p.bytes &&
         lines.insert(memory, p.offset, element_bytes, p.data, combine) == line_table::answer::taken) {
    p.offset += element_bytes;
    p.data += element_bytes;
    p.bytes -= element_bytes;
  }
  cover(from, p.offset);
  elements = lines.elements();
}

void batch::insert(budget& memory, piece& p) {
  if (combine)
    return combine_elements(memory, p);
  if (!list.append(memory, p.offset, p.bytes, p.data, p.result))
    return;
  cover(p.offset, p.end());
  elements += p.bytes / element_bytes;
  p.bytes = 0;
}

void batch::clear() {
  lines.clear();
  list.clear();
  elements = 0;
}

void batch::release(budget& memory) {
  lines.release(memory);
  list.release(memory);
  elements = 0;
}

} // namespace tacit::compiler
