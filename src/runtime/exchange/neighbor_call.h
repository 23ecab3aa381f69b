// The arguments of any neighborhood collective, in one shape: what is sent and what is received, each as one
// block for all edges, equal blocks, varying blocks, or blocks with types of their own.
#pragma once

#include "neighbors/passes/neighbor.h"
#include "runtime/exchange/layouts.h"

#include <array>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

struct neighbor_side {
  enum class listing : std::uint8_t {
    same,    ///< the same `count` elements for every edge (what allgather sends)
    equal,   ///< `count` elements per edge, one block after the other
    varying, ///< counts and displacements (in extents of the type) per edge
    typed,   ///< counts, displacements (in bytes) and types per edge
  };
  listing blocks = listing::same;
  bool large_counts = false;        ///< `counts` are MPI_Count, else int
  bool large_displacements = false; ///< `displacements` are MPI_Aint, else int
  const void* buffer = nullptr;
  MPI_Count count = 0;
  const void* counts = nullptr;
  const void* displacements = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;
};

/// Of edge i, which must not be an open boundary.
std::int64_t count_at(const neighbor_side& s, std::size_t i);
std::int64_t displacement_at(const neighbor_side& s, std::size_t i); ///< varying and typed

struct neighbor_call {
  const char* function = ""; ///< static text: "tacit_neighbor_alltoall"
  neighbor_side send, receive;
};

/// What the arguments describe, but for the buffers' addresses: equal for calls that can share a plan. Also
/// holds the layouts, whose numbers are unique only as long as they are held.
struct call_signature {
  std::vector<std::int64_t> words;
  std::array<const void*, 2> in_host{}; ///< buffers of the last call described here, if there was no device
  std::vector<layout_handle> layouts;
  /// Some block is in device memory, which only MPI may copy.
  bool in_device_memory() const;
};

/// Replaces *into by the signature of the call. Throws neighbor_error naming the argument; datatype_error.
/// Arguments of open boundaries are not looked at.
void describe_call(const neighbor_call& call, const neighbors::neighborhood& n, call_signature& into);

/// The blocks in absolute addresses. The call must have passed describe_call. Throws datatype_error.
neighbors::neighbor_blocks blocks_of(const neighbor_call& call, const neighbors::neighborhood& n);

/// A block that is not taken apart.
struct typed_block {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::int64_t count = 0;
  std::uint64_t address = 0; ///< of the first element
};

/// The blocks of one side, by slot; those of open boundaries are empty. Throws neighbor_error, mpi_error.
std::vector<typed_block> typed_blocks(const neighbor_side& side, const char* which,
                                      const std::vector<neighbors::edge>& edges);

} // namespace tacit::runtime
