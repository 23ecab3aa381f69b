// What is still free: which bytes of which transfers no finding has taken yet, and the view of one group on
// them.
//
// Nearly all transfers are free as a whole or taken as a whole, so one byte of state per transfer suffices;
// the few that were cut have their free intervals in a side table. Every access costs O(1) plus the pieces
// visited.
#pragma once

#include "graphs/detect/detect.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tacit::graphs {

inline constexpr std::uint32_t nowhere = 0xffffffffu; ///< no position, no index

class ledger {
public:
  explicit ledger(const transfers& t)
      : list_(t.list), state_(t.list.size(), state::free), open_(t.list.size()) {}

  const transfer& operator[](std::uint32_t id) const { return list_[id]; }
  std::span<const transfer> list() const { return list_; }
  /// Number of transfers with free bytes.
  std::size_t open() const { return open_; }
  bool whole(std::uint32_t id) const { return state_[id] == state::free; }
  bool any_free(std::uint32_t id) const { return state_[id] != state::taken; }
  /// How often a transfer was taken in part.
  std::size_t cuts() const { return cuts_; }
  /// True if some transfer to this rank was taken in part.
  bool cut_at(rank_id destination) const {
    return index(destination) < cut_at_.size() && cut_at_[index(destination)];
  }

  /// Calls visit(slice) for each free part of a transfer, by offset.
  template <typename Visit>
  void each_free(std::uint32_t id, Visit visit) const {
    if (state_[id] == state::free) {
      visit(slice{0, list_[id].length, id});
    } else if (state_[id] == state::cut) {
      for (const slice& s : cut_.at(id))
        visit(s);
    }
  }

  /// Marks bytes that are free as taken.
  void take(const slice& s) {
    if (s.length != list_[s.transfer].length)
      return take_part(s);
    state_[s.transfer] = state::taken;
    --open_;
  }

  /// Marks all transfers as taken, which are free as wholes.
  void take_all() {
    std::fill(state_.begin(), state_.end(), state::taken);
    open_ = 0;
  }

  /// Everything that is still free, in transfer order.
  slice_list rest() const;

private:
  enum class state : std::uint8_t { free, taken, cut };
  void take_part(const slice& s);

  std::span<const transfer> list_;
  std::vector<state> state_;
  std::size_t open_;
  std::size_t cuts_ = 0;
  std::vector<bool> cut_at_; ///< by destination rank, as far as one was cut
  std::unordered_map<std::uint32_t, std::vector<slice>>
      cut_; ///< free parts by offset; looked up, never iterated
};

/// Ids of transfers: consecutive ones, or a list.
class id_range {
public:
  class iterator {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = std::uint32_t;
    iterator() = default;
    iterator(const std::uint32_t* list, std::uint32_t at) : list_(list), at_(at) {}
    std::uint32_t operator*() const { return list_ ? list_[at_] : at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      const iterator old = *this;
      ++at_;
      return old;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

  private:
    const std::uint32_t* list_ = nullptr;
    std::uint32_t at_ = 0;
  };

  id_range(const std::uint32_t* list, std::uint32_t begin, std::uint32_t end)
      : list_(list), begin_(begin), end_(end) {}
  iterator begin() const { return {list_, begin_}; }
  iterator end() const { return {list_, end_}; }
  std::size_t size() const { return end_ - begin_; }
  std::uint32_t operator[](std::size_t k) const {
    const auto at = static_cast<std::uint32_t>(begin_ + k);
    return list_ ? list_[at] : at;
  }

private:
  const std::uint32_t* list_; ///< nullptr: the positions are the ids
  std::uint32_t begin_, end_;
};

/// The transfers between two different members of a group that were not wholly taken when the view was made,
/// by destination and, within one, by destination address. Positions number the members by ascending rank.
class group_view {
public:
  /// `members` must be ascending and outlive the view.
  group_view(ledger& book, comm_id comm, std::span<const rank_id> members, std::uint32_t ranks);

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  comm_id comm() const { return comm_; }
  std::span<const rank_id> members() const { return members_; }
  rank_id member(std::uint32_t position) const { return members_[position]; }
  unsigned long rank(std::uint32_t position) const { return index(members_[position]); } ///< for texts
  std::uint32_t position(rank_id rank) const {
    return positions_.empty() ? static_cast<std::uint32_t>(index(rank)) : positions_[index(rank)];
  }
  std::uint32_t source(std::uint32_t id) const { return position(book_[id].source); }

