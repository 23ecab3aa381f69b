// Any MPI datatype as a list of byte segments.
//
// The segments of one element are in packing order (the order in which MPI_Pack would write them), coalesced
// where one continues the last. Types need not be committed: only their description is read. Only PMPI_
// functions that query are called: local, never blocking, callable from inside an interposed call, any time
// between MPI_Init and MPI_Finalize.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <mpi.h>
#include <stdexcept>
#include <vector>

namespace tacit::runtime {

struct layout_segment {
  std::int64_t displacement = 0; ///< bytes from the buffer address
  std::uint64_t length = 0;      ///< bytes
  friend bool operator==(const layout_segment&, const layout_segment&) = default;
};

struct layout {
  std::vector<layout_segment> segments;
  std::uint64_t size = 0;  ///< bytes of data in one element
  std::int64_t extent = 0; ///< bytes from one element to the next
};

/// What cannot be flattened: a null handle or an unknown constructor.
struct datatype_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Too many pieces to list them all.
struct too_many_pieces : datatype_error {
  using datatype_error::datatype_error;
};

/// 2^26 segments are 1 GiB of memory.
inline constexpr std::size_t most_pieces = std::size_t{1} << 26;
/// How many a list may have in this process: most_pieces, or fewer if TACIT_PIECES says so.
std::size_t piece_limit();

/// One element of the type. Throws datatype_error, too_many_pieces.
layout flatten(MPI_Datatype type);

/// `count` elements at `buffer` as absolute addresses (MPI_BOTTOM is address 0). A dense type is one segment
/// whatever the count. Throws datatype_error, too_many_pieces.
std::vector<graphs::segment> segments_of(const void* buffer, std::uint64_t count, const layout& element);

} // namespace tacit::runtime
