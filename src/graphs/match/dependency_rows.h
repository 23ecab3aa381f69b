// Local dependencies by operation, in either direction, in compressed rows: private to the rooms match, flow and
// compile.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {

class dependency_rows {
public:
  enum class direction : std::uint8_t { successors, predecessors };

  /// Counting sort of the dependencies by one end. 4 bytes an operation and 4 a dependency.
  dependency_rows(const graph& g, direction which)
      : first_(g.size() + 1, 0), items_(g.dependencies().size()) {
    const bool forward = which == direction::successors;
    for (const dependency& d : g.dependencies())
      ++first_[index(forward ? d.before : d.after)];
    std::uint32_t sum = 0;
    for (std::uint32_t& f : first_)
      f = sum += f; // end of each row; filling moves it to the start
    for (std::size_t i = items_.size(); i-- > 0;) {
      const dependency& d = g.dependencies()[i];
      items_[--first_[index(forward ? d.before : d.after)]] = forward ? d.after : d.before;
    }
  }

  std::span<const op_id> operator[](op_id op) const {
    const std::uint32_t begin = first_[index(op)];
    return {items_.data() + begin, first_[index(op) + 1] - begin};
  }

  // Asked for early: the place of a row, some operations later the row.
  [[gnu::always_inline]] void prefetch(op_id op) const { __builtin_prefetch(&first_[index(op)]); }
  [[gnu::always_inline]] void prefetch_row(op_id op) const {
    __builtin_prefetch(items_.data() + first_[index(op)]);
  }

private:
  std::vector<std::uint32_t> first_;
  std::vector<op_id> items_;
};

} // namespace tacit::graphs
