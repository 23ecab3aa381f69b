// The memory of one rank, cut wherever something that is read or written begins or ends.
//
// A fragment tree (fragment_tree.h) keeps what lies in memory and looks for it by comparing, which is most of the time where a message has
// many pieces: where a list of pieces jumps from one buffer to another one, the processor guesses wrong at each step. Programs read and
// write the same pieces again and again, so after a few operations all cuts are there, each piece begins at one of them, and which one
// is told by a table without any guess. Cuts that are missing are made for a whole list of pieces at once. Ranks mostly touch the same
// pieces as the rank before, so its cuts stay: one that nobody needs costs little, and changes nothing of what is visited but how it is cut.
#pragma once

#include "graphs/flow/memory_budget.h"
#include "graphs/graph/graph.h"
#include "graphs/graph/patience_sort.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

namespace tacit::graphs {

class cut_memory {
public:
  /// Where the bytes from a cut to the next one come from: byte `from` of a message, which is named by an operation.
  struct value {
    std::uint32_t message;
    std::uint32_t from;
  };
  /// Instead of a message: nothing was written there, or something unknown by the operation `from`.
  static constexpr std::uint32_t initial = ~std::uint32_t{0}, unknown = initial - 1;

  explicit cut_memory(memory_budget& budget)
      : budget_(budget), cuts_(counted_allocator<std::uint64_t>(budget)),
        held_(counted_allocator<value>(budget)), table_(counted_allocator<std::uint32_t>(budget)),
        missing_(counted_allocator<std::uint64_t>(budget)) {}

  /// The memory of another rank, in which nothing has been written. It is to be read and written in so many pieces. Cuts stay, unless they
  /// are many more than the rank can need, or more have come with each rank; where that happens again and again, ranks are not alike.
  void start_anew(std::size_t pieces) {
    constexpr std::size_t spare = 2; // times as many cuts as one rank has needed, and as this one needs
    if (usual_ == 0)
      usual_ = cuts_.size();
    const bool alike = cuts_.size() <= spare * usual_;
    in_vain_ += alike ? 0 : 1;
    if (alike && in_vain_ < most_in_vain && cuts_.size() <= spare * pieces)
      return std::fill(held_.begin(), held_.end(), value{initial, 0});
    cuts_.clear();
    held_.clear();
    usual_ = 0;
  }

  /// Makes all cuts that are needed for these pieces.
  void cut(std::span<const segment> list) {
    missing_.clear();
    for (const bool ends :
         {false, true}) // one behind the other, so that both ascend or descend as the list does
      for (const segment& s : list)
        if (const std::uint64_t address = s.address + (ends ? s.length : 0);
            s.length > 0 && find(address) == none)
          missing_.push_back(address);
    if (missing_.size() > sorted_at_once_) { // the sorter needs memory of its own
      budget_.take((missing_.size() - sorted_at_once_) * (sizeof(std::uint64_t) + 1));
      sorted_at_once_ = missing_.size();
    }
    sorter_.sort(std::span(missing_), std::less<>());
    missing_.erase(std::unique(missing_.begin(), missing_.end()), missing_.end());
    if (!missing_.empty())
      insert_missing();
  }

  /// Calls visit(address, length, value) for what the pieces hold, cut by cut. False if cuts are missing; then visit has perhaps been called
  /// for some of the pieces.
  template <typename Visit>
  bool each(std::span<const segment> list, Visit&& visit) {
    for (const segment& s : list) {
      if (s.length == 0)
        continue;
      const std::uint64_t end = s.address + s.length;
      std::size_t i = find(s.address);
      if (i == none)
        return false;
      for (; cuts_[i] < end; ++i) {
        if (i + 1 == cuts_.size() || cuts_[i + 1] > end)
          return false;
        visit(cuts_[i], cuts_[i + 1] - cuts_[i], held_[i]);
      }
    }
    return true;
  }

  /// Calls visit(address, length, value) for all that was written, in the order of addresses.
  template <typename Visit>
  void each_written(Visit&& visit) const {
    for (std::size_t i = 0; i + 1 < cuts_.size(); ++i)
      if (held_[i].message != initial)
        visit(cuts_[i], cuts_[i + 1] - cuts_[i], held_[i]);
  }

private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::uint32_t most_in_vain = 8; ///< after which no cuts are kept any more
  static constexpr std::size_t few =
      48; ///< cuts that are compared one by one sooner than looked up in a table

  std::size_t place_of(std::uint64_t address) const {
    return static_cast<std::size_t>((address * 0x9e37'79b9'7f4a'7c15u) >>
                                    shift_); // multiples of anything are spread
  }

  std::size_t find(std::uint64_t address) const {
    if (cuts_.size() <= few) {
      const auto found = std::lower_bound(cuts_.begin(), cuts_.end(), address);
      return found != cuts_.end() && *found == address ? static_cast<std::size_t>(found - cuts_.begin())
                                                       : none;
    }
    for (std::size_t place = place_of(address);; place = (place + 1) & (table_.size() - 1)) {
      const std::uint32_t at = table_[place];
      if (at == 0)
        return none;
      if (cuts_[at - 1] == address)
        return at - 1;
    }
  }

  void insert_missing() {
    std::size_t old = cuts_.size(), next = missing_.size(), to = old + next;
    cuts_.resize(to);
    held_.resize(to, value{initial, 0});
    while (next > 0) {
      --to;
      const std::uint64_t address = missing_[next - 1];
      if (old > 0 && cuts_[old - 1] > address) {
        --old;
        cuts_[to] = cuts_[old];
        held_[to] = held_[old];
        continue;
      }
      --next;
      held_[to] = old > 0 ? part_of(held_[old - 1], address - cuts_[old - 1]) : value{initial, 0};
      cuts_[to] = address;
    }
    if (cuts_.size() > few)
      fill_table();
  }

  static value part_of(const value& whole, std::uint64_t offset) {
    return whole.message >= unknown ? whole
                                    : value{whole.message, whole.from + static_cast<std::uint32_t>(offset)};
  }

  void fill_table() {
    unsigned bits = 7;
    while (std::size_t{1} << bits < 2 * cuts_.size())
      ++bits;
    shift_ = 64 - bits;
    table_.assign(std::size_t{1} << bits, 0);
    for (std::uint32_t i = 0; i < cuts_.size(); ++i) {
      std::size_t place = place_of(cuts_[i]);
      while (table_[place] != 0)
        place = (place + 1) & (table_.size() - 1);
      table_[place] = i + 1;
    }
  }

  memory_budget& budget_;
  counted_vector<std::uint64_t> cuts_;  ///< ascending
  counted_vector<value> held_;          ///< behind each cut; behind the last one nothing was written
  counted_vector<std::uint32_t> table_; ///< by address: number of the cut, from 1 on; of more than a few
  unsigned shift_ = 0;
  std::size_t usual_ = 0;     ///< cuts of the first rank of those whose cuts are here
  std::uint32_t in_vain_ = 0; ///< how often cuts were kept that the ranks after it did not need
  counted_vector<std::uint64_t> missing_;
  std::size_t sorted_at_once_ = 0; ///< the most
  patience_sorter<std::uint64_t> sorter_;
};

} // namespace tacit::graphs
