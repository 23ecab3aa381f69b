// What a graph leaves behind that somebody reads: all that it writes, minus declared scratch, or what is declared to be read.
#pragma once

#include "graphs/flow/fragment_tree.h"
#include "graphs/graph/graph.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// Which bytes of each rank are live-out, as a filter over ascending fragments of ascending ranks.
class live_bytes {
public:
  explicit live_bytes(const graph& g) : keep_(!g.live_out_bytes().empty()) {
    const auto declared = keep_ ? g.live_out_bytes() : g.scratch_bytes();
    for (const auto& [rank, bytes] : declared)
      if (bytes.length > 0)
        ranges_.push_back({rank, bytes});
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second.address < b.second.address;
    });
    unite();
  }

  /// Calls visit for each live part of f.
  template <typename Visit>
  void filter(rank_id rank, const fragment& f, Visit&& visit) {
    if (ranges_.empty()) {
      if (!keep_)
        visit(f);
      return;
    }
    while (at_ < ranges_.size() &&
           (ranges_[at_].first < rank || (ranges_[at_].first == rank && end_of(at_) <= f.address)))
      ++at_;
    std::uint64_t from = f.address;
    for (std::size_t i = at_;
         i < ranges_.size() && ranges_[i].first == rank && ranges_[i].second.address < f.end(); ++i) {
      const std::uint64_t start = std::max(f.address, ranges_[i].second.address),
                          end = std::min(f.end(), end_of(i));
      if (keep_)
        visit(f.part(start, end));
      else if (from < start)
        visit(f.part(from, start));
      from = end;
    }
    if (!keep_ && from < f.end())
      visit(f.part(from, f.end()));
  }

private:
  std::uint64_t end_of(std::size_t i) const { return ranges_[i].second.address + ranges_[i].second.length; }

  void unite() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      auto& last = ranges_[kept == 0 ? 0 : kept - 1];
      if (kept > 0 && last.first == ranges_[i].first && ranges_[i].second.address <= end_of(kept - 1))
        last.second.length = std::max(end_of(kept - 1), end_of(i)) - last.second.address;
      else
        ranges_[kept++] = ranges_[i];
    }
    ranges_.resize(kept);
  }

  bool keep_; ///< the ranges are what is live, not what is dead
  std::vector<std::pair<rank_id, segment>> ranges_;
  std::size_t at_ = 0;
};

} // namespace tacit::graphs
