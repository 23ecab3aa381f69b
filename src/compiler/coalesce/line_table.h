// Values for places of one process's window memory, one for each place: what comes for a place that has a value already is
// combined with it. The seed keeps an AVL tree of the places; here places lie in lines of eight neighboring elements, found by
// hashing the number of the line. Searching costs one probe mostly, places in order need only the lines in order, and memory is between 13 bytes an element (dense) and 91 (alone in its line), of 8 bytes each.
#pragma once

#include "compiler/coalesce/combine.h"
#include "compiler/coalesce/memory.h"

#include <mpi.h>
#include <utility>

namespace tacit::compiler {

class line_table {
public:
  static constexpr unsigned width = 8; ///< elements of a line

  enum class answer { taken, full, differs };
  /// `full`: there is no memory; `differs`: the two values must be sent one by one, or the place lies across those so far.
  answer insert(budget& memory, MPI_Aint offset, unsigned element_bytes, const char* value, combiner combine);

  /// Combines with the value that the place has already. False, and nothing has changed, if there is none; then insert().
  bool combine_again(MPI_Aint offset, unsigned element_bytes, const void* value, combiner combine) const {
    const auto element = static_cast<std::uint64_t>(offset) >> __builtin_ctz(element_bytes);
    const auto number = static_cast<MPI_Aint>(element / width);
    if (elements_ == 0 || (offset & (static_cast<MPI_Aint>(element_bytes) - 1)) != phase_)
      return false;
    const std::uint32_t found = slots_.data[slot_of(number)];
    if (found == 0)
      return false;
    const line& l = lines_.data[found - 1];
    const unsigned at = element % width;
    return (l.present >> at & 1) &&
           combine(values_.data + (std::size_t{l.values} * width + at) * element_bytes, value);
  }

  std::size_t elements() const { return elements_; }
  /// Of all places, modulo the size of an element.
  MPI_Aint phase() const { return phase_; }
  /// What is reserved is the caller's to count from now on.
  std::size_t take_reserve() { return std::exchange(reserved_, 0); }
  /// The values, packed, are on their way now: their bytes, taken in advance, count there.
  void give_reserve(std::size_t bytes) { reserved_ -= bytes; }
  /// Calls f(offset, elements, values) for runs of neighboring places, in order; there is one at least. Afterwards only clear() or
  /// release() may come.
  template <typename F>
  void for_each_run(unsigned element_bytes, F f) {
    sort();
    for (std::size_t i = 0; i < lines_.size; ++i) {
      const line& l = lines_.data[slots_.data[i]];
      const MPI_Aint offset = l.number * static_cast<MPI_Aint>(width * element_bytes) + phase_;
      const char* const values = values_.data + std::size_t{l.values} * width * element_bytes;
      for (unsigned at = 0; at < width;) {
        unsigned end = at;
        while (end < width && (l.present >> end & 1))
          ++end;
        if (end > at)
          f(offset + static_cast<MPI_Aint>(at * element_bytes), end - at,
            values + std::size_t{at} * element_bytes);
        at = end + 1;
      }
    }
  }
  void clear();
  void release(budget& memory);

private:
  struct line {
    MPI_Aint number;
    std::uint32_t values; ///< which eight of values_
    std::uint32_t present;
  };
  line* find_or_add(budget& memory, MPI_Aint number, unsigned element_bytes);
  bool rehash(budget& memory);
  void sort();
  /// Neighboring lines have neighboring slots, so that dense accesses stay in few cache lines; what lies further apart than there
  /// are slots is scattered.
  std::size_t slot_of(MPI_Aint number) const {
    const auto n = static_cast<std::uint64_t>(number);
    std::size_t slot = (n + (n >> bits_) * 0x9e3779b97f4a7c15u) & (slots_.size - 1);
    while (slots_.data[slot] != 0 && lines_.data[slots_.data[slot] - 1].number != number)
      slot = (slot + 1) & (slots_.size - 1);
    return slot;
  }

  growable<line> lines_;
  growable<char> values_;
  growable<std::uint32_t> slots_; ///< a power of two of them; 0: free, else a line's index + 1
  std::size_t elements_ = 0, last_ = 0;
  std::size_t reserved_ =
      0;               ///< bytes of the limit for sending the values, so that it never fails for the limit
  unsigned bits_ = 0;  ///< log2 of the number of slots
  MPI_Aint phase_ = 0; ///< of all places, modulo the size of an element
};

} // namespace tacit::compiler
