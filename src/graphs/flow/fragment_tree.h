// An ordered map from disjoint intervals of bytes to the values that they hold.
//
// Fragments live in leaves: sorted runs of at most 64, so that writing in the middle moves at most 2 KiB,
// found by binary search over the leaves' first addresses. Neighbors that continue each other are merged. A
// fragment takes 32 bytes, and at most 80 in a large tree, where leaves are half full at the least when they
// have been split; the tree itself takes 200.
#pragma once

#include "graphs/flow/memory_budget.h"
#include "vocabulary/base/ids.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// The source of bytes that a reduction made; their source_address is that of flow.h's `reduction`.
inline constexpr rank_id combined{0xfffffffeu};

/// `length` bytes from `address` on hold the initial value of (source, source_address …); source no_rank:
/// unknown, written by the opaque operation source_address.
struct fragment {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint64_t source_address = 0;
  rank_id source = no_rank;
  std::uint32_t next = 0; ///< for lists of fragments: parked messages

  std::uint64_t end() const { return address + length; }
  /// The part [from, to) of it.
  fragment part(std::uint64_t from, std::uint64_t to) const {
    return {from, to - from, source == no_rank ? source_address : source_address + (from - address), source,
            0};
  }
  /// True if `other` lies directly behind and continues the value.
  bool continued_by(const fragment& other) const {
    return end() == other.address && source == other.source &&
           other.source_address == (source == no_rank ? source_address : source_address + length);
  }
};
static_assert(sizeof(fragment) == 32);

/// Sorted fragments in leaves. Leaf l holds what starts in [starts_[l], starts_[l + 1]); the first one also
/// what starts before. The leaf used last is tried first, because memory is mostly visited in runs.
class fragment_tree {
  using leaf = counted_vector<fragment>;
  static constexpr std::size_t leaf_size = 64;

  /// The first fragment of a leaf that ends behind `address`. Lists of pieces are mostly ascending, so it is nearly always the one
  /// that was found last, or the next one.
  template <typename Leaf>
  auto first_behind(Leaf& l, std::uint64_t address) const {
    if (l.empty() || l.back().end() <= address)
      return l.end(); // ascending writes are common
    for (std::uint32_t at = found_; at < found_ + 2 && at < l.size(); ++at)
      if (l[at].end() > address && (at == 0 || l[at - 1].end() <= address)) {
        found_ = at;
        return l.begin() + at;
      }
    const auto found =
        std::partition_point(l.begin(), l.end(), [&](const fragment& f) { return f.end() <= address; });
    found_ = static_cast<std::uint32_t>(found - l.begin());
    return found;
  }

public:
  explicit fragment_tree(memory_budget& budget)
      : leaves_(counted_allocator<leaf>(budget)), starts_(counted_allocator<std::uint64_t>(budget)) {}

  memory_budget& budget() const { return starts_.get_allocator().budget(); }

  std::size_t size() const {
    std::size_t count = 0;
    for (const leaf& l : leaves_)
      count += l.size();
    return count;
  }

  /// The bytes of `f` hold what they hold no longer, but f's value.
  void assign(const fragment& f) {
    if (!leaves_.empty()) {
      const std::size_t l = leaf_for(f.address);
      const auto at = first_behind(leaves_[l], f.address);
      if (at != leaves_[l].end() && at->address == f.address && at->length == f.length)
        return replace(l, at, f);
      const bool free = at != leaves_[l].end() ? at->address >= f.end() : reaches(l, f.end());
      if (free && !overlapped_from_before(l, at, f.address))
        return insert_at(l, at, f);
      erase(f.address, f.end());
    }
    insert(f);
  }

  /// None of f's bytes may be held yet.
  void insert(const fragment& f) {
    if (leaves_.empty()) {
      leaves_.push_back(empty_leaf());
      starts_.push_back(f.address);
    }
    const std::size_t l = leaf_for(f.address);
    insert_at(l, first_behind(leaves_[l], f.address), f);
  }

  /// Forgets all that is known about [from, to).
  void erase(std::uint64_t from, std::uint64_t to) {
    if (leaves_.empty())
      return;
    for (std::size_t l = leaf_before(from); l < leaves_.size() && (l == 0 || starts_[l] < to);) {
      leaf& here = leaves_[l];
      auto first = first_behind(here, from);
      if (first != here.end() && first->address < from) {
        const fragment whole = *first;
        *first++ = whole.part(whole.address, from);
        if (whole.end() > to)
          return insert(whole.part(to, whole.end()));
      }
      auto last = std::partition_point(first, here.end(), [&](const fragment& f) { return f.end() <= to; });
      fragment rest; // starts later than its whole, perhaps in another leaf
      if (last != here.end() && last->address < to) {
        rest = last->part(to, last->end());
        ++last;
      }
      here.erase(first, last);
      if (here.empty() && leaves_.size() > 1)
        remove(l);
      else
        ++l;
      if (rest.length != 0)
        return insert(rest);
    }
  }

  /// Calls visit(fragment) for each fragment that meets [from, to), in order.
  template <typename Visit>
  void each(std::uint64_t from, std::uint64_t to, Visit&& visit) const {
    if (leaves_.empty())
      return;
    for (std::size_t l = leaf_before(from); l < leaves_.size(); ++l) {
      for (auto f = first_behind(leaves_[l], from); f != leaves_[l].end(); ++f) {
        if (f->address >= to)
          return;
        recent_ = static_cast<std::uint32_t>(l);
        found_ = static_cast<std::uint32_t>(f - leaves_[l].begin());
        prefetch_behind(l, found_);
        visit(*f);
      }
    }
  }