  std::size_t transfer_count() const { return first_[size()]; }
  /// True if nothing between members is free any more. (Nobody else takes anything while a group is
  /// searched.)
  bool exhausted() const { return open_before_ - book_.open() == transfer_count(); }
  /// True if every transfer of the graph is in it.
  bool has_all() const { return all_ && transfer_count() == book_.list().size(); }
  /// True if every pair of members has one whole transfer or none, and nothing was taken since the view was
  /// made: to count transfers is to count pairs.
  bool plain() const { return one_each_.empty() && untouched(); }
  /// True if nothing was taken since the view was made: the numbers of pairs are still right.
  bool untouched() const { return open_before_ == book_.open() && cuts_before_ == book_.cuts(); }
  /// Of each transfer; 0 if they differ, or if there are none.
  std::uint64_t common_length() const { return shortest_ == longest_ ? shortest_ : 0; }
  /// Number of transfers from one member.
  std::uint32_t outgoing(std::uint32_t position) const { return sent_[position].transfers; }
  /// Numbers of pairs of members with data: from one member, to one member, all.
  std::uint32_t pairs_from(std::uint32_t position) const {
    return sent_[position].transfers - (repeated_from_.empty() ? 0 : repeated_from_[position]);
  }
  std::uint32_t pairs_into(std::uint32_t position) const {
    return static_cast<std::uint32_t>(into(position).size()) -
           (repeated_into_.empty() ? 0 : repeated_into_[position]);
  }
  std::size_t pair_count() const { return transfer_count() - repeated_; }
  /// Ids of the transfers to one member.
  id_range into(std::uint32_t position) const {
    return {all_ ? nullptr : active_.data(), first_[position], first_[position + 1]};
  }
  /// True if every free transfer to this member is whole and comes from another source.
  bool one_each(std::uint32_t position) const {
    return (one_each_.empty() && book_.cuts() == 0) || one_each_in_spite_of_others(position);
  }
  ledger& book() const { return book_; }

private:
  void collect();
  void note_several(std::uint32_t position);
  void note_repeated(std::uint32_t from, std::uint32_t into);
  bool one_each_in_spite_of_others(std::uint32_t position) const {
    return (one_each_.empty() || one_each_[position]) && !book_.cut_at(members_[position]);
  }

  ledger& book_;
  comm_id comm_;
  std::span<const rank_id> members_;
  std::uint32_t ranks_;                  ///< of the graph
  std::vector<std::uint32_t> positions_; ///< by rank; empty if every rank is a member
  bool all_ = false;                     ///< every transfer of the graph is in the view
  std::vector<std::uint32_t> active_;    ///< ids; empty if all_
  std::vector<std::uint32_t> first_;
  struct sender {
    std::uint32_t transfers = 0;
    std::uint32_t last_destination = nowhere; ///< of those that have been looked at
  };
  std::vector<sender> sent_; ///< by source
  /// Transfers of pairs beside the first one of each, by source and by destination; empty if there are none.
  std::vector<std::uint32_t> repeated_from_, repeated_into_;
  std::size_t repeated_ = 0;
  std::uint64_t shortest_ = ~std::uint64_t{0}, longest_ = 0;
  std::vector<bool> one_each_; ///< by destination, when the view was made; empty if true for all
  std::size_t open_before_ = 0;
  std::size_t cuts_before_ = 0;
};

/// Visits the free bytes into one destination pair by pair.
class pair_sorter {
public:
  explicit pair_sorter(const group_view& view) : view_(view) {}

