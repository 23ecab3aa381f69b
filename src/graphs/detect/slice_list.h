// The slices of a finding.
//
// An alltoall among 2,048 ranks takes four million transfers, each as a whole and one after the other. Equal parts of transfers that follow
// each other are kept as one run; who reads a list visits slices. A run takes as much memory as a slice that is alone.
#pragma once

#include "graphs/graph/run_iterator.h"
#include "vocabulary/base/huge_pages.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// A part of one transfer: bytes [offset, offset + length) of transfers.list[transfer].
struct slice {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint32_t transfer = 0;
};

class slice_list {
  /// Of transfers `transfer`, `transfer` + 1, ….
  struct run {
    std::uint64_t offset, length;
    std::uint32_t transfer, count;
    slice at(std::uint32_t i) const { return {offset, length, transfer + i}; }
  };
  static_assert(sizeof(run) == sizeof(slice));

public:
  using iterator = run_iterator<run, slice>;
  using const_iterator = iterator;
  using value_type = slice;

  iterator begin() const { return iterator(runs_.data()); }
  iterator end() const { return iterator(runs_.data() + runs_.size()); }
  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return size_; }
  /// The last one.
  slice back() const { return runs_.back().at(runs_.back().count - 1); }

  /// About how many there may be: only if they turn out to be many runs is there room made for them.
  void expect(std::size_t slices) { expected_ = slices; }
  void push_back(const slice& s) {
    ++size_;
    if (!runs_.empty()) {
      run& last = runs_.back();
      if (last.length == s.length && last.offset == s.offset && last.transfer + last.count == s.transfer) {
        ++last.count;
        return;
      }
    }
    if (runs_.size() == many_runs && runs_.capacity() < expected_) {
      std::vector<run> roomy;
      reserve_huge(roomy, expected_);
      roomy.assign(runs_.begin(), runs_.end());
      runs_ = std::move(roomy);
    }
    runs_.push_back({s.offset, s.length, s.transfer, 1});
  }
  /// Equal parts of so many transfers, from this one on, where there is nothing yet.
  void assign_row(const slice& first, std::uint32_t transfers) {
    runs_.assign(1, {first.offset, first.length, first.transfer, transfers});
    size_ = transfers;
  }
  /// Makes the last one longer.
  void lengthen_last(std::uint64_t by) {
    if (runs_.back().count == 1) {
      runs_.back().length += by;
      return;
    }
    slice longer = back();
    --runs_.back().count;
    longer.length += by;
    runs_.push_back({longer.offset, longer.length, longer.transfer, 1});
  }

private:
  static constexpr std::size_t many_runs = 64;
  std::vector<run> runs_;
  std::size_t size_ = 0, expected_ = 0;
};

} // namespace tacit::graphs
