// Tags of the operations on one duplicate of a communicator.
//
// Blocking and nonblocking calls share the tags of operation 0: their plans post all messages in start, and
// calls are made in the same order on all ranks, so MPI's order of messages matches them. Persistent
// operations may be started in any order, and each has tags of its own, numbered in the order of the _init
// calls; when they run out, the next _init moves to a new duplicate.
#pragma once

#include <algorithm>

namespace tacit::runtime {

class operation_tags {
public:
  /// `widest`: the most edges that lead from one rank to another one; `highest`: tag that may be used.
  void assign(int widest, int highest) {
    each_ = widest + extra;
    limit_ = std::max(2, highest / 2 / each_);
  }
  bool assigned() const { return limit_ > 1; }
  /// The first tag of the next persistent operation.
  int next() { return next_++ * each_; }
  bool used_up() const { return assigned() && next_ >= limit_; }
  /// A tag that no plan of operation 0 uses.
  int notice() const { return each_ - 1; }

private:
  /// Messages between one pair of ranks in one plan, beyond one per edge: above all one per tree (tree.h).
  static constexpr int extra = 64;
  int each_ = 1, next_ = 1, limit_ = 1;
};

} // namespace tacit::runtime
