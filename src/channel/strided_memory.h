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

#include "graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacit {

class strided_memory {
public:
  strided_memory() = default;
  explicit strided_memory(const std::vector<segment>& bytes);

  /// All of it lies `by` bytes further.
  void move(std::ptrdiff_t by);
  /// Bytes [first, first + n) in packing order. Quick if a call begins where the last one ended, or at 0.
  void gather(std::byte* into, std::uint64_t first, std::uint64_t n);
  void scatter(const std::byte* from, std::uint64_t first, std::uint64_t n);
  /// Address of these bytes if they are in one piece, else null.
  std::byte* contiguous(std::uint64_t first, std::uint64_t n) const;
  std::size_t runs() const { return runs_.size(); }

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
  std::uint64_t bytes_ = 0;
  std::uint64_t at_ = 0;                         ///< in packing order: where the next call begins, as
  std::uint64_t run_ = 0, piece_ = 0, done_ = 0; ///< run, piece of it, and bytes of that
};

} // namespace tacit
