#include "compiler/coalesce/line_table.h"

#include <algorithm>

namespace tacit::compiler {

/// At most half of the slots are taken, so that searches end soon.
bool line_table::rehash(budget& memory) {
  if (2 * (lines_.size + 1) <= slots_.size)
    return true;
  const std::size_t wanted = slots_.size ? 2 * slots_.size : 64;
  if (!slots_.make_room(memory, wanted - slots_.size))
    return false;
  slots_.size = wanted;
  bits_ = static_cast<unsigned>(__builtin_ctzll(wanted));
  std::memset(slots_.data, 0, wanted * sizeof *slots_.data);
  for (std::size_t i = 0; i < lines_.size; ++i)
    slots_.data[slot_of(lines_.data[i].number)] = static_cast<std::uint32_t>(i + 1);
  return true;
}

line_table::line* line_table::find_or_add(budget& memory, MPI_Aint number, unsigned element_bytes) {
  if (last_ < lines_.size && lines_.data[last_].number == number)
    return &lines_.data[last_];
  if (!rehash(memory))
    return nullptr;
  const std::size_t slot = slot_of(number);
  if (slots_.data[slot] == 0) {
    if (!lines_.make_room(memory, 1) || !values_.make_room(memory, std::size_t{width} * element_bytes))
      return nullptr;
    lines_.push({number, static_cast<std::uint32_t>(lines_.size), 0});
    values_.size += std::size_t{width} * element_bytes;
    slots_.data[slot] = static_cast<std::uint32_t>(lines_.size);
  }
  last_ = slots_.data[slot] - 1;
  return &lines_.data[last_];
}

line_table::answer line_table::insert(budget& memory, MPI_Aint offset, unsigned element_bytes,
                                      const char* value, combiner combine) {
  // Sizes are powers of two (combiner_of).
  const MPI_Aint phase = offset & (static_cast<MPI_Aint>(element_bytes) - 1);
  if (elements_ == 0)
    phase_ = phase;
  else if (phase != phase_)
    return answer::differs;
  const auto element = static_cast<std::uint64_t>(offset) >> __builtin_ctz(element_bytes);
  line* const found = find_or_add(memory, static_cast<MPI_Aint>(element / width), element_bytes);
  if (!found)
    return answer::full;
  const unsigned at = element % width;
  char* const place = values_.data + (std::size_t{found->values} * width + at) * element_bytes;
  if (found->present >> at & 1)
    return combine(place, value) ? answer::taken : answer::differs;
  if (!reserve(memory, reserved_, (elements_ + 1) * element_bytes))
    return answer::full;
  std::memcpy(place, value, element_bytes);
  found->present |= 1u << at;
  ++elements_;
  return answer::taken;
}

/// The slots are not needed for searching any more and become the list of lines in order. Where lines lie close together, each is
/// put where its number says.
void line_table::sort() {
  const auto before = [](const line& a, const line& b) { return a.number < b.number; };
  const auto [first, last] = std::minmax_element(lines_.data, lines_.data + lines_.size, before);
  const MPI_Aint least = first->number;
  if (last->number - least >= static_cast<MPI_Aint>(slots_.size)) {
    for (std::size_t i = 0; i < lines_.size; ++i)
      slots_.data[i] = static_cast<std::uint32_t>(i);
    std::sort(slots_.data, slots_.data + lines_.size,
              [&](std::uint32_t a, std::uint32_t b) { return before(lines_.data[a], lines_.data[b]); });
    return;
  }
  std::memset(slots_.data, 0, slots_.size * sizeof *slots_.data);
  for (std::size_t i = 0; i < lines_.size; ++i)
    slots_.data[lines_.data[i].number - least] = static_cast<std::uint32_t>(i + 1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < slots_.size; ++i)
    if (slots_.data[i] != 0)
      slots_.data[kept++] = slots_.data[i] - 1;
}

void line_table::clear() {
  if (slots_.size)
    std::memset(slots_.data, 0, slots_.size * sizeof *slots_.data);
  lines_.size = values_.size = elements_ = last_ = 0;
}

void line_table::release(budget& memory) {
  lines_.release(memory);
  values_.release(memory);
  slots_.release(memory);
  memory.give(reserved_);
  elements_ = last_ = reserved_ = 0;
}

} // namespace tacit::compiler
