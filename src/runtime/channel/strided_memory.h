// User memory of a message, in packing order, for copying into slots and out of them piece by piece.
//
// Problem. The border of an array is thousands of short pieces (12 B each where a halo is three floats wide).
// A list of their addresses is longer than the data: reading it costs as much as copying, and with more ranks
// than cores it pushes everybody's data out of the caches.
//
// Idea. Equal pieces at equal distances are one run: address, length, distance, count. Runs are found
// greedily in the list, so any list can be given. Copying works through whole runs, for short lengths with
// code for exactly that length. Cost: O(pieces) once, then a few ns per piece and 32 B of list per run.
#pragma once

#include "graphs/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit::runtime {

class strided_memory {
public:
  strided_memory() = default;
  explicit strided_memory(const std::vector<graphs::segment>& bytes);

  /// All of it lies `by` bytes further.
  void move(std::ptrdiff_t by);
  /// Bytes [first, first + n) in packing order. Quick if a call begins where the last one ended, or at 0.
  void gather(std::byte* into, std::uint64_t first, std::uint64_t n);
  void scatter(const std::byte* from, std::uint64_t first, std::uint64_t n);
  /// Address of these bytes if they are in one piece, else null.
  std::byte* contiguous(std::uint64_t first, std::uint64_t n) const;
  std::size_t runs() const { return runs_.size(); }
  std::uint64_t average_piece() const { return pieces_ == 0 ? 0 : bytes_ / pieces_; }
  /// Calls `copy(offset, user memory, bytes)` for each piece of these bytes; `offset` counts from `first`.
  template <typename Copy>
  void each_piece(std::uint64_t first, std::uint64_t n, Copy&& copy) {
    const auto whole = [&](std::uint64_t offset, std::byte* user, std::uint64_t length, std::int64_t distance,
                           std::uint64_t count) {
      for (; count > 0; --count, offset += length, user += distance)
        copy(offset, user, length);
    };
    walk(first, n, whole, copy);
  }

private:
  struct run {
    std::uint64_t address, length;
    std::int64_t distance; ///< from piece to piece
    std::uint64_t count;
  };
  void seek(std::uint64_t first);
  template <typename Whole, typename Part>
  void walk(std::uint64_t first, std::uint64_t n, Whole&& whole, Part&& part);

  std::vector<run> runs_;
  std::uint64_t bytes_ = 0, pieces_ = 0;
  std::uint64_t at_ = 0;                         ///< in packing order: where the next call begins, as
  std::uint64_t run_ = 0, piece_ = 0, done_ = 0; ///< run, piece of it, and bytes of that
};

/// `whole(offset, address, length, distance, count)` for whole pieces, `part(offset, address, bytes)` for the
/// end or beginning of one.
template <typename Whole, typename Part>
void strided_memory::walk(std::uint64_t first, std::uint64_t n, Whole&& whole, Part&& part) {
  seek(first);
  for (std::uint64_t offset = 0; offset < n;) {
    const run& r = runs_[run_];
    auto* const user =
        reinterpret_cast<std::byte*>(r.address + static_cast<std::uint64_t>(r.distance) * piece_);
    std::uint64_t moved = 0;
    if (done_ > 0 || n - offset < r.length) {
      moved = std::min(n - offset, r.length - done_);
      part(offset, user + done_, moved);
      done_ += moved;
      if (done_ == r.length)
        done_ = 0, ++piece_;
    } else {
      const std::uint64_t count = std::min(r.count - piece_, (n - offset) / r.length);
      whole(offset, user, r.length, r.distance, count);
      moved = count * r.length;
      piece_ += count;
    }
    offset += moved;
    at_ += moved;
    if (piece_ == r.count)
      piece_ = 0, ++run_;
  }
}

} // namespace tacit::runtime
