// The front of a growing graph: what nobody comes after yet. A horizon comes after all of it.
//
// Numbers grow by one; only those since the last horizon are looked at, so that the memory is that between two horizons.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tacit::tasks {

template <typename Id>
class front {
public:
  /// Adds the next one, which comes after some of those before.
  void add(Id id, const std::vector<Id>& after) {
    int depth = 0;
    for (const Id before : after)
      if (before >= first_) {
        node& n = nodes_[offset(before)];
        n.followed = true;
        depth = std::max(depth, n.depth);
      }
    if (nodes_.empty())
      first_ = id;
    nodes_.push_back({depth + 1, false});
    deepest_ = std::max(deepest_, depth + 1);
  }

  /// The longest chain since the last horizon.
  int depth() const { return deepest_; }
  std::size_t size() const { return nodes_.size(); }
  Id first() const { return first_; }
  /// The same, but for the numbers.
  bool looks_like(const front& other) const { return deepest_ == other.deepest_ && nodes_ == other.nodes_; }
  /// With other numbers.
  void renumber(Id first) { first_ = first; }

  /// Those that nobody comes after, in increasing order.
  std::vector<Id> open() const {
    std::vector<Id> out;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].followed)
        out.push_back(static_cast<Id>(static_cast<std::size_t>(first_) + i));
    return out;
  }

  /// Starts again with a horizon, which came after all that was open.
  void restart(Id horizon) {
    nodes_.assign(1, {0, false});
    first_ = horizon;
    deepest_ = 0;
  }

private:
  struct node {
    int depth = 0;
    bool followed = false;
    friend bool operator==(const node&, const node&) = default;
  };
  std::size_t offset(Id id) const { return static_cast<std::size_t>(id) - static_cast<std::size_t>(first_); }

  Id first_{};
  std::vector<node> nodes_;
  int deepest_ = 0;
};

} // namespace tacit::tasks
