// Values for places of one process's window memory, one for each place: what comes for a place that has a value already is
// combined with it. The seed keeps an AVL tree of the places; here places lie in lines of eight neighboring elements, found by
// hashing the number of the line. Searching costs one probe (none for the line of the last access), places in order need only the
// lines sorted, and memory is between 13 bytes an element (dense) and 91 (alone in its line), of 8 bytes each.
#pragma once

#include "compiler/coalesce/combine.h"
#include "compiler/coalesce/memory.h"

#include <mpi.h>

namespace tacit::compiler {

class line_table {
public:
  static constexpr unsigned width = 8; ///< elements of a line

  enum class answer { taken, full, differs };
  /// `full`: there is no memory; `differs`: the two values must be sent one by one, or the place lies across those so far.
  answer insert(budget& memory, MPI_Aint offset, unsigned element_bytes, const char* value, combiner combine);

  std::size_t elements() const { return elements_; }
  /// The values, packed, are on their way now: their bytes, taken in advance, count there.
  void give_reserve(std::size_t bytes) { reserved_ -= bytes; }
  void sort();
  /// Calls f(offset, elements, values) for runs of neighboring places; in order after sort().
  template <typename F>
  void for_each_run(unsigned element_bytes, F f) const {
    for (std::size_t i = 0; i < lines_.size; ++i)
      for (unsigned at = 0; at < width;) {
        unsigned end = at;
        while (end < width && (lines_.data[i].present >> end & 1))
          ++end;
        if (end > at)
          f(lines_.data[i].number * static_cast<MPI_Aint>(width * element_bytes) + phase_ +
                static_cast<MPI_Aint>(at * element_bytes),
            end - at, values_.data + (std::size_t{lines_.data[i].values} * width + at) * element_bytes);
        at = end + 1;
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
  std::size_t slot_of(MPI_Aint number) const;

  growable<line> lines_;
  growable<char> values_;
  growable<std::uint32_t> slots_; ///< a power of two of them; 0: free, else a line's index + 1
  std::size_t elements_ = 0, last_ = 0;
  std::size_t reserved_ =
      0; ///< bytes of the limit that sending the values will need, so that sending never fails for the limit
  MPI_Aint phase_ = 0; ///< of all places, modulo the size of an element
};

} // namespace tacit::compiler