  /// Calls visit(key, pieces) once for each source with free bytes for `destination`, in a fixed order; key =
  /// key_of(source), and sources with key `nowhere` are left out. The pieces (span of slices) are ordered by
  /// destination address. Returns the number of sources visited. Cost O(pieces). Nearly always every source
  /// has one whole transfer; then nothing is sorted.
  template <typename KeyOf, typename Visit>
  std::uint32_t each_pair(std::uint32_t destination, const KeyOf& key_of, Visit visit) {
    const auto ids = view_.into(destination);
    if (!view_.one_each(destination))
      return each_sorted(ids, key_of, visit);
    std::uint32_t count = 0;
    for (const std::uint32_t id : ids) {
      const std::uint32_t key = key_of(view_.source(id));
      if (key == nowhere || !view_.book().any_free(id))
        continue;
      const slice only{0, view_.book()[id].length, id};
      visit(key, std::span<const slice>(&only, 1));
      ++count;
    }
    return count;
  }

  /// Calls visit(source, pieces) for every source that this destination still gets bytes from.
  template <typename Visit>
  std::uint32_t each_pair(std::uint32_t destination, Visit visit) {
    return each_pair(destination, [](std::uint32_t source) { return source; }, visit);
  }

private:
  template <typename KeyOf, typename Visit>
  std::uint32_t each_sorted(const id_range& ids, const KeyOf& key_of, Visit visit) {
    if (head_.empty())
      head_.assign(view_.size(), nowhere);
    next_.resize(ids.size());
    for (std::size_t k = ids.size(); k-- > 0;) {
      if (!view_.book().any_free(ids[k]))
        continue;
      const std::uint32_t source = view_.source(ids[k]);
      if (key_of(source) == nowhere)
        continue;
      if (head_[source] == nowhere)
        touched_.push_back(source);
      next_[k] = head_[source];
      head_[source] = static_cast<std::uint32_t>(k);
    }
    for (std::size_t n = touched_.size(); n-- > 0;) {
      const std::uint32_t source = touched_[n];
      pieces_.clear();
      for (std::uint32_t k = head_[source]; k != nowhere; k = next_[k])
        view_.book().each_free(ids[k], [&](const slice& s) { pieces_.push_back(s); });
      head_[source] = nowhere;
      visit(key_of(source), std::span<const slice>(pieces_));
    }
    const auto count = static_cast<std::uint32_t>(touched_.size());
    touched_.clear();
    return count;
  }

  const group_view& view_;
  std::vector<std::uint32_t> head_, next_, touched_;
  std::vector<slice> pieces_;
};

/// Which of a few or many chosen positions a position is. Up to four (nearly always there is one: the root)
/// are compared one by one: that needs no table of 4 bytes a rank and is faster than a look-up in it.
class position_index {
public:
  position_index() = default;
  position_index(std::span<const std::uint32_t> chosen, std::uint32_t positions) {
    if (chosen.size() <= few_.size()) {
      std::copy(chosen.begin(), chosen.end(), few_.begin());
      few_count_ = static_cast<std::uint32_t>(chosen.size());
      return;
    }
    table_.assign(positions, nowhere);
    for (std::uint32_t k = 0; k < chosen.size(); ++k)
      table_[chosen[k]] = k;
  }
  /// k if this is the k-th chosen position, else none.
  std::uint32_t operator()(std::uint32_t position) const {
    if (!table_.empty())
      return table_[position];
    for (std::uint32_t k = 0; k < few_count_; ++k)
      if (few_[k] == position)
        return k;
    return nowhere;
  }
  /// It is chosen no longer; the others keep their numbers.
  void remove(std::uint32_t position) {
    if (!table_.empty())
      table_[position] = nowhere;
    else
      std::replace(few_.begin(), few_.end(), position, nowhere);
  }

private:
  std::array<std::uint32_t, 4> few_{}; ///< if the table is empty
  std::uint32_t few_count_ = 0;
  std::vector<std::uint32_t> table_; ///< by position
};

/// Sum of the lengths.
inline std::uint64_t total(std::span<const slice> pieces) {
  std::uint64_t sum = 0;
  for (const slice& s : pieces)
    sum += s.length;
  return sum;
}

} // namespace tacit::graphs
