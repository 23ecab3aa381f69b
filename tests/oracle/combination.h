// What a reduction leaves in a byte, for tests: a value of its own for each different combination, down to the
// order and the grouping of its operands.
#pragma once

#include "graphs/graph/graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tacit::oracle {

/// What a byte holds: the initial value of (rank, address), (unknown_rank, op), or (combined_rank, combination).
using byte_value = std::pair<std::uint32_t, std::uint64_t>;
inline constexpr std::uint32_t unknown_rank = ~std::uint32_t{0};
inline constexpr std::uint32_t combined_rank = unknown_rank - 1;

/// An element that was made: by what, and what the bytes of its operands held.
struct combination {
  graphs::reducer_id by;
  std::vector<byte_value> left, right;
  std::uint64_t event = 0; ///< which one made it, or 0: equal operands make equal elements
  friend auto operator<=>(const combination&, const combination&) = default;
};

/// All that were made, by number.
class combinations {
public:
  static combinations& all() {
    static combinations only;
    return only;
  }
  std::uint64_t number_of(const combination& c) {
    const auto [entry, fresh] = numbers_.try_emplace(c, list_.size());
    if (fresh)
      list_.push_back(&entry->first);
    return entry->second;
  }
  std::uint64_t next_event() { return ++events_; }
  const combination& operator[](std::uint64_t number) const { return *list_[number]; }

private:
  std::uint64_t events_ = 0;
  std::map<combination, std::uint64_t> numbers_;
  std::vector<const combination*> list_;
};

/// Whether an element that is made twice of equal operands is the same one.
enum class elements : bool { equal_if_operands_are, told_apart };

/// Element by element left ⊕ right; both are whole elements. Byte i of element n is n * 256 + i.
inline std::vector<byte_value> combine(graphs::reducer_id by, std::size_t element,
                                       const std::vector<byte_value>& left,
                                       const std::vector<byte_value>& right,
                                       elements are = elements::equal_if_operands_are) {
  std::vector<byte_value> out;
  for (std::size_t at = 0; at < left.size(); at += element) {
    const auto part = [&](const std::vector<byte_value>& list) {
      const auto first = list.begin() + static_cast<std::ptrdiff_t>(at);
      return std::vector<byte_value>(first, first + static_cast<std::ptrdiff_t>(element));
    };
    const std::uint64_t event = are == elements::told_apart ? combinations::all().next_event() : 0;
    const std::uint64_t number = combinations::all().number_of({by, part(left), part(right), event});
    for (std::size_t i = 0; i < element; ++i)
      out.emplace_back(combined_rank, number << 8 | i);
  }
  return out;
}

/// What a byte means where operators may be regrouped, and their operands exchanged if they commute: equal texts for equal meanings.
class meaning_of_bytes {
public:
  meaning_of_bytes(const graphs::graph& g, bool reassociate) : g_(g), reassociate_(reassociate) {}

  std::string operator()(const byte_value& b) const {
    if (b.first != combined_rank)
      return std::to_string(b.first) + ":" + std::to_string(b.second);
    return element(b.second >> 8) + "." + std::to_string(b.second & 0xff);
  }

private:
  using bytes = std::vector<byte_value>;
  const graphs::reducer& reducer(const combination& c) const { return g_.reducers()[index(c.by)]; }
  bool may_regroup(const combination& c) const { return reassociate_ || !reducer(c).rounds; }
  std::string text(const bytes& all) const {
    std::string out;
    for (const byte_value& b : all)
      out += (*this)(b) + ",";
    return out;
  }
  /// An element that was made as a whole by the same operator stands for its operands.
  void add(const combination& of, const bytes& operand, std::vector<std::string>& into) const {
    bool whole = operand.front().first == combined_rank;
    for (std::size_t i = 0; i < operand.size(); ++i)
      whole = whole && operand[i] == byte_value{combined_rank, (operand.front().second >> 8 << 8) + i};
    if (whole)
      if (const combination& c = combinations::all()[operand.front().second >> 8]; c.by == of.by) {
        add(of, c.left, into);
        add(of, c.right, into);
        return;
      }
    into.push_back(text(operand));
  }
  std::string element(std::uint64_t number) const {
    const combination& c = combinations::all()[number];
    std::vector<std::string> operands;
    if (may_regroup(c)) {
      add(c, c.left, operands);
      add(c, c.right, operands);
      if (reducer(c).commutative)
        std::sort(operands.begin(), operands.end());
    } else {
      operands = {text(c.left), text(c.right)};
    }
    std::string out = "op" + std::to_string(index(c.by)) + "(";
    for (const std::string& o : operands)
      out += "[" + o + "]";
    return out + ")";
  }
  const graphs::graph& g_;
  bool reassociate_;
};

} // namespace tacit::oracle
