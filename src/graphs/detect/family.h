// The families of patterns. Each searches one group, takes what it finds from the ledger and says what it did
// not find.
#pragma once

#include "graphs/detect/ledger.h"

#include <algorithm>
#include <string>

namespace tacit::graphs {

struct group_search {
  const group_view& view;
  const detect_options& options;
  findings& out;
  bool alone = true; ///< no other group may want what is left

  std::uint32_t size() const { return view.size(); }
  ledger& book() const { return view.book(); }
  void refuse(pattern kind, reason why, std::string detail) const {
    out.refused.push_back({kind, view.comm(), why, std::move(detail)});
  }
  bool found(pattern kind) const {
    for (const finding& f : out.found)
      if (f.kind == kind && f.comm == view.comm())
        return true;
    return false;
  }
  /// True if `some` of `all` is a share that a vector variant may have.
  bool dense(std::uint64_t some, std::uint64_t all) const {
    return options.vector_forms && some > 0 &&
           static_cast<double>(some) >= options.density * static_cast<double>(all);
  }
};

void find_broadcasts(const group_search& search);     ///< allgather, allgatherv, bcast
void find_alltoall(const group_search& search);       ///< alltoall, alltoallv
void find_scatter_gather(const group_search& search); ///< scatter, scatterv, gather, gatherv
void find_barrier(const group_search& search, const graph& g, const matching& m, const run_order& o);

/// Fills a finding with slices, pair by pair, and takes them from the ledger.
class finding_filler {
public:
  finding_filler(ledger& book, finding f) : book_(book), result_(std::move(f)) {}
  /// The slices that follow are of another pair of ranks.
  void next_pair() {
    pieces_ = 0;
    bytes_ = 0;
  }
  void add(const slice& s) {
    auto& list = result_.slices;
    if (pieces_ > 0 && list.back().transfer == s.transfer &&
        list.back().offset + list.back().length == s.offset) {
      list.lengthen_last(s.length);
    } else {
      list.push_back(s);
      ++pieces_;
    }
    bytes_ += s.length;
    if (pieces_ > result_.blocks)
      result_.blocks = pieces_;
    if (bytes_ > result_.bytes)
      result_.bytes = bytes_;
    book_.take(s);
  }
  /// A pair that gives this slice and nothing else.
  void add_pair(std::uint64_t offset, std::uint64_t length, std::uint32_t transfer) {
    result_.slices.push_back({offset, length, transfer});
    result_.bytes = std::max(result_.bytes, length);
    book_.take({offset, length, transfer});
  }
  void add_pair(const slice& s) { add_pair(s.offset, s.length, s.transfer); }
  /// All transfers there are, equally long, each of another pair.
  void add_all(std::uint64_t length, std::size_t transfers) {
    result_.slices.assign_row({0, length, 0}, static_cast<std::uint32_t>(transfers));
    result_.bytes = length;
    book_.take_all();
  }
  /// About how many slices there will be, at most.
  void expect(std::size_t slices) { result_.slices.expect(slices); }
  bool empty() const { return result_.slices.empty(); }
  finding& result() { return result_; }

private:
  ledger& book_;
  finding result_;
  std::uint32_t pieces_ = 0;
  std::uint64_t bytes_ = 0;
};

} // namespace tacit::graphs
