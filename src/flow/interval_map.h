// What a rank's bytes hold: an ordered map from disjoint byte intervals to values, where bytes without an
// entry hold their own initial value.
//
// Almost every rank of a large graph holds one interval, so that one is kept in place (32 bytes a rank,
// nothing allocated). More live in leaves: sorted runs of at most 64 fragments, so that writing in the middle
// moves at most 2 KiB, found by binary search over the leaves' first addresses. Neighbours that continue each
// other are merged.
#pragma once

#include "base/ids.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tacit {

/// `length` bytes from `address` on hold the initial value of (source, source_address …); source no_rank:
/// unknown, written by the opaque operation source_address.
struct fragment {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint64_t source_address = 0;
  rank_id source = no_rank;
  std::uint32_t spare = 0; ///< used by interval_map

  std::uint64_t end() const { return address + length; }
  /// The part [from, to) of it.
  fragment part(std::uint64_t from, std::uint64_t to) const {
    return {from, to - from, source == no_rank ? source_address : source_address + (from - address), source,
            0};
  }
  /// True if `next` lies directly behind and continues the value.
  bool continued_by(const fragment& next) const {
    return end() == next.address && source == next.source &&
           next.source_address == (source == no_rank ? source_address : source_address + length);
  }
};
static_assert(sizeof(fragment) == 32);

/// Sorted fragments in leaves.
class fragment_tree {
public:
  void insert(const fragment& f) { // the place is free
    if (leaves_.empty())
      leaves_.emplace_back();
    const std::size_t l = leaf_for(f.address);
    std::vector<fragment>& leaf = leaves_[l];
    const auto at = position(leaf, f.address);
    if (at != leaf.begin() && std::prev(at)->continued_by(f)) {
      std::prev(at)->length += f.length;
      merge_behind(l, static_cast<std::size_t>(at - leaf.begin()) - 1);
      return;
    }
    if (at != leaf.end() && f.continued_by(*at)) {
      const std::uint64_t length = at->length;
      *at = f;
      at->length += length;
      return;
    }
    if (leaf.size() < leaf_size) {
      leaf.insert(at, f);
      return;
    }
    split_and_insert(l, static_cast<std::size_t>(at - leaf.begin()), f);
  }

  /// Forgets all that is known about [from, to).
  void erase(std::uint64_t from, std::uint64_t to) {
    if (leaves_.empty())
      return;
    for (std::size_t l = leaf_for(from); l < leaves_.size();) {
      std::vector<fragment>& leaf = leaves_[l];
      if (leaf.front().address >= to)
        return;
      auto first =
          std::partition_point(leaf.begin(), leaf.end(), [&](const fragment& f) { return f.end() <= from; });
      if (first != leaf.end() && first->address < from) {
        const fragment whole = *first;
        *first++ = whole.part(whole.address, from);
        if (whole.end() > to) {
          insert(whole.part(to, whole.end()));
          return;
        }
      }
      auto last = std::partition_point(first, leaf.end(), [&](const fragment& f) { return f.end() <= to; });
      if (last != leaf.end() && last->address < to)
        *last = last->part(to, last->end());
      const bool done = last != leaf.end();
      leaf.erase(first, last);
      if (leaf.empty())
        leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(l));
      else
        ++l;
      if (done)
        return;
    }
  }

  /// Calls visit(fragment) for each fragment that meets [from, to), in order.
  template <typename Visit>
  void each(std::uint64_t from, std::uint64_t to, Visit&& visit) const {
    if (leaves_.empty())
      return;
    for (std::size_t l = leaf_for(from); l < leaves_.size(); ++l) {
      const std::vector<fragment>& leaf = leaves_[l];
      auto f =
          std::partition_point(leaf.begin(), leaf.end(), [&](const fragment& x) { return x.end() <= from; });
      for (; f != leaf.end(); ++f) {
        if (f->address >= to)
          return;
        visit(*f);
      }
    }
  }

  template <typename Visit>
  void each(Visit&& visit) const {
    for (const auto& leaf : leaves_)
      for (const fragment& f : leaf)
        visit(f);
  }

private:
  static constexpr std::size_t leaf_size = 64;

  std::vector<fragment>::iterator position(std::vector<fragment>& leaf, std::uint64_t address) {
    if (leaf.empty() || leaf.back().address < address)
      return leaf.end(); // ascending writes are common
    return std::partition_point(leaf.begin(), leaf.end(),
                                [&](const fragment& f) { return f.address < address; });
  }

  /// The last leaf that starts at or before `address` (the first one if none does).
  std::size_t leaf_for(std::uint64_t address) const {
    if (leaves_.back().empty() || leaves_.back().front().address <= address)
      return leaves_.size() - 1;
    const auto next = std::partition_point(leaves_.begin(), leaves_.end(),
                                           [&](const auto& leaf) { return leaf.front().address <= address; });
    return next == leaves_.begin() ? 0 : static_cast<std::size_t>(next - leaves_.begin()) - 1;
  }

  /// Fragment i of leaf l has grown: joins it with the next one if that continues it.
  void merge_behind(std::size_t l, std::size_t i) {
    std::vector<fragment>& leaf = leaves_[l];
    if (i + 1 < leaf.size()) {
      if (!leaf[i].continued_by(leaf[i + 1]))
        return;
      leaf[i].length += leaf[i + 1].length;
      leaf.erase(leaf.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }

  void split_and_insert(std::size_t l, std::size_t at, const fragment& f) {
    const bool append = at == leaf_size; // full leaves stay full when memory is written in ascending order
    const std::size_t keep = append ? leaf_size : leaf_size / 2;
    std::vector<fragment> upper(leaves_[l].begin() + static_cast<std::ptrdiff_t>(keep), leaves_[l].end());
    leaves_[l].resize(keep);
    const auto next = static_cast<std::ptrdiff_t>(l) + 1;
    if (append)
      upper.push_back(f);
    else if (at > keep)
      upper.insert(upper.begin() + static_cast<std::ptrdiff_t>(at - keep), f);
    else
      leaves_[l].insert(leaves_[l].begin() + static_cast<std::ptrdiff_t>(at), f);
    leaves_.insert(leaves_.begin() + next, std::move(upper));
  }

  std::vector<std::vector<fragment>> leaves_; ///< none empty, except the only one of a fresh tree
};

} // namespace tacit
