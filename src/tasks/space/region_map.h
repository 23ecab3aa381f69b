// A value for every point of a box, kept as disjoint boxes with one value each.
//
// Every change cuts the boxes at the border of what changes, and joins neighbors with equal values again, so that a program
// that does the same in every iteration keeps a map of constant size. A list, looked through from one end to the other:
// buffers have one to some tens of entries, where nothing is faster. Order of entries: that of changes, the same on all ranks.
#pragma once

#include "tasks/space/region.h"

#include <utility>

namespace tacit::tasks {

template <typename T>
class region_map {
public:
  struct entry {
    box where;
    T value;
  };

  region_map() = default;
  region_map(const box& everywhere, T value) {
    if (!everywhere.empty())
      entries_.push_back({everywhere, std::move(value)});
  }

  const std::vector<entry>& entries() const { return entries_; }

  /// Gives all points of the box this value; the box may reach beyond what the map covers, and extends it.
  void assign(const box& where, const T& value) {
    if (where.empty())
      return;
    if (entries_.size() == 1 && where.contains(entries_[0].where)) {
      entries_[0] = {where, value};
      return;
    }
    cut(where);
    std::erase_if(entries_, [&](const entry& e) { return where.contains(e.where); });
    entries_.push_back({where, value});
    join(where);
  }
  void assign(const region& where, const T& value) {
    for (const box& b : where.boxes())
      assign(b, value);
  }

  /// Changes the value of every point of the box: change(value).
  template <typename Change>
  void update(const box& where, Change&& change) {
    if (entries_.size() == 1 && where.contains(entries_[0].where)) {
      change(entries_[0].value);
      return;
    }
    cut(where);
    for (entry& e : entries_)
      if (where.contains(e.where))
        change(e.value);
    join(where);
  }
  template <typename Change>
  void update(const region& where, Change&& change) {
    for (const box& b : where.boxes())
      update(b, change);
  }

  /// Changes all values: change(value).
  template <typename Change>
  void update_all(Change&& change) {
    box all;
    for (entry& e : entries_) {
      change(e.value);
      all = hull_of(all, e.where);
    }
    join(all);
  }

  /// Changes all values, and joins none: change(value). For numbers that have become others.
  template <typename Change>
  void revalue(Change&& change) {
    for (entry& e : entries_)
      change(e.value);
  }

  /// Calls visit(box, value) for every entry, with the part of it that lies in `where`.
  template <typename Visit>
  void query(const box& where, Visit&& visit) const {
    for (const entry& e : entries_)
      if (const box common = intersection(e.where, where); !common.empty())
        visit(common, e.value);
  }
  template <typename Visit>
  void query(const region& where, Visit&& visit) const {
    for (const box& b : where.boxes())
      query(b, visit);
  }

private:
  /// Afterwards every entry lies inside the box or outside of it.
  void cut(const box& where) {
    std::vector<box> rest;
    const std::size_t before = entries_.size();
    for (std::size_t i = 0; i < before; ++i) {
      const box common = intersection(entries_[i].where, where);
      if (common.empty() || common == entries_[i].where)
        continue;
      rest.clear();
      append_difference(entries_[i].where, where, rest);
      entries_[i].where = common;
      for (const box& b : rest)
        entries_.push_back({b, entries_[i].value});
    }
  }

  /// True, and `a` grown, if both boxes together are a box.
  static bool grow(box& a, const box& b) {
    int differs = -1;
    for (int d = 0; d < dimensions; ++d) {
      if (a[d] == b[d])
        continue;
      if (differs >= 0)
        return false;
      differs = d;
    }
    if (differs < 0 || (a[differs].end != b[differs].begin && b[differs].end != a[differs].begin))
      return false;
    a[differs] = {std::min(a[differs].begin, b[differs].begin), std::max(a[differs].end, b[differs].end)};
    return true;
  }

  /// Joins entries in the box, whose values have changed, with their neighbors.
  void join(const box& changed) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (overlap(entries_[i].where, changed))
        i = join_from(i);
  }

  /// Joins one entry with whatever fits, until nothing does. Returns where it stands afterwards.
  std::size_t join_from(std::size_t i) {
    for (std::size_t k = 0; k < entries_.size();) {
      if (k == i || !grow_by(i, k)) {
        ++k;
        continue;
      }
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(k));
      i -= k < i ? 1 : 0;
      k = 0; // what was tried before may fit now
    }
    return i;
  }

  bool grow_by(std::size_t i, std::size_t k) {
    box both = entries_[i].where;
    if (!grow(both, entries_[k].where) || !(entries_[i].value == entries_[k].value))
      return false;
    entries_[i].where = both;
    return true;
  }

  std::vector<entry> entries_;
};

} // namespace tacit::tasks
