#include "compiler/coalesce/batch.h"

#include <algorithm>

namespace tacit::compiler {

bool batch::touches(const piece& p) const {
  if (lines.elements() + listed_elements_ != 0 && p.offset < high_ && low_ < p.end())
    return true;
  if (numbered.elements() == 0)
    return false;
  const auto from = static_cast<std::size_t>(p.offset) / element_bytes;
  const auto to = (static_cast<std::size_t>(p.end()) + element_bytes - 1) / element_bytes;
  return numbered.has_any(from, std::min(to, numbered.places()));
}

MPI_Aint batch::end() const {
  MPI_Aint behind = lines.elements() + listed_elements_ != 0 ? high_ : 0;
  numbered.for_each_word([&](std::size_t word, std::uint64_t bits) {
    const auto last = static_cast<std::size_t>(numbered_table::word_bits - 1 - __builtin_clzll(bits));
    const std::size_t place = word * numbered_table::word_bits + last;
    behind = std::max(behind, static_cast<MPI_Aint>((place + 1) * element_bytes));
  });
  return behind;
}

/// `none`: nothing is there yet that is not in the table.
void batch::cover(bool none, MPI_Aint from, MPI_Aint to) {
  low_ = none ? from : std::min(low_, from);
  high_ = none ? to : std::max(high_, to);
}

/// Whether the table has this place, or has grown to have it: as far as what was seen of the program makes it worth looking through
/// all of its bits whenever it is sent.
bool batch::is_numbered(budget& memory, std::size_t place) {
  if (place < numbered.places())
    return true;
  constexpr std::size_t places_for_element = 64, few = 64;
  const std::size_t behind_lines =
      lines.elements() ? (static_cast<std::size_t>(high_) + element_bytes - 1) / element_bytes : 0;
  const std::size_t wanted = std::max(place + 1, behind_lines);
  if (wanted > places_for_element * (few + sent_elements_ + elements()) ||
      !numbered.grow(memory, std::max(wanted, 2 * numbered.places()), element_bytes))
    return false;
  numbered.take_over(lines, element_bytes);
  return true;
}

/// Elements of one batch lie equally in the multiples of their size, so that two of them have all bytes in common or none.
bool batch::combine_element(budget& memory, MPI_Aint offset, const char* value) {
  const MPI_Aint phase = offset & (static_cast<MPI_Aint>(element_bytes) - 1); // sizes are powers of two
  if (phase == 0 && (lines.elements() == 0 || lines.phase() == 0)) {
    const auto place = static_cast<std::size_t>(offset) >> __builtin_ctz(element_bytes);
    if (is_numbered(memory, place))
      return numbered.insert(memory, place, element_bytes, value, combine) == numbered_table::answer::taken;
  } else if (numbered.elements() != 0) {
    return false;
  }
  const bool none = lines.elements() == 0;
  if (lines.insert(memory, offset, element_bytes, value, combine) != line_table::answer::taken)
    return false;
  cover(none, offset, offset + static_cast<MPI_Aint>(element_bytes));
  return true;
}

void batch::insert(budget& memory, piece& p) {
  if (combine) {
    while (p.bytes && combine_element(memory, p.offset, p.data)) {
      p.offset += element_bytes;
      p.data += element_bytes;
      p.bytes -= element_bytes;
    }
    return;
  }
  const bool none = listed_elements_ == 0;
  if (!list.append(memory, p.offset, p.bytes, p.data, p.result))
    return;
  cover(none, p.offset, p.end());
  listed_elements_ += p.bytes / element_bytes;
  p.bytes = 0;
}

void batch::show(budget& memory, tacit_numbered& to, std::size_t most) {
  if (numbered.elements() != 0 && (lines.elements() == 0 || lines.phase() == 0))
    numbered.show(memory, to, most, element_bytes);
}

void batch::clear() {
  sent_elements_ += elements();
  numbered.clear();
  lines.clear();
  list.clear();
  listed_elements_ = 0;
}

void batch::release(budget& memory) {
  numbered.release(memory);
  lines.release(memory);
  list.release(memory);
  listed_elements_ = 0;
}

} // namespace tacit::compiler
