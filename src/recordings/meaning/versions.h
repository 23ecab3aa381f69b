// Versions of the memory that a rank sends: gives every distinct content its own virtual addresses.
//
// Buffers are reused, so an address alone names nothing. Within one episode: a send of the same buffer with
// the same hash is the same version; of the same buffer with another hash a new one. A send of other,
// overlapping memory shares the bytes that were sent before, unless a receive wrote there in between; local
// changes in between cannot be seen, so that sharing is an assumption, and is reported as one. It is not made for two lengths that
// begin at the same place with no receive in between: messages are packed like that. If they are the same bytes after all, they are
// taken for different ones, which every rank gets a block of its own of.
#pragma once

#include "graphs/graph/graph.h"
#include "recordings/record/reader.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace tacit::recordings {

/// Lowest and highest address of a buffer; false if its layout is not known or it is empty.
bool memory_hull(const rank_recording& r, const call& c, std::uint64_t& begin, std::uint64_t& end);

/// The runs of memory of the first `bytes` packed bytes of a buffer, in packing order; empty if unknown or too
/// many.
std::vector<graphs::segment> memory_runs(const rank_recording& r, const call& c, std::uint64_t bytes);
/// The same by address, for comparisons.
std::vector<graphs::segment> sorted_memory_runs(const rank_recording& r, const call& c, std::uint64_t bytes);

class version_map {
public:
  /// Virtual addresses of `length` fresh bytes.
  graphs::segment fresh(std::uint64_t length);
  /// Virtual addresses of the bytes that a send reads, in packing order.
  std::vector<graphs::segment> sent(const rank_recording& r, const call& send, std::uint64_t bytes);
  /// A receive has overwritten this buffer.
  void received(const rank_recording& r, const call& receive, std::uint64_t bytes);
  bool assumed_unchanged() const { return assumed_; }

private:
  struct known_bytes {
    std::uint64_t end = 0;
    std::uint64_t address = 0; ///< virtual
  };
  struct known_buffer {
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;
    std::vector<graphs::segment> segments;
  };
  using buffer_key = std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::uint64_t>;

  void forget(std::uint64_t begin, std::uint64_t end);
  void map_run(std::uint64_t begin, std::uint64_t length, std::vector<graphs::segment>& to);

  std::uint64_t next_ = 1;
  std::map<std::uint64_t, known_bytes> memory_; ///< by real address, not overlapping
  std::map<buffer_key, known_buffer> buffers_;
  std::map<std::uint64_t, std::uint64_t> packed_; ///< sends since the last receive: begin → length
  bool assumed_ = false;
};

} // namespace tacit::recordings
