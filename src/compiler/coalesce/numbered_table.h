// Values for the first places of one process's window memory, each at its number, with a bit for each place that has one. Where places
// lie close together, as those of a graph's vertices, nothing has to be searched: a value takes one access, and may be added by the
// program itself, without a call (tacit_collect_in_line in the public header). What is far away goes into a line_table.
#pragma once

#include "compiler/coalesce/line_table.h"

#include <tacit/coalesce.h>

namespace tacit::compiler {

class numbered_table {
public:
  static constexpr unsigned word_bits = 64;
  using answer = line_table::answer;

  std::size_t places() const { return present_.size * word_bits; }
  std::size_t elements() const { return elements_ + (shown_ ? granted_ - shown_->room : 0); }
  /// Of places [from, to), which are below places().
  bool has_any(std::size_t from, std::size_t to) const;
  /// From now on places [0, places) are its own. False, and nothing has changed, if there is no memory.
  bool grow(budget& memory, std::size_t places, unsigned element_bytes);
  /// Takes what the lines have, all of it below places(); they are empty afterwards.
  void take_over(line_table& lines, unsigned element_bytes);
  answer insert(budget& memory, std::size_t place, unsigned element_bytes, const char* value,
                combiner combine);
  /// The program may add up to `most` values without a call, until hide().
  void show(budget& memory, tacit_numbered& to, std::size_t most, unsigned element_bytes);
  void hide();

  /// As with line_table.
  void give_reserve(std::size_t bytes) { reserved_ -= bytes; }
  /// Calls f(index, bits) for each word of places, 64 each, that has any; in order.
  template <typename F>
  void for_each_word(F f) const {
    for (std::size_t w = 0; w < present_.size; ++w)
      if (present_.data[w] != 0)
        f(w, present_.data[w]);
  }
  /// Calls f(offset, elements, values) for runs of neighboring places, in order.
  template <typename F>
  void for_each_run(unsigned element_bytes, F f) const {
    for_each_word(
        [&](std::size_t w, std::uint64_t bits) { for_each_run_of_word(w, bits, element_bytes, f); });
  }
  template <typename F>
  void for_each_run_of_word(std::size_t w, std::uint64_t bits, unsigned element_bytes, F f) const {
    for (std::uint64_t left = bits; left != 0;) {
      const auto from = static_cast<unsigned>(__builtin_ctzll(left));
      const std::uint64_t behind = ~(left >> from);
      const unsigned count = behind != 0 ? static_cast<unsigned>(__builtin_ctzll(behind)) : word_bits;
      const std::size_t at = (w * word_bits + from) * element_bytes;
      f(static_cast<MPI_Aint>(at), count, values_.data + at);
      left = from + count == word_bits ? 0 : left & ~std::uint64_t{0} << (from + count);
    }
  }
  void clear();
  void release(budget& memory);

private:
  void set(std::size_t place, const char* value, unsigned element_bytes);

  growable<char> values_;
  growable<std::uint64_t> present_;
  std::size_t elements_ = 0; ///< without those of the program since show()
  std::size_t reserved_ = 0;
  tacit_numbered* shown_ = nullptr;
  std::size_t granted_ = 0; ///< room that it had at first
};

} // namespace tacit::compiler
