// The five calls differ in their arguments, the modes in the name and in what follows the arguments.
#pragma once

#include "surface/selftest/implementation.h"

namespace tacit::surface {

/// One side of a call in the large-count functions.
struct large_side {
  explicit large_side(const side_arguments& s)
      : buffer(s.buffer), counts(s.counts.begin(), s.counts.end()), displs(s.displs.begin(), s.displs.end()),
        bytes(s.bytes), types(s.types) {}
  void* buffer;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs, bytes;
  std::vector<MPI_Datatype> types;
};

} // namespace tacit::surface

/// Returns what `function(name)` returns for the call `what`, with sides `s` and `r` as in side_arguments.
/// What follows `comm` in the macro follows the communicator.
#define TACIT_EACH_CALL(what, function, s, r, comm, ...)                                                     \
  switch (what) {                                                                                            \
  case call::allgather:                                                                                      \
    return function(allgather)((s).buffer, (s).counts[0], (s).types[0], (r).buffer, (r).counts[0],           \
                               (r).types[0], comm __VA_OPT__(, ) __VA_ARGS__);                               \
  case call::allgatherv:                                                                                     \
    return function(allgatherv)((s).buffer, (s).counts[0], (s).types[0], (r).buffer, (r).counts.data(),      \
                                (r).displs.data(), (r).types[0], comm __VA_OPT__(, ) __VA_ARGS__);           \
  case call::alltoall:                                                                                       \
    return function(alltoall)((s).buffer, (s).counts[0], (s).types[0], (r).buffer, (r).counts[0],            \
                              (r).types[0], comm __VA_OPT__(, ) __VA_ARGS__);                                \
  case call::alltoallv:                                                                                      \
    return function(alltoallv)((s).buffer, (s).counts.data(), (s).displs.data(), (s).types[0], (r).buffer,   \
                               (r).counts.data(), (r).displs.data(), (r).types[0],                           \
                               comm __VA_OPT__(, ) __VA_ARGS__);                                             \
  case call::alltoallw:                                                                                      \
    return function(alltoallw)((s).buffer, (s).counts.data(), (s).bytes.data(), (s).types.data(),            \
                               (r).buffer, (r).counts.data(), (r).bytes.data(), (r).types.data(),            \
                               comm __VA_OPT__(, ) __VA_ARGS__);                                             \
  }                                                                                                          \
  return MPI_ERR_OTHER