  template <typename Visit>
  void each(Visit&& visit) const {
    for (const leaf& l : leaves_)
      for (const fragment& f : l)
        visit(f);
  }

  // Asked for early, one after the other: the tree itself, its leaves, what is in the one used last.
  [[gnu::always_inline]] void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  [[gnu::always_inline]] void prefetch_leaves() const {
    if (recent_ < leaves_.size())
      __builtin_prefetch(&leaves_[recent_]);
  }
  [[gnu::always_inline]] void prefetch_fragments() const {
    if (recent_ >= leaves_.size())
      return;
    const leaf& here = leaves_[recent_];
    constexpr std::size_t per_line = 2, most = 16;
    for (std::size_t i = 0; i < std::min(here.size(), most); i += per_line)
      __builtin_prefetch(&here[i], 1);
  }

private:
  /// Pieces of a list mostly ascend, so the fragments behind are read next. The processor follows a run by itself only when it has
  /// missed some of it, and begins anew in each leaf. What is written has mostly been read before.
  [[gnu::always_inline]] void prefetch_behind(std::size_t l, std::size_t at) const {
    constexpr std::size_t ahead = 16; // measured: 8 is too late
    const std::size_t next = at + ahead;
    if (next < leaves_[l].size())
      __builtin_prefetch(&leaves_[l][next]);
    else if (l + 1 < leaves_.size() && next - leaves_[l].size() < leaves_[l + 1].size())
      __builtin_prefetch(&leaves_[l + 1][next - leaves_[l].size()]);
  }

  std::size_t leaf_for(std::uint64_t address) const {
    const std::size_t r = recent_;
    if (r < leaves_.size() && (r == 0 || starts_[r] <= address) &&
        (r + 1 == leaves_.size() || address < starts_[r + 1]))
      return r;
    const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), address);
    return recent_ = static_cast<std::uint32_t>(next - starts_.begin() - 1);
  }

  /// Where a search for whatever meets `address` begins: a fragment of the leaf before may reach into it.
  std::size_t leaf_before(std::uint64_t address) const {
    const std::size_t l = leaf_for(address);
    return l > 0 && !leaves_[l - 1].empty() && leaves_[l - 1].back().end() > address ? l - 1 : l;
  }

  /// Nothing of the leaves behind l starts before `end`.
  bool reaches(std::size_t l, std::uint64_t end) const {
    return l + 1 == leaves_.size() || end <= starts_[l + 1];
  }

  bool overlapped_from_before(std::size_t l, leaf::const_iterator at, std::uint64_t address) const {
    return at == leaves_[l].begin() && leaf_before(address) != l;
  }

  void replace(std::size_t l, leaf::iterator at, const fragment& f) {
    const bool continues = at != leaves_[l].begin() && std::prev(at)->continued_by(f);
    const bool continued = std::next(at) != leaves_[l].end() && f.continued_by(*std::next(at));
    if (!continues && !continued)
      *at = f;
    else
      insert_at(l, leaves_[l].erase(at), f);
  }

  void insert_at(std::size_t l, leaf::iterator at, const fragment& f) {
    leaf& here = leaves_[l];
    if (at != here.begin() && std::prev(at)->continued_by(f)) {
      std::prev(at)->length += f.length;
      if (at != here.end() && std::prev(at)->continued_by(*at)) {
        std::prev(at)->length += at->length;
        here.erase(at);
      }
    } else if (at != here.end() && f.continued_by(*at)) {
      const std::uint64_t length = at->length;
      *at = f;
      at->length += length;
    } else if (here.size() < leaf_size) {
      here.insert(at, f);
    } else {
      split_and_insert(l, static_cast<std::size_t>(at - here.begin()), f);
    }
  }

  void split_and_insert(std::size_t l, std::size_t at, const fragment& f) {
    const bool append = at == leaf_size; // full leaves stay full when memory is written in ascending order
    const std::size_t keep = append ? leaf_size : leaf_size / 2;
    leaf upper = empty_leaf();
    upper.reserve(leaf_size);
    upper.assign(leaves_[l].begin() + static_cast<std::ptrdiff_t>(keep), leaves_[l].end());
    leaves_[l].resize(keep);
    if (at > keep || append)
      upper.insert(upper.begin() + static_cast<std::ptrdiff_t>(at - keep), f);
    else
      leaves_[l].insert(leaves_[l].begin() + static_cast<std::ptrdiff_t>(at), f);
    const auto next = static_cast<std::ptrdiff_t>(l) + 1;
    starts_.insert(starts_.begin() + next, upper.front().address);
    leaves_.insert(leaves_.begin() + next, std::move(upper));
  }

  void remove(std::size_t l) {
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(l));
    starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(l));
  }

  leaf empty_leaf() const { return leaf(counted_allocator<fragment>(budget())); }

  counted_vector<leaf> leaves_; ///< only the only one may be empty
  counted_vector<std::uint64_t> starts_;
  mutable std::uint32_t recent_ = 0; ///< the leaf used last
  mutable std::uint32_t found_ = 0;  ///< where in a leaf a search ended last
};

} // namespace tacit::graphs
