#include "compiler/coalesce/numbered_table.h"

#include <algorithm>

namespace tacit::compiler {

bool numbered_table::has_any(std::size_t from, std::size_t to) const {
  while (from < to) {
    const std::size_t in_word = std::min(to - from, word_bits - from % word_bits);
    const std::uint64_t mask = (in_word == word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1)
                               << from % word_bits;
    if (present_.data[from / word_bits] & mask)
      return true;
    from += in_word;
  }
  return false;
}

bool numbered_table::grow(budget& memory, std::size_t places, unsigned element_bytes) {
  hide();
  const std::size_t words = (places + word_bits - 1) / word_bits;
  const std::size_t bytes = words * word_bits * element_bytes;
  if (words <= present_.size)
    return true;
  if (!values_.make_room(memory, bytes - values_.size) || !present_.make_room(memory, words - present_.size))
    return false;
  std::memset(present_.data + present_.size, 0, (words - present_.size) * sizeof *present_.data);
  present_.size = words;
  values_.size = bytes;
  return true;
}

void numbered_table::set(std::size_t place, const char* value, unsigned element_bytes) {
  std::memcpy(values_.data + place * element_bytes, value, element_bytes);
  present_.data[place / word_bits] |= std::uint64_t{1} << place % word_bits;
  ++elements_;
}

void numbered_table::take_over(line_table& lines, unsigned element_bytes) {
  if (lines.elements() == 0)
    return;
  hide();
  lines.for_each_run(element_bytes, [&](MPI_Aint offset, unsigned count, const char* values) {
    for (unsigned i = 0; i < count; ++i)
      set(static_cast<std::size_t>(offset) / element_bytes + i, values + std::size_t{i} * element_bytes,
          element_bytes);
  });
  reserved_ += lines.take_reserve();
  lines.clear();
}

numbered_table::answer numbered_table::insert(budget& memory, std::size_t place, unsigned element_bytes,
                                              const char* value, combiner combine) {
  hide();
  if (has_any(place, place + 1))
    return combine(values_.data + place * element_bytes, value) ? answer::taken : answer::differs;
  if (!reserve(memory, reserved_, (elements_ + 1) * element_bytes))
    return answer::full;
  set(place, value, element_bytes);
  return answer::taken;
}

void numbered_table::show(budget& memory, tacit_numbered& to, std::size_t most, unsigned element_bytes) {
  hide();
  // In steps, so that what is reserved for sending is of the order of what is there.
  constexpr std::size_t least = 512;
  const std::size_t wanted = std::min(most, std::min(std::max(least, elements_), places() - elements_));
  reserve(memory, reserved_, (elements_ + wanted) * element_bytes);
  granted_ = std::min(wanted, reserved_ / element_bytes - elements_);
  to = {values_.data, present_.data, places(), granted_};
  shown_ = &to;
}

void numbered_table::hide() {
  if (!shown_)
    return;
  elements_ += granted_ - shown_->room;
  shown_->places = shown_->room = 0;
  shown_ = nullptr;
}

void numbered_table::clear() {
  hide();
  if (elements_ != 0)
    std::memset(present_.data, 0, present_.size * sizeof *present_.data);
  elements_ = 0;
}

void numbered_table::release(budget& memory) {
  hide();
  values_.release(memory);
  present_.release(memory);
  memory.give(reserved_);
  elements_ = reserved_ = 0;
}

} // namespace tacit::compiler
