// What the functions of the neighborhood collectives share.
#pragma once

#include "runtime/exchange/neighbor_call.h"
#include "surface/capi/handles.h"

#include <type_traits>

namespace tacit::surface {

inline runtime::neighbor_side same(const void* buffer, MPI_Count count, MPI_Datatype type) {
  runtime::neighbor_side s;
  s.buffer = buffer;
  s.count = count;
  s.type = type;
  return s;
}

inline runtime::neighbor_side equal(const void* buffer, MPI_Count count, MPI_Datatype type) {
  runtime::neighbor_side s = same(buffer, count, type);
  s.blocks = runtime::neighbor_side::listing::equal;
  return s;
}

/// Counts are int or MPI_Count, displacements int or MPI_Aint.
template <typename Count, typename Displacement>
runtime::neighbor_side varying(const void* buffer, const Count* counts, const Displacement* displacements,
                               MPI_Datatype type) {
  runtime::neighbor_side s;
  s.blocks = runtime::neighbor_side::listing::varying;
  s.buffer = buffer;
  s.counts = counts;
  s.large_counts = std::is_same_v<Count, MPI_Count>;
  s.displacements = displacements;
  s.large_displacements = std::is_same_v<Displacement, MPI_Aint>;
  s.type = type;
  return s;
}

template <typename Count>
runtime::neighbor_side typed(const void* buffer, const Count* counts, const MPI_Aint* displacements,
                             const MPI_Datatype* types) {
  runtime::neighbor_side s = varying(buffer, counts, displacements, MPI_DATATYPE_NULL);
  s.blocks = runtime::neighbor_side::listing::typed;
  s.types = types;
  return s;
}

// The three forms of a call, with errors reported to `comm`.
int run_blocking(const runtime::neighbor_call& call, MPI_Comm comm);
int start_nonblocking(const runtime::neighbor_call& call, MPI_Comm comm, tacit_schedule* schedule);
/// Options of all calls on a communicator.
int set_info(MPI_Comm comm, MPI_Info info);
int make_persistent(const runtime::neighbor_call& call, MPI_Comm comm, MPI_Info info,
                    tacit_schedule* schedule);

} // namespace tacit::surface
